//! `bunraku build`: an archive of an environment or a module path.

use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, output};
use bunraku::archive::{self, NeedsRuby, Options, Progress, Summary};
use bunraku::{Compat, Configuration, check_environment, is_environment_name, modulepath};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Compile a whole module tree into an archive, for `compile --archive`.
///
/// Everything a compile would parse or look for goes into it: manifests, functions, type aliases, EPP templates, Hiera's
/// configuration and data, modules' dependencies, resource types in Ruby. Files with errors are recorded, and raise
/// them when they are reached. What will need Ruby when it is reached is listed: functions without a native twin, ERB
/// templates, types. If FILE is there already, what has not changed is taken from it.
#[derive(Args)]
pub struct Arguments {
    /// Folders of modules, in the order of a module path; or one environment's folder (it has `environment.conf`,
    /// `manifests` or `modules`).
    #[arg(value_name = "DIR", conflicts_with_all = ["environment", "modulepath"])]
    folders: Vec<PathBuf>,
    /// Directory of an environment.
    #[arg(long, value_name = "DIR")]
    environment: Option<PathBuf>,
    /// Folder of a `puppet.conf`: its modules for all environments go in, too, and `--environment` may be a name. Without it
    /// no configuration is read.
    #[arg(long, value_name = "DIR")]
    confdir: Option<PathBuf>,
    /// Module path: in place of the environment's, or alone. Folders joined by colons.
    #[arg(long, value_name = "DIR[:DIR…]")]
    modulepath: Option<String>,
    /// The archive.
    #[arg(short, long, value_name = "FILE", value_parser = output::file())]
    output: PathBuf,
    /// Version of the language that it is for: no other compiles with it.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    compat: Compat,
    /// Put the content of every file in: `file()`, ERB templates and Ruby code then need no sources either.
    #[arg(long)]
    embed: bool,
    /// Write nothing if a file has errors.
    #[arg(long = "deny-errors")]
    deny_errors: bool,
    /// Permissions of the archive in octal [default: those of the archive that was there, and never more than every
    /// file in it has].
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<u32>,
    /// How many files are compiled side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of errors and summary.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// What a module has, one of them at least.
const OF_MODULES: [&str; 15] = [
    "metadata.json",
    "manifests",
    "functions",
    "types",
    "templates",
    "files",
    // Not `lib/puppet` as a whole: `/var` has one.
    "lib/puppet/functions",
    "lib/puppet/parser",
    "lib/puppet/provider",
    "lib/puppet/type",
    "lib/facter",
    "facts.d",
    "tasks",
    "plans",
    "hiera.yaml",
];

impl Arguments {
    fn options(&self) -> Result<Options, String> {
        let has = |dir: &Path, names: &[&str]| names.iter().any(|name| dir.join(name).exists());
        let is_environment =
            |dir: &PathBuf| has(dir, &["environment.conf", "hiera.yaml", "manifests", "modules"]);
        let mut options = Options {
            directory: self.environment.clone(),
            modulepath: self.modulepath.clone().map(|path| modulepath(&path)),
            embed: self.embed,
            deny_errors: self.deny_errors,
            mode: self.mode,
            threads: self.threads,
            compat: self.compat,
            configuration: None,
        };
        match self.folders.as_slice() {
            [] if options.directory.is_none() && options.modulepath.is_none() && self.confdir.is_none() => {
                return Err("Nothing to build: give DIR, --environment or --modulepath".to_owned());
            }
            [] => {}
            [one] if is_environment(one) => options.directory = Some(one.clone()),
            folders => {
                for folder in folders {
                    let entries = folder.read_dir().into_iter().flatten().flatten();
                    let shown =
                        entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
                    let all: Vec<PathBuf> = shown.map(|entry| entry.path()).collect();
                    // Nothing may have been put there yet.
                    if !all.is_empty() && !all.iter().any(|module| has(module, &OF_MODULES)) {
                        let none = "it has no manifests, no modules, no environment.conf and no hiera.yaml";
                        return Err(format!(
                            "{} is neither an environment ({none}) nor a folder of modules",
                            folder.display()
                        ));
                    }
                }
                options.modulepath = Some(folders.to_vec());
            }
        }
        let options = self.configured(options)?;
        // What a configuration names is a server's, which may be empty.
        if let (Some(folder), true, None) =
            (&options.directory, options.directory == self.environment, &options.modulepath)
            && folder.is_dir()
        {
            check_environment(folder)?;
        }
        Ok(options)
    }

    /// The same with what the configuration says.
    fn configured(&self, mut options: Options) -> Result<Options, String> {
        let Some(folder) = &self.confdir else { return Ok(options) };
        let given = [("confdir".to_owned(), folder.to_string_lossy().into_owned())];
        let configuration = Configuration::read(self.compat, &given)?;
        output::note_fault(&configuration);
        let is_named = |path: &PathBuf| path.to_str().is_some_and(is_environment_name) && !path.is_dir();
        let named = options.directory.take_if(|path| is_named(path));
        let name = named.as_deref().and_then(Path::to_str);
        configuration.archive_options(options, name)
    }
}

fn mode(text: &str) -> Result<u32, String> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or_else(|| "it takes three digits from 0 to 7, like 640".to_owned())
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let options = match arguments.options() {
        Ok(options) => options,
        Err(message) => return renderer.failure(&message, USAGE),
    };
    let started = Instant::now();
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left") {
        bar.set_style(style);
    }
    let progress = |at: Progress| {
        bar.set_length(at.files as u64);
        bar.set_position(at.done as u64);
    };
    let built = archive::build(&options, &arguments.output, &progress);
    bar.finish_and_clear();
    let summary = match built {
        Ok(summary) => summary,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    for (_, found) in &summary.errors {
        found.iter().for_each(|diagnostic| renderer.diagnostic(diagnostic));
    }
    let denied = options.deny_errors && !summary.errors.is_empty();
    for (path, why) in &summary.left_out {
        if arguments.format == MessageFormat::Text {
            output::note(&format!("left out: {} ({why})", path.display()));
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let report = match arguments.format {
        MessageFormat::Text => in_text(&summary, arguments, seconds),
        MessageFormat::Json => in_json(&summary, arguments, seconds),
    };
    if let Err(error) = output::print(&report) {
        return renderer.failure(&format!("Could not write the summary: {error}"), FAILED);
    }
    if denied {
        let message = format!(
            "{} is not written: {} files have errors",
            arguments.output.display(),
            summary.errors.len()
        );
        return renderer.failure(&message, FAILED);
    }
    if let ([first, others @ ..], MessageFormat::Text) = (summary.unread.as_slice(), arguments.format) {
        let first = first.display();
        output::note(&match others.len() {
            0 => format!("{first} can't be parsed as data; no hierarchy names it"),
            more => format!("{first} and {more} more can't be parsed as data; no hierarchy names them"),
        });
    }
    if let (Some(path), None) = (&summary.least_readable, options.mode) {
        output::note(&format!(
            "{} may be read by no more users than {} may; --mode says otherwise",
            arguments.output.display(),
            path.display()
        ));
    }
    ExitCode::SUCCESS
}

fn in_text(summary: &Summary, arguments: &Arguments, seconds: f64) -> String {
    let mega = |bytes: u64| bytes as f64 / 1e6;
    let mut out = format!(
        "{}: {} files, {:.1} MB; {} manifests and templates ({:.1} MB): {} compiled, {} unchanged; {} data files; {} with errors\n",
        arguments.output.display(),
        summary.files,
        mega(summary.bytes),
        summary.compiled + summary.kept,
        mega(summary.code_bytes),
        summary.compiled,
        summary.kept,
        summary.data,
        summary.errors.len(),
    );
    ruby_in_text(&summary.ruby, &mut out);
    let _ = writeln!(
        out,
        "{:.1} MB in {seconds:.3} s ({:.1} MB/s of manifests and templates)",
        mega(summary.archive_bytes),
        mega(summary.code_bytes) / seconds
    );
    out
}

fn ruby_in_text(needs: &[NeedsRuby], out: &mut String) {
    let count = |part: fn(&NeedsRuby) -> usize| needs.iter().map(part).sum::<usize>();
    let _ = writeln!(
        out,
        "needs Ruby when it is reached: {} functions, {} templates, {} types",
        count(|owner| owner.functions.len()),
        count(|owner| owner.templates.len()),
        count(|owner| owner.types.len()),
    );
    for owner in needs {
        let why = |(name, reason): &(String, String)| format!("{name} ({reason})");
        let [functions, templates] =
            [&owner.functions, &owner.templates].map(|all| all.iter().map(why).collect::<Vec<String>>());
        let parts = [("functions", &functions), ("templates", &templates), ("types", &owner.types)];
        for (what, names) in parts.into_iter().filter(|(_, names)| !names.is_empty()) {
            let _ = writeln!(out, "  {}, {what}: {}", owner.owner, names.join(", "));
        }
    }
}

fn in_json(summary: &Summary, arguments: &Arguments, seconds: f64) -> String {
    let left_out: Vec<_> =
        summary.left_out.iter().map(|(path, why)| json!({"file": path, "reason": why})).collect();
    let needs = |owner: &NeedsRuby| {
        json!({
            "module": owner.owner,
            "functions": owner.functions.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "templates": owner.templates.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "reasons": owner.functions.iter().chain(&owner.templates).cloned().collect::<BTreeMap<_, _>>(),
            "types": owner.types,
        })
    };
    let ruby: Vec<_> = summary.ruby.iter().map(needs).collect();
    let out = json!({
        "archive": arguments.output,
        "files": summary.files,
        "bytes": summary.bytes,
        "units": summary.units,
        "code_bytes": summary.code_bytes,
        "compiled": summary.compiled,
        "unchanged": summary.kept,
        "data": summary.data,
        "errors": summary.errors.len(),
        "unread": summary.unread,
        "left_out": left_out,
        "ruby": ruby,
        "archive_bytes": summary.archive_bytes,
        "seconds": seconds,
    });
    format!("{out}\n")
}
