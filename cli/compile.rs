//! `bunraku compile`: catalogs of nodes as JSON, here or by others.

use crate::compile_arguments::{self, CompileArguments};
use crate::confine::Confine;
use crate::distributed::{Print, Sent, printed};
use crate::engines::{On, OnArguments};
use crate::prepared::Prepared;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::default_cache;
use crate::{FAILED, USAGE, output};
use bunraku::bench::Target;
use bunraku::process::Limits;
use bunraku::stats::{Count, Kind, Stats};
use bunraku::{Compiler, Counts, Exported, modulepath};
use bunraku_fleet::engine::outcome::Printed;
use bunraku_fleet::tree::cache::{BOUND, Cache};
use bunraku_fleet::tree::{Preparation, Tree};
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// What stands behind a stack of a profile.
#[derive(Clone, Copy, ValueEnum)]
enum Figure {
    /// Microseconds.
    Time,
    /// Bytes of values.
    Bytes,
    /// Calls.
    Calls,
}

impl Figure {
    fn of(self, count: Count) -> u64 {
        match self {
            Figure::Time => count.time.as_micros() as u64,
            Figure::Bytes => count.bytes,
            Figure::Calls => count.calls,
        }
    }
}

/// Compile a node's catalog and print it as JSON, as an agent would get it.
///
/// Catalogs of several nodes are printed one after the other, a line each. Log messages go to stderr.
#[derive(Args)]
pub struct Arguments {
    /// Certnames of the nodes [default: localhost].
    #[arg(value_name = "NODE", conflicts_with = "node")]
    certnames: Vec<String>,
    #[command(flatten, next_help_heading = "Past one machine")]
    on: OnArguments,
    /// Folder in which the archive is kept that others compile from [default: bunraku in $XDG_CACHE_HOME or ~/.cache].
    #[arg(long, value_name = "DIR", requires = "on", help_heading = "Past one machine")]
    cache: Option<PathBuf>,
    #[command(flatten, next_help_heading = None)]
    inputs: CompileArguments,
    #[command(flatten)]
    confine: Confine,
    /// Write the catalog to a file rather than to stdout.
    #[arg(short, long, value_name = "FILE", value_parser = output::file())]
    output: Option<PathBuf>,
    /// Fail where resources depend on each other in a circle, and draw it. Normally only an agent finds out.
    #[arg(long = "check-cycles")]
    check_cycles: bool,
    /// Have a PuppetDB named by `--storeconfigs` take the catalog in (`replace catalog`).
    #[arg(long = "replace-catalog", requires = "storeconfigs")]
    replace_catalog: bool,
    /// Show on stderr what was evaluated, how often, the time and memory it took without that of what it called:
    /// classes, defined types, functions of all kinds, templates, keys of Hiera.
    #[arg(long)]
    stats: bool,
    /// The same, and write the stacks of what was called to a file, one a line with the microseconds in it: what
    /// flame graphs are drawn from.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// What is written behind the stacks.
    #[arg(long = "profile-of", value_name = "WHAT", default_value = "time", requires = "profile")]
    profile_of: Figure,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of log messages and errors.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// What came of a node: its catalog as JSON, or nothing where what is wrong has been told.
type Made = Result<Option<String>, String>;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    if let Err((message, status)) = arguments.check() {
        return renderer.failure(&message, status);
    }
    let prepared = match arguments.inputs.prepare_catalogs() {
        Ok(prepared) => prepared,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    let targets = match arguments.targets(&prepared, &mut renderer) {
        Ok(targets) => targets,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    if targets.iter().any(|target| !target.environment.is_complete()) {
        return renderer
            .failure("Nothing to compile: give --environment, --archive, --manifest or -e", USAGE);
    }
    let by_others = arguments.on.on.as_ref().map(|on| arguments.by_others(on, &prepared, &targets));
    let by_others = match by_others.transpose() {
        Ok(Some(None)) => return ExitCode::SUCCESS,
        Ok(by_others) => by_others.flatten().unwrap_or_default(),
        Err(message) => return renderer.failure(&message, FAILED),
    };
    let compiler = arguments.confine.compiler().without_reads();
    let (mut all, mut status) = (String::new(), ExitCode::SUCCESS);
    for target in &targets {
        let made = match by_others.get(target.node.name()) {
            Some(Printed { logs, catalog }) => {
                renderer.logs(logs);
                Ok(Some(catalog.clone()))
            }
            None => arguments.made(&compiler, target, &mut renderer),
        };
        match made {
            // Of one node, which most are, nothing is copied.
            Ok(Some(catalog)) if all.is_empty() => all = catalog + "\n",
            Ok(Some(catalog)) => all.extend([catalog.as_str(), "\n"]),
            Ok(None) => status = ExitCode::from(FAILED),
            Err(message) => return renderer.failure(&message, FAILED),
        }
        // Each is printed when it is there.
        if arguments.output.is_none() && !all.is_empty() {
            let printed =
                output::finish(&mut renderer, &std::mem::take(&mut all), "the catalog", ExitCode::SUCCESS);
            if printed != ExitCode::SUCCESS {
                return printed;
            }
        }
    }
    compiler.end_without_freeing();
    match arguments.output.as_ref().filter(|_| !all.is_empty()).map(|file| output::save(file, &all)) {
        Some(Err(message)) => renderer.failure(&message, FAILED),
        _ => status,
    }
}

impl Arguments {
    /// Refuses what does not go together.
    fn check(&self) -> Result<(), (String, u8)> {
        self.inputs.check_programs(&self.confine).map_err(|message| (message, FAILED))?;
        let of_one = self.profile.is_some() || self.stats;
        let why = match (self.on.on.is_some(), self.certnames.len() > 1) {
            (true, _) if of_one => {
                "--stats and --profile tell of a compile in this process: they go without --on"
            }
            (_, true) if of_one => "--stats and --profile are of one node",
            _ => return Ok(()),
        };
        Err((why.to_owned(), USAGE))
    }

    /// What is compiled, in the order of the names.
    fn targets(&self, prepared: &Prepared<'_>, renderer: &mut Renderer) -> Result<Vec<Target>, String> {
        let targets: Result<Vec<Target>, String> = match self.certnames.is_empty() {
            true => prepared.target(None).map(|target| vec![target]),
            false => self.certnames.iter().map(|name| prepared.target(Some(name))).collect(),
        };
        prepared.warnings().iter().for_each(|warning| renderer.warning(warning));
        let mut targets = targets?;
        for target in &mut targets {
            if let Some(Exported::PuppetDb { replace_catalog, .. }) = &mut target.settings.exported {
                *replace_catalog = self.replace_catalog;
            }
            target.settings.check_cycles = self.check_cycles;
            target.settings.counts = match (&self.profile, self.stats) {
                (Some(_), _) => Counts::Stacks,
                (None, true) => Counts::Calls,
                (None, false) => Counts::None,
            };
        }
        Ok(targets)
    }

    /// What others print of the nodes, by name; none where that is not waited for.
    fn by_others(
        &self,
        on: &On,
        prepared: &Prepared<'_>,
        targets: &[Target],
    ) -> Result<Option<BTreeMap<String, Printed>>, String> {
        let folder = targets.first().and_then(|target| target.environment.folder());
        let archive = self.inputs.archive.clone().filter(|_| self.inputs.frozen);
        let folder = folder.filter(|_| archive.is_none()).map(Path::to_owned);
        let place = folder.as_ref().or(archive.as_ref());
        let place = place.ok_or("--on needs an environment: a folder, or an archive and --frozen")?;
        let tree = Tree {
            label: place.display().to_string(),
            folder,
            archive,
            modulepath: self.inputs.modulepath.as_deref().map(modulepath),
            warnings: Vec::new(),
        };
        let cache = self.cache.clone().or_else(default_cache);
        let preparation = Preparation {
            cache: cache.map(|folder| Cache::open(&folder, BOUND).map(Arc::new)).transpose()?,
            bootstrap: None,
            modules: Vec::new(),
            compat: self.inputs.compat,
            archives: true,
            limits: Limits::default(),
            does_without: true,
        };
        let named = targets.iter().map(|target| (target.node.name().to_owned(), target.clone()));
        let sent = Sent {
            arguments: &self.on,
            tls: self.inputs.tls(),
            tree: &tree,
            preparation: &preparation,
            configuration: prepared.configuration(),
        };
        printed(on, &Print { sent, targets: &named.collect() })
    }

    /// Compiles a node here, and tells what is logged and what is wrong.
    fn made(&self, compiler: &Compiler, target: &Target, renderer: &mut Renderer) -> Made {
        renderer.given_code(target.environment.code());
        if target.environment.is_frozen() {
            renderer.read_no_files();
        }
        let compiled = compiler.compile(&target.environment, &target.node, &target.settings);
        renderer.logs(&compiled.logs);
        if let Some(stats) = &compiled.stats {
            print_stats(stats, self.format);
            if let Some(file) = &self.profile {
                output::save(file, &stats.folded(|count| self.profile_of.of(count)))?;
            }
        }
        match compiled.result {
            Ok(catalog) => Ok(Some(catalog.into_json())),
            Err(diagnostic) => {
                renderer.formed(&compile_arguments::with_hint(diagnostic, target));
                Ok(None)
            }
        }
    }
}

/// How many names of a kind are shown, those that took most time.
const SHOWN: usize = 10;

fn print_stats(stats: &Stats, form: MessageFormat) {
    if form == MessageFormat::Json {
        output::note(&format!("{{\"stats\":{}}}", stats.to_json()));
        return;
    }
    let line = |name: &str, count: Count| {
        let (time, kilobytes) = (count.time.as_secs_f64() * 1e3, count.bytes as f64 / 1e3);
        format!("{name}: {} in {time:.3} ms, {kilobytes:.1} kB", count.calls)
    };
    for kind in Kind::ALL {
        output::note(&line(kind.title(), stats.total(kind)));
        // Of the language's own there are many, and none that a user could change.
        if matches!(kind, Kind::Language | Kind::Start) {
            continue;
        }
        let mut names: Vec<_> = stats.names(kind).collect();
        names.sort_by_key(|(_, count)| std::cmp::Reverse(count.time));
        for (name, count) in names.iter().take(SHOWN) {
            let reason = stats.reason(name).filter(|_| kind == Kind::Erb);
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            output::note(&format!("  {}{reason}", line(name, *count)));
        }
        if names.len() > SHOWN {
            output::note(&format!("  and {} more", names.len() - SHOWN));
        }
    }
}
