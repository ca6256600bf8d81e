//! Addresses of resources taken apart, as far as they are plain: `prelude/uri.rb` makes objects of the parts.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::methods::sized;
use crate::value::V;

/// `Bunraku.uri_parts(text)`: scheme, user, host, port (an integer), path, query and fragment, nil for each that is not there; nil in place
/// of all where versions of Ruby's library may say something of their own about the text.
///
/// # Errors
/// For what is no string.
pub(super) fn parts<'c>(text: &V<'c>) -> OrRuby<V<'c>> {
    let text = text.text().ok_or(ForRuby("an address that is no string"))?;
    let Some(parts) = Parts::of(&text) else { return Ok(V::Nil) };
    let part = |part: Option<&str>| part.map_or(V::Nil, |part| V::made(part.to_owned()));
    Ok(V::list(vec![
        part(parts.scheme),
        part(parts.userinfo),
        part(parts.host),
        parts.port.map_or(V::Nil, V::Int),
        part(parts.path),
        part(parts.query),
        part(parts.fragment),
    ]))
}

/// The names of the parts, in order.
const NAMES: [&str; 7] = ["scheme", "userinfo", "host", "port", "path", "query", "fragment"];

/// `Bunraku.uri_of(parts)`: of a hash of such parts these, in that order, with `''` for no path; nil where there is no scheme or host,
/// or something else in it than such parts, which are plain.
///
/// # Errors
/// For what is no hash.
pub(super) fn of<'c>(given: &V<'c>) -> OrRuby<V<'c>> {
    let entries = given.entries()?.ok_or(ForRuby("parts of an address that are no hash"))?;
    let mut parts = [const { V::Nil }; NAMES.len()];
    for (name, part) in entries {
        let V::Symbol(name) = name else { return Ok(V::Nil) };
        match (NAMES.iter().position(|known| *known == name), &part) {
            (Some(place), V::Nil | V::Str(_) | V::Made(_)) => parts[place] = part,
            (Some(PORT), V::Int(_)) => parts[PORT] = part,
            _ => return Ok(V::Nil),
        }
    }
    if matches!(parts[SCHEME], V::Nil) || matches!(parts[HOST], V::Nil) {
        return Ok(V::Nil);
    }
    let text = written(&parts)?;
    let Some(Parts { host: Some(_), port, .. }) = Parts::of(&text) else { return Ok(V::Nil) };
    parts[PORT] = port.map_or(V::Nil, V::Int);
    if matches!(parts[PATH], V::Nil) {
        parts[PATH] = V::Str("");
    }
    Ok(V::list(parts.to_vec()))
}

/// `Bunraku.uri_text(parts)`: the address of seven parts.
///
/// # Errors
/// For what are no parts, and for a long text.
pub(super) fn text<'c>(parts: &V<'c>) -> OrRuby<V<'c>> {
    let parts = parts.items()?.and_then(|parts| <[V<'c>; NAMES.len()]>::try_from(parts).ok());
    Ok(V::made(written(&parts.ok_or(ForRuby("parts of an address in another form"))?)?))
}

const SCHEME: usize = 0;
const HOST: usize = 2;
const PORT: usize = 3;
const PATH: usize = 4;

/// The address of parts: each with what stands before it and behind it, those that are nil left out.
fn written(parts: &[V<'_>; NAMES.len()]) -> OrRuby<String> {
    const AROUND: [(&str, &str); NAMES.len()] =
        [("", "://"), ("", "@"), ("", ""), (":", ""), ("", ""), ("?", ""), ("#", "")];
    let mut written = String::new();
    for (part, (before, behind)) in parts.iter().zip(AROUND) {
        if matches!(part, V::Nil) {
            continue;
        }
        written.push_str(before);
        match part {
            V::Int(number) => written.push_str(&number.to_string()),
            part => written.push_str(&part.text().ok_or(ForRuby("a part of an address that is no string"))?),
        }
        written.push_str(behind);
        sized(written.len())?;
    }
    Ok(written)
}

/// The parts as they are written; a host is not empty.
#[derive(Default, Debug, PartialEq)]
struct Parts<'t> {
    scheme: Option<&'t str>,
    userinfo: Option<&'t str>,
    host: Option<&'t str>,
    port: Option<i64>,
    path: Option<&'t str>,
    query: Option<&'t str>,
    fragment: Option<&'t str>,
}

impl<'t> Parts<'t> {
    /// `scheme://user@host:port/path?query#fragment`; or without a host; or only from the path on, without a colon.
    fn of(text: &'t str) -> Option<Parts<'t>> {
        if !escapes_are_whole(text) {
            return None;
        }
        let (rest, fragment) = split(text, '#');
        let (rest, query) = split(rest, '?');
        let consists_of = |text: &str, more: &str| text.chars().all(|c| is_plain(c) || more.contains(c));
        if ![query, fragment].into_iter().flatten().all(|part| consists_of(part, ":@/?")) {
            return None;
        }
        let Some((scheme, rest)) = rest.split_once("://") else {
            let is_path = consists_of(rest, "@/") && !rest.starts_with("//");
            return is_path.then(|| Parts { path: Some(rest), query, fragment, ..Parts::default() });
        };
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if !is_scheme || !consists_of(path, ":@/") {
            return None;
        }
        let path = Some(path).filter(|path| !path.is_empty());
        if authority.is_empty() {
            return path.map(|_| Parts { scheme: Some(scheme), path, query, fragment, ..Parts::default() });
        }
        let (userinfo, place) = match authority.split_once('@') {
            Some((userinfo, place)) => (Some(userinfo), place),
            None => (None, authority),
        };
        let (host, port) = split(place, ':');
        let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '-');
        let are_known = userinfo.is_none_or(|userinfo| consists_of(userinfo, ":"))
            && !host.is_empty()
            && host.chars().all(is_host);
        let is_port = |port: &str| {
            port.len() <= 5 && !port.starts_with('0') && port.chars().all(|c| c.is_ascii_digit())
        };
        if !are_known || !port.is_none_or(is_port) {
            return None;
        }
        // No digits at all are no number.
        let port = port.map(str::parse).transpose().ok()?;
        Some(Parts { scheme: Some(scheme), userinfo, host: Some(host), port, path, query, fragment })
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

/// What may stand in every part but a scheme, a host and a port.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._~%!$&'()*+,;=-".contains(c)
}

/// Whether two hexadecimal digits are behind each percent sign.
fn escapes_are_whole(text: &str) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = text.as_bytes();
    (0..bytes.len()).all(|at| bytes[at] != b'%' || is_digit(bytes.get(at + 1)) && is_digit(bytes.get(at + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_vm::regex;

    #[test]
    fn what_is_plain_is_taken_apart() {
        let all = Parts::of("http://me:pw@a.b:80/c:d@e?f/?g=%20#h").unwrap();
        let expected = Parts {
            scheme: Some("http"),
            userinfo: Some("me:pw"),
            host: Some("a.b"),
            port: Some(80),
            path: Some("/c:d@e"),
            query: Some("f/?g=%20"),
            fragment: Some("h"),
        };
        assert_eq!(all, expected);
        let host = |text| Parts::of(text).and_then(|parts| parts.host);
        assert_eq!(host("puppet:///modules/a"), None);
        assert_eq!(Parts::of("puppet:///modules/a").unwrap().path, Some("/modules/a"));
        assert_eq!(Parts::of("").unwrap(), Parts { path: Some(""), ..Parts::default() });
        for none in
            ["//a", "a:b", "http://", "http://[::1]/", "http://a:", "http://a:080", "http://a/%2", "é"]
        {
            assert_eq!(Parts::of(none), None, "{none}");
        }
    }

    /// The same, said by expressions.
    #[test]
    fn expressions_find_the_same_parts() {
        let plain = r"[A-Za-z0-9._~%!$&'()*+,;=\-";
        let behind = format!(r"(?:\?({plain}:@/?]*))?(?:#({plain}:@/?]*))?\z");
        let scheme = "([a-zA-Z][a-zA-Z0-9+.-]*)://";
        let full = format!(
            r"\A{scheme}(?:({plain}:]*)@)?([A-Za-z0-9._~-]+)(?::([1-9][0-9]{{0,4}}))?(/{plain}:@/]*)?{behind}"
        );
        let hostless = format!(r"\A{scheme}(/{plain}:@/]*){behind}");
        let relative = format!(r"\A(?!//)({plain}@/]*){behind}");
        let pieces = [
            "a", "http", "://", "//", "/", ":", "@", "?", "#", "80", "0", "123456", "%2f", "%", "-", "_",
            "[", "\n", "é",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let mut counts = [0; 4];
        for round in 0..40_000 {
            let mut text = String::from(if round % 2 == 0 { "http://" } else { "" });
            text.extend((0..next(9)).map(|_| pieces[next(pieces.len())]));
            let found = |source: &str| regex::captures(source, &text).unwrap();
            let (kind, expected) = if regex::is_match("%(?![0-9a-fA-F]{2})", &text).unwrap() {
                (0, None)
            } else if let Some(found) = found(&full) {
                (1, Some([1, 2, 3, 4, 5, 6, 7].map(|group| found[group])))
            } else if let Some(found) = found(&relative) {
                (2, Some([None, None, None, None, found[1], found[2], found[3]]))
            } else if let Some(found) = found(&hostless) {
                (3, Some([found[1], None, None, None, found[2], found[3], found[4]]))
            } else {
                (0, None)
            };
            counts[kind] += 1;
            let port = |port: Option<&str>| port.map(|port| port.parse::<i64>().unwrap());
            let expected = expected.map(|[scheme, userinfo, host, number, path, query, fragment]| Parts {
                scheme,
                userinfo,
                host,
                port: port(number),
                path,
                query,
                fragment,
            });
            assert_eq!(Parts::of(&text), expected, "{text:?}");
        }
        assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
    }
}
