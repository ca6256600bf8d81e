//! `bunraku fleet`: what is done with all nodes at once.

use crate::compile_arguments::CompileArguments;
use crate::confine::Confine;
use crate::engines::{On, OnArguments};
use crate::exported::ExportedArgument;
use crate::nodes::{NodeChoice, bar, threads};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::runs;
use crate::trees::TreeArguments;
use crate::trees::tree_or_environment;
use crate::{FAILED, USAGE, distributed, output, workers};
use bunraku_fleet::choice::{See, show};
use bunraku_fleet::compile::expected::Expected;
use bunraku_fleet::compile::report::{Summary, line};
use bunraku_fleet::compile::save::Folder;
use bunraku_fleet::compile::{Fleet, Keep, Node, compile};
use bunraku_fleet::nodes::{FleetNode, Nodes};
use clap::{Args, Subcommand, ValueEnum};
use indicatif::ProgressBar;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Do something with all nodes of a fleet.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Compile(Box<Compile>),
    Run(runs::Run),
    Collect(runs::Collect),
    Status(runs::Status),
    Worker(workers::Worker),
    Shard(workers::Shard),
}

/// The form of the report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportForm {
    /// For people: equal errors once, with their nodes.
    Text,
    /// One document.
    Json,
    /// A line of JSON for each node as it comes, in the order of names.
    Jsonl,
}

/// Compile all nodes that facts are known of, and say which fail and why.
///
/// `--facts` says where nodes and their facts are known from: a snapshot, a folder, a file, `puppetdb:URL`. Nothing is stored in a
/// PuppetDB.
///
/// Exit status: 0 where all nodes compile, or fail as expected, 1 otherwise, 2 where the arguments are wrong.
#[derive(Args)]
#[command(mut_arg("node", |argument| argument.hide(true)), mut_arg("trusted", |argument| argument.hide(true)))]
struct Compile {
    /// What is compiled: a folder, an archive, `git:REV[:PATH]`, the name of an environment [default: --environment, or as
    /// configured].
    #[arg(value_name = "TREE")]
    tree: Option<String>,
    #[command(flatten, next_help_heading = "Which nodes")]
    choice: NodeChoice,
    /// How many nodes are compiled side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Keep the catalogs in a folder, by their SHA-256, with an index by node.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// File with the nodes that are known to fail, a name a line; behind a colon may stand a part of the message.
    #[arg(long = "expect-failures", value_name = "FILE")]
    expect_failures: Option<PathBuf>,
    /// Write the outcome to a file as JUnit has it.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// How many nodes of each error are named in text; JSON has all.
    #[arg(long = "shown", value_name = "N", default_value_t = 50)]
    shown: usize,
    /// Form of the report.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ReportForm,
    #[command(flatten, next_help_heading = None)]
    exported: ExportedArgument,
    #[command(flatten, next_help_heading = "Past one machine")]
    on: OnArguments,
    #[command(flatten, next_help_heading = "Trees")]
    trees: TreeArguments,
    #[command(flatten)]
    confine: Confine,
    #[command(flatten, next_help_heading = None)]
    color: ColorChoice,
    #[command(flatten)]
    inputs: CompileArguments,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let arguments = match &arguments.command {
        Command::Compile(arguments) => arguments,
        Command::Run(arguments) => return arguments.run(),
        Command::Collect(arguments) => return arguments.run(),
        Command::Status(arguments) => return arguments.run(),
        Command::Worker(arguments) => return arguments.run(),
        Command::Shard(arguments) => return arguments.run(),
    };
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    match compiled(arguments, &mut renderer) {
        Ok(status) => status,
        Err((message, status)) => renderer.failure(&message, status),
    }
}

/// A message and the status to leave with.
type Refused = (String, u8);

fn failed(message: String) -> Refused {
    (message, FAILED)
}

fn compiled(arguments: &Compile, renderer: &mut Renderer) -> Result<ExitCode, Refused> {
    let wrong = |message: String| (message, USAGE);
    let (inputs, tree) = match &arguments.tree {
        Some(_) if arguments.inputs.environment.is_some() || arguments.inputs.archive.is_some() => {
            return Err(wrong("TREE stands in place of --environment and --archive".to_owned()));
        }
        Some(given) => tree_or_environment(&arguments.inputs, &arguments.trees, given, &mut |warning| {
            renderer.warning(warning)
        })
        .map_err(failed)?,
        None => (arguments.inputs.clone(), None),
    };
    inputs.no_trusted("fleet").map_err(wrong)?;
    let expected = arguments.expect_failures.as_deref().map(Expected::read).transpose().map_err(wrong)?;
    let expected = expected.unwrap_or_default();
    let save = arguments.save.as_deref().map(Folder::open).transpose().map_err(failed)?;
    let mut nodes = inputs.nodes().map_err(failed)?;
    let prepared = inputs.prepare_catalogs().map_err(failed)?;
    inputs.check_programs(&arguments.confine).map_err(failed)?;
    let compiler = arguments.confine.compiler().with_fixed_environments();
    let threads = threads(arguments.threads);
    let target = |nodes: &Nodes, name: &str| {
        let target = prepared.target_of(&nodes.node(name)?)?;
        match target.environment.is_complete() {
            true => Ok(target),
            false => Err("Nothing to compile: name a folder or an archive".to_owned()),
        }
    };
    choose(arguments, &mut nodes, renderer, |node, see| show(&compiler, &prepared.target_of(node)?, see))?;
    prepared.warnings().iter().for_each(|warning| renderer.warning(warning));
    let started = Instant::now();
    let fleet = Fleet {
        compiler: &compiler,
        names: nodes.names(),
        threads,
        target: &|name| target(&nodes, name),
        save: save.as_ref().map(|folder| folder as &dyn Keep),
        watch: None,
        in_two_passes: arguments.exported.in_two_passes(&prepared).map_err(wrong)?,
    };
    let distributed = match (&arguments.on.on, &tree) {
        (None, _) => None,
        (Some(on), Some((tree, preparation))) if !fleet.in_two_passes => Some((
            on,
            distributed::Compile {
                sent: distributed::Sent {
                    arguments: &arguments.on,
                    tls: arguments.inputs.tls(),
                    tree,
                    preparation,
                    configuration: prepared.configuration(),
                },
                fleet: &fleet,
                save: save.as_ref(),
            },
        )),
        (Some(_), Some(_)) => {
            return Err(wrong("--exported two-pass needs all nodes in one process".to_owned()));
        }
        (Some(_), None) => {
            return Err(wrong("--on needs a TREE: a folder, an archive or git:REV".to_owned()));
        }
    };
    let told = compile_and_tell(&fleet, distributed.as_ref(), &expected, arguments.format);
    let wall = started.elapsed();
    compiler.end_without_freeing();
    let Some(all) = told.map_err(failed)? else { return Ok(ExitCode::SUCCESS) };
    prepared.warnings().iter().for_each(|warning| renderer.warning(warning));
    if let Some(folder) = &save {
        folder.finish(&all).map_err(failed)?;
    }
    report(arguments, (&all, &expected, wall), renderer)
}

/// Keeps the nodes that are meant, and says of which that is not known.
fn choose(
    arguments: &Compile,
    nodes: &mut Nodes,
    renderer: &mut Renderer,
    compile: impl Fn(&FleetNode, &mut See<'_>) -> Result<(), String> + Sync,
) -> Result<(), Refused> {
    let choice =
        arguments.choice.choice(arguments.inputs.node.as_deref()).map_err(|message| (message, USAGE))?;
    let chosen = choice.keep(nodes, threads(arguments.threads), compile).map_err(failed)?;
    if !chosen.failed.is_empty() && !choice.one_per_kind {
        renderer.warning(&format!(
            "{} of the nodes do not compile, so it is not known whether they are meant: they are left out",
            chosen.failed.len()
        ));
    }
    if choice.one_per_kind {
        let all: usize = chosen.kinds.values().sum();
        output::note(&format!("{} kinds of {all} nodes", chosen.kinds.len()));
    }
    Ok(())
}

/// Compiles, with a bar on the terminal, and with a line for each node where that is asked for.
fn compile_and_tell(
    fleet: &Fleet,
    distributed: Option<&(&On, distributed::Compile<'_>)>,
    expected: &Expected,
    form: ReportForm,
) -> Result<Option<Vec<Node>>, String> {
    let bar = if distributed.is_some() { ProgressBar::hidden() } else { bar(fleet.names.len()) };
    let (mut all, mut failures) = (Vec::new(), 0);
    let mut written = Ok(());
    let mut each = |node: &Node| {
        let verdict = expected.of_node(node);
        if form == ReportForm::Jsonl && written.is_ok() {
            written = bar.suspend(|| output::print(&(line(node, verdict) + "\n")));
        }
        if !verdict.is_well() {
            failures += 1;
            bar.set_message(format!("({failures} failed)"));
        }
        all.push(node.clone());
        bar.inc(1);
    };
    let done = match distributed {
        None => compile(fleet, each).map(|()| true),
        Some((on, work)) => distributed::compiled(on, work, &mut each),
    };
    bar.finish_and_clear();
    let is_done = done?;
    written.map_err(|error| format!("Could not write the report: {error}"))?;
    Ok(is_done.then_some(all))
}

fn report(
    arguments: &Compile,
    (all, expected, wall): (&[Node], &Expected, Duration),
    renderer: &mut Renderer,
) -> Result<ExitCode, Refused> {
    let summary = Summary::new(all, expected, Some(wall));
    if let Some(file) = &arguments.junit {
        output::save(file, &summary.junit()).map_err(failed)?;
    }
    let status = if summary.is_well() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    Ok(match arguments.format {
        ReportForm::Text => {
            output::finish(renderer, &summary.text(output::width(), arguments.shown), "the report", status)
        }
        ReportForm::Json => output::finish(renderer, &summary.json(), "the report", status),
        ReportForm::Jsonl => status,
    })
}
