//! Methods of strings that look for patterns: all matches, parts between matches, replacements, and what strings run a
//! block for.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use crate::value::text;
use bunraku_vm::regex;

pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of a string");
/// Longer strings are left to Ruby.
const LARGEST: usize = 16 << 20;

/// What Ruby's `strip` removes. It removes NUL at one end only, so texts with NUL are left to it.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

/// Refuses to make a string of such a size.
pub(crate) fn sized(size: usize) -> OrRuby<()> {
    if size > LARGEST { Err(ForRuby("a long string")) } else { Ok(()) }
}

/// The lines of a text, each with its end.
pub(crate) fn lines<'c>(text: &str) -> Vec<V<'c>> {
    text.split_inclusive('\n').map(|line| V::made(line.to_owned())).collect()
}

/// All that an expression matches: texts, or arrays of its groups.
pub(crate) fn scan<'c>(text: &str, pattern: &str) -> OrRuby<Vec<V<'c>>> {
    let found = regex::all_captures(pattern, text).map_err(|_| UNKNOWN)?;
    let one = |found: &regex::Match| {
        let texts = found.texts(text);
        let value = |text: &Option<&str>| text.map_or(V::Nil, |text| V::made(text.to_owned()));
        match &texts[..] {
            [whole] => value(whole),
            groups => V::list(groups[1..].iter().map(value).collect()),
        }
    };
    Ok(found.iter().map(one).collect())
}

/// `split`: by white space, by a text, by an expression.
pub(crate) fn split<'c>(text: &str, args: &[V<'c>]) -> OrRuby<Vec<V<'c>>> {
    let made = |text: &str| V::made(text.to_owned());
    let mut parts: Vec<V<'c>> = match args {
        [] => text.split(is_space).filter(|part| !part.is_empty()).map(made).collect(),
        [V::Regexp(source)] => {
            if text.is_empty() {
                return Ok(Vec::new());
            }
            let mut parts = Vec::new();
            let mut from = 0;
            for found in regex::all_captures(source, text).map_err(|_| UNKNOWN)? {
                if found.groups.len() > 1 || found.start() == found.end() {
                    return Err(ForRuby("a pattern to split at with groups or no text"));
                }
                parts.push(made(&text[from..found.start()]));
                from = found.end();
            }
            parts.push(made(&text[from..]));
            parts
        }
        [separator] => match separator.text().ok_or(UNKNOWN)? {
            " " => text.split(is_space).filter(|part| !part.is_empty()).map(made).collect(),
            "" => text.chars().map(|c| V::made(c.to_string())).collect(),
            separator => text.split(separator).map(made).collect(),
        },
        [separator, V::Int(limit)] if *limit > 0 => {
            let separator = separator.text().filter(|text| !matches!(*text, "" | " ")).ok_or(UNKNOWN)?;
            if text.is_empty() {
                return Ok(Vec::new());
            }
            return Ok(text.splitn(*limit as usize, separator).map(made).collect());
        }
        _ => return Err(UNKNOWN),
    };
    while parts.last().is_some_and(|part| part.text() == Some("")) {
        parts.pop();
    }
    if text.contains('\0') { Err(UNKNOWN) } else { Ok(parts) }
}

/// Which matches of a pattern are replaced.
#[derive(Clone, Copy)]
pub(crate) enum Matches {
    First,
    All,
}

impl Matches {
    /// Those that `sub` or `gsub` replaces.
    pub(crate) fn of(method: Method) -> Matches {
        if method == Method::Gsub { Matches::All } else { Matches::First }
    }

    /// The matches of an expression or of a text as it stands.
    fn find(self, text: &str, pattern: &V<'_>) -> OrRuby<Vec<regex::Match>> {
        let source = match pattern {
            V::Regexp(source) => source.to_string(),
            pattern => regex::escape(pattern.text().ok_or(UNKNOWN)?),
        };
        match self {
            Matches::All => regex::all_captures(&source, text).map_err(|_| UNKNOWN),
            Matches::First => {
                Ok(regex::captures_from(&source, text, 0).map_err(|_| UNKNOWN)?.into_iter().collect())
            }
        }
    }
}

/// `sub` and `gsub` with a replacement, in which `\1` stands for a group.
pub(crate) fn substitute(text: &str, pattern: &V<'_>, replacement: &str, which: Matches) -> OrRuby<String> {
    let found = which.find(text, pattern)?;
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in &found {
        out.push_str(&text[from..found.start()]);
        put_replacement(&mut out, text, found, replacement)?;
        from = found.end();
        sized(out.len())?;
    }
    out.push_str(&text[from..]);
    Ok(out)
}

fn put_replacement(out: &mut String, text: &str, found: &regex::Match, replacement: &str) -> OrRuby<()> {
    let mut chars = replacement.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('\\') => out.push('\\'),
            Some(digit @ '0'..='9') => {
                let group = found.groups.get(digit as usize - '0' as usize).copied().flatten();
                if let Some((from, to)) = group {
                    out.push_str(&text[from..to]);
                }
            }
            Some('k' | '&' | '`' | '\'') | None => return Err(ForRuby("a replacement with names")),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
        }
    }
    Ok(())
}

/// Calls a method with a block.
pub(crate) fn with_block<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    let text = on.text().unwrap_or_default();
    match (method, args) {
        (Method::EachLine, []) => {
            for line in lines(text) {
                run.yield_one(block, line)?;
            }
            Ok(on.clone())
        }
        (Method::Gsub | Method::Sub, [pattern @ (V::Regexp(_) | V::Str(_) | V::Made(_))]) => {
            let found = Matches::of(method).find(text, pattern)?;
            let mut out = String::with_capacity(text.len());
            let mut from = 0;
            for found in &found {
                out.push_str(&text[from..found.start()]);
                let whole = V::made(text[found.start()..found.end()].to_owned());
                if run.names_groups() {
                    run.set_last(Some(super::pattern::groups(found, text)));
                }
                let value = run.yield_one(block, whole)?;
                text::put(&mut out, &value)?;
                from = found.end();
            }
            out.push_str(&text[from..]);
            run.forget_last();
            Ok(V::made(out))
        }
        _ => Err(UNKNOWN.into()),
    }
}
