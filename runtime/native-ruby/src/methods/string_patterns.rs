//! Methods of strings that look for patterns and run no block: all matches, parts between matches, replacements.

use super::string_split::split;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::entries::get_or_default;
use crate::value::{Regexp, V, text};
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
pub(crate) fn lines<'c>(text: &str, args: &[V<'c>]) -> OrRuby<Vec<V<'c>>> {
    let (args, chomp) = match args {
        [args @ .., options @ V::Map(_)] => match &options.entries()?.unwrap_or_default()[..] {
            [(V::Symbol("chomp"), chomp)] => (args, chomp.truthy()),
            _ => return Err(UNKNOWN),
        },
        args => (args, false),
    };
    let end = match args {
        [] => "\n".to_owned(),
        [end] => end.text().filter(|end| !end.is_empty()).ok_or(UNKNOWN)?.to_string(),
        _ => return Err(UNKNOWN),
    };
    let line = |line: &str| match line.strip_suffix(&end) {
        Some(rest) if chomp && end == "\n" => rest.strip_suffix('\r').unwrap_or(rest).to_owned(),
        Some(rest) if chomp => rest.to_owned(),
        _ => line.to_owned(),
    };
    Ok(text.split_inclusive(&end).map(|text| V::made(line(text))).collect())
}

/// Calls a method that looks for a pattern; none where it is no such method.
pub(crate) fn call<'c>(text: &str, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (method, args) {
        (Method::Split, args) => V::list(split(text, args)?),
        (Method::Scan, [pattern]) => V::list(scan(text, pattern)?),
        (Method::MatchIs, [V::Regexp(pattern)]) => V::Bool(pattern.is_match(text).map_err(|_| UNKNOWN)?),
        (Method::MatchIs, [pattern]) => {
            let pattern = pattern.text().ok_or(UNKNOWN)?;
            V::Bool(regex::is_match(&pattern, text).map_err(|_| UNKNOWN)?)
        }
        (Method::Sub | Method::Gsub, [pattern, V::Hash(_) | V::Map(_)]) => {
            V::made(looked_up(text, pattern, &args[1], Matches::of(method))?)
        }
        (Method::Sub | Method::Gsub, [pattern, replacement]) => {
            let replacement = replacement.text().ok_or(ForRuby("a replacement that is no string"))?;
            V::made(substitute(text, pattern, &replacement, Matches::of(method))?)
        }
        (Method::Partition, [pattern]) => partition(text, pattern)?,
        (Method::Rpartition, [pattern]) => {
            let separator = pattern.text().ok_or(UNKNOWN)?;
            match text.rfind(&*separator) {
                Some(at) => three(&text[..at], &separator, &text[at + separator.len()..]),
                None => three("", "", text),
            }
        }
        (Method::Index | Method::Rindex, [pattern, from @ ..]) => index(text, method, pattern, from)?,
        _ => return Ok(None),
    }))
}

fn three<'c>(a: &str, b: &str, c: &str) -> V<'c> {
    V::list([a, b, c].map(|part| V::made(part.to_owned())).into())
}

fn partition<'c>(text: &str, pattern: &V<'c>) -> OrRuby<V<'c>> {
    let found = Matches::First.find(text, pattern)?;
    Ok(match found.first() {
        Some(found) => three(&text[..found.start()], &text[found.start()..found.end()], &text[found.end()..]),
        None => three(text, "", ""),
    })
}

/// `index` and `rindex`, from a character on.
fn index<'c>(text: &str, method: Method, pattern: &V<'c>, from: &[V<'c>]) -> OrRuby<V<'c>> {
    if !matches!(pattern, V::Regexp(_)) && pattern.text().is_none() {
        return Err(UNKNOWN);
    }
    let count = super::string_parts::count(text);
    let from = match from {
        [] => None,
        [V::Int(n)] => Some(if *n < 0 { count + n } else { *n }),
        _ => return Err(UNKNOWN),
    };
    if from.is_some_and(|from| from < 0 || (from > count && method == Method::Index)) {
        return Ok(V::Nil);
    }
    let start = from.unwrap_or(if method == Method::Index { 0 } else { count }).min(count);
    let start = super::string_parts::place(text, start as usize).ok_or(UNKNOWN)?;
    let found = match (method, pattern) {
        (Method::Index, V::Regexp(pattern)) => {
            let found = pattern.captures_from(text, start).map_err(|_| UNKNOWN)?;
            found.map(|found| found.start())
        }
        (Method::Index, pattern) => text[start..].find(&*pattern.text().ok_or(UNKNOWN)?).map(|at| start + at),
        (_, V::Regexp(pattern)) => last_match(text, pattern, start)?,
        (_, pattern) => {
            let wanted = pattern.text().ok_or(UNKNOWN)?;
            let mut places = (0..=start).rev().filter(|at| text.is_char_boundary(*at));
            places.find(|at| text[*at..].starts_with(&*wanted))
        }
    };
    Ok(found.map_or(V::Nil, |at| V::Int(text[..at].chars().count() as i64)))
}

/// Where the last match begins that begins at `start` or in front of it.
fn last_match(text: &str, pattern: &Regexp, start: usize) -> OrRuby<Option<usize>> {
    if start > 1000 {
        return Err(ForRuby("a long string searched from behind"));
    }
    for at in (0..=start).rev().filter(|at| text.is_char_boundary(*at)) {
        crate::budget::spend(8)?;
        match pattern.captures_from(text, at).map_err(|_| UNKNOWN)? {
            Some(found) if found.start() == at => return Ok(Some(at)),
            _ => {}
        }
    }
    Ok(None)
}

/// All that a pattern matches: texts, or arrays of its groups.
fn scan<'c>(text: &str, pattern: &V<'c>) -> OrRuby<Vec<V<'c>>> {
    Ok(Matches::All.find(text, pattern)?.iter().map(|found| scanned(found, text)).collect())
}

/// What `scan` gives for one match.
pub(crate) fn scanned<'c>(found: &regex::Match, text: &str) -> V<'c> {
    let texts = found.texts(text);
    let value = |text: &Option<&str>| text.map_or(V::Nil, |text| V::made(text.to_owned()));
    match &texts[..] {
        [whole] => value(whole),
        groups => V::list(groups[1..].iter().map(value).collect()),
    }
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
    pub(crate) fn find(self, text: &str, pattern: &V<'_>) -> OrRuby<Vec<regex::Match>> {
        let V::Regexp(regexp) = pattern else { return self.plain(text, &pattern.text().ok_or(UNKNOWN)?) };
        let found = match self {
            Matches::All => regexp.all_captures(text).map_err(|_| UNKNOWN)?,
            Matches::First => regexp.captures_from(text, 0).map_err(|_| UNKNOWN)?.into_iter().collect(),
        };
        match found.first() {
            // Ruby keeps no group without a name beside those that have one.
            Some(first) if first.has_names() && first.names().len() + 1 != first.groups.len() => {
                Err(ForRuby("groups with names and without"))
            }
            _ => Ok(found),
        }
    }

    /// Where a text stands as it is; no text at all stands between any two characters.
    fn plain(self, text: &str, wanted: &str) -> OrRuby<Vec<regex::Match>> {
        let most = if matches!(self, Matches::First) { 1 } else { usize::MAX };
        let places = text.match_indices(wanted).take(most);
        Ok(places.map(|(at, _)| regex::Match::plain(at, at + wanted.len())).collect())
    }
}

/// The text with `put` in the place of each match.
pub(crate) fn replaced<E: From<ForRuby>>(
    text: &str,
    found: &[regex::Match],
    mut put: impl FnMut(&mut String, &regex::Match) -> Result<(), E>,
) -> Result<String, E> {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in found {
        out.push_str(&text[from..found.start()]);
        put(&mut out, found)?;
        from = found.end();
        sized(out.len())?;
    }
    out.push_str(&text[from..]);
    Ok(out)
}

/// `sub` and `gsub` with a replacement, in which `\1` stands for a group.
fn substitute(text: &str, pattern: &V<'_>, replacement: &str, which: Matches) -> OrRuby<String> {
    let found = which.find(text, pattern)?;
    replaced(text, &found, |out, found| put_replacement(out, text, found, replacement))
}

/// `sub` and `gsub` with a hash: what it has for the text of a match.
fn looked_up<'c>(text: &str, pattern: &V<'c>, hash: &V<'c>, which: Matches) -> OrRuby<String> {
    let found = which.find(text, pattern)?;
    replaced(text, &found, |out, found| {
        let key = V::made(text[found.start()..found.end()].to_owned());
        match get_or_default(hash, &key)? {
            Some(value) => text::put(out, &value),
            None => Ok(()),
        }
    })
}

fn put_replacement(out: &mut String, text: &str, found: &regex::Match, replacement: &str) -> OrRuby<()> {
    let mut rest = replacement;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
        let c = chars.next().ok_or(ForRuby("a replacement that ends in a backslash"))?;
        rest = chars.as_str();
        let group = match c {
            '0'..='9' => found.groups.get(c as usize - '0' as usize).copied().flatten(),
            '&' => found.groups[0],
            '`' => Some((0, found.start())),
            '\'' => Some((found.end(), text.len())),
            'k' => {
                let name = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
                let (name, behind) = name.ok_or(ForRuby("a replacement with half a name"))?;
                rest = behind;
                let number = found.named(name).ok_or(ForRuby("a name of no group"))?;
                found.groups.get(number).copied().flatten()
            }
            other => {
                out.extend(if other == '\\' { None } else { Some('\\') });
                out.push(other);
                None
            }
        };
        if let Some((from, to)) = group {
            out.push_str(&text[from..to]);
        }
    }
    out.push_str(rest);
    Ok(())
}
