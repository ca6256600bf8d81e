//! `bunraku eval`: runs code and prints what its last expression gave.

use crate::compile_arguments::{self, CompileArguments, Purpose};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, output};
use bunraku::Compiler;
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
    inputs: CompileArguments,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of the value, of log messages and errors.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    if arguments.file.is_none() && arguments.inputs.execute.is_none() && arguments.inputs.manifest.is_none() {
        return renderer.failure("Nothing to run: give FILE or -e", USAGE);
    }
    let mut target =
        match arguments.inputs.target_for(None, Purpose::Code, &mut |warning| renderer.warning(warning)) {
            Ok(target) => target,
            Err(message) => return renderer.failure(&message, FAILED),
        };
    match &arguments.file {
        Some(file) if file.as_os_str() == "-" => match output::stdin() {
            Ok(code) => target.environment = target.environment.with_code(code),
            Err(message) => return renderer.failure(&message, FAILED),
        },
        Some(file) => match compile_arguments::with_manifest(target.environment, file) {
            Ok(environment) => target.environment = environment,
            Err(message) => return renderer.failure(&message, FAILED),
        },
        None => {}
    }
    renderer.given_code(target.environment.code());
    let compiler = Compiler::new();
    let evaluated = compiler.evaluate(&target.environment, &target.node, &target.settings);
    compiler.end_without_freeing();
    renderer.logs(&evaluated.logs);
    let value = match evaluated.result {
        Ok(value) => value,
        Err(diagnostic) => {
            renderer.formed(&compile_arguments::with_hint(diagnostic, &target));
            return ExitCode::from(FAILED);
        }
    };
    let Some(value) = value else { return ExitCode::SUCCESS };
    let value = if arguments.format == MessageFormat::Json { value.json } else { value.text };
    output::finish(&mut renderer, &format!("{value}\n"), "the value", ExitCode::SUCCESS)
}
