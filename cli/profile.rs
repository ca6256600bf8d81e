//! `bunraku profile`: where the time of compiles goes, of one node or of a fleet.

use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::TreeAndNodes;
use crate::{FAILED, output};
use bunraku::files::read;
use bunraku_fleet::profile::report::{html, text};
use bunraku_fleet::profile::{self, Profile, profile};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Say where the time of compiles goes: by module, class, type, function, template, key and file, and by what led there.
///
/// One node is named by `--names`; without it, all nodes that facts are known of are compiled. Times are those of this machine, without
/// what is counted within. Compiles side by side slow each other: `--threads 1` measures better.
///
/// Exit status: 0 where all nodes compile, 1 where something went wrong or a node does not compile.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    tree: TreeAndNodes,
    /// Write a page with a flame graph and tables.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one document of JSON, which `--before` takes another time.
    #[arg(long)]
    json: bool,
    /// A profile that `--json` has printed before: say what has changed since.
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// How many names of each kind are printed.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    #[command(flatten)]
    color: ColorChoice,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let before = match arguments.before.as_deref().map(saved).transpose() {
        Ok(before) => before,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    let answer = arguments.tree.ask("profile", &mut renderer, |fleet| {
        profile(fleet.compiler, fleet.names, fleet.target, fleet.threads, fleet.each)
    });
    let answer = match answer {
        Ok((answer, _)) => answer,
        Err((message, status)) => return renderer.failure(&message, status),
    };
    for (node, message) in &answer.failed {
        output::note(&format!("{node} does not compile: {message}"));
    }
    if let Some(file) = &arguments.html
        && let Err(message) = output::save(file, &html::html(&answer, before.as_ref()))
    {
        return renderer.failure(&message, FAILED);
    }
    let status = if answer.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    let told = match arguments.json {
        true => format!("{}\n", answer.to_json()),
        false => text::text(&answer, before.as_ref(), arguments.top),
    };
    output::finish(&mut renderer, &told, "the profile", status)
}

fn saved(file: &Path) -> Result<Profile, String> {
    let text = read::given_text(file, read::MAX_FILE);
    let text = text.map_err(|error| format!("Could not read {}: {error}", file.display()))?;
    profile::read(&text).map_err(|message| format!("{}: {message}", file.display()))
}
