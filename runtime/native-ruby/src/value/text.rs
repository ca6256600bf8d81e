//! `to_s` and `inspect`.

use crate::budget;
use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use crate::value::V;
use bunraku_vm::format::{float_to_s, inspect};
use std::fmt::Write as _;

/// Longest text that is inspected.
const LARGEST: usize = 16 << 20;
/// Deeper values are left to Ruby.
const DEEPEST: usize = 60;

/// Appends what `to_s` gives.
pub(crate) fn put(out: &mut String, value: &V<'_>) -> OrRuby<()> {
    match value {
        V::Nil => {}
        V::Str(text) => out.push_str(text),
        V::Made(text) => out.push_str(text),
        V::Symbol(text) => out.push_str(text),
        V::Error(error) => put(out, &error.message())?,
        V::Regexp(source) => put_regexp(out, source),
        V::Match(groups) => groups.first().map_or(Ok(()), |whole| put(out, whole))?,
        other => put_inspected(out, other, 0)?,
    }
    Ok(())
}

/// What `to_s` gives.
pub(crate) fn to_s(value: &V<'_>) -> OrRuby<String> {
    let mut out = String::new();
    put(&mut out, value)?;
    Ok(out)
}

/// What `inspect` gives.
pub(crate) fn inspected(value: &V<'_>) -> OrRuby<String> {
    let mut out = String::new();
    put_inspected(&mut out, value, 0)?;
    Ok(out)
}

fn put_regexp(out: &mut String, source: &str) {
    match source.starts_with("(?") && source.ends_with(')') {
        true => out.push_str(source),
        false => {
            let _ = write!(out, "(?-mix:{source})");
        }
    }
}

fn put_inspected(out: &mut String, value: &V<'_>, depth: usize) -> OrRuby<()> {
    budget::spend(1)?;
    if depth > DEEPEST || out.len() > LARGEST {
        return Err(ForRuby("a deep or large value"));
    }
    match value {
        V::Nil => out.push_str("nil"),
        V::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        V::Int(n) => {
            let _ = write!(out, "{n}");
        }
        V::Float(n) => out.push_str(&float_to_s(*n)),
        V::Str(text) => put_string(out, text)?,
        V::Made(text) => put_string(out, text)?,
        V::Symbol(name) => {
            // Other symbols are quoted by rules that are not known here.
            let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if !plain || name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(ForRuby("a symbol that is no plain word"));
            }
            out.push(':');
            out.push_str(name);
        }
        V::Array(items) => put_items(out, items.items().iter().map(|item| V::from(*item)), depth)?,
        V::List(items) => {
            let items = items.try_borrow().map_err(|_| BUSY)?;
            put_items(out, items.iter().cloned(), depth)?;
        }
        V::Hash(hash) => {
            put_entries(out, hash.entries().iter().map(|(k, v)| (V::from(*k), V::from(*v))), depth)?;
        }
        V::Map(map) => {
            let map = map.try_borrow().map_err(|_| BUSY)?;
            put_entries(out, map.entries.iter().cloned(), depth)?;
        }
        V::Range(from, to, open) => {
            let _ = write!(out, "{from}{}{to}", if *open { "..." } else { ".." });
        }
        V::Class(class) => out.push_str(class.name()),
        V::Match(_) => return Err(ForRuby("the notation of a match")),
        V::Regexp(_) => return Err(ForRuby("the notation of a regular expression")),
        V::Module(module) => out.push_str(&module.name),
        V::Error(_) | V::Object(_) | V::Proc(_) => return Err(ForRuby("the notation of an object")),
        V::Void | V::Main | V::Scope | V::Other(_) => {
            return Err(ForRuby("the text of a value of Puppet's own"));
        }
    }
    Ok(())
}

/// A string between quotes. Letters beyond ASCII are left to Ruby, which knows what can be printed, but for common ones.
pub(crate) fn put_string(out: &mut String, text: &str) -> OrRuby<()> {
    let plain = |c: char| match c {
        '\n' | '\t' | '\r' | ' '..='~' => true,
        c => c < '\u{2000}' && c.is_alphanumeric(),
    };
    if !text.chars().all(plain) {
        return Err(ForRuby("the notation of a string beyond plain letters"));
    }
    out.push_str(&inspect::inspect_str(text));
    Ok(())
}

fn put_items<'c>(out: &mut String, items: impl Iterator<Item = V<'c>>, depth: usize) -> OrRuby<()> {
    out.push('[');
    for (n, item) in items.enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        put_inspected(out, &item, depth + 1)?;
    }
    out.push(']');
    Ok(())
}

fn put_entries<'c>(
    out: &mut String,
    entries: impl Iterator<Item = (V<'c>, V<'c>)>,
    depth: usize,
) -> OrRuby<()> {
    out.push('{');
    for (n, (key, value)) in entries.enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        put_inspected(out, &key, depth + 1)?;
        out.push_str("=>");
        put_inspected(out, &value, depth + 1)?;
    }
    out.push('}');
    Ok(())
}
