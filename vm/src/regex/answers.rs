//! Answers given before. The same names and paths are held against the same expressions, resource after resource and
//! catalog after catalog, and a look here costs a fraction of a search. An answer follows from source and text alone.

use foldhash::fast::FixedState;
use std::hash::BuildHasher as _;

/// How many sets of answers a thread keeps, and how many answers in each: those whose hashes lead there.
const SETS: usize = 1024;
const WAYS: usize = 4;
/// Longer sources and texts are searched each time, in bytes.
const LONGEST: usize = 200;

/// Whether an expression matches a text.
struct Answer {
    hash: u64,
    /// The source and, behind it, the text.
    both: Box<str>,
    /// Where that begins.
    behind: u32,
    matches: bool,
}

/// The latest first.
type Set = Option<Box<[Option<Answer>; WAYS]>>;

/// The answers of a thread.
#[derive(Default)]
pub(super) struct Answers {
    /// Empty before the first.
    sets: Vec<Set>,
}

impl Answers {
    /// The hash under which an answer is kept; none for what is too long.
    pub fn hash(source: &str, text: &str) -> Option<u64> {
        let hash = || FixedState::with_seed(0).hash_one((source, text));
        (source.len() <= LONGEST && text.len() <= LONGEST).then(hash)
    }

    /// The answer of this hash, if it is known.
    pub fn get(&self, hash: u64, source: &str, text: &str) -> Option<bool> {
        let set = self.sets.get(hash as usize % SETS)?.as_ref()?;
        let same = |answer: &&Answer| {
            answer.hash == hash
                && answer.both.split_at_checked(answer.behind as usize) == Some((source, text))
        };
        set.iter().flatten().find(same).map(|answer| answer.matches)
    }

    /// Keeps an answer in place of the oldest of its set.
    pub fn set(&mut self, hash: u64, source: &str, text: &str, matches: bool) {
        if self.sets.is_empty() {
            self.sets.resize_with(SETS, || None);
        }
        let set = self.sets[hash as usize % SETS].get_or_insert_with(Box::default);
        set.rotate_right(1);
        let both = [source, text].concat().into();
        set[0] = Some(Answer { hash, both, behind: source.len() as u32, matches });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_that_of_its_source_and_text() {
        let mut answers = Answers::default();
        let ask = |answers: &Answers, source: &str, text: &str| {
            Answers::hash(source, text).and_then(|hash| answers.get(hash, source, text))
        };
        assert_eq!(ask(&answers, "", ""), None, "an empty set has no answer");
        for n in 0..3 * SETS * WAYS {
            let (source, text) = (format!("a{n}"), format!("b{n}"));
            let hash = Answers::hash(&source, &text).expect("they are short");
            answers.set(hash, &source, &text, n % 3 == 0);
            assert_eq!(ask(&answers, &source, &text), Some(n % 3 == 0));
        }
        let known =
            (0..3 * SETS * WAYS).filter(|n| ask(&answers, &format!("a{n}"), &format!("b{n}")).is_some());
        assert!((1..=SETS * WAYS).contains(&known.count()));
        let hash = Answers::hash("a", "bc").expect("they are short");
        answers.set(hash, "a", "bc", true);
        assert_eq!(answers.get(hash, "ab", "c"), None, "the hash alone says nothing");
        assert_eq!(Answers::hash(&"a".repeat(LONGEST + 1), ""), None);
    }
}
