//! URIs taken apart (RFC 3986), as far as the `URI` type compares and builds them.

use crate::types::quote::quote_double;
use crate::value::{HashBuilder, Value};
use bumpalo::Bump;

/// A URI's parts, as they are written.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct UriParts<'t> {
    /// `http`
    pub scheme: Option<&'t str>,
    /// `user:secret`
    pub userinfo: Option<&'t str>,
    /// `example.com`
    pub host: Option<&'t str>,
    /// `8080`
    pub port: Option<&'t str>,
    /// `/a/b`
    pub path: Option<&'t str>,
    /// After `?`.
    pub query: Option<&'t str>,
    /// After `#`.
    pub fragment: Option<&'t str>,
    /// What follows the scheme of a URI that is not hierarchical (`mailto:…`).
    pub opaque: Option<&'t str>,
}

/// Takes a URI apart.
///
/// # Errors
/// Ruby's message for a text that is none.
pub fn parse(text: &str) -> Result<UriParts<'_>, String> {
    if text
        .chars()
        .any(|c| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`'))
    {
        return Err(format!("bad URI(is not URI?): {}", quote_double(text)));
    }
    let mut parts = UriParts::default();
    let (rest, fragment) = text.split_once('#').map_or((text, None), |(rest, f)| (rest, Some(f)));
    parts.fragment = fragment;
    let scheme_end = rest.find(':').filter(|end| {
        rest[..*end].starts_with(|c: char| c.is_ascii_alphabetic())
            && rest[..*end].chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    let mut rest = match scheme_end {
        Some(end) => {
            parts.scheme = Some(&rest[..end]);
            &rest[end + 1..]
        }
        None => rest,
    };
    let bad = || Err(format!("bad URI(is not URI?): {}", quote_double(text)));
    // A colon in the first segment would make that a scheme.
    if parts.scheme.is_none() && rest.split(['/', '?']).next().is_some_and(|first| first.contains(':')) {
        return bad();
    }
    if parts.scheme.is_some() && !rest.starts_with('/') && !rest.is_empty() {
        parts.opaque = Some(rest);
        return Ok(parts);
    }
    if let Some((before, query)) = rest.split_once('?') {
        parts.query = Some(query);
        rest = before;
    }
    if let Some(authority) = rest.strip_prefix("//") {
        let end = authority.find('/').unwrap_or(authority.len());
        let (mut authority, path) = authority.split_at(end);
        if let Some((userinfo, after)) = authority.rsplit_once('@') {
            parts.userinfo = Some(userinfo);
            authority = after;
        }
        if let Some((host, port)) = authority.rsplit_once(':')
            && port.bytes().all(|b| b.is_ascii_digit())
        {
            parts.port = Some(port).filter(|port| !port.is_empty());
            authority = host;
        }
        if authority.contains(':') && !authority.starts_with('[') {
            return bad();
        }
        parts.host = Some(authority);
        rest = path;
    }
    parts.path = Some(rest);
    Ok(parts)
}

/// A URI as Ruby writes it: the scheme in lower case, without the port that the scheme has by itself.
///
/// # Errors
/// Ruby's message for a text that is none.
pub fn normal(text: &str) -> Result<String, String> {
    let parts = parse(text)?;
    let Some(scheme) = parts.scheme else { return Ok(text.to_owned()) };
    let lower = scheme.to_lowercase();
    let rest = &text[scheme.len()..];
    let Some(host) = parts.host else { return Ok(format!("{lower}{rest}")) };
    let after = parts.userinfo.map_or(0, |userinfo| userinfo.len() + 1) + "://".len() + host.len();
    let (before, behind) = rest.split_at(after.min(rest.len()));
    let behind = match behind.strip_prefix(':') {
        Some(port) => port.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => behind,
    };
    let port = parts.port.and_then(|port| port.parse::<u64>().ok());
    let port = port.filter(|port| standard_port(&lower).is_none_or(|own| own != *port));
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Ok(format!("{lower}{before}{port}{behind}"))
}

/// The port that a scheme has by itself, where Ruby knows it.
pub fn standard_port(scheme: &str) -> Option<u64> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

/// The parts as the hash that a `URI` type is parameterised with; undef where there is none.
pub fn to_hash<'c>(arena: &'c Bump, text: &str) -> Value<'c> {
    let Ok(parts) = parse(text) else { return Value::Undef };
    let mut hash = HashBuilder::new(arena);
    let scheme = parts.scheme.map(str::to_lowercase);
    let mut set = |key: &str, value: Option<&str>| {
        if let Some(value) = value {
            hash.insert_str(key, Value::str(arena, value));
        }
    };
    set("scheme", scheme.as_deref());
    set("userinfo", parts.userinfo);
    set("host", parts.host.filter(|h| !h.is_empty()).map(str::to_lowercase).as_deref());
    let standard =
        matches!((scheme.as_deref(), parts.port), (Some("http"), Some("80")) | (Some("https"), Some("443")));
    set("port", parts.port.filter(|_| !standard));
    set("path", parts.path.filter(|p| !p.is_empty()));
    set("query", parts.query);
    set("fragment", parts.fragment);
    set("opaque", parts.opaque);
    if hash.is_empty() { Value::Undef } else { Value::Hash(hash.finish()) }
}

/// A reference resolved against a base (RFC 3986, 5.2).
///
/// # Errors
/// For texts that are no URIs.
pub fn join(base: &str, reference: &str) -> Result<String, String> {
    let parsed = parse(reference)?;
    if parsed.scheme.is_some() {
        return Ok(reference.to_owned());
    }
    let base_parts = parse(base)?;
    let scheme = base_parts.scheme.map(|s| format!("{s}:")).unwrap_or_default();
    if reference.starts_with("//") {
        return Ok(format!("{scheme}{reference}"));
    }
    let userinfo = base_parts.userinfo.map(|u| format!("{u}@")).unwrap_or_default();
    let port = base_parts.port.map(|p| format!(":{p}")).unwrap_or_default();
    let authority = base_parts.host.map(|h| format!("//{userinfo}{h}{port}")).unwrap_or_default();
    let base_path = base_parts.path.unwrap_or("");
    let path = parsed.path.unwrap_or("");
    let merged = if path.is_empty() {
        base_path.to_owned()
    } else if path.starts_with('/') {
        path.to_owned()
    } else {
        let folder = base_path.rfind('/').map_or("/", |at| &base_path[..=at]);
        without_dots(&format!("{folder}{path}"))
    };
    let query = match (parsed.query, path.is_empty()) {
        (Some(query), _) => format!("?{query}"),
        (None, true) => base_parts.query.map(|q| format!("?{q}")).unwrap_or_default(),
        (None, false) => String::new(),
    };
    let fragment = parsed.fragment.map(|f| format!("#{f}")).unwrap_or_default();
    Ok(format!("{scheme}{authority}{merged}{query}{fragment}"))
}

fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." if out.len() > 1 => {
                out.pop();
            }
            ".." => {}
            segment => out.push(segment),
        }
    }
    if path.ends_with("/.") || path.ends_with("/..") {
        out.push("");
    }
    out.join("/")
}
