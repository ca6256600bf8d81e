//! Sets of characters as `tr`, `delete`, `squeeze` and `count` are given them: `a-z`, `^0-9`, `\-`.

use super::string_patterns::UNKNOWN;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::V;

/// Larger sets are left to Ruby.
const LARGEST: u32 = 5000;

/// Whether a set is of all but the characters that are named.
fn is_negated(text: &str) -> bool {
    text.starts_with('^') && text.len() > 1
}

/// The characters that a set names, in order.
fn named(text: &str) -> OrRuby<Vec<char>> {
    let text = if is_negated(text) { &text[1..] } else { text };
    let chars: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars[at] == '\\' && at + 1 < chars.len() {
            at += 1;
        }
        let first = chars[at];
        at += 1;
        if at + 1 < chars.len() && chars[at] == '-' {
            let last = chars[at + 1];
            at += 2;
            if first > last || last as u32 - first as u32 > LARGEST {
                return Err(ForRuby("a range of characters of that kind"));
            }
            set.extend(first..=last);
            if first == last {
                // Ruby names it twice, which shows in what it is translated to.
                set.push(first);
            }
        } else {
            set.push(first);
        }
    }
    Ok(set)
}

/// One set.
struct Set {
    named: Vec<char>,
    negated: bool,
}

impl Set {
    fn of(text: &str) -> OrRuby<Set> {
        Ok(Set { named: named(text)?, negated: is_negated(text) })
    }

    fn has(&self, c: char) -> bool {
        self.named.contains(&c) != self.negated
    }
}

/// What all of the sets have in common; all characters where there are none.
pub(crate) struct Sets(Vec<Set>);

impl Sets {
    pub fn of(args: &[V<'_>]) -> OrRuby<Sets> {
        let one = |arg: &V<'_>| Set::of(&arg.text().ok_or(UNKNOWN)?);
        Ok(Sets(args.iter().map(one).collect::<OrRuby<_>>()?))
    }

    pub fn has(&self, c: char) -> bool {
        self.0.iter().all(|set| set.has(c))
    }
}

/// `squeeze`: of several of the same characters in a row, one.
pub(crate) fn squeeze(text: &str, args: &[V<'_>]) -> OrRuby<String> {
    let sets = Sets::of(args)?;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !(out.ends_with(c) && sets.has(c)) {
            out.push(c);
        }
    }
    Ok(out)
}

/// `tr`, and `tr_s`, which puts one character for several in a row that come to the same.
pub(crate) fn translate(text: &str, from: &str, to: &str, squeezed: bool) -> OrRuby<String> {
    if is_negated(to) {
        return Err(UNKNOWN);
    }
    let (set, to) = (Set::of(from)?, named(to)?);
    let Some(last) = to.last().copied() else {
        return Ok(text.chars().filter(|c| !set.has(*c)).collect());
    };
    let becomes = |c: char| match set.has(c) {
        false => None,
        true if set.negated => Some(last),
        // Of a character that is named twice the last counts.
        true => {
            let at = set.named.iter().rposition(|known| *known == c).unwrap_or(0);
            Some(to.get(at).copied().unwrap_or(last))
        }
    };
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    for c in text.chars() {
        let now = becomes(c);
        if !(squeezed && now.is_some() && now == before) {
            out.push(now.unwrap_or(c));
        }
        before = now;
    }
    Ok(out)
}
