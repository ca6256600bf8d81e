//! What a compile has read of its environment's tree: by it one can tell whether a change of files can touch the compile.
//!
//! Every answer of a [`Tree`](crate::tree::Tree) about a path, and every answer that a memo gives out of such answers, leaves a
//! [`Touch`] with whoever [gathers](gather). A compile that has seen the same answers to all its questions does the same: so
//! one none of whose touches is among those of a change comes to the same catalog.
//!
//! A touch is a number of 32 bits, made of the path as an archive calls it (so that two checkouts of one repository agree) and
//! of what was asked. Two questions have the same number once in four thousand million times: then a compile counts as
//! touched that is not, which does no harm.
//!
//! What is asked of a node's facts and trusted data is noted in the same way, as questions about values by their paths, at the
//! compile's end.
//!
//! Memos gather while they make a value and keep what was gathered beside it: whoever gets the value later has, in effect,
//! asked the same questions. The list of those who gather is kept by thread, as a compile runs on one.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use xxhash_rust::xxh3::Xxh3;

/// What was asked of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Whether there is something, and of which kind.
    Kind,
    /// What lies in a folder, by name.
    Names,
    /// What a file holds.
    Content,
    /// What a manifest holds besides the bodies of what it defines; those are asked for one by one, as touches of their own.
    Outline,
    /// Whether there is a file of data, and whether it holds a hash; its keys are asked for one by one, as touches of their own.
    Data,
    /// Of a module's metadata: whether something is wrong with it; of a folder of modules: whether with any of theirs.
    Fault,
    /// What a file holds, or all that lies below a folder, however deep.
    Below,
    /// Which is the first module, or the environment, that has a file at a path from a module's folder on.
    Provided,
}

/// One question. See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Touch(pub u32);

/// The kind of a question for a key of Hiera's.
const KEY: u8 = u8::MAX;
/// The kind of a question for the body of a definition; those between are of values, see [`Touch::of_value`].
const BODY: u8 = KEY - 5;

/// What is known of a node, as far as it is asked for by paths: keys, each within the value that those before it lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeData {
    /// Its facts.
    Facts,
    /// What stands in its certificate.
    Trusted,
}

/// What was asked of a value of a node's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfValue {
    /// All of it; where it is not there, that it is not.
    Whole,
    /// That it is a hash, and no other value.
    Form,
}

impl Touch {
    /// The question about a path, as an archive calls it.
    pub fn of(asked: Asked, path: &str) -> Touch {
        Touch::of_parts(asked, path, "")
    }

    /// The question about the body of what a manifest defines: as an archive calls the manifest, and what is defined.
    pub fn of_body(path: &str, defined: &str) -> Touch {
        Touch::of_body_in((path, ""), defined)
    }

    /// The same of a path in two parts, see [`Touch::of_parts`].
    pub(crate) fn of_body_in((root, below): (&str, &str), defined: &str) -> Touch {
        Touch::made_of(BODY, &[root, if below.is_empty() { "" } else { "/" }, below, "\0", defined])
    }

    /// The question for a key, as data files have it: no segments behind it.
    pub fn of_key(key: &str) -> Touch {
        Touch::made_of(KEY, &[key])
    }

    /// The question about a value of a node's data: the keys that lead to it, none for all of the data.
    pub fn of_value(data: NodeData, path: &[&str], asked: OfValue) -> Touch {
        let kind = match (data, asked) {
            (NodeData::Facts, OfValue::Whole) => KEY - 1,
            (NodeData::Facts, OfValue::Form) => KEY - 2,
            (NodeData::Trusted, OfValue::Whole) => KEY - 3,
            (NodeData::Trusted, OfValue::Form) => KEY - 4,
        };
        // With a length before each, so that no two paths are alike.
        let mut hash = Xxh3::new();
        hash.update(&[kind]);
        for key in path {
            hash.update(&(key.len() as u64).to_le_bytes());
            hash.update(key.as_bytes());
        }
        Touch(hash.digest() as u32)
    }

    /// The same as [`Touch::of`], of a path in two parts, with a `/` between them where both are there.
    pub(crate) fn of_parts(asked: Asked, root: &str, below: &str) -> Touch {
        Touch::made_of(asked as u8, &[root, if below.is_empty() { "" } else { "/" }, below])
    }

    fn made_of(kind: u8, parts: &[&str]) -> Touch {
        let mut hash = Xxh3::new();
        hash.update(&[kind]);
        parts.iter().for_each(|part| hash.update(part.as_bytes()));
        Touch(hash.digest() as u32)
    }
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// All questions, sorted.
    pub touches: Box<[Touch]>,
    /// What may have read anything, by name: code that another process ran.
    pub unknown: Box<[String]>,
    /// Paths that were not read, though they were asked for, since the compile is confined.
    pub refused: Box<[String]>,
}

/// Touches are good hashes but for their size.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_usize(number as usize);
    }

    fn write_usize(&mut self, number: usize) {
        // All bits count in a table, and the low ones of addresses are all alike.
        self.0 = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

type Numbers<T> = HashSet<T, BuildHasherDefault<AsItIs>>;

/// Somebody who gathers.
#[derive(Default)]
struct Gatherer {
    touches: Numbers<Touch>,
    unknown: BTreeSet<String>,
    refused: BTreeSet<String>,
    /// Those [`Reads`] of memos that have been taken in, by their addresses: memos let go of nothing while a compile lasts.
    taken_in: Numbers<usize>,
}

impl Gatherer {
    fn add(&mut self, reads: &Reads) {
        self.touches.extend(&reads.touches);
        self.unknown.extend(reads.unknown.iter().cloned());
        self.refused.extend(reads.refused.iter().cloned());
    }
}

thread_local! {
    /// Whether there is any.
    static LISTENS: Cell<bool> = const { Cell::new(false) };
    /// Those who gather, outermost first: the last is told.
    static GATHERERS: RefCell<Vec<Gatherer>> = const { RefCell::new(Vec::new()) };
}

/// Takes the innermost gatherer away again, whatever ends it.
struct Guard {
    /// Whether the one outside of it listens again when this is gone.
    _heard: Heard,
}

impl Guard {
    fn enter() -> Guard {
        let heard = Heard::set(true);
        GATHERERS.with_borrow_mut(|all| all.push(Gatherer::default()));
        Guard { _heard: heard }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        GATHERERS.with_borrow_mut(|all| _ = all.pop());
    }
}

/// Whether somebody listens, as it was before: so it is again when this is dropped.
struct Heard(bool);

impl Heard {
    fn set(listens: bool) -> Heard {
        Heard(LISTENS.replace(listens))
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        LISTENS.set(self.0);
    }
}

fn tell(what: impl FnOnce(&mut Gatherer)) {
    if LISTENS.get() {
        GATHERERS.with_borrow_mut(|all| {
            if let Some(innermost) = all.last_mut() {
                what(innermost);
            }
        });
    }
}

/// Whether anybody gathers: whoever would have to find something out for it asks first.
#[inline]
pub fn is_gathered() -> bool {
    LISTENS.get()
}

/// Notes a question.
pub(crate) fn note(touch: impl FnOnce() -> Touch) {
    tell(|gatherer| _ = gatherer.touches.insert(touch()));
}

/// Notes that a key was looked for in Hiera's data.
pub fn note_key<'k>(key: impl FnOnce() -> Option<Cow<'k, str>>) {
    tell(|gatherer| gatherer.touches.extend(key().map(|key| Touch::of_key(&key))));
}

/// Notes a question about a value of a node's data.
pub fn note_value(data: NodeData, path: &[&str], asked: OfValue) {
    note(|| Touch::of_value(data, path, asked));
}

/// Notes that something may have read anything.
pub fn note_unknown(what: impl FnOnce() -> String) {
    tell(|gatherer| _ = gatherer.unknown.insert(what()));
}

/// Notes that a path was not read which may not be.
pub(crate) fn note_refused(path: impl FnOnce() -> String) {
    tell(|gatherer| _ = gatherer.refused.insert(path()));
}

/// Whether something was not read that was asked for, as far as whoever gathers knows.
pub fn was_refused() -> bool {
    is_gathered()
        && GATHERERS.with_borrow(|all| all.last().is_some_and(|innermost| !innermost.refused.is_empty()))
}

/// Notes what somebody has gathered before: the questions behind an answer that was kept. It lasts as long as the compile.
pub fn take_in(reads: &Reads) {
    tell(|gatherer| {
        let address = std::ptr::from_ref(reads) as usize;
        if !reads.is_empty() && gatherer.taken_in.insert(address) {
            gatherer.add(reads);
        }
    });
}

/// The same of what does not last.
pub fn pass_on(reads: &Reads) {
    tell(|gatherer| gatherer.add(reads));
}

/// Gathers what `work` reads. Whoever gathers already is not told: the caller takes it in, or keeps it.
pub fn gather<T>(work: impl FnOnce() -> T) -> (T, Reads) {
    let guard = Guard::enter();
    let result = work();
    let gatherer = GATHERERS.with_borrow_mut(|all| all.last_mut().map(std::mem::take)).unwrap_or_default();
    drop(guard);
    let mut touches: Box<[Touch]> = gatherer.touches.into_iter().collect();
    touches.sort_unstable();
    let [unknown, refused] = [gatherer.unknown, gatherer.refused].map(|all| all.into_iter().collect());
    (result, Reads { touches, unknown, refused })
}

/// Does something that has nothing to do with what others gather on this thread: they are told nothing, and nobody is at pains
/// to find out what they would be told.
pub fn unheard<T>(work: impl FnOnce() -> T) -> T {
    let _heard = Heard::set(false);
    work()
}

/// Does something whose questions nobody is told: the caller notes better ones. What is refused is told all the same.
pub fn unnoted<T>(work: impl FnOnce() -> T) -> T {
    if !is_gathered() {
        return work();
    }
    let (result, reads) = gather(work);
    tell(|gatherer| gatherer.refused.extend(reads.refused));
    result
}

impl Reads {
    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.touches.is_empty() && self.unknown.is_empty() && self.refused.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &str) -> Touch {
        Touch::of(Asked::Content, path)
    }

    #[test]
    fn what_is_asked_within_is_gathered_and_nothing_else() {
        note(|| unreachable!("nobody gathers"));
        let (inner, outer) = gather(|| {
            note(|| touch("e/a"));
            let ((), inner) = gather(|| note(|| touch("e/b")));
            unnoted(|| note(|| touch("e/c")));
            note_unknown(|| "generate".to_owned());
            inner
        });
        assert_eq!(*inner.touches, [touch("e/b")]);
        assert_eq!(*outer.touches, [touch("e/a")]);
        assert_eq!(*outer.unknown, ["generate".to_owned()]);
        let ((), all) = gather(|| (0..2).for_each(|_| take_in(&inner)));
        assert_eq!(all, inner);
    }

    #[test]
    fn what_is_done_unheard_is_told_to_nobody_outside() {
        let (inner, outer) = gather(|| {
            note(|| touch("e/a"));
            let inner = unheard(|| {
                assert!(!is_gathered());
                let ((), inner) = gather(|| note(|| touch("e/b")));
                note(|| unreachable!("nobody listens"));
                inner
            });
            note(|| touch("e/c"));
            inner
        });
        assert_eq!(*inner.touches, [touch("e/b")]);
        let mut both = [touch("e/a"), touch("e/c")];
        both.sort();
        assert_eq!(*outer.touches, both);
        assert!(!is_gathered());
    }

    #[test]
    fn one_that_is_left_by_a_panic_is_gone() {
        let ((), outer) = gather(|| {
            let left = std::panic::catch_unwind(|| gather(|| std::panic::resume_unwind(Box::new(()))));
            assert!(left.is_err());
            note(|| touch("e/a"));
        });
        assert_eq!(*outer.touches, [touch("e/a")]);
        assert!(!is_gathered());
    }

    #[test]
    fn a_path_in_parts_is_the_same_path() {
        for (root, below, path) in [("e", "", "e"), ("m0", "a/b", "m0/a/b")] {
            assert_eq!(Touch::of_parts(Asked::Kind, root, below), Touch::of(Asked::Kind, path));
        }
        assert_ne!(Touch::of(Asked::Kind, "e/a"), Touch::of(Asked::Names, "e/a"));
        assert_ne!(Touch::of(Asked::Kind, "e/a"), Touch::of_key("e/a"));
    }
}
