//! `bunraku upgrade`: what a newer version of the language would refuse or do otherwise.

use crate::render::{ColorChoice, Form as Messages, Renderer};
use crate::world::World;
use crate::{FAILED, USAGE, output};
use bunraku::{Compat, Compiler};
use bunraku_fleet::upgrade::{Form, Upgrade, examine, print};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// The form of the report.
#[derive(Clone, Copy, ValueEnum)]
enum ReportForm {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For tickets.
    Markdown,
}

/// What `--include_legacy_facts` does here.
const LEGACY_FACTS: &str = "Agents of both versions send legacy facts, as their setting of this name may say [default: only \
                            those of Puppet 7 do]";

/// Say what an upgrade would break or change, node by node, and why.
///
/// Each node is compiled by both versions and the catalogs are compared. Besides, a compile by the older one notes every
/// place at which the newer one would fail or do otherwise, and goes on behind it: so all causes are told at once, each with
/// its places and with what to write instead. Nothing is stored or applied.
///
/// Exit status: 0 where all nodes get the same catalogs, 1 where one would fail or change, or fails already, 2 where the
/// arguments are wrong.
#[derive(Args)]
#[command(
    mut_arg("compat", |argument| argument.hide(true)),
    mut_arg("include_legacy_facts", |argument| argument.help(LEGACY_FACTS))
)]
pub struct Arguments {
    /// Certnames of the nodes [default: all with facts, in --factpath or the configured place].
    #[arg(value_name = "NODE", conflicts_with = "node")]
    nodes: Vec<String>,
    /// The version in use.
    #[arg(long, value_name = "7|8|9")]
    from: Compat,
    /// The version to come.
    #[arg(long, value_name = "7|8|9")]
    to: Compat,
    /// How many nodes are compiled side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// How many places of each cause, and differences of each node, are shown; JSON has all.
    #[arg(long, value_name = "N", default_value_t = 10)]
    places: usize,
    /// Form of the report.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ReportForm,
    #[command(flatten)]
    color: ColorChoice,
    #[command(flatten)]
    world: World,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, Messages::Text);
    let (from, to) = (arguments.from, arguments.to);
    if arguments.world.compat != Compat::default() {
        return renderer.failure("upgrade takes --from and --to in place of --compat", USAGE);
    }
    if arguments.world.archive.is_some() {
        let message = "upgrade takes no --archive: an archive is built for one version, and two are compared";
        return renderer.failure(message, USAGE);
    }
    if from >= to {
        return renderer.failure(&format!("--to {to} is not newer than --from {from}"), USAGE);
    }
    let all = match targets(arguments, &mut renderer) {
        Ok(all) => all,
        Err((message, status)) => return renderer.failure(&message, status),
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = arguments.threads.map_or(cores, NonZeroUsize::get);
    let compiler = Compiler::new();
    let report = examine(&compiler, (from, to), &all, threads);
    compiler.leave();
    let report = match report {
        Ok(report) => report,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    let form = match arguments.format {
        ReportForm::Text => Form::Text,
        ReportForm::Json => Form::Json,
        ReportForm::Markdown => Form::Markdown,
    };
    let status = if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    output::finish(&mut renderer, &print(&report, form, arguments.places), "the report", status)
}

/// The nodes as both versions are to compile them; else a message and the status to leave with.
fn targets(arguments: &Arguments, renderer: &mut Renderer) -> Result<Vec<Upgrade>, (String, u8)> {
    let of = |compat| World { compat, ..arguments.world.clone() };
    let (older, newer) = (of(arguments.from), of(arguments.to));
    let names = match arguments.nodes.is_empty() {
        true => older.nodes_with_facts().map_err(|message| (message, USAGE))?,
        false => arguments.nodes.clone(),
    };
    // What the configuration says to no effect is said once, not for each node.
    let mut said = BTreeSet::new();
    let mut warn = |warning: &str| {
        if said.insert(warning.to_owned()) {
            renderer.warning(warning);
        }
    };
    let mut all = Vec::new();
    for name in names {
        let mut target =
            |world: &World| world.target(Some(&name), &mut warn).map_err(|error| (error, FAILED));
        let (from, to) = (target(&older)?, target(&newer)?);
        if !from.environment.is_complete() {
            let message = "Nothing to compile: give --environment, --manifest or -e";
            return Err((message.to_owned(), USAGE));
        }
        all.push(Upgrade { from, to });
    }
    Ok(all)
}
