//! `bunraku bench`: how long the compiles of an environment's nodes take.

use crate::compile_arguments::CompileArguments;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, output};
use bunraku::bench::{self, Report, Target, percentile};
use bunraku::{Compiler, nodes_with_facts};
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

/// Compile nodes again and again in one process, and print how long that takes.
///
/// Each node is compiled once before, so that code has been read, as it has on a server.
#[derive(Args)]
pub struct Arguments {
    /// Certnames of the nodes; without any, all that `--factpath` or the configured `yamldir` has facts of.
    #[arg(value_name = "NODE", conflicts_with = "node")]
    nodes: Vec<String>,
    #[command(flatten)]
    inputs: CompileArguments,
    /// How often each is compiled.
    #[arg(long, value_name = "N", default_value = "10")]
    rounds: NonZeroUsize,
    /// How many are compiled side by side.
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZeroUsize,
    /// Compile so many machines of the nodes' kinds, each with its own name and address in its facts, in place of the
    /// nodes themselves.
    #[arg(long, value_name = "N")]
    fleet: Option<NonZeroUsize>,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of the report, and of errors.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let targets = match targets(arguments, &mut renderer) {
        Ok(targets) => targets,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    if !targets.iter().all(|target| target.environment.is_complete()) {
        return renderer
            .failure("Nothing to compile: give --environment, --archive, --manifest or -e", USAGE);
    }
    let compiler = Compiler::new();
    match bench::run(&compiler, &targets, arguments.rounds.get(), arguments.threads.get()) {
        Ok(report) => {
            let report =
                if arguments.format == MessageFormat::Json { in_json(&report) } else { in_text(&report) };
            output::finish(&mut renderer, &report, "the report", ExitCode::SUCCESS)
        }
        Err(message) => renderer.failure(&message, FAILED),
    }
}

fn targets(arguments: &Arguments, renderer: &mut Renderer) -> Result<Vec<Target>, String> {
    let mut names = arguments.nodes.clone();
    if let (true, Some(folder)) = (names.is_empty(), &arguments.inputs.factpath) {
        names = nodes_with_facts(folder)?;
    } else if names.is_empty()
        && let Some(folder) = arguments.inputs.facts_folder()?
    {
        names = nodes_with_facts(&folder)?;
    }
    // One configuration is the same for all.
    let mut said = BTreeSet::new();
    let mut warn = |warning: &str| {
        if said.insert(warning.to_owned()) {
            renderer.warning(warning);
        }
    };
    let targets = match names.is_empty() {
        true => vec![arguments.inputs.target(None, &mut warn)?],
        false => names
            .iter()
            .map(|name| arguments.inputs.target(Some(name), &mut warn))
            .collect::<Result<_, _>>()?,
    };
    Ok(match arguments.fleet {
        Some(count) => bench::fleet(&targets, count.get()),
        None => targets,
    })
}

const PERCENTILES: [usize; 4] = [50, 90, 99, 100];
/// More nodes than this are not shown one by one.
const SHOWN: usize = 40;

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn in_text(report: &Report) -> String {
    let width = report.nodes.iter().map(|node| node.node.len()).max().unwrap_or(0).max(4);
    let mut out = format!(
        "{:width$} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "node", "resources", "JSON kB", "50 %", "90 %", "99 %", "longest", "templates", "Ruby", "JSON"
    );
    for node in report.nodes.iter().filter(|_| report.nodes.len() <= SHOWN) {
        let each = node.times.len().max(1) as f64;
        let _ = write!(out, "{:width$} {:>9} {:>9}", node.node, node.spent.resources, node.bytes / 1000);
        let times = PERCENTILES.map(|percent| milliseconds(node.percentile(percent)));
        let parts = [node.spent.templates, node.spent.functions, node.spent.json];
        for time in times.into_iter().chain(parts.map(|part| milliseconds(part) / each)) {
            let _ = write!(out, " {time:>6.2} ms");
        }
        out.push('\n');
    }
    let times = report.times();
    let _ = writeln!(
        out,
        "{} catalogs in {:.3} s: {:.1} a second; half of them within {:.2} ms, 99 % within {:.2} ms; of that {:.0} % in \
         templates in Ruby, {:.0} % in native ones, {:.0} % in functions in Ruby, {:.0} % writing JSON",
        report.catalogs(),
        report.wall.as_secs_f64(),
        report.rate(),
        milliseconds(percentile(&times, 50)),
        milliseconds(percentile(&times, 99)),
        report.share(|spent| spent.templates) * 1e2,
        report.share(|spent| spent.native_templates) * 1e2,
        report.share(|spent| spent.functions) * 1e2,
        report.share(|spent| spent.json) * 1e2,
    );
    out
}

fn in_json(report: &Report) -> String {
    let nodes = report.nodes.iter().map(|node| {
        json!({
            "node": node.node,
            "resources": node.spent.resources,
            "bytes": node.bytes,
            "milliseconds": node.times.iter().map(|time| milliseconds(*time)).collect::<Vec<_>>(),
            "templates": milliseconds(node.spent.templates),
            "native_templates": milliseconds(node.spent.native_templates),
            "functions": milliseconds(node.spent.functions),
            "json": milliseconds(node.spent.json),
        })
    });
    let whole = json!({
        "catalogs": report.catalogs(),
        "seconds": report.wall.as_secs_f64(),
        "per_second": report.rate(),
        "templates": report.share(|spent| spent.templates),
        "native_templates": report.share(|spent| spent.native_templates),
        "functions": report.share(|spent| spent.functions),
        "json": report.share(|spent| spent.json),
        "nodes": nodes.collect::<Vec<_>>(),
    });
    format!("{whole}\n")
}
