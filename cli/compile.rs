//! `bunraku compile`: a node's catalog as JSON.

use crate::render::{ColorChoice, Form, Renderer};
use crate::world::World;
use crate::{FAILED, USAGE};
use bunraku_runtime::job::Session;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compile a node's catalog and print it as JSON, as an agent would get it.
///
/// Log messages go to stderr.
#[derive(Args)]
pub struct Arguments {
    /// Certname of the node [default: localhost].
    #[arg(value_name = "NODE", conflicts_with = "node")]
    certname: Option<String>,
    #[command(flatten)]
    world: World,
    /// Write the catalog to a file rather than to stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Fail where resources depend on each other in a circle, and draw it. Normally only an agent finds out.
    #[arg(long = "check-cycles")]
    check_cycles: bool,
    /// Have a PuppetDB named by `--storeconfigs` take the catalog in (`replace catalog`).
    #[arg(long = "replace-catalog", requires = "storeconfigs")]
    replace_catalog: bool,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of log messages and errors.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let mut job = match arguments.world.job(arguments.certname.as_deref()) {
        Ok(job) => job,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    if !job.is_complete() {
        return renderer
            .failure("Nothing to compile: give --environment, --archive, --manifest or -e", USAGE);
    }
    job.replace_catalog = arguments.replace_catalog;
    job.check_cycles = arguments.check_cycles;
    renderer.given_code(job.code.as_deref());
    if job.frozen {
        renderer.read_no_files();
    }
    let outcome = Session::default().run(&job);
    renderer.logs(&outcome.logs);
    let catalog = match outcome.result {
        Ok(catalog) => catalog,
        Err(diagnostic) => {
            renderer.formed(&diagnostic);
            return ExitCode::from(FAILED);
        }
    };
    let written = match &arguments.output {
        Some(file) => std::fs::write(file, catalog + "\n")
            .map_err(|error| format!("Could not write {}: {error}", file.display())),
        None => writeln!(std::io::stdout().lock(), "{catalog}")
            .map_err(|error| format!("Could not write the catalog: {error}")),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => renderer.failure(&message, FAILED),
    }
}
