//! `bunraku upgrade`: what a newer version of the language would refuse or do otherwise.

use crate::compile_arguments::CompileArguments;
use crate::nodes::threads;
use crate::prepared::Prepared;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, output};
use bunraku::{Compat, Compiler};
use bunraku_fleet::nodes::Nodes;
use bunraku_fleet::upgrade::{Report, Upgrade, examine};
use bunraku_fleet::upgrade_report::{Form, print};
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
    inputs: CompileArguments,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let (from, to) = (arguments.from, arguments.to);
    if arguments.inputs.compat != Compat::default() {
        return renderer.failure("upgrade takes --from and --to in place of --compat", USAGE);
    }
    if arguments.inputs.archive.is_some() {
        let message = "upgrade takes no --archive: an archive is built for one version, and two are compared";
        return renderer.failure(message, USAGE);
    }
    if from >= to {
        return renderer.failure(&format!("--to {to} is not newer than --from {from}"), USAGE);
    }
    let of = |compat| CompileArguments { compat, ..arguments.inputs.clone() };
    let (older, newer) = (of(from), of(to));
    let compiler = Compiler::new().with_fixed_environments();
    let report = examined(arguments, &compiler, (&older, &newer), &mut renderer);
    compiler.end_without_freeing();
    let report = match report {
        Ok(report) => report,
        Err((message, status)) => return renderer.failure(&message, status),
    };
    let form = match arguments.format {
        ReportForm::Text => Form::Text,
        ReportForm::Json => Form::Json,
        ReportForm::Markdown => Form::Markdown,
    };
    let status = if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    output::finish(&mut renderer, &print(&report, form, arguments.places), "the report", status)
}

/// What becomes of the nodes; else a message and the status to leave with.
fn examined(
    arguments: &Arguments,
    compiler: &Compiler,
    (older, newer): (&CompileArguments, &CompileArguments),
    renderer: &mut Renderer,
) -> Result<Report, (String, u8)> {
    let failed = |message: String| (message, FAILED);
    let prepared = [older.prepare_catalogs().map_err(failed)?, newer.prepare_catalogs().map_err(failed)?];
    // What the configuration says to no effect is said once, not for each version.
    let mut said = BTreeSet::new();
    let mut warn = |prepared: &[Prepared]| {
        let all = prepared.iter().flat_map(Prepared::warnings);
        all.filter(|warning| said.insert(warning.clone())).for_each(|warning| renderer.warning(&warning));
    };
    warn(&prepared);
    let named: Vec<String> = arguments.nodes.iter().chain(&older.node).cloned().collect();
    let nodes = match named.is_empty() {
        true => Some(older.nodes().map_err(|message| (message, USAGE))?),
        false => None,
    };
    if named.len() != 1 {
        older.no_trusted("upgrade of many nodes").map_err(|message| (message, USAGE))?;
    }
    let target = |name: &str| {
        let known = nodes.as_ref().map(|nodes| nodes.node(name)).transpose()?;
        let target = |prepared: &Prepared| match &known {
            Some(known) => prepared.target_of(known),
            None => prepared.target(Some(name)),
        };
        let (from, to) = (target(&prepared[0])?, target(&prepared[1])?);
        match from.environment.is_complete() {
            true => Ok(Upgrade { from, to }),
            false => Err("Nothing to compile: give --environment, --manifest or -e".to_owned()),
        }
    };
    let names = nodes.as_ref().map_or(&named[..], Nodes::names);
    let threads = threads(arguments.threads);
    let versions = (arguments.from, arguments.to);
    let report = examine(compiler, versions, names, threads, target).map_err(failed)?;
    warn(&prepared);
    Ok(report)
}
