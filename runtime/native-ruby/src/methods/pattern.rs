//! What leaves a match behind: `=~`, `match`, and the match itself. Where a template names groups (`$1`), whatever else
//! matches makes them unknown.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::V;
use bunraku_vm::regex;
use std::rc::Rc;

const UNKNOWN: ForRuby = ForRuby("a match");

/// Calls `=~` or `match` on a string, a regular expression or nil, in either order; none for other values.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
) -> Done<'c, Option<V<'c>>> {
    let [other] = args else { return Ok(None) };
    let found = match (method, on, other) {
        (Method::Matches, V::Nil, V::Regexp(_)) | (Method::Matches | Method::Match, V::Regexp(_), V::Nil) => {
            run.set_last(None);
            return Ok(Some(V::Nil));
        }
        (Method::Matches | Method::Match, V::Regexp(source), text) => search(source, text)?,
        (Method::Matches | Method::Match, V::Str(_) | V::Made(_), V::Regexp(source)) => search(source, on)?,
        (Method::Match, V::Str(_) | V::Made(_), V::Str(_) | V::Made(_)) => {
            search(other.text().unwrap_or_default(), on)?
        }
        _ => return Ok(None),
    };
    run.set_last(found.as_ref().map(|(_, groups)| groups.clone()));
    Ok(Some(match found {
        None => V::Nil,
        Some((start, _)) if method == Method::Matches => V::Int(start),
        Some((_, groups)) => V::Match(groups),
    }))
}

type Groups<'c> = Rc<Vec<V<'c>>>;

/// Where the first match begins, in letters, and its groups.
fn search<'c>(source: &str, text: &V<'c>) -> OrRuby<Option<(i64, Groups<'c>)>> {
    let text = text.text().ok_or(UNKNOWN)?;
    let found = regex::captures_from(source, text, 0).map_err(|_| UNKNOWN)?;
    Ok(found.map(|found| {
        let start = text[..found.start()].chars().count() as i64;
        (start, groups(&found, text))
    }))
}

/// The groups of a match, the whole first.
pub(crate) fn groups<'c>(found: &regex::Match, text: &str) -> Groups<'c> {
    let one = |group: Option<&str>| group.map_or(V::Nil, |group| V::made(group.to_owned()));
    Rc::new(found.texts(text).into_iter().map(one).collect())
}

/// Calls a method of a match.
pub(crate) fn of_match<'c>(groups: &Groups<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::Element, [V::Int(n)]) if *n >= 0 => groups.get(*n as usize).cloned().unwrap_or(V::Nil),
        (Method::Element, [V::Range(from, to, open)]) if *from >= 0 && *to >= 0 => {
            let count = usize::try_from(to - from + i64::from(!*open)).unwrap_or(0);
            if *from as usize > groups.len() {
                return Ok(V::Nil);
            }
            V::list(groups.iter().skip(*from as usize).take(count).cloned().collect())
        }
        (Method::Captures, []) => V::list(groups.iter().skip(1).cloned().collect()),
        (Method::ToA, []) => V::list(groups.to_vec()),
        (Method::ToS, []) => groups.first().cloned().unwrap_or(V::Nil),
        _ => return Err(ForRuby("a method of a match")),
    })
}
