//! Qualified names: `a::b`. The standard library's search for a text sets itself up for long ones; names are short.

/// Splits a qualified name before its last segment: `a::b::c` into `a::b` and `c`; none where nothing is qualified.
pub fn split_last(name: &str) -> Option<(&str, &str)> {
    let at = name.as_bytes().windows(2).rposition(|pair| pair == b"::")?;
    Some((&name[..at], &name[at + 2..]))
}

/// Splits a qualified name behind its first segment: `a::b::c` into `a` and `b::c`; none where nothing is qualified.
pub fn split_first(name: &str) -> Option<(&str, &str)> {
    let at = pair(name)?;
    Some((&name[..at], &name[at + 2..]))
}

/// Where the first `::` stands.
#[inline]
pub(crate) fn pair(name: &str) -> Option<usize> {
    name.as_bytes().windows(2).position(|pair| pair == b"::")
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
