//! Strings in quotes, and names with capitals.

/// A string as Puppet source writes it: in single quotes, or in double quotes where a control character
/// needs them.
pub fn quote(text: &str) -> String {
    if text.chars().any(|c| c < ' ') {
        return quote_double(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => {
                out.push('\\');
                out.extend(chars.next());
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A string in double quotes.
pub fn quote_double(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '$' => out.push_str("\\$"),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{{{:X}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// `apache::vhost` as `Apache::Vhost`; a name that begins with a capital stays.
pub fn capitalize_segments(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return name.to_owned();
    }
    if name.is_ascii() {
        let mut out = name.to_ascii_lowercase().into_bytes();
        let (mut at, mut start) = (0, true);
        while at < out.len() {
            if out[at..].starts_with(b"::") {
                (at, start) = (at + 2, true);
                continue;
            }
            if start {
                out[at].make_ascii_uppercase();
            }
            (at, start) = (at + 1, false);
        }
        return String::from_utf8(out).unwrap_or_default();
    }
    let capitalize = |segment: &str| {
        let mut chars = segment.chars();
        match chars.next() {
            Some(first) => first.to_uppercase().chain(chars.flat_map(char::to_lowercase)).collect(),
            None => String::new(),
        }
    };
    name.split("::").map(capitalize).collect::<Vec<_>>().join("::")
}
