//! Words of a POSIX shell as Ruby's `Shellwords` takes a line apart, and escapes them: for stdlib's functions, and for modules' own Ruby.

/// The words of a line; none where a quote has no end.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r') {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    c => word.push(c),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        c @ ('$' | '`' | '"' | '\\' | '\n') => word.push(c),
                        c => word.extend(['\\', c]),
                    },
                    c => word.push(c),
                }
            },
            // Nothing is taken from a line's end, nor from nothing at all.
            '\\' => match chars.next() {
                Some('\n') => word.push_str("\\\n"),
                next => word.push(next.unwrap_or('\\')),
            },
            c => word.push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// A text as one word.
pub fn escaped(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("'\n'"),
            c if c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c) => out.push(c),
            c => out.extend(['\\', c]),
        }
    }
    out
}
