//! Text in XML and HTML, for all reports.

/// A text with what has a meaning in markup escaped. `more` says what stands for other signs, where the place has no form for
/// them.
pub(crate) fn escaped(text: &str, more: impl Fn(char) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let instead = match c {
            '&' => Some("&amp;"),
            '<' => Some("&lt;"),
            '>' => Some("&gt;"),
            '"' => Some("&quot;"),
            c => more(c),
        };
        match instead {
            Some(instead) => out.push_str(instead),
            None => out.push(c),
        }
    }
    out
}

/// The begin of a page of HTML, as far as its body; the title is escaped already.
pub(crate) fn begin_of_page(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{style}</style></head>\n<body>"
    )
}

/// What stands for a sign that XML has no form for.
pub(crate) fn not_in_xml(c: char) -> Option<&'static str> {
    matches!(c, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}').then_some("\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_is_escaped_and_the_rest_is_for_the_place_to_say() {
        let apostrophe = |c| (c == '\'').then_some("&#39;");
        assert_eq!(
            escaped("<a b=\"c\"> & 'ü'\n", apostrophe),
            "&lt;a b=&quot;c&quot;&gt; &amp; &#39;ü&#39;\n"
        );
        assert_eq!(escaped("a\0\n\u{ffff}'", not_in_xml), "a\u{fffd}\u{fffd}\u{fffd}'");
    }
}
