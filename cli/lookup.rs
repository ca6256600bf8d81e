//! `bunraku lookup`: asks Hiera for a key, as a node's code would, and says how the answer came about.

use crate::compile_arguments::{CompileArguments, Purpose};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, output};
use bunraku::check::{self, How, SourceFile};
use bunraku::{Compiler, Query};
use clap::Args;
use std::process::ExitCode;

/// Look keys up in Hiera.
///
/// The first key that has a value counts. Exit status: 0 where a value was found or an explanation given, 1 otherwise;
/// that data can't be read is said on stderr.
/// The words of explanations are those of `puppet lookup`.
#[derive(Args)]
pub struct Arguments {
    /// Keys to look up.
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Explain how the value was found, or why not.
    #[arg(long)]
    explain: bool,
    /// Explain how `lookup_options` were found.
    #[arg(long = "explain-options")]
    explain_options: bool,
    /// Tell of each leaf of the value which file and line it came from, in place of the value.
    #[arg(long)]
    origin: bool,
    /// Form of the output: `s`, `json` or `yaml` [default: yaml; s with --explain and --origin].
    #[arg(long = "render-as", value_name = "FORMAT")]
    render_as: Option<String>,
    /// How values of several levels are merged, whatever `lookup_options` say: first, unique, hash or deep.
    #[arg(long, value_name = "TYPE")]
    merge: Option<String>,
    /// Prefix of what a deep merge removes.
    #[arg(long = "knock-out-prefix", value_name = "PREFIX", allow_hyphen_values = true)]
    knock_out_prefix: Option<String>,
    /// Sort arrays that a deep merge has merged.
    #[arg(long = "sort-merged-arrays")]
    sort_merged_arrays: bool,
    /// Merge hashes within arrays by position.
    #[arg(long = "merge-hash-arrays")]
    merge_hash_arrays: bool,
    /// Value to give where none is found.
    #[arg(long, value_name = "VALUE")]
    default: Option<String>,
    /// Type that the value must have.
    #[arg(long = "type", value_name = "TYPE")]
    value_type: Option<String>,
    /// Compile the node's catalog first, so that variables of its code are there.
    #[arg(long, short)]
    compile: bool,
    #[command(flatten)]
    inputs: CompileArguments,
    #[command(flatten)]
    color: ColorChoice,
}

/// Refuses what is no expression of a type.
///
/// # Errors
/// What is wrong with it.
fn check_type(text: Option<&str>) -> Result<(), String> {
    let Some(text) = text else { return Ok(()) };
    match check::source(&SourceFile::manifest(text), &How::default()).first() {
        Some(fault) => Err(format!("--type {text}: {}", fault.message)),
        None => Ok(()),
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let query = Query {
        keys: arguments.keys.clone(),
        merge: arguments.merge.clone(),
        knock_out_prefix: arguments.knock_out_prefix.clone(),
        sort_merged_arrays: arguments.sort_merged_arrays,
        merge_hash_arrays: arguments.merge_hash_arrays,
        default: arguments.default.clone(),
        value_type: arguments.value_type.clone(),
        explain: arguments.explain,
        explain_options: arguments.explain_options,
        origin: arguments.origin,
        render_as: arguments.render_as.clone(),
    };
    if let Err(message) =
        query.format().map(|_| ()).and_then(|()| check_type(arguments.value_type.as_deref()))
    {
        return renderer.failure(&message.replace("'puppet lookup", "'bunraku lookup"), USAGE);
    }
    let purpose = if arguments.compile { Purpose::Catalog } else { Purpose::Data };
    let mut target =
        match arguments.inputs.target_for(None, purpose, &mut |warning| renderer.warning(warning)) {
            Ok(target) => target,
            Err(message) => return renderer.failure(&message, FAILED),
        };
    if !arguments.compile {
        target.environment = target.environment.with_code("undef");
    }
    let compiler = Compiler::new().without_reads();
    let asked = compiler.look_up(&target.environment, &target.node, &target.settings, query);
    compiler.end_without_freeing();
    renderer.logs(&asked.logs);
    let answer = match asked.result {
        Ok(answer) => answer,
        Err(diagnostic) => {
            renderer.formed(&diagnostic);
            return ExitCode::from(FAILED);
        }
    };
    if let Some(error) = &answer.error {
        renderer.error(error);
    }
    let status = if answer.found { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    output::finish(&mut renderer, &answer.text, "the value", status)
}
