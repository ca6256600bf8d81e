//! Methods of strings, by what they do: [`super::string_changes`] changes one in place, [`super::string_blocks`] runs a
//! block, [`super::string_patterns`] looks for patterns, [`super::string_made`] makes another string; the rest is here.

use super::charset::Sets;
use super::string_patterns::{UNKNOWN, lines};
use super::{
    format, string_blocks, string_changes, string_made, string_numbers, string_parts, string_patterns,
};
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use bunraku_vm::regex;

/// Calls a method of a string.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if let Some(value) = string_changes::call(run, on, method, args, block)? {
        return Ok(value);
    }
    if let Some(block) = block {
        return string_blocks::call(run, on, method, args, block);
    }
    let text = &*on.text().unwrap_or_default();
    match (method, args) {
        (Method::Modulo, [arg]) => {
            let list = arg.items()?;
            let args = list.as_deref().unwrap_or(std::slice::from_ref(arg));
            return Ok(V::made(format::format(text, args)?));
        }
        (Method::ToSym, []) => return Ok(run.symbol(text)),
        _ => {}
    }
    if let Some(value) = string_made::call(text, method, args)? {
        return Ok(value);
    }
    if let Some(value) = string_patterns::call(text, method, args)? {
        return Ok(value);
    }
    Ok(told(text, on, method, args)?)
}

/// What is said of a text.
pub(super) fn told<'c>(text: &str, on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::ToStr, []) => on.clone(),
        (Method::Unpack | Method::Unpack1, [format]) => super::pack::unpack(text.as_bytes(), method, format)?,
        // One that may be changed.
        (Method::UnaryPlus, []) => match on {
            V::Made(string) if string.is_frozen() => V::made(text.to_owned()),
            on => on.clone(),
        },
        (Method::Empty, []) => V::Bool(text.is_empty()),
        (Method::Size, []) => V::Int(string_parts::count(text)),
        (Method::ByteSize, []) => V::Int(text.len() as i64),
        (Method::AsciiOnly, []) => V::Bool(text.is_ascii()),
        (Method::Chars, []) => V::list(text.chars().map(|c| V::made(c.to_string())).collect()),
        (Method::BytesOf, []) => V::list(text.bytes().map(|b| V::Int(b.into())).collect()),
        (Method::Codepoints, []) => V::list(text.chars().map(|c| V::Int(c as i64)).collect()),
        (Method::Lines, args) => V::list(lines(text, args)?),
        (Method::Ord, []) => V::Int(text.chars().next().ok_or(UNKNOWN)? as i64),
        (Method::StartsWith | Method::EndsWith, args) => V::Bool(ends(text, method, args)?),
        (Method::Include, [other]) => V::Bool(text.contains(&*other.text().ok_or(UNKNOWN)?)),
        (Method::Count, [_, ..]) => {
            let sets = Sets::of(args)?;
            V::Int(text.chars().filter(|c| sets.has(*c)).count() as i64)
        }
        (Method::ToI, []) => string_numbers::to_i(text, 10)?,
        (Method::ToI, [V::Int(base @ 2..=36)]) => string_numbers::to_i(text, *base as u32)?,
        (Method::Hex, []) => string_numbers::to_i(text, 16)?,
        (Method::Oct, []) => string_numbers::oct(text)?,
        (Method::ToF, []) => V::Float(string_numbers::to_f(text)?),
        (Method::Element | Method::Slice, args) => string_parts::element(text, args)?,
        _ => compared(text, method, args)?,
    })
}

fn ends(text: &str, method: Method, args: &[V<'_>]) -> OrRuby<bool> {
    for arg in args {
        let found = match arg {
            V::Regexp(pattern) if method == Method::StartsWith => {
                regex::is_match(&format!("\\A(?:{})", pattern.pattern()), text).map_err(|_| UNKNOWN)?
            }
            other if method == Method::StartsWith => text.starts_with(&*other.text().ok_or(UNKNOWN)?),
            other => text.ends_with(&*other.text().ok_or(UNKNOWN)?),
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How a text compares with others.
fn compared<'c>(text: &str, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let compare =
        |other: &V<'c>| other.text().map(|other| text.as_bytes().cmp(other.as_bytes())).ok_or(UNKNOWN);
    let folded = |other: &V<'c>, exact: bool| {
        let other = other.text().ok_or(UNKNOWN)?;
        let ascii = text.is_ascii() && other.is_ascii();
        if !(exact || ascii) {
            return Err(ForRuby("letters beyond ASCII"));
        }
        Ok(text.to_ascii_lowercase().as_bytes().cmp(other.to_ascii_lowercase().as_bytes()))
    };
    Ok(match (method, args) {
        (Method::Less, [other]) => V::Bool(compare(other)?.is_lt()),
        (Method::LessOrEqual, [other]) => V::Bool(compare(other)?.is_le()),
        (Method::Greater, [other]) => V::Bool(compare(other)?.is_gt()),
        (Method::GreaterOrEqual, [other]) => V::Bool(compare(other)?.is_ge()),
        (Method::Compare, [V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Symbol(_)]) => V::Nil,
        (Method::Compare, [other]) => V::Int(compare(other)? as i64),
        (Method::Between, [low, high]) => V::Bool(compare(low)?.is_ge() && compare(high)?.is_le()),
        (Method::Casecmp, [other]) => V::Int(folded(other, true)? as i64),
        (Method::CasecmpIs, [other]) => V::Bool(folded(other, false)?.is_eq()),
        _ => return Err(UNKNOWN),
    })
}
