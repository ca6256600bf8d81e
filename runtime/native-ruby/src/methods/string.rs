//! Methods of strings; those that look for patterns are in [`super::string_patterns`].

use super::string_patterns::{Matches, UNKNOWN, is_space, lines, scan, sized, split, substitute, with_block};
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use bunraku_vm::format::sprintf;
use bunraku_vm::regex;

const NOT_ASCII: ForRuby = ForRuby("letters beyond ASCII");
/// What stands in formats that are left to Ruby: `%<name>d`, `%{name}`, `%*d`.
const NAMED_OR_STARRED: &[char] = &['<', '\u{7b}', '*'];

/// Calls a method of a string.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    let text = on.text().unwrap_or_default();
    if let Some(block) = block {
        return with_block(run, on, method, args, block);
    }
    Ok(match (method, args) {
        (Method::Modulo, [arg]) => {
            let args = match arg.items()? {
                Some(items) => items,
                None => vec![arg.clone()],
            };
            let args = args.iter().map(|arg| arg.to_value(run.vm)).collect::<OrRuby<Vec<_>>>()?;
            if matches!(arg, V::Hash(_) | V::Map(_) | V::Nil | V::Symbol(_))
                || text.contains(NAMED_OR_STARRED)
            {
                return Err(ForRuby("a format of that form").into());
            }
            V::made(sprintf(text, &args).map_err(|_| ForRuby("a format"))?)
        }
        _ => plain(text, on, method, args)?,
    })
}

fn ascii(text: &str) -> OrRuby<&str> {
    if text.is_ascii() { Ok(text) } else { Err(NOT_ASCII) }
}

/// Calls a method that takes no block.
fn plain<'c>(text: &str, on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    use Method::{
        Capitalize, Center, Chomp, Chop, Delete, DeletePrefix, DeleteSuffix, Downcase, Gsub, Ljust, Lstrip,
        Plus, Reverse, Rjust, Rstrip, Squeeze, Strip, Sub, Times2, Tr, Upcase,
    };
    match method {
        Plus | Times2 | Upcase | Downcase | Capitalize | Strip | Lstrip | Rstrip | Chomp | DeleteSuffix
        | DeletePrefix | Chop | Reverse | Ljust | Rjust | Center | Tr | Delete | Squeeze | Sub | Gsub => {
            changed(text, method, args)
        }
        _ => told(text, on, method, args),
    }
}

/// What is said of a text, and parts of it.
fn told<'c>(text: &str, on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let compare =
        |other: &V<'c>| other.text().map(|other| text.as_bytes().cmp(other.as_bytes())).ok_or(UNKNOWN);
    Ok(match (method, args) {
        (Method::ToStr | Method::Freeze, []) => on.clone(),
        (Method::ToSym, []) => return Err(ForRuby("a symbol made of a string")),
        (Method::Empty, []) => V::Bool(text.is_empty()),
        (Method::Size, []) => V::Int(text.chars().count() as i64),
        (Method::Chars, []) => V::list(text.chars().map(|c| V::made(c.to_string())).collect()),
        (Method::Lines, []) => V::list(lines(text)),
        (Method::StartsWith | Method::EndsWith, args) => {
            let mut found = false;
            for arg in args {
                let arg = arg.text().ok_or(ForRuby("a pattern at the start"))?;
                found |= if method == Method::EndsWith { text.ends_with(arg) } else { text.starts_with(arg) };
            }
            V::Bool(found)
        }
        (Method::Include, [other]) => V::Bool(text.contains(other.text().ok_or(UNKNOWN)?)),
        (Method::Index, [other]) => match text.find(other.text().ok_or(UNKNOWN)?) {
            Some(at) => V::Int(text[..at].chars().count() as i64),
            None => V::Nil,
        },
        (Method::Less, [other]) => V::Bool(compare(other)?.is_lt()),
        (Method::LessOrEqual, [other]) => V::Bool(compare(other)?.is_le()),
        (Method::Greater, [other]) => V::Bool(compare(other)?.is_gt()),
        (Method::GreaterOrEqual, [other]) => V::Bool(compare(other)?.is_ge()),
        (Method::Compare, [other]) => V::Int(compare(other)? as i64),
        (Method::ToI, []) => V::Int(to_i(text)?),
        (Method::ToF, []) => V::Float(to_f(text)?),
        (Method::Split, args) => V::list(split(text, args)?),
        (Method::MatchIs, [pattern]) => {
            V::Bool(regex::is_match(source(pattern)?, text).map_err(|_| UNKNOWN)?)
        }
        (Method::Scan, [V::Regexp(pattern)]) => V::list(scan(text, pattern)?),
        (Method::Element | Method::Slice, args) => element(text, args)?,
        _ => return Err(UNKNOWN),
    })
}

/// A text made of another one.
fn changed<'c>(text: &str, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let made = |text: &str| V::made(text.to_owned());
    Ok(match (method, args) {
        (Method::Plus, [other]) => {
            let other = other.text().ok_or(UNKNOWN)?;
            sized(text.len() + other.len())?;
            V::made([text, other].concat())
        }
        (Method::Times2, [V::Int(n)]) if *n >= 0 => {
            sized(text.len().saturating_mul(*n as usize))?;
            V::made(text.repeat(*n as usize))
        }
        (Method::Upcase, []) => V::made(ascii(text)?.to_ascii_uppercase()),
        (Method::Downcase, []) => V::made(ascii(text)?.to_ascii_lowercase()),
        (Method::Capitalize, []) => V::made(bunraku_vm::format::capitalize(ascii(text)?)),
        (Method::Strip | Method::Lstrip | Method::Rstrip, []) => {
            if text.contains('\0') {
                return Err(UNKNOWN);
            }
            made(match method {
                Method::Strip => text.trim_matches(is_space),
                Method::Lstrip => text.trim_start_matches(is_space),
                _ => text.trim_end_matches(is_space),
            })
        }
        (Method::Chomp, []) => {
            let end = ["\r\n", "\n", "\r"].into_iter().find_map(|end| text.strip_suffix(end));
            made(end.unwrap_or(text))
        }
        (Method::Chomp | Method::DeleteSuffix, [end]) => match end.text() {
            Some(end) if method == Method::DeleteSuffix || !matches!(end, "" | "\n") => {
                made(text.strip_suffix(end).unwrap_or(text))
            }
            _ => return Err(UNKNOWN),
        },
        (Method::DeletePrefix, [start]) => {
            let start = start.text().ok_or(UNKNOWN)?;
            made(text.strip_prefix(start).unwrap_or(text))
        }
        (Method::Chop, []) if !text.ends_with("\r\n") => {
            let mut chars = text.chars();
            chars.next_back();
            made(chars.as_str())
        }
        (Method::Reverse, []) => V::made(text.chars().rev().collect()),
        (Method::Ljust | Method::Rjust | Method::Center, [V::Int(width), fill @ ..]) if fill.len() < 2 => {
            V::made(justify(text, method, *width, fill)?)
        }
        (Method::Tr | Method::Delete, args) => V::made(translate(text, method, args)?),
        (Method::Squeeze, []) => {
            let mut out = String::with_capacity(text.len());
            text.chars().for_each(|c| {
                if !out.ends_with(c) {
                    out.push(c);
                }
            });
            V::made(out)
        }
        (Method::Sub | Method::Gsub, [pattern, replacement]) => {
            let replacement = replacement.text().ok_or(ForRuby("a replacement that is no string"))?;
            V::made(substitute(text, pattern, replacement, Matches::of(method))?)
        }
        _ => return Err(UNKNOWN),
    })
}

fn source<'v>(pattern: &'v V<'_>) -> OrRuby<&'v str> {
    match pattern {
        V::Regexp(source) => Ok(source),
        _ => Err(ForRuby("a pattern that is a string")),
    }
}

/// Digits at the start, as `to_i` reads them.
pub(crate) fn to_i(text: &str) -> OrRuby<i64> {
    let text = text.trim_start_matches(is_space);
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = digits.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len());
    if digits[end..].starts_with('_') {
        return Err(UNKNOWN);
    }
    if end == 0 {
        return Ok(0);
    }
    let number: i64 = digits[..end].parse().map_err(|_| ForRuby("a large integer"))?;
    Ok(if text.starts_with('-') { -number } else { number })
}

/// A number as `to_f` reads it, in its plain forms.
fn to_f(text: &str) -> OrRuby<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if plain(whole) && plain(fraction) {
        return text.parse().map_err(|_| UNKNOWN);
    }
    Err(ForRuby("a number of another form"))
}

fn justify(text: &str, method: Method, width: i64, fill: &[V<'_>]) -> OrRuby<String> {
    let fill = match fill {
        [fill] => fill.text().filter(|fill| !fill.is_empty()).ok_or(UNKNOWN)?,
        _ => " ",
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

/// `tr` and `delete` of plain letters and of ranges of them.
fn translate(text: &str, method: Method, args: &[V<'_>]) -> OrRuby<String> {
    let set = |arg: &V<'_>| -> OrRuby<Vec<char>> {
        let text = arg.text().ok_or(UNKNOWN)?;
        if text.starts_with('^') || text.contains('\\') || !text.is_ascii() {
            return Err(UNKNOWN);
        }
        let chars: Vec<char> = text.chars().collect();
        let mut set = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            match chars.get(at + 1..at + 3) {
                Some(['-', end]) => {
                    if chars[at] > *end {
                        return Err(UNKNOWN);
                    }
                    set.extend(chars[at]..=*end);
                    at += 3;
                }
                _ => {
                    set.push(chars[at]);
                    at += 1;
                }
            }
        }
        Ok(set)
    };
    match (method, args) {
        (Method::Delete, [from]) => {
            let from = set(from)?;
            Ok(text.chars().filter(|c| !from.contains(c)).collect())
        }
        (Method::Tr, [from, to]) => {
            let (from, to) = (set(from)?, set(to)?);
            let one = |c: char| match from.iter().position(|known| *known == c) {
                None => Some(c),
                Some(at) => to.get(at).or(to.last()).copied(),
            };
            Ok(text.chars().filter_map(one).collect())
        }
        _ => Err(UNKNOWN),
    }
}

fn element<'c>(text: &str, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let count = text.chars().count() as i64;
    let part =
        |from: i64, len: i64| V::made(text.chars().skip(from as usize).take(len.max(0) as usize).collect());
    Ok(match args {
        [V::Int(n)] => {
            let at = if *n < 0 { count + n } else { *n };
            if at < 0 || at >= count { V::Nil } else { part(at, 1) }
        }
        [V::Int(n), V::Int(len)] => {
            let at = if *n < 0 { count + n } else { *n };
            if at < 0 || at > count || *len < 0 { V::Nil } else { part(at, *len) }
        }
        [V::Range(from, to, open)] => {
            let at = if *from < 0 { count + from } else { *from };
            let end = if *to < 0 { count + to } else { *to };
            let end = if *open { end } else { end + 1 };
            if at < 0 || at > count { V::Nil } else { part(at, end - at) }
        }
        [V::Regexp(source), group @ ..] => {
            let found = regex::captures(source, text).map_err(|_| UNKNOWN)?;
            let number = match group {
                [] => 0,
                [V::Int(n)] if *n >= 0 => *n as usize,
                _ => return Err(UNKNOWN),
            };
            let group = found.and_then(|groups| groups.get(number).copied().flatten());
            group.map_or(V::Nil, |group| V::made(group.to_owned()))
        }
        [other] => match other.text() {
            Some(other) if text.contains(other) => V::made(other.to_owned()),
            Some(_) => V::Nil,
            None => return Err(UNKNOWN),
        },
        _ => return Err(UNKNOWN),
    })
}
