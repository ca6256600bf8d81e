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

mod gatherer;

use gatherer::{Gatherer, Gatherers};
use std::cell::{Cell, RefCell};
use xxhash_rust::xxh3::xxh3_64;

/// What was asked of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathQuestion {
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
    pub fn of(asked: PathQuestion, path: &str) -> Touch {
        Touch::of_parts(asked, path, "")
    }

    /// The question about the body of what a manifest defines: the question about its [outline](PathQuestion::Outline), and what is defined, in
    /// any two parts.
    pub fn of_body(outline: Touch, defined: (&str, &str)) -> Touch {
        Question::new(BODY).bytes(&outline.0.to_le_bytes()).text(defined.0).text(defined.1).touch()
    }

    /// The question for a key, as data files have it: no segments behind it. By its hash, which whoever looks for it has anyway.
    pub fn of_key(hash: u64) -> Touch {
        // All bits of the hash count, and those of the kind.
        Touch(((hash ^ u64::from(KEY)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32)
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
        let mut question = Question::new(kind);
        for key in path {
            question.bytes(&(key.len() as u64).to_le_bytes()).text(key);
        }
        question.touch()
    }

    /// The question which is the first file at a path from a module's folder on, in any parts and in lower case.
    pub(crate) fn of_provided(parts: &[&str]) -> Touch {
        let mut question = Question::new(PathQuestion::Provided as u8);
        for part in parts {
            question.text(part);
        }
        question.touch()
    }

    /// The same as [`Touch::of`], of a path in two parts, with a `/` between them where both are there.
    pub(crate) fn of_parts(asked: PathQuestion, root: &str, below: &str) -> Touch {
        Question::new(asked as u8).path((root, below)).touch()
    }
}

/// A question as bytes. It is hashed in one piece: piece by piece takes several times as long for what is short.
struct Question {
    short: [u8; SHORT],
    /// How many bytes of that are in use, as long as there are no more.
    end: usize,
    long: Vec<u8>,
}

/// As many bytes take no memory of their own: few questions are longer, and all are set to zero first.
const SHORT: usize = 128;

impl Question {
    #[inline]
    fn new(kind: u8) -> Question {
        let mut short = [0; SHORT];
        short[0] = kind;
        Question { short, end: 1, long: Vec::new() }
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) -> &mut Question {
        match self.short.get_mut(self.end..self.end + bytes.len()).filter(|_| self.long.is_empty()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.end += bytes.len();
            }
            None => self.lengthen(bytes),
        }
        self
    }

    #[cold]
    fn lengthen(&mut self, bytes: &[u8]) {
        if self.long.is_empty() {
            self.long.extend_from_slice(&self.short[..self.end]);
        }
        self.long.extend_from_slice(bytes);
    }

    #[inline]
    fn text(&mut self, text: &str) -> &mut Question {
        self.bytes(text.as_bytes())
    }

    #[inline]
    fn path(&mut self, (root, below): (&str, &str)) -> &mut Question {
        let question = self.text(root);
        if below.is_empty() { question } else { question.text("/").text(below) }
    }

    #[inline]
    fn touch(&self) -> Touch {
        let all = if self.long.is_empty() { &self.short[..self.end] } else { &self.long };
        Touch(xxh3_64(all) as u32)
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

/// What is told to whoever gathers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hears {
    /// Nothing, or nobody gathers.
    Nothing,
    /// What is refused.
    Refusals,
    /// All of it.
    All,
}

thread_local! {
    /// What is told to the innermost of those who gather.
    static HEARS: Cell<Hears> = const { Cell::new(Hears::Nothing) };
    /// Whether anybody may ask what is read, now or later.
    static ASKED: Cell<bool> = const { Cell::new(true) };
    static GATHERERS: RefCell<Gatherers> = const { RefCell::new(Gatherers::new()) };
}

/// Takes the innermost gatherer away again, whatever ends it.
struct Guard {
    /// What the one outside of it hears again when this is gone.
    _heard: Heard,
}

impl Guard {
    fn enter() -> Guard {
        let heard = Heard::set(Hears::All);
        GATHERERS.with_borrow_mut(Gatherers::enter);
        Guard { _heard: heard }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        GATHERERS.with_borrow_mut(Gatherers::leave);
    }
}

/// What was heard before: so it is again when this is dropped.
struct Heard(Hears);

impl Heard {
    fn set(hears: Hears) -> Heard {
        Heard(HEARS.replace(hears))
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        HEARS.set(self.0);
    }
}

#[inline]
fn tell(what: impl FnOnce(&mut Gatherer)) {
    if HEARS.get() == Hears::All {
        tell_innermost(what);
    }
}

fn tell_innermost(what: impl FnOnce(&mut Gatherer)) {
    GATHERERS.with_borrow_mut(|all| {
        if let Some(innermost) = all.innermost() {
            what(innermost);
        }
    });
}

/// Whether anybody gathers: whoever would have to find something out for it asks first.
#[inline]
pub fn is_gathered() -> bool {
    HEARS.get() == Hears::All
}

/// Notes a question.
#[inline]
pub fn note(touch: impl FnOnce() -> Touch) {
    tell(|gatherer| gatherer.touch(touch()));
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
    if HEARS.get() != Hears::Nothing {
        tell_innermost(|gatherer| _ = gatherer.refused.insert(path()));
    }
}

/// Whether something was not read that was asked for, as far as whoever gathers knows.
pub fn was_refused() -> bool {
    let mut refused = false;
    if HEARS.get() != Hears::Nothing {
        tell_innermost(|innermost| refused = !innermost.refused.is_empty());
    }
    refused
}

/// Notes what somebody has gathered before: the questions behind an answer that was kept. It lasts as long as the compile.
#[inline]
pub fn take_in(reads: &Reads) {
    match HEARS.get() {
        Hears::All if !reads.is_empty() => tell_innermost(|gatherer| gatherer.take_in(reads)),
        Hears::Refusals => take_in_refused(reads),
        _ => {}
    }
}

/// The same of what does not last.
pub fn pass_on(reads: &Reads) {
    match HEARS.get() {
        Hears::All => tell_innermost(|gatherer| gatherer.add(reads)),
        Hears::Refusals => take_in_refused(reads),
        Hears::Nothing => {}
    }
}

fn take_in_refused(reads: &Reads) {
    if !reads.refused.is_empty() {
        tell_innermost(|gatherer| gatherer.refused.extend(reads.refused.iter().cloned()));
    }
}

/// What the innermost of those who gather has been told so far; nothing where nobody gathers.
pub fn so_far() -> Reads {
    GATHERERS.with_borrow_mut(|all| all.innermost().map(Gatherer::finish)).unwrap_or_default()
}

/// Gathers what `work` reads. Whoever gathers already is not told: the caller takes it in, or keeps it.
pub fn gather<T>(work: impl FnOnce() -> T) -> (T, Reads) {
    if !ASKED.get() {
        return (work(), Reads::default());
    }
    let guard = Guard::enter();
    let result = work();
    let reads = so_far();
    drop(guard);
    (result, reads)
}

/// Does something that has nothing to do with what others gather on this thread: they are told nothing, and nobody is at pains
/// to find out what they would be told.
pub fn unheard<T>(work: impl FnOnce() -> T) -> T {
    let _heard = Heard::set(Hears::Nothing);
    work()
}

/// What was read for something that is kept: one question, unless [nobody may ever ask](unasked).
pub fn of_kept(question: impl FnOnce() -> Touch) -> Reads {
    if ASKED.get() { Reads::of(question()) } else { Reads::default() }
}

/// Does something that is kept, if at all, for those who never ask what was read for it: nothing is gathered within.
pub fn unasked<T>(work: impl FnOnce() -> T) -> T {
    let _asked = AskedBefore(ASKED.replace(false));
    unheard(work)
}

/// Whether anybody might ask before: so it is again when this is dropped.
struct AskedBefore(bool);

impl Drop for AskedBefore {
    fn drop(&mut self) {
        ASKED.set(self.0);
    }
}

/// Does something whose questions nobody is told: the caller notes better ones. What is refused is told all the same.
pub fn unnoted<T>(work: impl FnOnce() -> T) -> T {
    let _heard = is_gathered().then(|| Heard::set(Hears::Refusals));
    work()
}

impl Reads {
    /// One question.
    pub fn of(touch: Touch) -> Reads {
        Reads { touches: Box::new([touch]), ..Reads::default() }
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.touches.is_empty() && self.unknown.is_empty() && self.refused.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &str) -> Touch {
        Touch::of(PathQuestion::Content, path)
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
    fn where_nobody_ever_asks_nothing_is_gathered() {
        let (inner, outer) = gather(|| {
            let inner = unasked(|| {
                let ((), inner) = gather(|| {
                    assert!(!is_gathered());
                    note(|| unreachable!("nobody asks"));
                    take_in(&Reads::of(touch("e/a")));
                });
                inner
            });
            note(|| touch("e/b"));
            inner
        });
        assert!(inner.is_empty());
        assert_eq!(*outer.touches, [touch("e/b")]);
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
    fn what_is_refused_is_told_all_the_same() {
        let ((), kept) = gather(|| note_refused(|| "/b".to_owned()));
        let ((), reads) = gather(|| {
            assert!(!was_refused());
            unnoted(|| {
                note(|| unreachable!("nobody is told"));
                note_refused(|| "/a".to_owned());
                take_in(&kept);
                unheard(|| note_refused(|| unreachable!("nobody listens")));
                let ((), inner) = gather(|| note(|| touch("e/a")));
                assert_eq!(*inner.touches, [touch("e/a")]);
            });
            assert!(was_refused());
            note(|| touch("e/b"));
        });
        assert_eq!(
            (&*reads.touches, &*reads.refused),
            (&[touch("e/b")][..], &["/a".to_owned(), "/b".to_owned()][..])
        );
    }

    #[test]
    fn a_path_of_any_length_is_told_from_others() {
        for length in SHORT - 3..SHORT + 3 {
            let path = "a".repeat(length);
            assert_eq!(
                Touch::of_parts(PathQuestion::Kind, "e", &path),
                Touch::of(PathQuestion::Kind, &format!("e/{path}"))
            );
            assert_ne!(touch(&path), touch(&format!("{path}a")));
            let of_value = |path: &[&str]| Touch::of_value(NodeData::Facts, path, OfValue::Whole);
            assert_ne!(of_value(&[&path]), of_value(&[&path[1..]]));
            assert_ne!(of_value(&[&path, "a"]), of_value(&[&path[1..], "aa"]));
        }
    }

    #[test]
    fn a_path_in_parts_is_the_same_path() {
        for (root, below, path) in [("e", "", "e"), ("m0", "a/b", "m0/a/b")] {
            assert_eq!(Touch::of_parts(PathQuestion::Kind, root, below), Touch::of(PathQuestion::Kind, path));
        }
        assert_ne!(Touch::of(PathQuestion::Kind, "e/a"), Touch::of(PathQuestion::Names, "e/a"));
        let body = |path, name| Touch::of_body(Touch::of(PathQuestion::Outline, path), ("class ", name));
        assert_ne!(body("e/a", "b"), body("e/b", "b"));
        assert_ne!(body("e/a", "b"), body("e/a", "a"));
        assert_eq!(
            body("e/a", "b"),
            Touch::of_body(Touch::of(PathQuestion::Outline, "e/a"), ("class b", ""))
        );
    }
}
