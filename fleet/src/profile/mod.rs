//! Where the time of compiles goes, of one node or of a whole fleet: what is called, how often, the time in it and the memory it takes,
//! by name, by file and by module, and by what led there. What is kept grows with the number of names, not of nodes. Forms of it:
//! [`report`]; two of them, held against each other where there is one of before.

pub mod report;

mod saved;

use crate::pool;
use crate::unused::TargetOf;
use bunraku::Compiler;
use bunraku::Counts;
use bunraku::bench::Target;
use bunraku::pieces::{PieceKind, shown};
use bunraku::stats::{Count, Kind, Stats};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

pub use saved::read;

/// What is no module's: the time of the main manifest, and what nothing is counted of.
pub const REST: &str = "(rest)";
/// How many stacks are kept; the time of more is their callers' as far as those are.
const MOST_STACKS: usize = 200_000;

/// A profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// How many nodes were compiled.
    pub nodes: usize,
    /// Nodes that do not compile, with what is wrong: their time till then counts.
    pub failed: BTreeMap<String, String>,
    /// The time of all compiles.
    pub total: Duration,
    /// By kind and name, without what is counted within it.
    pub names: BTreeMap<(&'static str, String), Count>,
    /// By what led there, outermost first and joined by `;`.
    pub stacks: BTreeMap<String, Count>,
    /// By the file that a class, defined type, function or template stands in.
    pub files: BTreeMap<String, Count>,
}

/// A table: what it is of, and its rows.
pub type Table = (&'static str, Vec<(String, Count)>);

impl Profile {
    /// The share of each module in the time: what it calls of the language and of Hiera is its own; the rest is [`REST`].
    pub fn modules(&self) -> BTreeMap<String, Count> {
        let mut modules: BTreeMap<String, Count> = BTreeMap::new();
        let mut told = Duration::ZERO;
        for (stack, count) in &self.stacks {
            let module = stack.rsplit(';').find_map(module_of).unwrap_or_else(|| REST.to_owned());
            *modules.entry(module).or_default() += *count;
            told += count.time;
        }
        modules.entry(REST.to_owned()).or_default().time += self.total.saturating_sub(told);
        modules
    }

    /// Tables by kind, what took longest first; then by file.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        let longest_first = |mut rows: Vec<(String, Count)>| {
            rows.sort_by(|a, b| b.1.time.cmp(&a.1.time).then_with(|| a.0.cmp(&b.0)));
            rows
        };
        for kind in Kind::ALL {
            let own = self.names.iter().filter(|((of, _), _)| *of == kind.name());
            let rows: Vec<(String, Count)> = own.map(|((_, name), count)| (name.clone(), *count)).collect();
            if !rows.is_empty() {
                tables.push((kind.title(), longest_first(rows)));
            }
        }
        if !self.files.is_empty() {
            let rows = self.files.iter().map(|(name, count)| (name.clone(), *count)).collect();
            tables.push(("files", longest_first(rows)));
        }
        tables
    }

    fn take_in(&mut self, stats: &Stats) {
        for kind in Kind::ALL {
            for (name, count) in stats.names(kind) {
                *self.names.entry((kind.name(), name.to_owned())).or_default() += count;
            }
        }
        for (stack, count) in stats.stacks() {
            let mut stack = stack.as_str();
            while self.stacks.len() >= MOST_STACKS && !self.stacks.contains_key(stack) {
                match stack.rsplit_once(';') {
                    Some((outer, _)) => stack = outer,
                    None => break,
                }
            }
            *self.stacks.entry(stack.to_owned()).or_default() += count;
        }
    }
}

/// The module that a frame of a stack belongs to by its name; none of what is the language's, Hiera's or the environment's own.
fn module_of(frame: &str) -> Option<String> {
    let (kind, name) = frame.split_once(' ')?;
    // Classes and types are called as messages call them: `Apache::Mod`.
    let name = name.to_lowercase();
    let module = match kind {
        "language" | "hiera" | "ruby_start" => None,
        "erb" | "erb_native" | "epp" => {
            name.split_once('/').map(|(module, _)| module).filter(|module| !module.is_empty())
        }
        _ => match name.split_once("::") {
            Some((module, _)) => Some(module),
            // A class may be called as its module; functions without a namespace are nobody's.
            None => Some(&*name).filter(|name| matches!(kind, "class" | "define") && is_plain(name)),
        },
    };
    module.map(str::to_owned)
}

/// Whether a name may be a module's: node definitions and the main class are not.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name != "main"
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Compiles these nodes, by their sorted names, and tells where the time goes.
///
/// # Errors
/// When there are no nodes or threads, the tree can't be read, or of a node nothing can be found out.
pub fn profile(
    compiler: &Compiler,
    names: &[String],
    target: &TargetOf<'_>,
    threads: usize,
    mut each: impl FnMut(),
) -> Result<Profile, String> {
    let first = target(names.first().ok_or("No node fits")?)?;
    let mut all = Profile { nodes: names.len(), ..Profile::default() };
    let mut failure = None;
    pool::run(
        names,
        threads,
        |name| of_node(compiler, target(name)?),
        |name, found: Result<(Stats, Duration, Option<String>), String>| {
            each();
            match found {
                Ok((stats, time, error)) => {
                    all.take_in(&stats);
                    all.total += time;
                    all.failed.extend(error.map(|error| (name.to_owned(), error)));
                }
                Err(message) => _ = failure.get_or_insert_with(|| format!("{name}: {message}")),
            }
        },
    )?;
    if let Some(message) = failure {
        return Err(message);
    }
    add_files(compiler, &first, &mut all)?;
    Ok(all)
}

fn of_node(compiler: &Compiler, mut target: Target) -> Result<(Stats, Duration, Option<String>), String> {
    target.settings.counts = Counts::Stacks;
    let begin = Instant::now();
    let compiled = compiler.trial(&target);
    let time = begin.elapsed();
    let error = compiled.result.err().map(|error| error.message);
    match (compiled.stats, error) {
        (Some(stats), error) => Ok((stats, time, error)),
        (None, error) => Err(error.unwrap_or_else(|| "its compile counts nothing".to_owned())),
    }
}

/// Sums up by file what is known to stand in one.
fn add_files(compiler: &Compiler, target: &Target, all: &mut Profile) -> Result<(), String> {
    let pieces = compiler.pieces(&target.environment, &target.settings)?;
    let mut files: HashMap<(PieceKind, &str), String> = HashMap::new();
    for piece in &pieces.all {
        files.insert((piece.kind, piece.name.as_str()), shown(&piece.file, pieces.folder.as_deref()));
    }
    for ((kind, name), count) in &all.names {
        let kind = match *kind {
            "class" => PieceKind::Class,
            "define" => PieceKind::Define,
            "puppet" | "ruby" | "ruby_native" => PieceKind::Function,
            "erb" | "erb_native" | "epp" => PieceKind::Template,
            _ => continue,
        };
        // EPP templates may be asked for without their ending.
        let named = [name.to_lowercase(), name.clone(), format!("{name}.epp")];
        if let Some(file) = named.iter().find_map(|name| files.get(&(kind, name.as_str()))) {
            *all.files.entry(file.clone()).or_default() += *count;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_module_calls_is_its_own() {
        let count = |milliseconds| Count { calls: 1, time: Duration::from_millis(milliseconds), bytes: 1 };
        let stacks = [
            ("class apache", 1),
            ("class Apache;language each", 2),
            ("class apache;define Concat::Fragment;epp concat/x.epp", 4),
            ("class apache;define concat::fragment;hiera a::b", 8),
            ("class main;language include", 16),
            ("class node web", 32),
        ];
        let stacks = stacks.iter().map(|(stack, time)| ((*stack).to_owned(), count(*time))).collect();
        let profile = Profile { total: Duration::from_millis(100), stacks, ..Profile::default() };
        let shares: Vec<(String, u128)> =
            profile.modules().into_iter().map(|(name, count)| (name, count.time.as_millis())).collect();
        let of = |name: &str, time| (name.to_owned(), time);
        assert_eq!(shares, [of(REST, 85), of("apache", 3), of("concat", 12)]);
    }
}
