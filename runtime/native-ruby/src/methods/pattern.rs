//! What leaves a match behind: `=~` and `match`. Where a template names groups (`$1`), whatever else
//! matches makes them unknown.

use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::method::Method;
use crate::value::{Matched, V};
use bunraku_vm::regex;
use std::rc::Rc;

const UNKNOWN: ForRuby = ForRuby("a match");

/// Calls `=~` or `match` on a string, a regular expression or nil, in either order; none for other values. The groups are
/// kept only where the program names some.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
) -> Done<'c, Option<V<'c>>> {
    let [other] = args else { return Ok(None) };
    // `=~` gives where the match began, before what `\K` leaves out of it.
    let leaves_out = |value: &V<'_>| matches!(value, V::Regexp(regexp) if regexp.source().contains("\\K"));
    if method == Method::Matches && (leaves_out(on) || leaves_out(other)) {
        return Err(ForRuby("where a match with `\\K` begins").into());
    }
    let found = match (method, on, other) {
        (Method::Matches, V::Nil, V::Regexp(_)) | (Method::Matches | Method::Match, V::Regexp(_), V::Nil) => {
            run.set_last(None);
            return Ok(Some(V::Nil));
        }
        (Method::Matches | Method::Match, V::Regexp(regexp), text)
        | (Method::Matches | Method::Match, text @ (V::Str(_) | V::Made(_)), V::Regexp(regexp)) => {
            regexp.captures_from(&text.text().ok_or(UNKNOWN)?, 0)
        }
        (Method::Match, V::Str(_) | V::Made(_), V::Str(_) | V::Made(_)) => {
            regex::captures_from(&other.text().unwrap_or_default(), &on.text().unwrap_or_default(), 0)
        }
        _ => return Ok(None),
    };
    let Some(found) = found.map_err(|_| UNKNOWN)? else {
        run.set_last(None);
        return Ok(Some(V::Nil));
    };
    let text = if matches!(on, V::Regexp(_)) { other.text() } else { on.text() };
    let text = &*text.unwrap_or_default();
    let start = V::Int(text[..found.start()].chars().count() as i64);
    if method == Method::Matches && !run.names_groups() {
        return Ok(Some(start));
    }
    let groups = Rc::new(Matched::new(&found, text));
    run.set_last(Some(Rc::clone(&groups)));
    Ok(Some(if method == Method::Matches { start } else { V::Match(groups) }))
}
