//! `bunraku facts`: the facts of a fleet, in one file.

use crate::nodes::{NodeChoice, bar, threads};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, output};
use bunraku::Certificates;
use bunraku::files::read;
use bunraku_fleet::anonymise::{Plan, Secret};
use bunraku_fleet::choice::See;
use bunraku_fleet::nodes::{FleetNode, Nodes, snapshot};
use bunraku_fleet::pool;
use bunraku_fleet::report::counted;
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Keep the facts of a fleet in one file, look into it, make one that can be shown to others.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Pull(Box<Pull>),
    Show(Show),
    Anonymise(Anonymise),
}

/// Write the facts of all nodes, their trusted data and environments into one file: a snapshot.
///
/// It is sorted by name and compressed by zstd; `zstd -dc` shows a line of JSON for each node, as PuppetDB's inventory has it.
/// Every command takes it as `--facts`.
#[derive(Args)]
struct Pull {
    #[command(flatten)]
    from: From,
    /// The snapshot.
    #[arg(short, long, value_name = "FILE", value_parser = output::file())]
    output: PathBuf,
    /// Leave out nodes whose facts can't be read, and say so; the exit status then is 1.
    #[arg(long = "keep-going")]
    keep_going: bool,
    #[command(flatten, next_help_heading = "Which nodes")]
    choice: NodeChoice,
    /// How many nodes are read side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    color: ColorChoice,
}

/// Where facts come from.
#[derive(Args)]
struct From {
    /// Where facts are: a PuppetDB, a server's cache or any folder with a file for each node, a file, a snapshot.
    #[arg(long, value_name = "puppetdb:URL|DIR|FILE")]
    from: String,
    /// Certificates of the authority that signs PuppetDB.
    #[arg(long, value_name = "FILE")]
    localcacert: Option<PathBuf>,
    /// Certificate that PuppetDB is shown.
    #[arg(long, value_name = "FILE", requires = "hostprivkey")]
    hostcert: Option<PathBuf>,
    /// Its key.
    #[arg(long, value_name = "FILE", requires = "hostcert")]
    hostprivkey: Option<PathBuf>,
}

/// Print the names of the nodes of a snapshot, or what is known of one.
#[derive(Args)]
struct Show {
    /// The snapshot, or whatever else facts come from.
    #[arg(value_name = "FILE")]
    file: String,
    /// Certname of the node whose facts are printed, as JSON.
    #[arg(value_name = "NODE")]
    node: Option<String>,
    #[command(flatten)]
    color: ColorChoice,
}

/// Write a snapshot that can be shown to others: names, domains, addresses, MACs, keys, serial numbers and UUIDs replaced, the same
/// by the same wherever it stands.
///
/// What code branches on stays: the form of facts, the operating system, versions, numbers. What a site's own facts say is known
/// to be private by its form only: name such facts by --replace, and look at the outcome before you share it.
#[derive(Args)]
struct Anonymise {
    /// The snapshot, or whatever else facts come from.
    #[arg(value_name = "FILE")]
    file: String,
    /// The snapshot that is written.
    #[arg(short, long, value_name = "FILE", value_parser = output::file())]
    output: PathBuf,
    /// File whose content decides what stands for what: with the same, two snapshots are anonymised alike. Keep it to yourself
    /// [default: random].
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Facts whose texts are replaced, too: names joined by dots.
    #[arg(long = "replace", value_name = "PATH")]
    replace: Vec<String>,
    #[command(flatten)]
    color: ColorChoice,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let color = match &arguments.command {
        Command::Pull(arguments) => &arguments.color,
        Command::Show(arguments) => &arguments.color,
        Command::Anonymise(arguments) => &arguments.color,
    };
    let mut renderer = Renderer::stderr(color.color, MessageFormat::Text);
    let done = match &arguments.command {
        Command::Pull(arguments) => pull(arguments, &mut renderer),
        Command::Show(arguments) => show(arguments, &mut renderer),
        Command::Anonymise(arguments) => anonymise(arguments),
    };
    done.unwrap_or_else(|(message, status)| renderer.failure(&message, status))
}

fn failed(message: String) -> (String, u8) {
    (message, FAILED)
}

fn pull(arguments: &Pull, renderer: &mut Renderer) -> Result<ExitCode, (String, u8)> {
    let From { from, localcacert, hostcert, hostprivkey } = &arguments.from;
    let certificates = Certificates {
        authorities: localcacert.clone(),
        certificate: hostcert.clone(),
        key: hostprivkey.clone(),
    };
    let choice = arguments.choice.choice(None).map_err(|message| (message, USAGE))?;
    if choice.needs_catalogs() {
        let message = "facts are pulled without a compile: --class, --resource and --one-per-kind need one";
        return Err((message.to_owned(), USAGE));
    }
    let mut nodes = Nodes::open(from, &certificates).map_err(failed)?;
    let threads = threads(arguments.threads);
    let never = |_: &FleetNode, _: &mut See<'_>| Err("no catalog is needed".to_owned());
    choice.keep(&mut nodes, threads, never).map_err(failed)?;
    let bar = bar(nodes.names().len());
    let mut left_out = Vec::new();
    let written = snapshot::write(&arguments.output, |add| {
        let mut failure = None;
        let read = |name: &str| nodes.node(name);
        pool::run_while(nodes.names(), threads, read, |_, node| {
            bar.inc(1);
            let done = match node {
                Err(message) if arguments.keep_going => {
                    left_out.push(message);
                    Ok(())
                }
                Err(message) => Err(format!("{message}; with --keep-going it is left out")),
                Ok(node) => add(&node),
            };
            failure = done.err();
            failure.is_none()
        })?;
        failure.map_or(Ok(()), Err)
    });
    bar.finish_and_clear();
    written.map_err(failed)?;
    left_out.iter().for_each(|message| renderer.warning(&format!("left out: {message}")));
    note_written(&arguments.output, nodes.names().len() - left_out.len());
    Ok(if left_out.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn note_written(path: &Path, count: usize) {
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    output::note(&format!("{}, {:.1} kB", counted(count, "node"), bytes as f64 / 1e3));
}

fn show(arguments: &Show, renderer: &mut Renderer) -> Result<ExitCode, (String, u8)> {
    let nodes = Nodes::open(&arguments.file, &Certificates::default()).map_err(failed)?;
    let text = match &arguments.node {
        None => nodes.names().iter().map(|name| format!("{name}\n")).collect(),
        Some(name) => {
            let node = nodes.node(name).map_err(failed)?;
            let whole: serde_json::Value = serde_json::from_str(&snapshot::line(&node))
                .map_err(|error| failed(format!("Could not use the facts of {name}: {error}")))?;
            format!("{whole:#}\n")
        }
    };
    Ok(output::finish(renderer, &text, "facts", ExitCode::SUCCESS))
}

fn anonymise(arguments: &Anonymise) -> Result<ExitCode, (String, u8)> {
    let secret = match &arguments.secret {
        Some(file) => {
            let bytes = read::given(file, read::MAX_FILE);
            let bytes =
                bytes.map_err(|error| failed(format!("Could not read {}: {error}", file.display())))?;
            if bytes.trim_ascii().is_empty() {
                return Err((format!("There is no secret in {}: it is empty", file.display()), USAGE));
            }
            Secret::new(&bytes)
        }
        None => Secret::random(),
    };
    let nodes = Nodes::open(&arguments.file, &Certificates::default()).map_err(failed)?;
    let plan = Plan::of(&nodes, secret, &arguments.replace).map_err(failed)?;
    // By their new names, in whose order a snapshot is.
    let names: BTreeMap<String, &String> = nodes.names().iter().map(|name| (plan.name(name), name)).collect();
    if names.len() < nodes.names().len() {
        return Err(failed("Two nodes differ in nothing but the case of their names".to_owned()));
    }
    snapshot::write(&arguments.output, |add| {
        names.values().try_for_each(|name| add(&plan.node(&nodes.node(name)?)))
    })
    .map_err(failed)?;
    note_written(&arguments.output, names.len());
    Ok(ExitCode::SUCCESS)
}
