//! Parts of strings: `[]` and `slice` in all their forms, and where such a part lies.

use super::string_patterns::UNKNOWN;
use crate::for_ruby::OrRuby;
use crate::value::{V, ranges};
use std::ops::Range;

/// The byte at which the character of a number begins; the end for the one behind the last.
pub(crate) fn place(text: &str, at: usize) -> Option<usize> {
    if text.is_ascii() {
        return (at <= text.len()).then_some(at);
    }
    let mut places = text.char_indices().map(|(place, _)| place).chain([text.len()]);
    places.nth(at)
}

/// How many characters a text has.
pub(crate) fn count(text: &str) -> i64 {
    (if text.is_ascii() { text.len() } else { text.chars().count() }) as i64
}

/// The bytes of `len` characters from one on; it may be the one behind the last.
fn chars(text: &str, from: i64, len: i64) -> Option<Range<usize>> {
    let count = count(text);
    let from = if from < 0 { count + from } else { from };
    if from < 0 || from > count || len < 0 {
        return None;
    }
    let end = from + len.min(count - from);
    Some(place(text, from as usize)?..place(text, end as usize)?)
}

/// Start and length that a range stands for in what has `count` items; none where it begins outside.
pub(crate) fn span<'c>(range: &V<'c>, count: i64) -> OrRuby<Option<Option<(i64, i64)>>> {
    let Some((from, to, open)) = ranges::ends(range) else { return Ok(None) };
    let from = match from {
        V::Nil => 0,
        V::Int(n) => n,
        _ => return Err(UNKNOWN),
    };
    let (to, open) = match to {
        V::Nil => (-1, false),
        V::Int(n) => (n, open),
        _ => return Err(UNKNOWN),
    };
    let from = if from < 0 { count.saturating_add(from) } else { from };
    if from < 0 || from > count {
        return Ok(Some(None));
    }
    let to = if to < 0 { count.saturating_add(to) } else { to };
    let end = if open { to } else { to.saturating_add(1) };
    Ok(Some(Some((from, end.saturating_sub(from).clamp(0, count - from)))))
}

/// The bytes of the part that arguments of `[]` stand for.
pub(crate) fn part<'c>(text: &str, args: &[V<'c>]) -> OrRuby<Option<Range<usize>>> {
    Ok(match args {
        [V::Int(n)] => chars(text, *n, 1).filter(|range| !range.is_empty()),
        [V::Int(n), V::Int(len)] => chars(text, *n, *len),
        [V::Regexp(source), group @ ..] if group.len() < 2 => {
            let Some(found) = source.captures_from(text, 0).map_err(|_| UNKNOWN)? else {
                return Ok(None);
            };
            let groups = found.groups.len() as i64;
            let number = match group {
                [] => 0,
                // Counted from behind, the whole is not reached.
                [V::Int(n)] if *n < 0 => Some(groups + n).filter(|n| *n > 0).unwrap_or(groups),
                [V::Int(n)] => *n,
                [V::Symbol(name)] => found.named(name).ok_or(UNKNOWN)? as i64,
                [name] => found.named(&name.text().ok_or(UNKNOWN)?).ok_or(UNKNOWN)? as i64,
                _ => return Err(UNKNOWN),
            };
            let group = usize::try_from(number).ok().and_then(|number| found.groups.get(number));
            group.copied().flatten().map(|(from, to)| from..to)
        }
        [other] => match other.text() {
            Some(other) => text.find(&*other).map(|at| at..at + other.len()),
            None => match span(other, count(text))?.ok_or(UNKNOWN)? {
                Some((from, len)) => chars(text, from, len),
                None => None,
            },
        },
        _ => return Err(UNKNOWN),
    })
}

/// `[]` and `slice`.
pub(crate) fn element<'c>(text: &str, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(part(text, args)?.map_or(V::Nil, |range| V::made(text[range].to_owned())))
}

/// `byteslice`, where it cuts no character in two.
pub(crate) fn of_bytes<'c>(text: &str, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let count = text.len() as i64;
    let from_start = |n: i64| if n < 0 { count.saturating_add(n) } else { n };
    let part = match args {
        [V::Int(n)] => Some((from_start(*n), 1)).filter(|(n, _)| *n < count),
        [V::Int(n), V::Int(len)] => Some((from_start(*n), *len)).filter(|(n, len)| *n <= count && *len >= 0),
        [range] => span(range, count)?.ok_or(UNKNOWN)?,
        _ => return Err(UNKNOWN),
    };
    let Some((from, len)) = part.filter(|(from, _)| *from >= 0) else { return Ok(V::Nil) };
    let bytes = from as usize..(from + len.min(count - from)) as usize;
    Ok(V::made(text.get(bytes).ok_or(UNKNOWN)?.to_owned()))
}
