//! `bunraku check`: syntax and static errors of manifests and templates, on all cores.

use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, compile_arguments, output, render, sarif};
use bunraku::check::{self, Checked, DefinedNames, How, Placement, Sources};
use bunraku::{Compat, Settings, Strict, modulepath};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Find syntax and static errors of manifests (.pp) and EPP templates (.epp).
///
/// A folder stands for all manifests and templates below it, but for what no compile parses: the folders `files` and `plans` of
/// modules and environments (policies of SELinux are called `.pp`, too; plans are Bolt's). What is named is checked: as a template
/// if it ends in `.epp`, as a manifest otherwise. The verdict is that of `puppet parser validate` and `puppet epp validate`.
///
/// A class in a module's file that is not called as it is would never be found: that is an error, as in a compile. Modules are what
/// lies in a folder `modules`, or in one that the `environment.conf` above it names, and what has a `metadata.json`.
#[derive(Args)]
pub struct Arguments {
    /// Files and folders; `-` is a manifest on stdin.
    #[arg(value_name = "PATH", required_unless_present = "stdin")]
    paths: Vec<PathBuf>,
    /// Check what is on stdin, as an editor has it before it is saved; `--filename` says of which file.
    #[arg(long, requires = "filename", conflicts_with = "paths")]
    stdin: bool,
    /// The file that `--stdin` stands in for: it is named in messages, and not read.
    #[arg(long, value_name = "FILE", requires = "stdin")]
    filename: Option<PathBuf>,
    /// Leave out what lies below such folders of files that are named, too: for hooks, which name each file.
    #[arg(long = "compiled-only")]
    compiled_only: bool,
    /// Version of the language by whose rules files are checked.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    compat: Compat,
    /// What dubious constructs do [default: error; by --compat 7: warning].
    #[arg(long, value_name = "HOW", value_parser = compile_arguments::strict())]
    strict: Option<Strict>,
    /// How many files are checked side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print how much was checked and how fast.
    #[arg(long)]
    stats: bool,
    /// Name the resource types in Ruby whose parameters can't be read from their source: they take any.
    #[arg(long)]
    types: bool,
    /// Warn where Puppet 3's relative look-up would have picked another class or defined type.
    #[arg(long = "relative-names")]
    relative_names: bool,
    /// Module path: folders joined by colons. What lies below them are modules, whatever lies around them, and `--relative-names`
    /// looks into them.
    #[arg(long, value_name = "DIR[:DIR…]")]
    modulepath: Option<String>,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of what is found: text on stderr; or, on stdout, one JSON document, or SARIF 2.1.0 as forges and editors take it.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Found,
}

/// The form of what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Found {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For forges and editors.
    Sarif,
}

impl Found {
    /// The form of errors of the command itself, which go to stderr.
    fn of_messages(self) -> MessageFormat {
        if self == Found::Json { MessageFormat::Json } else { MessageFormat::Text }
    }
}

/// The parser nests as deep as the source, within its limit.
const STACK: usize = 16 << 20;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format.of_messages());
    let started = Instant::now();
    let path = arguments.modulepath.clone().map_or_else(Vec::new, |path| modulepath(&path));
    let relative = arguments.relative_names.then(|| DefinedNames::new(&path));
    let compat = arguments.compat;
    let strict = arguments.strict.unwrap_or(Settings::of_compat(compat).strict);
    let placement = Some(Placement::with_surroundings(&path));
    let how = How { strict, compat, relative, further: true, placement };
    let (stdin, paths): (Vec<_>, Vec<_>) =
        arguments.paths.iter().cloned().partition(|p| p.as_os_str() == "-");
    let reads_stdin = arguments.stdin || !stdin.is_empty();
    let missing: Vec<String> =
        paths.iter().filter(|path| !path.exists()).map(|path| format!("\n   {}", path.display())).collect();
    if !missing.is_empty() {
        let message = format!("One or more file(s) specified did not exist:{}", missing.concat());
        return renderer.failure(&message, USAGE);
    }
    let mut all = Vec::new();
    if reads_stdin {
        let bytes = match output::stdin_bytes() {
            Ok(bytes) => bytes,
            Err(message) => return renderer.failure(&message, FAILED),
        };
        renderer.given_code(Some(&String::from_utf8_lossy(&bytes)));
        all.push(check::content_of(arguments.filename.as_deref(), &bytes, &how));
    }
    if arguments.types {
        all.push(Checked { diagnostics: check::unreadable_types(&paths), bytes: 0 });
    }
    let sources = match arguments.compiled_only {
        true => Sources::find_compiled_of_named(&paths),
        false => Sources::find_compiled(&paths),
    };
    if !sources.faults.is_empty() {
        all.push(Checked { diagnostics: sources.faults.clone(), bytes: 0 });
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = arguments.threads.map_or(cores, NonZeroUsize::get).min(sources.files.len()).max(1);
    match check_files(&sources.files, &how, threads) {
        Ok(checked) => all.extend(checked),
        Err(error) => return renderer.failure(&format!("Could not start a thread: {error}"), FAILED),
    }
    let elapsed = started.elapsed();
    let errors: usize = all.iter().map(Checked::errors).sum();
    let found = all.iter().flat_map(|checked| &checked.diagnostics);
    let document = match arguments.format {
        Found::Json => Some(render::document(found)),
        Found::Sarif => Some(sarif::log(found)),
        Found::Text => None,
    };
    match document {
        Some(document) => {
            if let Err(error) = output::print(&format!("{document}\n")) {
                return renderer.failure(&format!("Could not write what was found: {error}"), FAILED);
            }
        }
        None => {
            for checked in &all {
                checked.diagnostics.iter().for_each(|diagnostic| renderer.diagnostic(diagnostic));
                if checked.errors() > 1 {
                    renderer.error(&format!("Found {} errors. Giving up", checked.errors()));
                }
            }
        }
    }
    if arguments.stats {
        let bytes: usize = all.iter().map(|checked| checked.bytes).sum();
        let (megabytes, seconds) = (bytes as f64 / 1e6, elapsed.as_secs_f64());
        let left_out = match sources.left_out.len() {
            0 => String::new(),
            1 => ", and one folder `files` or `plans`".to_owned(),
            number => format!(", and {number} folders `files` and `plans`"),
        };
        output::note(&format!(
            "{} files, {megabytes:.1} MB in {seconds:.3} s ({:.1} MB/s on {threads} threads), {errors} errors; \
             {} other files not looked at{left_out}",
            sources.files.len() + usize::from(reads_stdin),
            megabytes / seconds.max(1e-9),
            sources.others,
        ));
    }
    if errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

/// Checks files side by side; results in the files' order.
fn check_files(files: &[PathBuf], how: &How, threads: usize) -> std::io::Result<Vec<Checked>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(path) = files.get(number)
        {
            done.push((number, check::file(path, how)));
        }
        done
    };
    let mut all = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .map(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work))
            .collect::<Result<_, _>>()?;
        let panicked = |_| std::io::Error::other("a file made the checker panic; please report this");
        started
            .into_iter()
            .map(|thread| thread.join().map_err(panicked))
            .collect::<std::io::Result<Vec<_>>>()
            .map(|lists| lists.concat())
    })?;
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, checked)| checked).collect())
}
