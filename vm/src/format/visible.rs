//! A text as whoever's terminal shows it may be told it: code, files and agents have a say in it, and are not to command the terminal.

/// A text on one line: control characters but tabs, what turns the direction of writing round, and what ends a line are there by their
/// numbers (`\u{1b}`).
pub fn visible_line(text: &str) -> String {
    visible(text, |c| c == '\t')
}

/// The same of a text of several lines.
pub fn visible_lines(text: &str) -> String {
    visible(text, |c| matches!(c, '\t' | '\n'))
}

fn visible(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) && !keep(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

/// Whether it is no sign: a control character, tabs and line breaks among them, or what turns the direction of writing round.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing_but_signs() {
        assert_eq!(visible_line("a\tü\n"), "a\tü\\n");
        assert_eq!(visible_lines("a\nb\r\n"), "a\nb\\r\n");
        assert_eq!(
            visible_line("\x1b]52;c;AAAA\x07\u{9b}\u{202e}"),
            "\\u{1b}]52;c;AAAA\\u{7}\\u{9b}\\u{202e}"
        );
    }
}
