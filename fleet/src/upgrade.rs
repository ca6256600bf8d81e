//! What an upgrade would change: each node compiled by an older version and by a newer one, and by the older once more as the
//! witness of what the newer one would refuse or do otherwise, which goes on past each such place.

use super::causes::Causes;
use super::compare::{Difference, Rules, Side, compare};
use super::pool;
use bunraku::bench::Target;
use bunraku::witness::{Change, Newer, Note};
use bunraku::{Compat, Compiler, Diagnostic, Settings, sends_legacy_facts};
use std::collections::BTreeMap;

pub use super::causes::{Cause, CausePlace};

/// A node as both versions are to compile it.
#[derive(Clone, Debug)]
pub struct Upgrade {
    /// By the older version.
    pub from: Target,
    /// By the newer version. Facts that its agents do not send are left out here, not by the caller.
    pub to: Target,
}

/// What becomes of a node.
#[derive(Clone, Debug)]
pub enum State {
    /// Both versions give the same catalog.
    Same,
    /// They give catalogs that differ.
    Changed(Vec<Difference>),
    /// The newer version fails where the older does not: its message.
    Fails(Diagnostic),
    /// The older version fails already: its message.
    FailedBefore(Diagnostic),
}

/// Which state a node is in, without what belongs to it. Listed as they are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// The newer version fails.
    Fails,
    /// The catalogs differ.
    Changed,
    /// They don't.
    Same,
    /// The older version fails already.
    FailedBefore,
}

impl StateKind {
    /// All, in the order that they are counted.
    pub const ALL: [StateKind; 4] =
        [StateKind::Fails, StateKind::Changed, StateKind::Same, StateKind::FailedBefore];

    /// What it is called in reports.
    pub fn name(self) -> &'static str {
        match self {
            StateKind::Fails => "fails",
            StateKind::Changed => "changed",
            StateKind::Same => "same",
            StateKind::FailedBefore => "failed before",
        }
    }

    /// What is said of one node.
    pub fn singular(self) -> &'static str {
        match self {
            StateKind::Fails => "fails",
            StateKind::Changed => "changes",
            StateKind::Same => "stays the same",
            StateKind::FailedBefore => "fails already",
        }
    }

    /// What is said of several.
    pub fn plural(self) -> &'static str {
        match self {
            StateKind::Fails => "fail",
            StateKind::Changed => "change",
            StateKind::Same => "stay the same",
            StateKind::FailedBefore => "fail already",
        }
    }
}

impl State {
    /// Which of the kinds it is.
    pub fn kind(&self) -> StateKind {
        match self {
            State::Same => StateKind::Same,
            State::Changed(_) => StateKind::Changed,
            State::Fails(_) => StateKind::Fails,
            State::FailedBefore(_) => StateKind::FailedBefore,
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The older version.
    pub from: Compat,
    /// The newer version.
    pub to: Compat,
    /// Each node's name and state, by name.
    pub nodes: BTreeMap<String, State>,
    /// All causes, those first that hit most nodes.
    pub causes: Vec<Cause>,
}

impl Report {
    /// How many nodes are in a state.
    pub fn count(&self, state: StateKind) -> usize {
        self.nodes.values().filter(|own| own.kind() == state).count()
    }

    /// Whether nothing would fail or change.
    pub fn is_clean(&self) -> bool {
        self.count(StateKind::Same) == self.nodes.len()
    }
}

/// Examines nodes on so many threads; `upgrade` says of a name what is to be compiled.
///
/// # Errors
/// When there are no threads to be had; the first of `upgrade`. What goes wrong in a compile is in the report.
pub fn examine(
    compiler: &Compiler,
    (from, to): (Compat, Compat),
    names: &[String],
    threads: usize,
    upgrade: impl Fn(&str) -> Result<Upgrade, String> + Sync,
) -> Result<Report, String> {
    let (mut causes, mut nodes, mut failed) = (Causes::default(), BTreeMap::new(), None);
    let examine = |name: &str| upgrade(name).map(|upgrade| examine_one(compiler, &upgrade));
    pool::run(names, threads, examine, |name, done| {
        let (state, notes) = match done {
            Ok(done) => done,
            Err(message) => {
                failed.get_or_insert(message);
                return;
            }
        };
        causes.of_notes(name, &notes);
        match &state {
            State::Fails(error) if !explains(&notes, error) => causes.of_failure(name, error),
            State::Changed(differences) if notes.is_empty() => causes.of_differences(name, differences),
            _ => {}
        }
        nodes.insert(name.to_owned(), state);
    })?;
    match failed {
        Some(message) => Err(message),
        None => Ok(Report { from, to, nodes, causes: causes.finish() }),
    }
}

/// Whether one of the notes is of what the newer version fails at: of its place, or of the file or the variable that its
/// message names; of a rule where it names no place at all.
fn explains(notes: &[Note], error: &Diagnostic) -> bool {
    let place = &error.place;
    let is_about = |note: &Note| {
        let file = note.place.file.as_deref().is_some_and(|file| error.message.contains(file));
        match note.change {
            Change::UnknownVariable | Change::UndefinedVariable | Change::LegacyFact => {
                let names = |sign: &str| error.message.contains(&format!("'{sign}{}'", note.subject));
                names("") || names("::")
            }
            Change::Syntax => error.message.contains(&note.subject),
            Change::DataIsNoHash | Change::HieraVersion3 => file,
            // None of its classes and functions is found: whatever that is, it has no other place.
            Change::MetadataIsNoJson => error.message.contains(&note.subject),
            Change::Rule(_) => place.file.is_none(),
            _ => false,
        }
    };
    let is_there =
        |note: &Note| place.line.is_some() && note.place.file == place.file && note.place.line == place.line;
    notes.iter().any(|note| is_there(note) || is_about(note))
}

fn examine_one(compiler: &Compiler, upgrade: &Upgrade) -> (State, Vec<Note>) {
    let sends = |settings: &Settings| {
        settings.include_legacy_facts().unwrap_or_else(|| sends_legacy_facts(settings.compat))
    };
    let as_sent = |target: &Target| {
        let mut target = target.clone();
        if !sends(&target.settings) {
            target.node = target.node.without_legacy_facts();
        }
        target
    };
    let (from, to) = (as_sent(&upgrade.from), as_sent(&upgrade.to));
    let Settings { compat, strict, strict_variables, .. } = to.settings;
    let newer = Newer { compat, strict, strict_variables, legacy_facts: sends(&to.settings) };
    let rules = Rules::complete();
    let compared = compiler.see(&from, |before| {
        let (notes, _) = compiler.witness(&from, newer);
        let after = compiler.see(&to, |after| compare(&Side::from(before), &Side::from(after), &rules));
        let state = match after.result {
            Err(error) => State::Fails(error),
            Ok(differences) if differences.is_empty() => State::Same,
            Ok(differences) => State::Changed(differences),
        };
        (state, notes)
    });
    compared.result.unwrap_or_else(|error| (State::FailedBefore(error), Vec::new()))
}
