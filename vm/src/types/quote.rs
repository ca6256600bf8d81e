//! Strings in quotes, and names with capitals.

use crate::names;

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

/// `apache::VHOST`, all of it ASCII, as `Apache::Vhost`.
pub fn capitalize_ascii(name: &str) -> String {
    let mut out = name.to_ascii_lowercase();
    let mut rest = out.as_mut_str();
    while let Some((first, _)) = rest.split_at_mut_checked(1) {
        first.make_ascii_uppercase();
        let Some(at) = names::pair(rest) else { break };
        rest = &mut rest[at + 2..];
    }
    out
}

/// `apache::vhost` as `Apache::Vhost`; a name that begins with a capital stays.
pub fn capitalize_segments(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return name.to_owned();
    }
    if name.is_ascii() {
        return capitalize_ascii(name);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_segment_begins_with_a_capital() {
        for (name, expected) in [
            ("apache::VHOST", "Apache::Vhost"),
            ("a:b::c_d", "A:b::C_d"),
            ("a:::b::::c", "A:::b::::C"),
            ("::a::", "::A::"),
            (":a", ":a"),
            ("1a::b", "1a::B"),
            ("", ""),
        ] {
            assert_eq!(capitalize_ascii(name), expected);
            // The way of names that are not ASCII splits them.
            assert_eq!(capitalize_segments(&format!("{name}::ä")), format!("{expected}::Ä"));
        }
    }
}
