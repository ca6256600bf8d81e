//! Escapes in strings and heredocs.

use super::{LexResult, Lexer};
use std::fmt::Write;

/// Which escapes a text knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Escapes(u16);

const LETTERS: &[u8; 10] = b"\\$'\"rntsu\n";

impl Escapes {
    /// Those of double quotes: all.
    pub(super) const DOUBLE_QUOTED: Escapes = Escapes((1 << LETTERS.len()) - 1);

    /// These and one more; `\n` stands for a line break of either kind.
    pub(super) fn with(self, letter: u8) -> Escapes {
        let bit = LETTERS.iter().position(|known| *known == letter).map_or(0, |at| 1 << at);
        Escapes(self.0 | bit)
    }

    pub(super) fn has(self, letter: char) -> bool {
        LETTERS
            .iter()
            .position(|known| char::from(*known) == letter)
            .is_some_and(|at| self.0 & (1 << at) != 0)
    }

    /// Whether there are any.
    pub(super) fn any(self) -> bool {
        self.0 != 0
    }
}

/// The value of a single-quoted string: `\\` and `\'` are escapes, all else stands for itself.
pub(super) fn single_quoted(raw: &str) -> String {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        let next = rest[at + 1..].chars().next();
        match next {
            Some(escaped @ ('\\' | '\'')) => value.push(escaped),
            Some(other) => value.extend(['\\', other]),
            None => value.push('\\'),
        }
        rest = &rest[at + 1 + next.map_or(0, char::len_utf8)..];
    }
    value.push_str(rest);
    value
}

impl<'a> Lexer<'_, 'a> {
    /// The text with its escapes resolved; what is no escape stays, with a warning if `warn`.
    pub(super) fn unescape(&mut self, raw: &'a str, escapes: Escapes, warn: bool) -> LexResult<&'a str> {
        if !escapes.any() || !raw.contains('\\') {
            return Ok(raw);
        }
        let decoded;
        let raw = if escapes.has('u') && raw.contains("\\u") {
            decoded = unicode_escapes(raw).ok_or_else(|| {
                self.fault_of_ruby(
                    "invalid byte sequence in UTF-8",
                    "a \\u escape that gives no Unicode character",
                    self.pos,
                )
            })?;
            decoded.as_str()
        } else {
            raw
        };
        let mut value = bumpalo::collections::String::with_capacity_in(raw.len(), self.arena);
        let mut rest = raw;
        while let Some(at) = rest.find('\\') {
            value.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let length =
                if rest.starts_with("\r\n") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
            let escaped = &rest[..length];
            match escaped {
                "\n" | "\r\n" if escapes.has('\n') => {}
                "" | "\r" => value.extend(["\\", escaped]),
                _ if !escaped.chars().all(|letter| escapes.has(letter)) => {
                    if warn {
                        self.warn(
                            "UNRECOGNIZED_ESCAPE",
                            format!("Unrecognized escape sequence '\\{escaped}'"),
                        );
                    }
                    value.extend(["\\", escaped]);
                }
                "r" => value.push('\r'),
                "n" => value.push('\n'),
                "t" => value.push('\t'),
                "s" => value.push(' '),
                "u" => {
                    self.warn("ILLEGAL_UNICODE_ESCAPE", ILLEGAL_UNICODE.to_owned());
                    value.push_str("\\u");
                }
                _ => value.push_str(escaped),
            }
            rest = &rest[length..];
        }
        value.push_str(rest);
        Ok(value.into_bump_str())
    }
}

const ILLEGAL_UNICODE: &str =
    "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff";

/// Resolves `\u1234` and `\u{12345}`; none if one is no character. A backslash that comes of one escapes
/// what follows, and may even start another.
fn unicode_escapes(raw: &str) -> Option<String> {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        loop {
            let Some((code, length)) = unicode_code(rest) else {
                value.push('\\');
                value.extend(rest.chars().next());
                rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
                break;
            };
            rest = &rest[length..];
            match char::from_u32(code)? {
                '\\' => {}
                character => {
                    value.push(character);
                    break;
                }
            }
        }
    }
    value.push_str(rest);
    Some(value)
}

/// The code of the escape whose backslash lies before the text, and its length from there.
fn unicode_code(text: &str) -> Option<(u32, usize)> {
    let after = text.strip_prefix('u')?;
    if let Some(braced) = after.strip_prefix('{') {
        let digits = braced.bytes().take(7).take_while(u8::is_ascii_hexdigit).count();
        if !(1..=6).contains(&digits) || braced.as_bytes().get(digits) != Some(&b'}') {
            return None;
        }
        return Some((u32::from_str_radix(&braced[..digits], 16).ok()?, digits + 3));
    }
    let digits = after.as_bytes().get(..4)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    Some((u32::from_str_radix(&after[..4], 16).ok()?, 5))
}

/// As messages quote what was recognised before.
pub(super) fn quoted(text: &str) -> String {
    let mut message = String::new();
    let _ = if text == "'" { write!(message, "\"'\"") } else { write!(message, "'{text}'") };
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_quotes() {
        assert_eq!(single_quoted(r"a\'b\\c\d\"), r"a'b\c\d\");
    }

    #[test]
    fn unicode() {
        let decoded = unicode_escapes;
        assert_eq!(decoded(r"\u00e5\u{1F600}\\u0041"), Some("å😀\\\\u0041".to_owned()));
        assert_eq!(decoded(r"\u005cu0041"), Some("A".to_owned()));
        assert_eq!(decoded(r"\u{5c}\u{41}"), Some(r"\\u{41}".to_owned()));
        assert_eq!(decoded(r"\u12 \u{} \u{1234567}"), Some(r"\u12 \u{} \u{1234567}".to_owned()));
        assert_eq!(decoded(r"\ud800"), None);
    }
}
