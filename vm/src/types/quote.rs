//! Strings in quotes, and names with capitals.

use crate::names::split_first;

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

/// `apache::VHOST` as `Apache::Vhost`. Letter by letter, as Ruby does: a sigma at the end is like any other.
pub fn capitalize(name: &str) -> String {
    if !name.is_ascii() {
        return name.split("::").map(capitalize_letters).collect::<Vec<_>>().join("::");
    }
    let mut out = name.to_ascii_lowercase();
    let mut begin = 0;
    loop {
        if let Some(first) = out.get_mut(begin..begin + 1) {
            first.make_ascii_uppercase();
        }
        match split_first(&name[begin..]) {
            Some((segment, _)) => begin += segment.len() + 2,
            None => return out,
        }
    }
}

/// `apache::vhost` as `Apache::Vhost`; a name that begins with a capital stays.
pub fn capitalize_segments(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return name.to_owned();
    }
    capitalize(name)
}

/// `ß` becomes `Ss`: only the first letter of what a letter becomes is large.
fn capitalize_letters(segment: &str) -> String {
    let mut chars = segment.chars();
    let mut first = chars.next().into_iter().flat_map(char::to_uppercase);
    let large = first.next();
    large.into_iter().chain(first.chain(chars).flat_map(char::to_lowercase)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_ruby() {
        // ruby -e 'puts "ΑΣ".capitalize, "ßa".capitalize, "İAİ".capitalize, "ﬁX".capitalize'
        for (name, expected) in [("ΑΣ", "Ασ"), ("ßa", "Ssa"), ("İAİ", "İai̇"), ("ﬁX::ä", "Fix::Ä")]
        {
            assert_eq!(capitalize(name), expected);
        }
    }

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
            assert_eq!(capitalize(name), expected);
            // The way of names that are not ASCII splits them.
            assert_eq!(capitalize_segments(&format!("{name}::ä")), format!("{expected}::Ä"));
        }
    }
}
