//! Names as Puppet spells them: capitalised type names, resource references, class titles.

use bunraku_vm::compat::{Compat, Rule};
pub use bunraku_vm::names::lower;
use bunraku_vm::types;
use std::borrow::Cow;

/// `apache::vhost` → `Apache::Vhost`: each segment capitalised, the rest in lower case.
pub fn capitalize(name: &str) -> String {
    types::capitalize(name.strip_prefix("::").unwrap_or(name))
}

/// The same, borrowed where the name is spelt so already; most are.
pub fn capitalized(name: &str) -> Cow<'_, str> {
    if is_capitalized(name.as_bytes()) { Cow::Borrowed(name) } else { Cow::Owned(capitalize(name)) }
}

fn is_capitalized(name: &[u8]) -> bool {
    let mut at = 0;
    let mut start = true;
    while let Some(byte) = name.get(at) {
        at += 1;
        // Most by far.
        if byte.is_ascii_lowercase() && !start {
            continue;
        }
        if *byte == b':' && !start && name.get(at) == Some(&b':') {
            at += 1;
            start = true;
            continue;
        }
        let fits = if start { !byte.is_ascii_lowercase() } else { !byte.is_ascii_uppercase() };
        if !fits || !byte.is_ascii() || *byte == b':' {
            return false;
        }
        start = false;
    }
    true
}

/// A class or defined type's name as it is keyed: lower case, without leading `::`.
pub fn key(name: &str) -> Cow<'_, str> {
    lower(name.strip_prefix("::").unwrap_or(name))
}

/// Name of the node resource that a regular expression makes: what of its source a name may hold.
///
/// Source: `Puppet::Resource::Type#name` of 7, 8 and 9. What looks around (`(?…)`) is written out since 8; there in capitals,
/// in which the definition is never found again.
pub fn of_node_pattern(source: &str, compat: Compat) -> String {
    let source = source.to_lowercase();
    let source = match (
        compat.holds(Rule::NodePatternsSpellLookaround),
        compat.holds(Rule::NodePatternsInLowerCase),
    ) {
        (false, _) => source,
        (true, lower) => look_around_spelled(&source, lower),
    };
    let kept: String =
        source.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')).collect();
    format!("__node_regexp__{}", kept.trim_start_matches('.'))
}

/// The source with the signs of each `(?…)` written as words.
fn look_around_spelled(source: &str, lower: bool) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("(?") {
        let Some(end) = rest[at..].find(')').map(|end| at + end + 1) else { break };
        out.push_str(&rest[..at]);
        for sign in rest[at..end].chars() {
            let word = match sign {
                '(' => "LP",
                '?' => "QU",
                '<' => "LT",
                '>' => "GT",
                '!' => "EX",
                '=' => "EQ",
                ')' => "RP",
                other => {
                    out.push(other);
                    continue;
                }
            };
            out.push_str(&if lower { word.to_lowercase() } else { word.to_owned() });
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Where a text lies: the same text in the same place is known without reading it.
pub fn address(text: &str) -> (usize, usize) {
    (text.as_ptr().addr(), text.len())
}

/// Splits `Type[title]`.
pub fn split_reference(text: &str) -> Option<(&str, &str)> {
    let open = text.find('[')?;
    let title = text[open + 1..].strip_suffix(']')?;
    let ty = &text[..open];
    (!ty.is_empty() && !title.is_empty()).then_some((ty, title))
}

/// The number of a variable of the last match: `0`, `12`; none for other names, and for numbers with zeroes in front.
pub fn match_number(name: &str) -> Option<usize> {
    let is_number = name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    // What is too large to be a group of any match has no value.
    (is_number && !name.is_empty()).then(|| name.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_capitalised_by_segment() {
        assert_eq!(capitalize("::apache::VHOST"), "Apache::Vhost");
        for name in
            ["Apache::Vhost", "::Apache", "Apache::", "a", "A::b", "A:b", "AB", "1a", "Ä", "", "A::::B"]
        {
            assert_eq!(capitalized(name), capitalize(name));
        }
        assert_eq!(key("::Apache::Mod"), "apache::mod");
        for at in 0..20 {
            for c in ['@', 'A', 'M', 'Z', '[', '`', 'a', 'z', '{', '\u{7f}', '\0', 'Ä', 'ß'] {
                for len in at..20 {
                    let text = format!("{}{c}{}", "z".repeat(at), "@".repeat(len - at));
                    assert_eq!(lower(&text), text.to_lowercase());
                }
            }
        }
        assert_eq!(split_reference("File[/a[b]]"), Some(("File", "/a[b]")));
        assert_eq!(split_reference("File"), None);
    }
}
