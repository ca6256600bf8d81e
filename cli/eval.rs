//! `bunraku eval`: runs code and prints what its last expression gave.

use crate::render::{ColorChoice, Form, Renderer};
use crate::world::{self, World};
use crate::{FAILED, USAGE, output};
use bunraku_compile::job::Session;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Run code and print the value of its last expression.
///
/// The value is printed as `String($value, '%p')` writes it, or as rich data with `--format json`. Log messages go to
/// stderr.
#[derive(Args)]
pub struct Arguments {
    /// Manifest to run; `-` is stdin.
    #[arg(value_name = "FILE", conflicts_with_all = ["execute", "manifest"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    world: World,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of the value, of log messages and errors.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let mut job = match arguments.world.job(None) {
        Ok(job) => job,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    match &arguments.file {
        Some(file) if file.as_os_str() == "-" => match output::stdin() {
            Ok(code) => job.code = Some(code),
            Err(message) => return renderer.failure(&message, FAILED),
        },
        Some(file) => {
            if let Err(message) = world::take_manifest(&mut job, file) {
                return renderer.failure(&message, FAILED);
            }
        }
        None if job.code.is_none() && job.manifest.is_none() => {
            return renderer.failure("Nothing to run: give FILE or -e", USAGE);
        }
        None => {}
    }
    job.want = Some(vec!["value".to_owned()]);
    renderer.given_code(job.code.as_deref());
    let outcome = Session::default().run(&job);
    renderer.logs(&outcome.logs);
    if let Err(diagnostic) = outcome.result {
        renderer.formed(&world::with_hint(diagnostic, &job));
        return ExitCode::from(FAILED);
    }
    let Some((json, repr)) = outcome.value else { return ExitCode::SUCCESS };
    let value = if arguments.format == Form::Json { json } else { repr };
    output::finish(&mut renderer, &format!("{value}\n"), "the value", ExitCode::SUCCESS)
}
