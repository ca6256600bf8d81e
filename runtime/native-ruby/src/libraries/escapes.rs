//! Texts made safe for where they are put: URLs, HTML, shells.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{V, text};
use bunraku_stdlib::module::shellwords;

/// Calls a method of `CGI`, `ERB::Util`, `URI` or `Shellwords` that does that; none for what is not known.
pub(super) fn call<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let [value] = args else { return Ok(None) };
    let given = value.text();
    let made = match (name, &given) {
        ("escape" | "unescape" | "escapeHTML" | "escape_html" | "shellescape", None) => {
            return Err(ForRuby("a text that is no string"));
        }
        ("escapeHTML" | "escape_html", Some(text)) => html(text),
        ("html_escape" | "h", _) => html(&text::to_s(value)?),
        ("url_encode" | "u", _) => percent(&text::to_s(value)?, "-_.~", None),
        _ => return Ok(None),
    };
    Ok(Some(V::made(made)))
}

/// `CGI.escape` and its reverse.
pub(super) fn cgi<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    match (name, args) {
        ("escape", [value]) => {
            let text = value.text().ok_or(ForRuby("a text that is no string"))?;
            Ok(Some(V::made(percent(&text, "-_.~", Some('+')))))
        }
        ("unescape", [value]) => {
            let text = value.text().ok_or(ForRuby("a text that is no string"))?;
            unescaped(&text).map(|text| Some(V::made(text)))
        }
        _ => call(name, args),
    }
}

/// `URI.encode_www_form_component` and the like.
pub(super) fn uri<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(match (name, args) {
        ("encode_www_form_component", [value]) => {
            Some(V::made(percent(&text::to_s(value)?, "*-._", Some('+'))))
        }
        ("decode_www_form_component", [value]) => {
            let text = value.text().ok_or(ForRuby("a text that is no string"))?;
            Some(V::made(unescaped(&text)?))
        }
        ("encode_www_form", [form]) => Some(V::made(www_form(form)?)),
        _ => None,
    })
}

/// Calls a method of URI's parser of RFC 2396; none for what is not known.
pub(super) fn uri_parser<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(match (name, args) {
        ("escape", [text]) => {
            let text = text.text().ok_or(ForRuby("a text that is no string"))?;
            Some(V::made(percent(&text, "-_.!~*'();/?:@&=+$,[]", None)))
        }
        _ => None,
    })
}

fn www_form(form: &V<'_>) -> OrRuby<String> {
    let other = ForRuby("a form of that kind");
    let pairs = match (form.entries()?, form.items()?) {
        (Some(entries), _) => entries,
        (None, Some(items)) => {
            let mut pairs = Vec::new();
            for pair in items {
                match pair.items()?.as_deref() {
                    Some([key, value]) => pairs.push((key.clone(), value.clone())),
                    _ => return Err(other),
                }
            }
            pairs
        }
        _ => return Err(other),
    };
    let encoded = |value: &V<'_>| Ok(percent(&text::to_s(value)?, "*-._", Some('+')));
    let mut fields = Vec::new();
    for (key, value) in pairs {
        let key = encoded(&key)?;
        match (&value, value.items()?) {
            (V::Nil, _) => fields.push(key),
            (_, Some(values)) => {
                for value in values {
                    match value {
                        V::Nil => return Err(other),
                        value => fields.push(format!("{key}={}", encoded(&value)?)),
                    }
                }
            }
            (value, None) => fields.push(format!("{key}={}", encoded(value)?)),
        }
    }
    Ok(fields.join("&"))
}

/// Letters, digits and `plain` as they are, a space as `space`, all else as bytes in hexadecimal.
fn percent(text: &str, plain: &str, space: Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match (char::from(byte), space) {
            (c, _) if c.is_ascii_alphanumeric() || (c.is_ascii() && plain.contains(c)) => out.push(c),
            (' ', Some(space)) => out.push(space),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn unescaped(text: &str) -> OrRuby<String> {
    let malformed = ForRuby("a text that is not escaped so");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
                match (digit(rest.next()), digit(rest.next())) {
                    (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
                    _ => return Err(malformed),
                }
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).map_err(|_| malformed)
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Calls a method of `Shellwords`.
pub(super) fn shell<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let other = || ForRuby("words of a shell that are no strings");
    Ok(Some(match (name, args) {
        ("escape" | "shellescape", [word]) => V::made(shellwords::escaped(&word.text().ok_or_else(other)?)),
        ("join" | "shelljoin", [words]) => {
            let mut escaped = Vec::new();
            for word in words.items()?.ok_or_else(other)? {
                escaped.push(shellwords::escaped(&word.text().ok_or_else(other)?));
            }
            V::made(escaped.join(" "))
        }
        _ => return Ok(None),
    }))
}
