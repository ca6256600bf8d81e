//! Character classes and properties.

use super::{Check, MAX_DEPTH, RegexReader, wrong};

impl RegexReader<'_> {
    /// `\p{Name}`
    pub(super) fn property(&mut self) -> Check {
        if !self.eat("{") {
            return Ok(());
        }
        let rest = self.rest();
        let Some(end) = rest.find('}') else { return wrong("invalid character property name {}") };
        self.at += end + 1;
        let name: String = rest[..end]
            .trim_start_matches('^')
            .chars()
            .filter(|character| !matches!(character, ' ' | '_' | '-'))
            .map(|character| character.to_ascii_lowercase())
            .collect();
        // Scripts and ages are too many to list; a short word is taken for one of them only if it could be.
        if POSIX.contains(&name.as_str()) || name.len() <= 2 || is_script(&name) {
            return Ok(());
        }
        Err(format!("invalid character property name {{{}}}", &rest[..end]).into())
    }

    /// A class after its `[`.
    pub(super) fn class(&mut self, depth: u32) -> Check {
        if depth > MAX_DEPTH {
            return wrong("too deep nest level");
        }
        self.eat("^");
        if self.peek() == Some(']') {
            // A bracket at the start is a member if another one closes the class.
            if !self.rest()[1..].contains(']') {
                return wrong("empty char-class");
            }
            self.at += 1;
        }
        let mut last = ClassMember::None;
        loop {
            let Some(character) = self.next() else { return wrong("premature end of char-class") };
            let member = match character {
                ']' => return Ok(()),
                '[' if self.starts_bracket() => self.bracket()?,
                '[' => {
                    self.class(depth + 1)?;
                    ClassMember::Set
                }
                '&' if self.eat("&") => ClassMember::None,
                '-' => {
                    last = self.range(last, depth)?;
                    continue;
                }
                other => self.member(other)?,
            };
            last = member;
        }
    }

    /// What stands between a `-` and the member behind it.
    fn range(&mut self, low: ClassMember, _depth: u32) -> Check<ClassMember> {
        match (low, self.peek()) {
            (_, None) => wrong("premature end of char-class"),
            (ClassMember::None | ClassMember::Range, _) | (_, Some(']')) => Ok(ClassMember::Character('-')),
            (ClassMember::Set, Some(_)) => wrong("unmatched range specifier in char-class"),
            (ClassMember::Character(low), Some(next)) => {
                self.at += next.len_utf8();
                let high = if next == '[' {
                    if !self.starts_bracket() {
                        self.at -= 1;
                        return Ok(ClassMember::Range);
                    }
                    ClassMember::Set
                } else {
                    self.member(next)?
                };
                match high {
                    ClassMember::Character(high) if low > high => wrong("empty range in char class"),
                    ClassMember::Character(_) => Ok(ClassMember::Range),
                    _ => wrong("char-class value at end of range"),
                }
            }
        }
    }

    /// Whether `:name:]` follows; without its end before the class's, it is a class like any other.
    fn starts_bracket(&self) -> bool {
        let rest = self.rest();
        rest.starts_with(':') && rest.find(']').is_some_and(|end| end > 1 && rest[..end].ends_with(':'))
    }

    /// `[:name:]` after its `[`
    fn bracket(&mut self) -> Check<ClassMember> {
        let rest = self.rest();
        let end = rest.find(":]").unwrap_or(rest.len());
        let name = rest[1..end.max(1)].trim_start_matches('^');
        if !POSIX.contains(&name) {
            return wrong("invalid POSIX bracket type");
        }
        self.at += end + 2;
        Ok(ClassMember::Set)
    }

    /// A member of a class that starts with this character.
    fn member(&mut self, character: char) -> Check<ClassMember> {
        if character != '\\' {
            return Ok(ClassMember::Character(character));
        }
        Ok(match self.next() {
            None => return wrong("premature end of char-class"),
            Some('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'h' | 'H' | 'R' | 'X') => ClassMember::Set,
            Some('p' | 'P') => {
                self.property()?;
                ClassMember::Set
            }
            Some('a') => ClassMember::Character('\x07'),
            Some('b') => ClassMember::Character('\x08'),
            Some('e') => ClassMember::Character('\x1b'),
            Some('f') => ClassMember::Character('\x0c'),
            Some('v') => ClassMember::Character('\x0b'),
            Some('n') => ClassMember::Character('\n'),
            Some('t') => ClassMember::Character('\t'),
            Some('r') => ClassMember::Character('\r'),
            Some('x') => {
                let rest = self.rest();
                let length = rest.bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
                self.at += length;
                let code = u32::from_str_radix(&rest[..length], 16).unwrap_or(0);
                ClassMember::Character(char::from_u32(code).unwrap_or('\0'))
            }
            Some('u') => {
                let start = self.at;
                self.unicode_escape()?;
                let digits = self.source[start..self.at].trim_matches(['{', '}']);
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                code.map_or(ClassMember::Set, ClassMember::Character)
            }
            Some(other) => ClassMember::Character(other),
        })
    }
}

/// A member of a class, as far as ranges care.
#[derive(Clone, Copy)]
enum ClassMember {
    /// Nothing yet.
    None,
    Character(char),
    /// A class in the class.
    Set,
    /// The end of a range.
    Range,
}

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit", "word",
];

/// Names of scripts and categories that manifests may use.
fn is_script(name: &str) -> bool {
    matches!(
        name,
        "any"
            | "assigned"
            | "letter"
            | "mark"
            | "number"
            | "symbol"
            | "punctuation"
            | "separator"
            | "other"
            | "latin"
            | "greek"
            | "cyrillic"
            | "han"
            | "hiragana"
            | "katakana"
            | "hangul"
            | "arabic"
            | "hebrew"
            | "thai"
            | "common"
            | "emoji"
            | "alphabetic"
            | "uppercase"
            | "lowercase"
            | "whitespace"
    )
}
