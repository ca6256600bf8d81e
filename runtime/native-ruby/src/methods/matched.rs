//! Methods of regular expressions and matches.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::{Matched, Regexp, V, text};

const UNKNOWN: ForRuby = ForRuby("a method of a match");

/// Calls a method of a regular expression.
pub(crate) fn of_regexp<'c>(regexp: &Regexp, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::MatchIs, [V::Nil]) => V::Bool(false),
        (Method::MatchIs, [subject]) => {
            let text = subject.text().ok_or(UNKNOWN)?;
            V::Bool(regexp.is_match(&text).map_err(|_| UNKNOWN)?)
        }
        (Method::Source, []) => V::made(regexp.source().to_owned()),
        (Method::Options, []) => V::Int(regexp.options.into()),
        _ => return Err(ForRuby("a method of a regular expression")),
    })
}

/// The number of a group, by number or name.
fn number<'c>(matched: &Matched<'c>, group: &V<'c>) -> OrRuby<Option<usize>> {
    let by_name = |name: &str| {
        let found = matched.names.iter().rfind(|(known, _)| known == name);
        found.map(|(_, number)| Some(*number)).ok_or(UNKNOWN)
    };
    match group {
        // Counted from behind, the whole is not reached.
        V::Int(n) if *n < 0 => Ok(usize::try_from(n + matched.len() as i64).ok().filter(|n| *n > 0)),
        V::Int(n) => Ok(usize::try_from(*n).ok()),
        V::Symbol(name) => by_name(name),
        name => by_name(&name.text().ok_or(UNKNOWN)?),
    }
}

/// Calls a method of a match.
pub(crate) fn of_match<'c>(matched: &Matched<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    if !matched.names.is_empty() && matched.names.len() + 1 != matched.len() {
        return Err(ForRuby("groups with names and without"));
    }
    let groups = || V::list(matched.to_vec());
    Ok(match (method, args) {
        (Method::Element, [group @ (V::Int(_) | V::Symbol(_) | V::Str(_) | V::Made(_))]) => {
            number(matched, group)?.and_then(|number| matched.get(number)).cloned().unwrap_or(V::Nil)
        }
        (Method::Element | Method::ValuesAt, _) => super::array_items::plain(&groups(), method, args)?,
        (Method::Captures, []) => V::list(matched.iter().skip(1).cloned().collect()),
        (Method::ToA, []) => groups(),
        (Method::Size, []) => V::Int(matched.len() as i64),
        (Method::Names, []) => V::list(matched.names.iter().map(|(name, _)| V::made(name.clone())).collect()),
        (Method::NamedCaptures, []) => {
            let one = |(name, number): &(String, usize)| {
                (V::made(name.clone()), matched.get(*number).cloned().unwrap_or(V::Nil))
            };
            V::map(matched.names.iter().map(one))?
        }
        (Method::ToS, []) => V::made(text::to_s(&matched[0])?),
        _ => return places(matched, method, args),
    })
}

/// Where a group lies, and what lies around the match.
fn places<'c>(matched: &Matched<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let text = &matched.text;
    let (start, end) = matched.spans.first().copied().flatten().ok_or(UNKNOWN)?;
    let count = |end: usize| V::Int(text[..end].chars().count() as i64);
    Ok(match (method, args) {
        (Method::PreMatch, []) => V::made(text[..start].to_owned()),
        (Method::PostMatch, []) => V::made(text[end..].to_owned()),
        (Method::StringOf, []) => V::made(text.to_string()),
        (Method::BeginOf | Method::EndOf | Method::OffsetOf, [group]) if !matches!(group, V::Int(..0)) => {
            let number =
                number(matched, group)?.filter(|number| *number < matched.spans.len()).ok_or(UNKNOWN)?;
            match (method, matched.spans[number]) {
                (Method::OffsetOf, span) => {
                    let (from, to) = span.map_or((V::Nil, V::Nil), |(from, to)| (count(from), count(to)));
                    V::pair(from, to)
                }
                (_, None) => V::Nil,
                (Method::BeginOf, Some((from, _))) => count(from),
                (_, Some((_, to))) => count(to),
            }
        }
        _ => return Err(UNKNOWN),
    })
}
