//! Answers given before. The same names and paths are held against the same expressions, resource after resource and
//! catalog after catalog, and a look here costs a fraction of a search. An answer follows from source and text alone.

use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher as _;

/// How many answers a thread keeps: two of those whose hashes say the same place.
const PLACES: usize = 2048;
/// Longer sources and texts are searched each time, in bytes.
const LONGEST: usize = 200;

/// Whether an expression matches a text.
#[derive(Clone, Default)]
struct Answer {
    hash: u64,
    /// The source and, behind it, the text.
    both: Box<str>,
    /// Where that begins.
    behind: u32,
    matches: bool,
}

/// The answers of a thread.
#[derive(Default)]
pub(super) struct Answers {
    /// Empty before the first.
    places: Vec<Answer>,
    hasher: DefaultHashBuilder,
}

impl Answers {
    /// The hash under which an answer is kept; none for what is too long.
    pub fn hash(&self, source: &str, text: &str) -> Option<u64> {
        (source.len() <= LONGEST && text.len() <= LONGEST).then(|| self.hasher.hash_one((source, text)))
    }

    /// The answer of this hash, if it is known.
    pub fn get(&self, hash: u64, source: &str, text: &str) -> Option<bool> {
        let pair = self.places.get(places(hash))?;
        let is_it = |answer: &&Answer| {
            answer.hash == hash
                && answer.both.split_at_checked(answer.behind as usize) == Some((source, text))
        };
        pair.iter().find(is_it).map(|answer| answer.matches)
    }

    /// Keeps an answer in place of the older one of two.
    pub fn set(&mut self, hash: u64, source: &str, text: &str, matches: bool) {
        if self.places.is_empty() {
            // An empty place answers nothing, not even for an empty source and text.
            self.places.resize(PLACES, Answer { behind: u32::MAX, ..Answer::default() });
        }
        let pair = &mut self.places[places(hash)];
        pair.swap(0, 1);
        let both = [source, text].concat().into();
        pair[0] = Answer { hash, both, behind: source.len() as u32, matches };
    }
}

/// Where an answer may be.
fn places(hash: u64) -> std::ops::Range<usize> {
    let first = hash as usize % (PLACES / 2) * 2;
    first..first + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_that_of_its_source_and_text() {
        let mut answers = Answers::default();
        let ask = |answers: &Answers, source: &str, text: &str| {
            answers.hash(source, text).and_then(|hash| answers.get(hash, source, text))
        };
        assert_eq!(ask(&answers, "", ""), None, "an empty place is no answer");
        for n in 0..3 * PLACES {
            let (source, text) = (format!("a{n}"), format!("b{n}"));
            let hash = answers.hash(&source, &text).expect("they are short");
            answers.set(hash, &source, &text, n % 3 == 0);
            assert_eq!(ask(&answers, &source, &text), Some(n % 3 == 0));
        }
        let known = (0..3 * PLACES).filter(|n| ask(&answers, &format!("a{n}"), &format!("b{n}")).is_some());
        assert!((1..=PLACES).contains(&known.count()));
        let hash = answers.hash("a", "bc").expect("they are short");
        answers.set(hash, "a", "bc", true);
        assert_eq!(answers.get(hash, "ab", "c"), None, "the hash alone says nothing");
        assert_eq!(answers.hash(&"a".repeat(LONGEST + 1), ""), None);
    }
}
