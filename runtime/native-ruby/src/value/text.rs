//! `to_s` and `inspect`.

use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{Matched, Regexp, V};
use bunraku_vm::format::ruby_hashes::{HashNotation, SymbolKey};
use bunraku_vm::format::{float_to_s, inspect};
use bunraku_vm::value::Value;
use bunraku_vm::{regex, types};
use std::fmt::Write as _;

/// Longest text that is inspected.
const LARGEST: usize = 16 << 20;
/// What stands for a value that is hidden.
const HIDDEN: &str = "Sensitive [value redacted]";
/// Deeper values are left to Ruby.
const DEEPEST: usize = 60;

/// Appends what `to_s` gives.
pub(crate) fn put(out: &mut String, value: &V<'_>) -> OrRuby<()> {
    match value {
        V::Nil => {}
        V::Str(text) => out.push_str(text),
        V::Made(text) => out.push_str(&text.borrow()),
        V::Symbol(text) => out.push_str(text),
        V::Regexp(regexp) => out.push_str(&regex::to_s(regexp.pattern())),
        V::Other(Value::Type(ty)) => out.push_str(&types::print(ty)),
        V::Other(Value::Uri(text) | Value::SemVer(text)) => out.push_str(text.as_str()),
        V::Other(Value::Sensitive(_)) => out.push_str(HIDDEN),
        V::Error(error) => put(out, &error.message())?,
        V::Address(address) => out.push_str(&address.shown()),
        V::Span(ends) => put_range(out, ends, 0, false)?,
        V::Match(groups) => groups.first().map_or(Ok(()), |whole| put(out, whole))?,
        // Would be text from here on.
        V::Bytes(_) => return Err(ForRuby("a string without an encoding")),
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

/// A regular expression between slashes.
fn put_regexp(out: &mut String, regexp: &Regexp) -> OrRuby<()> {
    if !regexp.source().bytes().all(|b| matches!(b, b' '..=b'~')) {
        return Err(ForRuby("the notation of a regular expression"));
    }
    out.push_str(&regex::inspect(regexp.source()));
    out.extend(regexp.letters());
    Ok(())
}

/// A match: the whole, and its groups by name or number.
fn put_match(out: &mut String, matched: &Matched<'_>, depth: usize) -> OrRuby<()> {
    out.push_str("#<MatchData");
    for (number, group) in matched.iter().enumerate() {
        out.push(' ');
        if number > 0 {
            match matched.names.iter().find(|(_, known)| *known == number) {
                Some((name, _)) => out.push_str(name),
                None => out.push_str(&number.to_string()),
            }
            out.push(':');
        }
        put_inspected(out, group, depth + 1)?;
    }
    out.push('>');
    Ok(())
}

/// An end of a range; one that is open is not shown.
fn put_end(out: &mut String, end: &V<'_>, depth: usize, inspected: bool) -> OrRuby<()> {
    match end {
        V::Nil => Ok(()),
        end if inspected => put_inspected(out, end, depth + 1),
        end => put(out, end),
    }
}

fn put_range(
    out: &mut String,
    (from, to, open): &(V<'_>, V<'_>, bool),
    depth: usize,
    inspected: bool,
) -> OrRuby<()> {
    if inspected && matches!((from, to), (V::Nil, V::Nil)) {
        out.push_str("nil");
    }
    put_end(out, from, depth, inspected)?;
    out.push_str(if *open { "..." } else { ".." });
    if inspected && matches!((from, to), (V::Nil, V::Nil)) {
        out.push_str("nil");
    }
    put_end(out, to, depth, inspected)
}

fn put_inspected(out: &mut String, value: &V<'_>, depth: usize) -> OrRuby<()> {
    budget::spend(1)?;
    if depth > DEEPEST || out.len() > LARGEST {
        return Err(ForRuby("a deep or large value"));
    }
    match value {
        V::Nil => out.push_str("nil"),
        V::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        V::Int(n) => out.push_str(itoa::Buffer::new().format(*n)),
        V::Big(n) => {
            let _ = write!(out, "{n}");
        }
        V::Float(n) => out.push_str(&float_to_s(*n)),
        V::Str(text) => put_string(out, text)?,
        V::Made(text) => put_string(out, &text.borrow())?,
        V::Symbol(name) => {
            out.push(':');
            match is_plain_symbol(name) {
                true => out.push_str(name),
                false if name.starts_with(['$', '@']) => return Err(ForRuby("a symbol of that form")),
                false => put_string(out, name)?,
            }
        }
        V::Array(items) => put_items(out, items.items().iter().map(|item| V::from(*item)), depth)?,
        V::List(items) => {
            let items = items.try_borrow()?;
            put_items(out, items.iter().cloned(), depth)?;
        }
        V::Hash(hash) => {
            put_entries(out, hash.entries().iter().map(|(k, v)| (V::from(*k), V::from(*v))), depth)?;
        }
        V::Map(map) => {
            let map = map.try_borrow()?;
            put_entries(out, map.iter().map(|(key, value)| (key.clone(), value.clone())), depth)?;
        }
        V::Range(from, to, open) => {
            let _ = write!(out, "{from}{}{to}", if *open { "..." } else { ".." });
        }
        V::Class(class) => out.push_str(class.name()),
        V::Match(matched) => put_match(out, matched, depth)?,
        V::Regexp(regexp) => put_regexp(out, regexp)?,
        V::Span(ends) => put_range(out, ends, depth, true)?,
        V::Module(module) => {
            if ["to_s", "inspect", "name"].iter().any(|name| module.find_singleton(name).is_some()) {
                return Err(ForRuby("the notation of a class that has one of its own"));
            }
            out.push_str(module.full_name.get().ok_or(ForRuby("the notation of a class without a name"))?);
        }
        V::Code(_)
        | V::Address(_)
        | V::Random(_)
        | V::Enumerator(_)
        | V::Error(_)
        | V::Object(_)
        | V::Proc(_) => {
            return Err(ForRuby("the notation of an object"));
        }
        V::Bytes(bytes) => match str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() && !text.contains(is_hidden) => put_string(out, text)?,
            _ => return Err(ForRuby("the notation of bytes")),
        },
        V::Other(Value::Sensitive(_)) => {
            let _ = write!(out, "#<{HIDDEN}>");
        }
        V::Void | V::Main | V::Scope | V::Other(_) => {
            return Err(ForRuby("the text of a value of Puppet's own"));
        }
    }
    Ok(())
}

/// Whether a symbol is shown without quotes.
pub(crate) fn is_plain_symbol(name: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "!", "!=", "!~", "%", "&", "*", "**", "+", "+@", "-", "-@", "/", "<", "<<", "<=", "<=>", "==", "===",
        "=~", ">", ">=", ">>", "[]", "[]=", "^", "`", "|", "~",
    ];
    if OPERATORS.contains(&name) {
        return true;
    }
    let word = |name: &str| {
        let word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        word && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    let sigil = ["@@", "@", "$"].into_iter().find_map(|sigil| name.strip_prefix(sigil));
    match (sigil, name.strip_suffix(['?', '!', '='])) {
        (Some(rest), _) => word(rest),
        (None, Some(rest)) => word(rest),
        (None, None) => word(name),
    }
}

/// Whether a character is shown by its number.
fn is_hidden(c: char) -> bool {
    c.is_ascii_control() && !matches!(c, '\x07'..='\r' | '\x1b')
}

/// A string between quotes. Letters beyond ASCII are left to Ruby, which knows what can be printed, but for common ones.
pub(crate) fn put_string(out: &mut String, text: &str) -> OrRuby<()> {
    let plain = |c: char| match c {
        '\0'..='~' | '\u{a0}'..='\u{24f}' | '\u{2010}'..='\u{2027}' | '€' => true,
        c => c < '\u{2000}' && c.is_alphanumeric(),
    };
    if !text.chars().all(plain) {
        return Err(ForRuby("the notation of a string beyond plain letters"));
    }
    if !text.contains(is_hidden) {
        out.push_str(&inspect::inspect_str(text));
        return Ok(());
    }
    out.push('"');
    for part in text.split_inclusive(is_hidden) {
        let end = part.trim_end_matches(is_hidden);
        let shown = inspect::inspect_str(end);
        out.push_str(&shown[1..shown.len() - 1]);
        for c in part[end.len()..].chars() {
            let _ = write!(out, "\\u{:04X}", c as u32);
        }
    }
    out.push('"');
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

/// A key of a hash, and what stands before its value.
fn put_key(out: &mut String, key: &V<'_>, depth: usize) -> OrRuby<()> {
    let notation = HashNotation::current();
    let name = match key {
        V::Symbol(name) => Some(*name),
        _ => None,
    };
    match name.and_then(|name| Some((name, notation.symbol_key(name, is_plain_symbol(name))?))) {
        Some((name, SymbolKey::Word)) => out.push_str(name),
        Some((name, SymbolKey::Quoted)) => put_string(out, name)?,
        None => {
            put_inspected(out, key, depth)?;
            out.push_str(notation.arrow());
            return Ok(());
        }
    }
    out.push_str(": ");
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
        put_key(out, &key, depth + 1)?;
        put_inspected(out, &value, depth + 1)?;
    }
    out.push('}');
    Ok(())
}
