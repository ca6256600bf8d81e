//! Qualified names: `a::b`. The standard library's search for a text sets itself up for long ones; names are short.
//! And names in lower case.

use std::borrow::Cow;

/// Splits a qualified name before its last segment: `a::b::c` into `a::b` and `c`; none where nothing is qualified.
pub fn split_last(name: &str) -> Option<(&str, &str)> {
    let at = name.as_bytes().windows(2).rposition(|pair| pair == b"::")?;
    Some((&name[..at], &name[at + 2..]))
}

/// The text in lower case, borrowed where it is that already; most are.
pub fn lower(text: &str) -> Cow<'_, str> {
    if !has_others(text.as_bytes()) {
        Cow::Borrowed(text)
    } else if text.is_ascii() {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Owned(text.to_lowercase())
    }
}

/// Whether there is a capital letter or something that is not ASCII.
fn has_others(text: &[u8]) -> bool {
    // Eight at a time; the last eight may have been looked at in part.
    let (eights, rest) = text.as_chunks::<8>();
    let last = text.last_chunk::<8>().filter(|_| !rest.is_empty());
    match (eights, last) {
        ([], _) => rest.iter().any(|byte| !byte.is_ascii() || byte.is_ascii_uppercase()),
        _ => eights.iter().chain(last).fold(0, |all, eight| all | others(u64::from_le_bytes(*eight))) != 0,
    }
}

/// Something else than nought if one of eight bytes is a capital letter or not ASCII.
fn others(eight: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let from = |first: u8| eight.wrapping_add(EACH * u64::from(0x80 - first));
    // What a byte that is not ASCII carries into the next does not matter: the answer is known then.
    (eight | (from(b'A') & !from(b'Z' + 1))) & (EACH * 0x80)
}

/// Splits a qualified name behind its first segment: `a::b::c` into `a` and `b::c`; none where nothing is qualified.
pub fn split_first(name: &str) -> Option<(&str, &str)> {
    let at = name.as_bytes().windows(2).position(|pair| pair == b"::")?;
    Some((&name[..at], &name[at + 2..]))
}

/// The name without `::` at its begin.
pub fn bare(mut name: &str) -> &str {
    while let Some(rest) = name.strip_prefix("::") {
        name = rest;
    }
    name
}

/// Whether each segment between `::` begins with such a byte and goes on with letters, digits and underscores.
pub fn is_qualified(name: &str, first: impl Fn(&u8) -> bool) -> bool {
    let mut segments = name.as_bytes();
    loop {
        let [begin, rest @ ..] = segments else { return false };
        if !first(begin) {
            return false;
        }
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        match &rest[length..] {
            [] => return true,
            [b':', b':', after @ ..] => segments = after,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_texts_would_be() {
        for name in ["", "a", "a:b", "a::b", "::a", "a::", "a:::b", "a::b::c", "ä::ö", "::::a"] {
            assert_eq!(split_last(name), name.rsplit_once("::"));
            assert_eq!(split_first(name), name.split_once("::"));
            assert_eq!(bare(name), name.trim_start_matches("::"));
        }
    }

    #[test]
    fn each_segment_is_looked_at() {
        for name in ["a", "a1_B", "a::b", "a::b_::c9"] {
            assert!(is_qualified(name, u8::is_ascii_lowercase), "{name}");
        }
        for name in ["", "A", "_a", "1", "a::", "::a", "a:b", "a:::b", "a::B", "a::::b", "a-b", "ä"] {
            assert!(!is_qualified(name, u8::is_ascii_lowercase), "{name}");
        }
    }
}
