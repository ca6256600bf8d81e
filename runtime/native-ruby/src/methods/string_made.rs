//! Methods that make another string of a string.

use super::charset::{self, Sets};
use super::string_patterns::{UNKNOWN, is_space, sized};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::succ::succ;
use crate::value::{Text, V};
use std::fmt::Write as _;

/// Calls a method that makes another string; none where it is no such method.
pub(crate) fn call<'c>(text: &str, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    use Method::{
        Capitalize, Chomp, Chop, DeletePrefix, DeleteSuffix, Downcase, Lstrip, Rstrip, Strip, Swapcase,
        Upcase,
    };
    Ok(Some(match method {
        Upcase | Downcase | Capitalize | Swapcase if args.is_empty() => V::made(cased(text, method)?),
        Strip | Lstrip | Rstrip if args.is_empty() => V::made(stripped(text, method)?.to_owned()),
        Chomp | Chop | DeletePrefix | DeleteSuffix => V::made(shortened(text, method, args)?.to_owned()),
        _ => return other(text, method, args),
    }))
}

fn other<'c>(text: &str, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (method, args) {
        (Method::Plus, [other]) => {
            let other = other.text().ok_or(UNKNOWN)?;
            sized(text.len() + other.len())?;
            V::made([text, &other].concat())
        }
        (Method::Times2, [V::Int(n)]) if *n >= 0 => {
            sized(text.len().saturating_mul(*n as usize))?;
            V::made(text.repeat(*n as usize))
        }
        (Method::Dump, []) => V::made(dumped(text)),
        (Method::Reverse, []) => V::made(text.chars().rev().collect()),
        (Method::Succ, []) => V::made(succ(text)?),
        (Method::Chr, []) => V::made(text.chars().take(1).collect()),
        (Method::ByteSlice, args) => super::string_parts::of_bytes(text, args)?,
        (Method::Ljust | Method::Rjust | Method::Center, [V::Int(width), fill @ ..]) if fill.len() < 2 => {
            V::made(justify(text, method, *width, fill)?)
        }
        (Method::Tr | Method::TrSqueezed, [from, to]) => {
            let (from, to) = (from.text().ok_or(UNKNOWN)?, to.text().ok_or(UNKNOWN)?);
            V::made(charset::translate(text, &from, &to, method == Method::TrSqueezed)?)
        }
        (Method::Delete, [_, ..]) => {
            let sets = Sets::of(args)?;
            V::made(text.chars().filter(|c| !sets.has(*c)).collect())
        }
        (Method::UnicodeNormalize, args) => V::made(super::normalized::normalized(text, args)?),
        (Method::Encode, [to, rest @ ..]) if is_utf8(to) => {
            encodes_nothing(rest)?;
            V::made(text.to_owned())
        }
        (Method::Encode, [options]) => V::made(for_xml(text, options)?),
        (Method::Squeeze, args) => V::made(charset::squeeze(text, args)?),
        _ => return Ok(None),
    }))
}

/// `dump`: between quotes, with what is not printable ASCII as escapes.
fn dumped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            '\x08' => out.push_str("\\b"),
            '\x07' => out.push_str("\\a"),
            '\x1b' => out.push_str("\\e"),
            ' '..='~' => out.push(c),
            '\0'..='\x7f' => {
                let _ = write!(out, "\\x{:02X}", c as u32);
            }
            '\u{80}'..='\u{ffff}' => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => {
                let _ = write!(out, "\\u{{{:X}}}", c as u32);
            }
        }
    }
    out.push('"');
    out
}

/// Whether an argument names the encoding that all text here is in.
pub(super) fn is_utf8(encoding: &V<'_>) -> bool {
    encoding.text().is_some_and(|name| name.eq_ignore_ascii_case("utf-8"))
}

/// Refuses what stands behind the encoding of `encode`, unless it changes no text that is in this encoding.
fn encodes_nothing(rest: &[V<'_>]) -> OrRuby<()> {
    let options = match rest {
        [] => return Ok(()),
        [from] if is_utf8(from) => return Ok(()),
        [options] => options,
        [from, options] if is_utf8(from) => options,
        _ => return Err(ForRuby("a text in another encoding")),
    };
    let entries = options.entries()?.ok_or(ForRuby("a text in another encoding"))?;
    let is_known = |(key, value): &(V<'_>, V<'_>)| match (key, value) {
        (V::Symbol("invalid" | "undef"), V::Symbol("replace")) => true,
        (V::Symbol("replace"), value) => value.text().is_some(),
        _ => false,
    };
    match entries.iter().all(is_known) {
        true => Ok(()),
        false => Err(ForRuby("a text in another encoding")),
    }
}

/// `encode(xml: :text)` and `encode(xml: :attr)`.
fn for_xml(text: &str, options: &V<'_>) -> OrRuby<String> {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    match &options.entries()?.unwrap_or_default()[..] {
        [(V::Symbol("xml"), V::Symbol("text"))] => Ok(escaped),
        [(V::Symbol("xml"), V::Symbol("attr"))] => {
            Ok(format!("\"{}\"", escaped.replace('"', "&quot;").replace('\'', "&apos;")))
        }
        _ => Err(ForRuby("a text in another encoding")),
    }
}

/// Letters whose cases Ruby and Rust agree on for sure.
fn cased(text: &str, method: Method) -> OrRuby<String> {
    if text.is_ascii() {
        return Ok(cased_ascii(text, method));
    }
    if text.chars().any(|c| c > '\u{17f}') {
        return Err(ForRuby("letters of other alphabets"));
    }
    let mut chars = text.chars();
    Ok(match method {
        Method::Upcase => text.to_uppercase(),
        Method::Downcase => lower(text),
        Method::Capitalize => match chars.next() {
            Some(first) => [upper_first(first)?, lower(chars.as_str())].concat(),
            None => String::new(),
        },
        _ => return Err(ForRuby("letters beyond ASCII")),
    })
}

fn cased_ascii(text: &str, method: Method) -> String {
    match method {
        Method::Upcase => text.to_ascii_uppercase(),
        Method::Downcase => text.to_ascii_lowercase(),
        Method::Capitalize => {
            let mut made = text.to_ascii_lowercase();
            if let Some(first) = made.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            made
        }
        _ => {
            let swapped = |c: char| {
                if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
            };
            text.chars().map(swapped).collect()
        }
    }
}

fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// A letter at the begin of a word.
fn upper_first(c: char) -> OrRuby<String> {
    let upper = c.to_uppercase();
    if upper.len() > 1 { Err(ForRuby("a letter that becomes several")) } else { Ok(upper.collect()) }
}

fn stripped(text: &str, method: Method) -> OrRuby<&str> {
    if text.contains('\0') {
        return Err(UNKNOWN);
    }
    Ok(match method {
        Method::Strip => text.trim_matches(is_space),
        Method::Lstrip => text.trim_start_matches(is_space),
        _ => text.trim_end_matches(is_space),
    })
}

/// A text without something at its end or begin.
fn shortened<'t>(text: &'t str, method: Method, args: &[V<'_>]) -> OrRuby<&'t str> {
    let arg = match args {
        [] => None,
        [V::Nil] if method == Method::Chomp => return Ok(text),
        [arg] => Some(arg.text().ok_or(UNKNOWN)?),
        _ => return Err(UNKNOWN),
    };
    let line_end = || ["\r\n", "\n", "\r"].into_iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    Ok(match (method, arg.as_deref()) {
        (Method::Chomp, None | Some("\n")) => line_end(),
        (Method::Chomp, Some("")) => {
            let mut rest = text;
            while let Some(shorter) = rest.strip_suffix("\r\n").or(rest.strip_suffix('\n')) {
                rest = shorter;
            }
            rest
        }
        (Method::Chomp | Method::DeleteSuffix, Some(end)) => text.strip_suffix(end).unwrap_or(text),
        (Method::DeletePrefix, Some(start)) => text.strip_prefix(start).unwrap_or(text),
        (Method::Chop, None) => text.strip_suffix("\r\n").unwrap_or_else(|| {
            let mut chars = text.chars();
            chars.next_back();
            chars.as_str()
        }),
        _ => return Err(UNKNOWN),
    })
}

fn justify(text: &str, method: Method, width: i64, fill: &[V<'_>]) -> OrRuby<String> {
    let fill = match fill {
        [fill] => fill.text().filter(|fill| !fill.is_empty()).ok_or(UNKNOWN)?,
        _ => Text::Known(" "),
    };
    let width = usize::try_from(width).unwrap_or(0);
    sized(width)?;
    let missing = width.saturating_sub(text.chars().count());
    let pad = |count: usize| fill.chars().cycle().take(count).collect::<String>();
    Ok(match method {
        Method::Ljust => format!("{text}{}", pad(missing)),
        Method::Rjust => format!("{}{text}", pad(missing)),
        _ => format!("{}{text}{}", pad(missing / 2), pad(missing - missing / 2)),
    })
}
