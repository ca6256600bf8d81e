//! `bunraku coverage`: what of a tree the compiles of a fleet run and read.

use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::TreeAndNodes;
use crate::{FAILED, output};
use bunraku::pieces::shown;
use bunraku_fleet::coverage::report::{cobertura, html, json, lcov, text};
use bunraku_fleet::coverage::{Coverage, coverage};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Say what of a tree the compiles of all nodes run and read: lines, arms of conditions, definitions, templates, files, keys.
///
/// A line counts as run where a node's compile has evaluated an expression that begins on it; a parameter's default where a node has
/// needed it. Templates in ERB, files and data count as a whole or by key. What is printed is a table by module; reports for forges and
/// a page with the source go to files.
///
/// Exit status: 0 where all nodes compile, 1 where something went wrong or a node does not compile.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    tree: TreeAndNodes,
    /// Print one document of JSON in place of the table: how many nodes have run each line.
    #[arg(long)]
    json: bool,
    /// Write a tracefile of lcov.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write Cobertura's XML.
    #[arg(long, value_name = "FILE")]
    cobertura: Option<PathBuf>,
    /// Write a report with the source: one page where the name ends in `.html`, else a folder with a page for each file.
    #[arg(long, value_name = "PATH")]
    html: Option<PathBuf>,
    #[command(flatten)]
    color: ColorChoice,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let answer = arguments.tree.ask("coverage", &mut renderer, |fleet| {
        coverage(fleet.compiler, fleet.names, fleet.target, fleet.threads, fleet.each)
    });
    let answer = match answer {
        Ok((answer, _)) => answer,
        Err((message, status)) => return renderer.failure(&message, status),
    };
    for (file, why) in &answer.unread {
        let file = shown(file, answer.folder.as_deref());
        renderer.warning(&format!("{file} is left out: {why}"));
    }
    for (node, message) in &answer.failed {
        output::note(&format!("{node} does not compile, so what it would run is not known: {message}"));
    }
    if let Err(message) = write_reports(arguments, &answer) {
        return renderer.failure(&message, FAILED);
    }
    let status = if answer.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    let told = match arguments.json {
        true => format!("{}\n", json::json(&answer)),
        false => text::text(&answer),
    };
    output::finish(&mut renderer, &told, "the coverage", status)
}

fn write_reports(arguments: &Arguments, answer: &Coverage) -> Result<(), String> {
    if let Some(file) = &arguments.lcov {
        output::save(file, &lcov::lcov(answer))?;
    }
    if let Some(file) = &arguments.cobertura {
        output::save(file, &cobertura::cobertura(answer))?;
    }
    match &arguments.html {
        Some(file) if file.extension().is_some_and(|extension| extension == "html") => {
            output::save(file, &html::page(answer))
        }
        Some(folder) => {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| format!("Could not make {}: {error}", folder.display()))?;
            html::pages(answer).iter().try_for_each(|(name, page)| output::save(&folder.join(name), page))
        }
        None => Ok(()),
    }
}
