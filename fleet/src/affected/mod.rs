//! Whom a change can touch, of a tree or of nodes' facts: the nodes whose compiles have read something that the change makes
//! otherwise. Every other node is sure to get the catalog it has.

mod keeper;
mod kept;

use crate::pool;
use crate::tree::cache::{self, Cache};
use bunraku::bench::Target;
use bunraku::{Change, Compiler, How, NodeChange, Part, Reads};
pub use keeper::Keeper;
use kept::{Record, Records};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Why a node may get another catalog.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A path differs that it has read, looked for or listed: as an archive calls it, and how.
    Path(String, &'static str),
    /// A key of a data file differs that it looks for: the file, the key.
    Key(String, String),
    /// The body differs of what a manifest defines and it uses: the manifest, what is defined.
    Body(String, String),
    /// What it has read is not known, since something else ran: its name. It counts as touched by any change.
    Unknown(String),
    /// A value differs that it has asked for: `facts.os.release`.
    Value(String),
    /// What else a compile is given differs: which classes, settings or environment.
    Others,
    /// The node is not there before the change, or not after it: which of the two.
    Presence(&'static str),
    /// Nobody has found out yet what it reads.
    Unread,
    /// The environments lie in other ways: how.
    Everything(String),
}

impl Reason {
    /// What it is called: one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Reason::Path(..) => "file",
            Reason::Key(..) => "key",
            Reason::Body(..) => "definition",
            Reason::Unknown(_) => "unknown",
            Reason::Value(_) => "value",
            Reason::Others => "classification",
            Reason::Presence(_) => "node",
            Reason::Unread => "unread",
            Reason::Everything(_) => "everything",
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Path(path, how) => write!(f, "{} {how}", in_environment(path)),
            Reason::Key(path, part) | Reason::Body(path, part) => {
                write!(f, "{}: {part}", in_environment(path))
            }
            Reason::Unknown(what) => write!(f, "whatever {what} reads"),
            Reason::Value(path) => write!(f, "{path} differs"),
            Reason::Others => f.write_str("what its classifier, environment or settings say differs"),
            Reason::Unread => f.write_str("what it reads is not known yet"),
            Reason::Presence(how) => write!(f, "the node is {how}"),
            Reason::Everything(how) => f.write_str(how),
        }
    }
}

/// A path as people know it: archives call the environment's folder `e`.
fn in_environment(path: &str) -> &str {
    path.strip_prefix("e/").unwrap_or(path)
}

/// How a node is compiled, by its name.
pub type TargetOf<'q, T> = dyn Fn(&str) -> Result<T, String> + Sync + 'q;

/// A hash of all that a node's compile is given besides the tree, told before what is known of the node is read; none where it can't
/// be told. A node that was given the same has read the same.
pub type GivenOf<'q> = dyn Fn(&str) -> Option<[u8; 32]> + Sync + 'q;

/// A question: nodes of a tree, and what the tree becomes.
pub struct Question<'q> {
    /// What compiles.
    pub compiler: &'q Compiler,
    /// Names of the nodes, sorted.
    pub names: &'q [String],
    /// A node as the tree has it before the change.
    pub target: &'q TargetOf<'q, Target>,
    /// The same node with the facts that it is to have, in the same tree; nothing where nobody has facts of it any more. None
    /// where nodes stay as they are.
    pub becomes: Option<&'q TargetOf<'q, Option<Target>>>,
    /// What nodes are given, where that can be told without reading it: then nobody's facts are read of whom it is kept what it reads.
    pub given: Option<&'q GivenOf<'q>>,
    /// What differs in the tree.
    pub change: &'q Change,
    /// Where it is kept what nodes read.
    pub cache: Option<&'q Cache>,
    /// Whether nodes of which nothing is kept are compiled; otherwise they count as touched.
    pub compiles: bool,
    /// How many are compiled side by side, where it is not kept yet.
    pub threads: usize,
}

impl<'q> Question<'q> {
    /// Whom of these nodes a change of the tree touches, where those are compiled of which nothing is kept, one after the other.
    pub fn of(
        compiler: &'q Compiler,
        names: &'q [String],
        target: &'q TargetOf<'q, Target>,
        change: &'q Change,
    ) -> Question<'q> {
        let (becomes, given, cache) = (None, None, None);
        Question { compiler, names, target, becomes, given, change, cache, compiles: true, threads: 1 }
    }
}

/// What differs between two trees that nodes are compiled from; none where there are no nodes.
///
/// # Errors
/// As of a target, for the first node; when files can't be read.
pub fn change(
    compiler: &Compiler,
    names: &[String],
    [from, to]: [&TargetOf<'_, Target>; 2],
) -> Result<Option<Change>, String> {
    let Some(first) = names.first() else { return Ok(None) };
    let [old, new] = [from(first)?, to(first)?];
    compiler.change(&old.environment, &new.environment, &old.settings).map(Some)
}

/// The answer.
#[derive(Debug, Default)]
pub struct Affected {
    /// How many nodes were asked for.
    pub asked: usize,
    /// How many of them had to be compiled, as nothing was kept of them.
    pub compiled: usize,
    /// The touched ones by name, each with all reasons.
    pub nodes: BTreeMap<String, Vec<Reason>>,
    /// Nodes that fail as the tree is, touched or not.
    pub failing: BTreeSet<String>,
    /// Nodes of which nothing could be found out, with what is wrong: they may be touched.
    pub failed: BTreeMap<String, String>,
}

impl Affected {
    /// The nodes of which nobody has found out yet what they read.
    pub fn unread(&self) -> BTreeSet<String> {
        let unread = self.nodes.iter().filter(|(_, reasons)| reasons.contains(&Reason::Unread));
        unread.map(|(name, _)| name.clone()).collect()
    }

    /// All nodes that get to be compared: touched ones, those of which nothing is known, and those that fail as it is, whose message
    /// is to be told.
    pub fn to_compare(self) -> Vec<String> {
        let Affected { nodes, failed, failing, .. } = self;
        let all: BTreeSet<String> = nodes.into_keys().chain(failed.into_keys()).chain(failing).collect();
        all.into_iter().collect()
    }

    /// Each reason with the nodes that it touches, those first that touch most.
    pub fn by_reason(&self) -> Vec<(&Reason, Vec<&str>)> {
        let mut all: BTreeMap<&Reason, Vec<&str>> = BTreeMap::new();
        for (node, reasons) in &self.nodes {
            reasons.iter().for_each(|reason| all.entry(reason).or_default().push(node));
        }
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
        all
    }
}

/// How many nodes that were compiled wait to be kept: memory does not grow with the fleet.
const WAITING: usize = 10_000;
/// How many nodes are looked at with what is kept of them in memory.
const AT_ONCE: usize = 1000;

/// Finds out whom a change can touch.
///
/// # Errors
/// When there are no threads, or the cache can't be written.
pub fn affected(question: &Question<'_>) -> Result<Affected, String> {
    let Question { names, change, cache, .. } = question;
    let mut answer = Affected { asked: names.len(), ..Affected::default() };
    if change.is_empty() && question.becomes.is_none() {
        return Ok(answer);
    }
    let key = key(change);
    let file = cache.map(|cache| cache.file(KIND, &key, |_| Ok(()))).transpose()?;
    let mut known = file.as_deref().map(Records::open);
    let keep = |new: &mut Vec<Record>| match cache.filter(|_| !new.is_empty()) {
        Some(cache) => cache.file(KIND, &key, |file| keep(file, new)).map(drop),
        None => Ok(()),
    };
    let mut new = Vec::new();
    for names in names.chunks(AT_ONCE) {
        let mut kept = BTreeMap::new();
        if let Some(known) = &mut known {
            let records = names.iter().filter_map(|name| known.find(name, &mut |_| ()));
            kept.extend(records.map(|record| (record.node.clone(), record)));
        }
        let find = |name: &str| find(question, name, kept.get(name));
        pool::run(names, question.threads, find, |name, found| match found {
            Ok(Found { fails, made, reasons }) => {
                if fails {
                    answer.failing.insert(name.to_owned());
                }
                if !reasons.is_empty() {
                    answer.nodes.insert(name.to_owned(), reasons);
                }
                answer.compiled += usize::from(made.is_some());
                new.extend(made);
            }
            Err(message) => _ = answer.failed.insert(name.to_owned(), message),
        })?;
        if new.len() >= WAITING {
            keep(&mut new)?;
        }
    }
    keep(&mut new)?;
    Ok(answer)
}

/// What the cache calls it.
const KIND: &str = "reads";

/// The name for what nodes have read of the tree as it is before the change, found out by this build.
fn key(change: &Change) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    cache::key(&[KIND, &hex(&change.before), &hex(bunraku::archive::fingerprint())])
}

fn keep(file: &Path, new: &mut Vec<Record>) -> Result<(), String> {
    let kept = kept::put(file, new);
    new.clear();
    kept.map_err(|error| format!("Could not write {}: {error}", file.display()))
}

/// What was found out of a node.
struct Found {
    /// Whether it is known to fail.
    fails: bool,
    /// What it reads, where it was compiled for that.
    made: Option<Record>,
    reasons: Vec<Reason>,
}

fn find(question: &Question<'_>, name: &str, kept: Option<&Record>) -> Result<Found, String> {
    if let (Some(kept), None) = (kept, question.becomes)
        && kept.given.is_some()
        && kept.given == question.given.and_then(|given| given(name))
    {
        let reasons = reasons(question.change, &kept.reads);
        return Ok(Found { fails: kept.fails, made: None, reasons });
    }
    let target = (question.target)(name)?;
    let nothing = |reasons| Ok(Found { fails: false, made: None, reasons });
    let change = match question.becomes {
        None => None,
        Some(becomes) => match becomes(name)? {
            None => return nothing(vec![Reason::Presence("gone")]),
            Some(after) => Some(NodeChange::between(&target, &after)),
        },
    };
    if question.change.is_empty() && change.as_ref().is_some_and(NodeChange::is_empty) {
        return nothing(Vec::new());
    }
    let Some(record) = record_of(question, (name, target), kept)? else {
        return nothing(vec![Reason::Unread]);
    };
    let (fails, mut reasons) = (record.fails, reasons(question.change, &record.reads));
    if let Some(change) = change {
        let values = change.met_by(&record.reads.touches);
        reasons.extend(values.into_iter().map(|path| Reason::Value(path.to_owned())));
        reasons.extend(change.others.then_some(Reason::Others));
    }
    let made = match record {
        Cow::Borrowed(_) => None,
        Cow::Owned(made) => Some(made),
    };
    Ok(Found { fails, made, reasons })
}

/// What a node reads: as it is kept, or found out by a compile; none where it is not to be compiled.
fn record_of<'k>(
    question: &Question<'_>,
    (name, mut target): (&str, Target),
    kept: Option<&'k Record>,
) -> Result<Option<Cow<'k, Record>>, String> {
    if kept.is_none() && !question.compiles {
        return Ok(None);
    }
    target.settings.reads = true;
    let key = target.digest();
    if let Some(kept) = kept.filter(|kept| kept.key == key) {
        return Ok(Some(Cow::Borrowed(kept)));
    }
    if !question.compiles {
        return Ok(None);
    }
    let compiled = question.compiler.trial(&target);
    match (compiled.reads, compiled.result) {
        (Some(reads), result) => {
            let (node, given) = (name.to_owned(), question.given.and_then(|given| given(name)));
            Ok(Some(Cow::Owned(Record { node, key, given, fails: result.is_err(), reads })))
        }
        (None, Err(error)) => Err(error.message),
        (None, Ok(_)) => Err("its compile does not say what it has read".to_owned()),
    }
}

/// Why a compile that has read this is touched by a change of its tree.
pub fn reasons(change: &Change, reads: &Reads) -> Vec<Reason> {
    if change.is_empty() {
        return Vec::new();
    }
    if let Some(how) = &change.everything {
        return vec![Reason::Everything(how.clone())];
    }
    let mut all: Vec<Reason> = change
        .met_by(&reads.touches)
        .into_iter()
        .map(|met| {
            let path = met.path.path.clone();
            match met.part {
                Some(Part::Key(key)) => Reason::Key(path, key.to_owned()),
                Some(Part::Body(defined)) => Reason::Body(path, defined.to_owned()),
                None => Reason::Path(path, word(met.path.how)),
            }
        })
        .collect();
    all.extend(reads.unknown.iter().cloned().map(Reason::Unknown));
    all.sort();
    all
}

fn word(how: How) -> &'static str {
    match how {
        How::Added => "added",
        How::Removed => "removed",
        How::Changed => "changed",
    }
}
