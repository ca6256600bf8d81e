//! `$name` and `${name}` in the value of a setting: where they stand.

/// A piece of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that stays.
    Text(&'a str),
    /// Another setting: as it is written, and its name.
    Setting(&'a str, &'a str),
}

/// The pieces of a text, in order.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = text[at..].find('$') {
        let start = at + found;
        let rest = &text[start + 1..];
        let word = |text: &str| text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let braced = rest.strip_prefix('{').and_then(|inner| {
            let length = word(inner);
            (length > 0 && inner[length..].starts_with('}')).then(|| (&inner[..length], length + 3))
        });
        let plain = || Some(word(rest)).filter(|length| *length > 0).map(|n| (&rest[..n], n + 1));
        let Some((name, length)) = plain().or(braced) else {
            at = start + 1;
            continue;
        };
        if start > from {
            all.push(Piece::Text(&text[from..start]));
        }
        all.push(Piece::Setting(&text[start..start + length], name));
        at = start + length;
        from = at;
    }
    if from < text.len() {
        all.push(Piece::Text(&text[from..]));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_text() {
        use Piece::{Setting, Text};
        assert_eq!(
            pieces("a$b/${c}d$"),
            [Text("a"), Setting("$b", "b"), Text("/"), Setting("${c}", "c"), Text("d$")]
        );
        assert_eq!(pieces("${}$-${a"), [Text("${}$-${a")]);
        assert_eq!(pieces(""), []);
    }
}
