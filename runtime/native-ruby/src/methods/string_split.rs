//! `split`.

use super::string_patterns::{UNKNOWN, is_space};
use crate::for_ruby::OrRuby;
use crate::value::{Regexp, V};

/// How many parts are wanted, and whether empty ones at the end are kept.
struct Limit {
    most: usize,
    keeps_empty: bool,
}

/// The parts of a text: between white space, texts or matches.
pub(crate) fn split<'c>(text: &str, args: &[V<'c>]) -> OrRuby<Vec<V<'c>>> {
    if text.contains('\0') {
        return Err(UNKNOWN);
    }
    let limit = match args {
        [] | [_] | [_, V::Int(0)] => Limit { most: usize::MAX, keeps_empty: false },
        [_, V::Int(n)] if *n < 0 => Limit { most: usize::MAX, keeps_empty: true },
        [_, V::Int(n)] => Limit { most: *n as usize, keeps_empty: true },
        _ => return Err(UNKNOWN),
    };
    if let Some(separator) = args.first()
        && !matches!(separator, V::Nil | V::Regexp(_))
        && separator.text().is_none()
    {
        return Err(UNKNOWN);
    }
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if limit.most == 1 {
        return Ok(vec![V::made(text.to_owned())]);
    }
    let mut parts = match args.first() {
        None | Some(V::Nil) => words(text, &limit),
        // That is a text to Ruby, whatever the options.
        Some(V::Regexp(pattern)) if pattern.source() == " " => {
            text.splitn(limit.most, ' ').map(str::to_owned).collect()
        }
        Some(V::Regexp(pattern)) => by_pattern(text, pattern, &limit)?,
        Some(separator) => match &*separator.text().ok_or(UNKNOWN)? {
            " " => words(text, &limit),
            "" => chars(text, &limit),
            separator => match separator.as_bytes() {
                // A search for one byte needs nothing readied.
                [byte] => text.splitn(limit.most, char::from(*byte)).map(str::to_owned).collect(),
                _ => text.splitn(limit.most, separator).map(str::to_owned).collect(),
            },
        },
    };
    while !limit.keeps_empty && parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    Ok(parts.into_iter().map(V::made).collect())
}

/// Parts between white space; white space at the begin belongs to none.
fn words(text: &str, limit: &Limit) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while let Some(end) = rest.find(is_space).filter(|_| parts.len() + 1 < limit.most) {
        parts.push(rest[..end].to_owned());
        rest = rest[end..].trim_start_matches(is_space);
    }
    if !rest.is_empty() || limit.keeps_empty {
        parts.push(rest.to_owned());
    }
    parts
}

fn chars(text: &str, limit: &Limit) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text.chars();
    while parts.len() + 1 < limit.most {
        match rest.next() {
            Some(c) => parts.push(c.to_string()),
            None => break,
        }
    }
    if !rest.as_str().is_empty() || limit.keeps_empty {
        parts.push(rest.as_str().to_owned());
    }
    parts
}

/// Parts between matches, and the groups of these. A match of nothing parts two characters.
fn by_pattern(text: &str, pattern: &Regexp, limit: &Limit) -> OrRuby<Vec<String>> {
    let mut parts = Vec::new();
    let mut cuts = 1;
    let mut from = 0;
    for found in pattern.all_captures(text).map_err(|_| UNKNOWN)? {
        if cuts >= limit.most {
            break;
        }
        let (start, end) = (found.start(), found.end());
        if start == end && start == from {
            continue;
        }
        parts.push(text[from..start].to_owned());
        from = end;
        cuts += 1;
        let groups = found.texts(text).into_iter().skip(1).flatten();
        parts.extend(groups.map(str::to_owned));
    }
    if from < text.len() || limit.keeps_empty {
        parts.push(text[from..].to_owned());
    }
    Ok(parts)
}
