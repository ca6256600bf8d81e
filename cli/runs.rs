//! `bunraku fleet run`, `collect`, `status`: going on with what was published, by whoever knows what it is called.

use crate::diff_output::{DiffOutput, FailOn};
use crate::distributed::gathered;
use crate::engines::{ENGINES, On, Opened, Patience, RunName, Tls, plan};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::reports::{Report, ReportFormat};
use crate::{FAILED, output};
use bunraku_fleet::compile::expected::Expected;
use bunraku_fleet::compile::report::{Summary, line};
use bunraku_fleet::compile::save::Folder;
use bunraku_fleet::engine::Hash;
use bunraku_fleet::engine::coordinator::{nobody, status};
use bunraku_fleet::engine::job::Want;
use bunraku_fleet::engine::outcome::{Outcome, Printed};
use bunraku_fleet::engine::plan::Plan;
use bunraku_fleet::report::Head;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Where a run lies.
#[derive(Args)]
struct Place {
    /// The run, as it was called when it was published: its hash, or its folder.
    #[arg(value_name = "RUN")]
    run: RunName,
    /// The engine that has it, where the run is no folder.
    #[arg(long, value_name = ENGINES)]
    on: Option<On>,
    #[command(flatten)]
    tls: TlsArguments,
    #[command(flatten)]
    patience: Patience,
}

/// Certificates for NATS; of a bucket of S3 only its authority's.
#[derive(Args, Clone)]
pub struct TlsArguments {
    /// Certificates of the authority that signs the server.
    #[arg(long, value_name = "FILE")]
    localcacert: Option<PathBuf>,
    /// Certificate that the server is shown.
    #[arg(long, value_name = "FILE", requires = "hostprivkey")]
    hostcert: Option<PathBuf>,
    /// Its key.
    #[arg(long, value_name = "FILE", requires = "hostcert")]
    hostprivkey: Option<PathBuf>,
}

impl TlsArguments {
    /// As the engine takes them.
    pub fn tls(&self) -> Tls {
        let certificate = self.hostcert.clone().zip(self.hostprivkey.clone());
        Tls { authorities: self.localcacert.clone(), certificate }
    }
}

impl Place {
    fn open(&self) -> Result<(Opened, Hash, Plan), String> {
        let (opened, run) = self.run.open(self.on.as_ref(), &self.tls.tls(), &self.patience)?;
        let plan = plan(opened.engine(), &run)?;
        Ok((opened, run, plan))
    }
}

/// How a run's report is told.
#[derive(Args)]
struct Telling {
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ReportFormat,
    /// A further report of a diff, in a file: `markdown=diff.md`. It may be given several times.
    #[arg(long = "report", value_name = "FORM=FILE")]
    reports: Vec<Report>,
    /// Keep the catalogs of a fleet that was compiled to be kept in a folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// File with the nodes that are known to fail.
    #[arg(long = "expect-failures", value_name = "FILE")]
    expect_failures: Option<PathBuf>,
    #[command(flatten)]
    color: ColorChoice,
}

/// Go on with a run as its coordinator, to its end, and print the report.
///
/// Exit status: as of `bunraku diff`, `bunraku fleet compile` or `bunraku compile`, whichever published it.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    told: Telling,
}

/// Print the report of a run that is done; it is an error where results are missing.
///
/// Exit status: as of `bunraku diff`, `bunraku fleet compile` or `bunraku compile`, whichever published it.
#[derive(Args)]
pub struct Collect {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    told: Telling,
}

/// Say how far a run is.
#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    place: Place,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run {
    /// Runs the subcommand.
    pub fn run(&self) -> ExitCode {
        ended(told(&self.place, &self.told, true))
    }
}

impl Collect {
    /// Runs the subcommand.
    pub fn run(&self) -> ExitCode {
        ended(told(&self.place, &self.told, false))
    }
}

impl Status {
    /// Runs the subcommand.
    pub fn run(&self) -> ExitCode {
        let said = self.place.open().and_then(|(opened, run, plan)| {
            let status = status(opened.engine(), &run, &plan)?;
            Ok(match self.json {
                true => json!({"run": run.as_str(), "shards": status.shards, "done": status.done, "nodes": status.nodes, "given_up": status.given_up}).to_string(),
                false => format!(
                    "{} of {} shards are done, {} nodes in all{}",
                    status.done,
                    status.shards,
                    status.nodes,
                    if status.given_up > 0 { format!("; {} were given up by workers", status.given_up) } else { String::new() }
                ),
            })
        });
        ended(
            said.and_then(|text| {
                output::print(&(text + "\n")).map(|()| 0).map_err(|error| error.to_string())
            }),
        )
    }
}

/// The exit status of what came out, or its error told.
pub fn ended(done: Result<u8, String>) -> ExitCode {
    match done {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            Renderer::stderr(crate::render::When::Auto, MessageFormat::Text).failure(&message, FAILED)
        }
    }
}

fn told(place: &Place, how: &Telling, waits: bool) -> Result<u8, String> {
    let (opened, run, plan) = place.open()?;
    // Halves of what workers give up are found out here; without workers nobody goes on.
    if waits {
        opened.engine().publish(&plan.jobs(&run))?;
    }
    match plan.want {
        Want::Differences => differences((&opened, &run, &plan), how, waits),
        Want::Outcome | Want::Catalogs => outcomes((&opened, &run, &plan), how, waits),
        Want::Printed => printed((&opened, &run, &plan), how, waits),
    }
}

fn differences(
    (opened, run, plan): (&Opened, &Hash, &Plan),
    how: &Telling,
    waits: bool,
) -> Result<u8, String> {
    let said = |name: &str| plan.report[name].as_str().unwrap_or_default().to_owned();
    let untouched = plan.report["untouched"].as_array().into_iter().flatten();
    let untouched = untouched.filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let head = Head { from: said("from"), to: said("to") };
    let fail_on = FailOn::of(plan.report["fail_on"].as_str())?;
    let mut told = DiffOutput::new(head, (how.format, &how.reports, how.color.color), fail_on, untouched)?;
    let left = |left: &[(String, String)]| Ok(nobody(plan.want, left));
    gathered(opened.engine(), (run, plan), (&left, waits, None), &mut |name, outcome| {
        if let Outcome::Compared(found) = outcome {
            told.add(name, &found);
        }
    })?;
    told.finish()
}

/// The catalogs, in the order of names, and what was logged.
fn printed((opened, run, plan): (&Opened, &Hash, &Plan), how: &Telling, waits: bool) -> Result<u8, String> {
    let left = |left: &[(String, String)]| Ok(nobody(plan.want, left));
    let mut renderer = Renderer::stderr(how.color.color, MessageFormat::Text);
    let (mut status, mut written) = (0, Ok(()));
    gathered(opened.engine(), (run, plan), (&left, waits, None), &mut |name, outcome| match outcome {
        Outcome::Printed(Ok(Printed { logs, catalog })) => {
            renderer.logs(&logs);
            if written.is_ok() {
                written = output::print(&(catalog + "\n"));
            }
        }
        Outcome::Printed(Err(why)) => {
            renderer.error(&format!("{name}: {why}"));
            status = FAILED;
        }
        _ => {}
    })?;
    written.map_err(|error| format!("Could not write a catalog: {error}"))?;
    Ok(status)
}

fn outcomes((opened, run, plan): (&Opened, &Hash, &Plan), how: &Telling, waits: bool) -> Result<u8, String> {
    let save = how.save.as_deref().map(Folder::open).transpose()?;
    if save.is_some() && plan.want != Want::Catalogs {
        return Err("The run keeps no catalogs: it was published without --save".to_owned());
    }
    let expected = how.expect_failures.as_deref().map(Expected::read).transpose()?.unwrap_or_default();
    let left = |left: &[(String, String)]| Ok(nobody(plan.want, left));
    let mut all = Vec::new();
    gathered(opened.engine(), (run, plan), (&left, waits, save.as_ref()), &mut |_, outcome| {
        if let Outcome::Compiled(node) = outcome {
            all.push(node);
        }
    })?;
    if let Some(folder) = &save {
        folder.finish(&all)?;
    }
    let summary = Summary::new(&all, &expected, None);
    let text = match how.format {
        ReportFormat::Text => summary.text(output::width(), usize::MAX),
        ReportFormat::Json => summary.json(),
        ReportFormat::Jsonl => all.iter().map(|node| line(node, expected.of_node(node)) + "\n").collect(),
        ReportFormat::Junit => summary.junit(),
        ReportFormat::Markdown | ReportFormat::Html => {
            return Err("A fleet that was compiled is told as text, json, jsonl or junit".to_owned());
        }
    };
    output::print(&text).map_err(|error| format!("Could not write the report: {error}"))?;
    Ok(if summary.is_well() { 0 } else { FAILED })
}
