//! `bunraku compile`: a node's catalog as JSON.

use crate::confine::Confine;
use crate::render::{ColorChoice, Form, Renderer};
use crate::world::{self, World};
use crate::{FAILED, USAGE, output};
use bunraku::stats::{Count, Kind, Stats};
use bunraku::{Counts, Exported};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

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
/// Log messages go to stderr.
#[derive(Args)]
pub struct Arguments {
    /// Certname of the node [default: localhost].
    #[arg(value_name = "NODE", conflicts_with = "node")]
    certname: Option<String>,
    #[command(flatten)]
    world: World,
    #[command(flatten)]
    confine: Confine,
    /// Write the catalog to a file rather than to stdout.
    #[arg(short, long, value_name = "FILE")]
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
    format: Form,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    if let Err(message) = arguments.world.check_programs(&arguments.confine) {
        return renderer.failure(&message, FAILED);
    }
    let mut target =
        match arguments.world.target(arguments.certname.as_deref(), &mut |warning| renderer.warning(warning))
        {
            Ok(target) => target,
            Err(message) => return renderer.failure(&message, FAILED),
        };
    if !target.environment.is_complete() {
        return renderer
            .failure("Nothing to compile: give --environment, --archive, --manifest or -e", USAGE);
    }
    if let Some(Exported::PuppetDb { replace_catalog, .. }) = &mut target.settings.exported {
        *replace_catalog = arguments.replace_catalog;
    }
    target.settings.check_cycles = arguments.check_cycles;
    target.settings.counts = match (&arguments.profile, arguments.stats) {
        (Some(_), _) => Counts::Stacks,
        (None, true) => Counts::Calls,
        (None, false) => Counts::None,
    };
    renderer.given_code(target.environment.code());
    if target.environment.is_frozen() {
        renderer.read_no_files();
    }
    let compiler = arguments.confine.compiler();
    let compiled = compiler.compile(&target.environment, &target.node, &target.settings);
    compiler.leave();
    renderer.logs(&compiled.logs);
    if let Some(stats) = &compiled.stats {
        print_stats(stats, arguments.format);
        if let Some(file) = &arguments.profile
            && let stacks = stats.folded(|count| arguments.profile_of.of(count))
            && let Err(message) = output::save(file, &stacks)
        {
            return renderer.failure(&message, FAILED);
        }
    }
    let catalog = match compiled.result {
        Ok(catalog) => catalog.into_json(),
        Err(diagnostic) => {
            renderer.formed(&world::with_hint(diagnostic, &target));
            return ExitCode::from(FAILED);
        }
    };
    let catalog = catalog + "\n";
    let Some(file) = &arguments.output else {
        return output::finish(&mut renderer, &catalog, "the catalog", ExitCode::SUCCESS);
    };
    match output::save(file, &catalog) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => renderer.failure(&message, FAILED),
    }
}

/// How many names of a kind are shown, those that took most time.
const SHOWN: usize = 10;

fn print_stats(stats: &Stats, form: Form) {
    if form == Form::Json {
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
