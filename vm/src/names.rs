//! Qualified names: `a::b`. The standard library's search for a text sets itself up for long ones; names are short.

/// Splits a qualified name before its last segment: `a::b::c` into `a::b` and `c`; none where nothing is qualified.
pub fn split_last(name: &str) -> Option<(&str, &str)> {
    let at = name.as_bytes().windows(2).rposition(|pair| pair == b"::")?;
    Some((&name[..at], &name[at + 2..]))
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
}
