//! What searches. Most expressions have nothing that a finite automaton could not do; these ask `regex-automata`
//! themselves, which `fancy-regex` would do for them with memory taken anew for each match.

use fancy_regex::{Error, RegexBuilder};
use regex_automata::meta;
use regex_automata::util::primitives::{NonMaxUsize, PatternID};
use std::cell::RefCell;

/// How many steps back one match may take.
const BACKTRACK_LIMIT: usize = 5_000_000;

/// A compiled expression.
#[derive(Debug)]
pub(super) enum Engine {
    /// One without anything that needs to go back.
    Plain(meta::Regex, RefCell<Vec<Option<NonMaxUsize>>>),
    /// Any other.
    Fancy(Box<fancy_regex::Regex>),
}

impl Engine {
    /// Compiles a translated expression.
    ///
    /// # Errors
    /// Where it is none.
    pub fn new(translated: &str) -> Result<Engine, Error> {
        if is_plain(translated)
            && let Ok(regex) = meta::Regex::new(translated)
        {
            let slots = RefCell::new(vec![None; regex.group_info().slot_len()]);
            return Ok(Engine::Plain(regex, slots));
        }
        let regex = RegexBuilder::new(translated).backtrack_limit(BACKTRACK_LIMIT).build()?;
        Ok(Engine::Fancy(Box::new(regex)))
    }

    /// Whether it matches anywhere.
    ///
    /// # Errors
    /// Where that takes too many steps.
    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        match self {
            Engine::Plain(regex, _) => Ok(regex.is_match(text)),
            Engine::Fancy(regex) => regex.is_match(text),
        }
    }

    /// The groups of the first match at or after the byte `from`, each made of where it begins and ends; the whole
    /// match first.
    ///
    /// # Errors
    /// Those of [`Engine::is_match`].
    pub fn groups<T>(
        &self,
        text: &str,
        from: usize,
        mut made: impl FnMut(usize, usize) -> T,
    ) -> Result<Option<Vec<Option<T>>>, Error> {
        match self {
            Engine::Plain(regex, slots) => {
                let input = meta_input(text, from);
                if slots.borrow().len() == 2 {
                    return Ok(regex.find(input).map(|found| vec![Some(made(found.start(), found.end()))]));
                }
                let mut slots = slots.borrow_mut();
                if regex.search_slots(&input, &mut slots).is_none() {
                    return Ok(None);
                }
                let group = |pair: &[Option<NonMaxUsize>]| match pair {
                    [Some(start), Some(end)] => Some(made(start.get(), end.get())),
                    _ => None,
                };
                Ok(Some(slots.chunks_exact(2).map(group).collect()))
            }
            Engine::Fancy(regex) => {
                let found = regex.captures_from_pos(text, from)?;
                Ok(found.map(|found| {
                    found.iter().map(|group| group.map(|group| made(group.start(), group.end()))).collect()
                }))
            }
        }
    }

    /// The names of the groups, the whole match first, which has none.
    pub fn names(&self) -> Box<dyn Iterator<Item = Option<&str>> + '_> {
        match self {
            Engine::Plain(regex, _) => Box::new(regex.group_info().pattern_names(PatternID::ZERO)),
            Engine::Fancy(regex) => Box::new(regex.capture_names()),
        }
    }
}

fn meta_input(text: &str, from: usize) -> regex_automata::Input<'_> {
    regex_automata::Input::new(text).range(from..)
}

/// Whether both engines take an expression that both understand for the same. A quantifier behind another repeats
/// it to one and says something else to the other; a group that is repeated no times counts for one only.
fn is_plain(translated: &str) -> bool {
    let quantifies = |byte: u8| matches!(byte, b'*' | b'+' | b'?' | b'}');
    let stacked = translated.as_bytes().windows(3).any(|three| {
        let behind = |before: u8, byte: u8| quantifies(before) && matches!(byte, b'*' | b'+' | b'{');
        behind(three[0], three[1])
            || behind(three[1], three[2])
            || quantifies(three[0]) && three[1] == b'?' && three[2] == b'?'
    });
    !stacked && !translated.contains("{0")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What expressions are put together from: much of it in the notation of both engines, some of one only.
    const PARTS: &[&str] = &[
        "a",
        "b",
        "é",
        ".",
        "\\.",
        "[ab]",
        "[^a]",
        "[a-c&&[^b]]",
        "(a)",
        "(?:b)",
        "(a|b)",
        "(a|)",
        "(?<n>a)",
        "*",
        "+",
        "?",
        "*?",
        "+?",
        "++",
        "{2}",
        "{0}",
        "{0,2}",
        "{1,}",
        "|",
        "^",
        "$",
        "\\A",
        "\\z",
        "\\b",
        "\\B",
        "[0-9]",
        "(?i:A)",
        "(?s:.)",
        "(?x: a )",
        "(?=a)",
        "(?!b)",
        "(?<=a)",
        "(?>a*)",
        "\\1",
        "\\n",
        "()",
        "[[:alpha:]]",
        "\\x61",
        "\\u{e9}",
    ];
    const TEXTS: &[&str] =
        &["", "a", "ab", "aab", "ba", "é", "aéb", "a\nb", "b\n", "\n", "abcabc", "A1 b2", "aaaa"];

    #[test]
    fn both_engines_find_the_same() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let (mut plain, mut fancy) = (0, 0);
        for _ in 0..20_000 {
            let count = 1 + next(6);
            let source: String =
                std::iter::once("(?m)").chain((0..count).map(|_| PARTS[next(PARTS.len())])).collect();
            let Ok(reference) = fancy_regex::Regex::new(&source) else { continue };
            let Ok(engine) = Engine::new(&source) else {
                panic!("{source} is an expression to one engine only")
            };
            match engine {
                Engine::Plain(..) => plain += 1,
                Engine::Fancy(_) => fancy += 1,
            }
            for text in TEXTS {
                let expected = reference.captures(text).unwrap().map(|found| {
                    found.iter().map(|group| group.map(|g| (g.start(), g.end()))).collect::<Vec<_>>()
                });
                assert_eq!(
                    engine.groups(text, 0, |from, to| (from, to)).unwrap(),
                    expected,
                    "{source} in {text:?}"
                );
                assert_eq!(engine.is_match(text).unwrap(), expected.is_some(), "{source} in {text:?}");
            }
        }
        assert!(plain > 2000 && fancy > 2000, "{plain} plain, {fancy} fancy");
    }
}
