//! A cache of what regular expressions have found in texts. The same names and paths are matched by the same
//! expressions, resource after resource and catalog after catalog, and finding an answer here costs a fraction of a
//! search. An answer depends on the expression and the text alone, so it is never stale; how many are kept is
//! bounded.

use foldhash::fast::FixedState;
use std::hash::BuildHasher as _;

/// How many sets of answers a thread keeps, and how many answers a set holds: the hash of a question chooses the set.
const SETS: usize = 1024;
const WAYS: usize = 4;
/// How many questions that were asked once are noted: an answer is kept when its question comes a second time.
const ONCE: usize = 4096;
/// Where that many more questions have no known answer than have one, only every sixteenth is looked for: code that
/// goes through a list of texts asks nothing twice.
const PATIENCE: u32 = 256;
/// Length in bytes above which sources and texts are searched each time.
const LONGEST: usize = 200;

/// What an expression finds in a text.
struct Answer<A> {
    hash: u64,
    /// The source and, behind it, the text.
    both: Box<str>,
    /// Where the text begins in that.
    behind: u32,
    found: A,
}

/// The latest first.
type Set<A> = Option<Box<[Option<Answer<A>>; WAYS]>>;

/// The answers of a thread to one kind of question.
pub(super) struct Answers<A> {
    /// The sets; empty until the first answer is kept.
    sets: Vec<Set<A>>,
    /// Of questions asked once, a part of the hash, found by the rest of it; empty until the first is asked.
    once: Vec<u32>,
    /// How many more questions had no known answer than had one; at least zero.
    missed: u32,
    /// How many questions were asked since that number became too great.
    passed: u32,
}

impl<A> Default for Answers<A> {
    fn default() -> Self {
        Answers { sets: Vec::new(), once: Vec::new(), missed: 0, passed: 0 }
    }
}

/// What is known of a question.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CacheLookup<T> {
    /// The answer.
    Known(T),
    /// There is no answer; the one that is found will be kept under this hash.
    New(u64),
    /// There is no answer, and the one that is found will not be kept.
    Passed,
}

impl<A> Answers<A> {
    /// Asks what an expression finds in a text: `read` takes it out of the answer.
    pub fn ask<T>(&mut self, source: &str, text: &str, read: impl FnOnce(&A) -> T) -> CacheLookup<T> {
        if self.missed > PATIENCE {
            self.passed = self.passed.wrapping_add(1);
            if !self.passed.is_multiple_of(16) {
                return CacheLookup::Passed;
            }
        }
        if source.len() > LONGEST || text.len() > LONGEST {
            return CacheLookup::Passed;
        }
        let hash = FixedState::with_seed(0).hash_one((source, text));
        match self.get(hash, source, text).map(read) {
            Some(found) => {
                self.missed = self.missed.saturating_sub(1);
                CacheLookup::Known(found)
            }
            None => {
                self.missed = (self.missed + 1).min(PATIENCE + 16);
                CacheLookup::New(hash)
            }
        }
    }

    fn get(&self, hash: u64, source: &str, text: &str) -> Option<&A> {
        let set = self.sets.get(hash as usize % SETS)?.as_ref()?;
        let same = |answer: &&Answer<A>| {
            answer.hash == hash
                && answer.both.split_at_checked(answer.behind as usize) == Some((source, text))
        };
        set.iter().flatten().find(same).map(|answer| &answer.found)
    }

    /// Keeps an answer that is given for the second time, in place of the oldest of its set.
    pub fn set(&mut self, hash: u64, source: &str, text: &str, found: A) {
        if self.once.is_empty() {
            self.once.resize(ONCE, 0);
            self.sets.resize_with(SETS, || None);
        }
        let mark = (hash >> 32) as u32;
        if std::mem::replace(&mut self.once[hash as usize % ONCE], mark) != mark {
            return;
        }
        let set = self.sets[hash as usize % SETS].get_or_insert_with(Box::default);
        set.rotate_right(1);
        let both = [source, text].concat().into();
        set[0] = Some(Answer { hash, both, behind: source.len() as u32, found });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(answers: &mut Answers<bool>, source: &str, text: &str) -> CacheLookup<bool> {
        answers.ask(source, text, |matches| *matches)
    }

    #[test]
    fn an_answer_is_that_of_its_source_and_text() {
        let mut answers = Answers::default();
        let keep = |answers: &mut Answers<bool>, source: &str, text: &str, matches| {
            answers.missed = 0;
            let CacheLookup::New(hash) = ask(answers, source, text) else {
                panic!("{source} {text} is known")
            };
            answers.set(hash, source, text, matches);
        };
        for n in 0..3 * SETS * WAYS {
            let (source, text) = (format!("a{n}"), format!("b{n}"));
            keep(&mut answers, &source, &text, n % 3 == 0);
            // Only what is asked again is kept.
            keep(&mut answers, &source, &text, n % 3 == 0);
            assert_eq!(ask(&mut answers, &source, &text), CacheLookup::Known(n % 3 == 0));
        }
        let mut known = 0;
        for n in 0..3 * SETS * WAYS {
            answers.missed = 0;
            let found = ask(&mut answers, &format!("a{n}"), &format!("b{n}"));
            known += usize::from(found == CacheLookup::Known(n % 3 == 0));
        }
        assert!((1..=SETS * WAYS).contains(&known));
        for _ in 0..2 {
            answers.set(1, "a", "bc", true);
        }
        assert_eq!(answers.get(1, "a", "bc"), Some(&true));
        assert_eq!(answers.get(1, "ab", "c"), None, "the hash alone says nothing");
        answers.missed = 0;
        assert_eq!(ask(&mut answers, &"a".repeat(LONGEST + 1), ""), CacheLookup::Passed);
    }

    #[test]
    fn what_is_never_asked_again_is_hardly_looked_for() {
        let mut answers = Answers::default();
        let passed =
            (0..1000).filter(|n| ask(&mut answers, "a", &n.to_string()) == CacheLookup::Passed).count();
        assert!(passed > 600, "{passed}");
        // Until most is known again.
        for _ in 0..1000 {
            if let CacheLookup::New(hash) = ask(&mut answers, "b", "x") {
                answers.set(hash, "b", "x", true);
            }
        }
        assert_eq!(ask(&mut answers, "b", "x"), CacheLookup::Known(true));
    }
}
