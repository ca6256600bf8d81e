//! Automata that are made ahead of time: whether an expression matches anywhere in a text that is ASCII, as a table of
//! states that lies in an archive as bytes. A compile that finds one there neither checks the expression nor makes
//! anything of it, which costs some 50,000 instructions each; groups are asked of the engines as before.

use super::engine::{is_literal, is_plain, syntax_of};
use super::translate::{For, translate};
use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{Input, MatchKind};
use std::cell::RefCell;
use std::sync::Arc;

/// How many bytes an automaton has at most, and what making it takes: what is larger is left to the engines.
const LARGEST: usize = 32 << 10;
const LARGEST_MADE: usize = 1 << 18;
/// What `\Z` is translated to, and what it may be where nothing stands behind it and only the match as such is asked for.
const AT_END: &str = "(?=\\n?\\z)";
const TO_END: &str = "(?:\\n?\\z)";

/// Where automata lie that were made ahead of time.
pub trait Ahead: Send + Sync {
    /// What [`made`] gave of a source; none where nothing is there, or where it is damaged.
    fn automaton(&self, source: &str) -> Option<&[u8]>;
}

thread_local! {
    static AHEAD: RefCell<Option<Arc<dyn Ahead>>> = const { RefCell::new(None) };
}

/// Does some work on this thread, whose expressions are looked for in `ahead` first.
pub fn with_ahead<T>(ahead: Option<Arc<dyn Ahead>>, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there before, however the work ends.
    struct Before(Option<Arc<dyn Ahead>>);

    impl Drop for Before {
        fn drop(&mut self) {
            AHEAD.set(self.0.take());
        }
    }

    let _before = Before(AHEAD.replace(ahead));
    work()
}

/// Whether a text begins as expressions do that are given as strings.
pub fn is_like_one(text: &str) -> bool {
    text.starts_with('^') || text.starts_with("\\A")
}

/// The bytes of a source's automaton: none at all of an expression that has what no automaton can do, or whose automaton
/// would be large. `None` of a source that is no expression, and of one that is searched for as a text.
pub fn made(source: &str) -> Option<Vec<u8>> {
    if is_literal(source) {
        return None;
    }
    super::check(source).ok()?;
    Some(automaton(source).unwrap_or_default())
}

fn automaton(source: &str) -> Option<Vec<u8>> {
    let mut translated = translate(source, For::Ascii).ok().filter(|_| source.is_ascii())?;
    if let Some((before, behind)) = translated.split_once(AT_END)
        && behind.bytes().all(|byte| byte == b')')
    {
        translated = format!("{before}{TO_END}{behind}");
    }
    if !is_plain(&translated) {
        return None;
    }
    let states = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .match_kind(MatchKind::All)
        .accelerate(false)
        .minimize(true)
        .determinize_size_limit(Some(LARGEST_MADE))
        .dfa_size_limit(Some(LARGEST_MADE));
    let steps = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(LARGEST_MADE));
    let mut builder = dense::Builder::new();
    builder.configure(states).thompson(steps).syntax(syntax_of(false));
    let (bytes, padding) = builder.build(&translated).ok()?.to_bytes_little_endian();
    (bytes.len() - padding <= LARGEST).then(|| bytes[padding..].to_vec())
}

/// An automaton that was made ahead of time.
#[derive(Debug)]
pub(super) struct Automaton(dense::DFA<Vec<u32>>);

impl Automaton {
    /// What this thread's work finds of a source.
    pub fn found(source: &str) -> Option<Automaton> {
        within(source, |bytes| {
            dense::DFA::from_bytes(bytes).ok().map(|(states, _)| Automaton(states.to_owned()))
        })?
    }

    /// Whether this thread's work finds something of a source, which then is an expression.
    pub fn is_there(source: &str) -> bool {
        within(source, |_| ()).is_some()
    }

    /// Whether it matches anywhere in a text that is ASCII; none where it can't tell.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let found = self.0.try_search_fwd(&Input::new(text).earliest(true)).ok()?;
        Some(found.is_some())
    }
}

fn within<T>(source: &str, work: impl FnOnce(&[u8]) -> T) -> Option<T> {
    AHEAD.with_borrow(|ahead| Some(work(ahead.as_ref()?.automaton(source)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The automaton of whatever is asked for.
    struct Any(Vec<u8>);

    impl Ahead for Any {
        fn automaton(&self, _: &str) -> Option<&[u8]> {
            Some(&self.0)
        }
    }

    fn found(bytes: Vec<u8>) -> Option<Automaton> {
        with_ahead(Some(Arc::new(Any(bytes))), || Automaton::found(""))
    }

    #[test]
    fn what_no_automaton_can_do_has_none_and_what_is_no_expression_nothing() {
        for source in ["(a)\\1", "a(?!b)", "a\\Zb", "^é", "(?:a{200}b{200}){300}"] {
            assert_eq!(made(source).as_deref(), Some(&[][..]), "{source}");
            assert!(found(made(source).unwrap()).is_none(), "{source}");
        }
        // What is no expression, and what is searched for as a text.
        for source in ["(a", "abc", "é"] {
            assert_eq!(made(source), None, "{source}");
        }
        for (source, text, matches) in
            [("a\\Z", "a\n", true), ("^(?:b|a\\Z)", "ab", false), ("^$", "a\n", true)]
        {
            assert_eq!(found(made(source).unwrap()).unwrap().is_match(text), Some(matches), "{source}");
        }
    }

    #[test]
    fn what_is_found_lasts_as_long_as_the_work() {
        let whole = || Some(Arc::new(Any(made("a+").unwrap())) as Arc<dyn Ahead>);
        with_ahead(whole(), || {
            assert!(Automaton::is_there("a"));
            with_ahead(None, || assert!(!Automaton::is_there("a")));
            assert!(Automaton::is_there("a"));
        });
        assert!(!Automaton::is_there("a"));
    }

    /// Whatever the bytes, they are refused or search without an end in a panic or none at all.
    #[test]
    fn damaged_bytes_harm_nothing() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let (mut refused, mut taken) = (0, 0);
        for source in ["\\A[a-z]\\w*\\z", "^a|b$", "(?:[0-9]{1,3}\\.){3}[0-9]{1,3}", ""] {
            let whole = made(source).unwrap();
            for _ in 0..20_000 {
                let mut bytes = whole.clone();
                for _ in 0..=next(3) {
                    let at = next(bytes.len());
                    bytes[at] = next(256) as u8;
                }
                if next(50) == 0 {
                    bytes.truncate(next(bytes.len()));
                }
                match found(bytes) {
                    None => refused += 1,
                    Some(automaton) => {
                        taken += 1;
                        for text in ["", "a", "abc_1", "10.0.0.1", "b\n", "\n"] {
                            automaton.is_match(text);
                        }
                    }
                }
            }
        }
        assert!(refused > 1000 && taken > 1000, "{refused} refused, {taken} taken");
    }
}
