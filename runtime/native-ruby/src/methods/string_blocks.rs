//! Methods of strings that run a block: for lines, characters, bytes and matches.

use super::string_patterns::{Matches, UNKNOWN, lines, replaced, scanned};
use crate::eval::{Done, Run};
use crate::method::Method;
use crate::tree::Block;
use crate::value::{Matched, V, ranges, text};
use bunraku_vm::regex;
use std::rc::Rc;

/// Calls a method with a block.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    let text = &*on.text().unwrap_or_default();
    let items = match (method, args) {
        (Method::EachLine, args) => lines(text, args)?,
        (Method::EachChar, []) => text.chars().map(|c| V::made(c.to_string())).collect(),
        (Method::EachByte, []) => text.bytes().map(|b| V::Int(b.into())).collect(),
        (Method::UpTo, [to]) if to.text().is_some() => {
            ranges::strings(text, &to.text().unwrap_or_default(), false)?
        }
        (Method::Gsub | Method::Sub, [pattern]) => {
            let found = Matches::of(method).find(text, pattern)?;
            let made = replaced(text, &found, |out, found| -> Done<'c, ()> {
                note(run, found, text);
                let whole = V::made(text[found.start()..found.end()].to_owned());
                let value = run.yield_one(block, whole)?;
                Ok(text::put(out, &value)?)
            })?;
            run.forget_last();
            return Ok(V::made(made));
        }
        (Method::Scan, [pattern]) => {
            for found in Matches::All.find(text, pattern)? {
                note(run, &found, text);
                run.yield_one(block, scanned(&found, text))?;
            }
            run.forget_last();
            return Ok(on.clone());
        }
        _ => return Err(UNKNOWN.into()),
    };
    for item in items {
        run.each_one(block, item)?;
    }
    Ok(on.clone())
}

/// Lets the block see the groups of its match.
fn note<'c>(run: &mut Run<'_, 'c>, found: &regex::Match, text: &str) {
    if run.names_groups() {
        run.set_last(Some(Rc::new(Matched::new(found, text))));
    }
}
