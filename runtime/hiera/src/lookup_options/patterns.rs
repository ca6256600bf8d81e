//! Keys of `lookup_options` that are regular expressions: what is known of the texts that fit one without running it.

use bunraku_vm::regex;

/// What every text that fits `^pattern` begins with: most keys are told apart by it.
pub(crate) fn literal_start(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix('^').unwrap_or_default();
    if has_branches(pattern) {
        return "";
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
    let plain = &pattern[..pattern.find(|c| !is_plain(c)).unwrap_or(pattern.len())];
    // A quantifier may say that the last letter need not be there.
    match pattern[plain.len()..].chars().next() {
        Some('?' | '*' | '{' | '+') => &plain[..plain.len().saturating_sub(1)],
        _ => plain,
    }
}

/// Checks that a text is a regular expression. Of most it is seen without making one of them.
///
/// # Errors
/// Ruby's message for a text that is none.
pub(crate) fn check(text: &str) -> Result<(), String> {
    if has_plain_parts(text.strip_prefix('^').unwrap_or(text)) { Ok(()) } else { regex::check(text) }
}

/// Whether a text has nothing but words, `.`, `.*`, `.+`, escaped marks, groups of such and alternatives: what is an expression for sure.
fn has_plain_parts(text: &str) -> bool {
    let (mut depth, mut before) = (0_usize, '(');
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let fits = match c {
            '\\' => chars.next().is_some_and(|escaped| matches!(escaped, 'w' | 'd' | 's' | '.' | '-')),
            '(' => {
                depth += 1;
                true
            }
            ')' => {
                let is_open = depth > 0;
                depth = depth.saturating_sub(1);
                is_open
            }
            // One after another would be another quantifier.
            '*' | '+' => before == '.' || before == '\\' || before.is_ascii_alphanumeric(),
            c => c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-' | '.' | '|' | '$'),
        };
        if !fits {
            return false;
        }
        before = c;
    }
    depth == 0
}

/// What both begin with.
pub(crate) fn common_start<'t>(one: &'t str, other: &'t str) -> &'t str {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
    &one[..same.map_or(one.len().min(other.len()), |((at, _), _)| at)]
}

/// With one of these every text ends that fits a pattern, unless it has several lines; nothing where that is not plain.
pub(crate) fn literal_ends(pattern: &str) -> Vec<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
    let Some(body) = pattern.strip_suffix('$').filter(|body| !body.contains("(?") && !has_branches(body))
    else {
        return Vec::new();
    };
    if let Some(group) = body.strip_suffix(')') {
        let Some((before, inner)) = group.rsplit_once('(') else { return Vec::new() };
        let is_group = !before.ends_with('\\') && inner.chars().all(|c| is_plain(c) || c == '|');
        return if is_group { inner.split('|').collect() } else { Vec::new() };
    }
    let start =
        body.rfind(|c| !is_plain(c)).map_or(0, |at| at + body[at..].chars().next().map_or(0, char::len_utf8));
    // What follows a `\` means something else.
    if start == body.len() || body[..start].ends_with('\\') { Vec::new() } else { vec![&body[start..]] }
}

/// Whether a regular expression has a `|` outside of groups; in doubt it has.
fn has_branches(pattern: &str) -> bool {
    let mut depth = 0_usize;
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            // A class may hold any of them.
            b'[' => return pattern.contains('|'),
            b'|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{check, common_start, has_plain_parts, literal_ends, literal_start};
    use bunraku_vm::regex;

    #[test]
    fn what_is_plain_is_an_expression() {
        for text in ["", "profile::.*::users$", r"a::\w+::(b|c_d)$", "a(b(c)|.+)d", r"x\.y-\d*z", "a|b", "()"]
        {
            assert!(has_plain_parts(text), "{text}");
            assert_eq!(regex::check(&format!("^{text}")), Ok(()), "{text}");
        }
        for text in ["(", ")", "a**", "*", "(*a)", "a[b", "(?<n>x)", "a{2}", "a\\", r"\k<x>", "a|*"] {
            assert!(!has_plain_parts(text), "{text}");
        }
        assert!(check("^a[bc]{2}").is_ok() && check("^[").is_err() && check("^a(b").is_err());
    }

    #[test]
    fn a_common_start_is_one_of_both() {
        assert_eq!(common_start("profile::a", "profile::b::c"), "profile::");
        assert_eq!(common_start("a", "ab"), "a");
        assert_eq!(common_start("ab", "a"), "a");
        assert_eq!(common_start("ä", "ö"), "");
    }

    #[test]
    fn only_what_must_be_there_is_a_literal_end() {
        assert_eq!(literal_ends("^profile::.*::users$"), ["::users"]);
        assert_eq!(literal_ends(r"^a::\w+::(b|c_d)$"), ["b", "c_d"]);
        assert_eq!(literal_ends("^a::(b)$"), ["b"]);
        assert_eq!(literal_ends(r"^a\w$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\wb$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\x41b$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\b$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\(b|c\)$"), [""; 0]);
        assert_eq!(literal_ends(r"^a(b\)$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\(b)$"), [""; 0]);
        assert_eq!(literal_ends("^a(b*|c)$"), [""; 0]);
        assert_eq!(literal_ends("^a((b|c)d)$"), [""; 0]);
        assert_eq!(literal_ends("^a(b|c)?$"), [""; 0]);
        assert_eq!(literal_ends("^a|b$"), [""; 0]);
        assert_eq!(literal_ends("^(?i)ab$"), [""; 0]);
        assert_eq!(literal_ends("^a[bc]$"), [""; 0]);
        assert_eq!(literal_ends("^ab"), [""; 0]);
    }

    #[test]
    fn only_what_must_be_there_is_a_literal_start() {
        assert_eq!(literal_start("^profile::.*::users$"), "profile::");
        assert_eq!(literal_start("^ab?c"), "a");
        assert_eq!(literal_start("^a|b"), "");
        assert_eq!(literal_start("^a::(b|c)$"), "a::");
        assert_eq!(literal_start("^a::(b)|c"), "");
        assert_eq!(literal_start("^a::\\(b|c\\)"), "");
        assert_eq!(literal_start("^a::[(]b|c"), "");
        assert_eq!(literal_start("^(?i)a"), "");
        assert_eq!(literal_start("a"), "");
    }
}
