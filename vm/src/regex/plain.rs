//! Which regular expressions are sure to be some: those written with what every engine knows. They need not be made
//! into machines before they are matched, and most expressions that types name never are.
//!
//! Whatever is not recognised here is compiled at once, with the engine's own verdict.

/// What an expression may come to when its repetitions are written out, in states, roughly: far below the engine's
/// bounds.
const LARGEST: u64 = 5_000;
/// Groups may nest this deep.
const DEEPEST: u32 = 30;

/// States of a class beyond ASCII, and of one with all letters of a kind.
const WIDE: u64 = 20;
const UNICODE: u64 = 300;

/// Whether the source is sure to compile.
pub(super) fn is_plain(source: &str) -> bool {
    let mut reader = Reader { rest: source.as_bytes(), depth: 0, may_be_empty: false };
    reader.alternatives().is_some_and(|size| size <= LARGEST) && reader.rest.is_empty()
}

struct Reader<'s> {
    rest: &'s [u8],
    depth: u32,
    /// Whether the group has had something that may match nothing.
    may_be_empty: bool,
}

/// What a quantifier may stand behind.
struct Atom {
    size: u64,
    /// Places, and groups that hold one or an empty alternative, are not repeated.
    is_repeatable: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.strip_prefix(text.as_bytes());
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    /// The size of alternatives up to a `)` or the end; none where something is not known.
    fn alternatives(&mut self) -> Option<u64> {
        let mut size = self.sequence()?;
        while self.eat("|") {
            size += 1 + self.sequence()?;
        }
        Some(size)
    }

    fn sequence(&mut self) -> Option<u64> {
        let mut size = 0u64;
        while !matches!(self.peek(), None | Some(b'|' | b')')) {
            let atom = self.atom()?;
            let times = if atom.is_repeatable { self.quantifier()? } else { 1 };
            self.may_be_empty |= !atom.is_repeatable;
            size = size.checked_add(atom.size.max(1).checked_mul(times)?).filter(|size| *size <= LARGEST)?;
        }
        self.may_be_empty |= size == 0;
        Some(size)
    }

    fn atom(&mut self) -> Option<Atom> {
        let place = Atom { size: 1, is_repeatable: false };
        let size = match self.next()? {
            b'^' | b'$' => return Some(place),
            b'.' => WIDE,
            b'[' => self.class()?,
            b'(' => return self.group(),
            b'\\' => match self.next()? {
                b'A' | b'z' | b'Z' | b'b' | b'B' => return Some(place),
                escaped => escape(escaped)?,
            },
            b']' | b'{' | b'}' | b'*' | b'+' | b'?' => return None,
            // Spaces and `#` are themselves, as long as no `x` is about.
            byte if byte.is_ascii_graphic() || byte == b' ' => 1,
            _ => return None,
        };
        Some(Atom { size, is_repeatable: true })
    }

    /// A group that captures, one that does not, one with options, or a look ahead.
    fn group(&mut self) -> Option<Atom> {
        let mut is_place = false;
        if self.eat("?") {
            is_place = self.eat("=") || self.eat("!");
            if !is_place {
                while matches!(self.peek(), Some(b'i' | b'm' | b'-' | b'x')) {
                    // What is switched off harms nothing.
                    if self.eat("-") {
                        while matches!(self.peek(), Some(b'i' | b'm' | b'x')) {
                            self.next();
                        }
                        break;
                    }
                    if self.next() == Some(b'x') {
                        return None;
                    }
                }
                if !self.eat(":") {
                    return None;
                }
            }
        }
        self.depth += 1;
        let around = std::mem::take(&mut self.may_be_empty);
        let size = (self.depth <= DEEPEST).then(|| self.alternatives())??;
        let is_repeatable = !is_place && !self.may_be_empty;
        self.may_be_empty |= around;
        self.depth -= 1;
        // With options letters may have a second form.
        self.eat(")").then_some(Atom { size: 2 * size, is_repeatable })
    }

    /// How often what stands in front may be written out.
    fn quantifier(&mut self) -> Option<u64> {
        let times = match self.peek() {
            Some(b'*' | b'+' | b'?') => {
                self.next();
                2
            }
            Some(b'{') => {
                self.next();
                let least = self.number()?;
                let most = if !self.eat(",") {
                    least
                } else if self.peek() == Some(b'}') {
                    least + 1
                } else {
                    self.number()?
                };
                if least > most || most == 0 || !self.eat("}") {
                    return None;
                }
                most + 1
            }
            _ => return Some(1),
        };
        // Lazy, possessive, repeated again: less certain.
        match self.peek() {
            Some(b'*' | b'+' | b'?' | b'{') => None,
            _ => Some(times),
        }
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        (1..=3).contains(&digits).then(|| number.iter().fold(0, |n, digit| n * 10 + u64::from(digit - b'0')))
    }

    /// A class behind its bracket: letters, digits and signs, ranges of letters or digits, POSIX classes.
    fn class(&mut self) -> Option<u64> {
        let mut size = if self.eat("^") { WIDE } else { 1 };
        let mut is_empty = true;
        loop {
            let byte = self.next()?;
            match byte {
                b']' if !is_empty => return Some(size),
                b'[' => {
                    let known =
                        ["[:xdigit:]", "[:alpha:]", "[:alnum:]", "[:digit:]", "[:upper:]", "[:lower:]"];
                    let name = known.iter().position(|name| self.eat(&name[1..]))?;
                    size += if name == 0 { 2 } else { UNICODE };
                }
                b'\\' => {
                    let escaped = self.next()?;
                    // What is left out of ASCII is wide; `\b` is something else here.
                    size += escape(escaped)?;
                    if self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']') {
                        return None;
                    }
                }
                // At either end it is itself.
                b'-' if is_empty || self.peek() == Some(b']') => size += 1,
                byte if byte.is_ascii_alphanumeric() => {
                    if self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']') {
                        self.next();
                        let end = self.next()?;
                        let same = |is: fn(&u8) -> bool| is(&byte) && is(&end);
                        let fits = same(u8::is_ascii_digit)
                            || same(u8::is_ascii_lowercase)
                            || same(u8::is_ascii_uppercase);
                        if !fits || byte > end || self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']')
                        {
                            return None;
                        }
                    }
                    size += 1;
                }
                b']' | b'-' | b'&' | b'^' | b'~' => return None,
                byte if byte.is_ascii_graphic() || byte == b' ' => {
                    if self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']') {
                        return None;
                    }
                    size += 1;
                }
                _ => return None,
            }
            is_empty = false;
        }
    }
}

/// The size of what an escape stands for, within a class or outside.
fn escape(escaped: u8) -> Option<u64> {
    match escaped {
        b'd' | b'w' | b's' | b'h' => Some(2),
        b'D' | b'W' | b'S' => Some(WIDE),
        b'n' | b't' | b'r' => Some(1),
        sign if sign.is_ascii_punctuation() && !matches!(sign, b'<' | b'>' | b'`' | b'\'') => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::compile;
    use super::*;

    #[test]
    fn common_patterns_are_plain() {
        for source in [
            r"\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z",
            r"^([0-9](?!\d)|1[0-9]{2}(?!\d))[.]$",
            r"\A([[:xdigit:]]{1,4}:){6}([0-9]|25[0-5])(\.(1[0-9]{2}|2[0-4][0-9])){3}\z",
            r"(?i-mx:\Ahttps?://.*\z)",
            r"^((header|post|cookie\:[A-Za-z0-9\-\._]+|basic)\s?)+$",
            "",
        ] {
            assert!(is_plain(source), "{source}");
        }
        for source in [
            "(",
            ")",
            "a**",
            "[z-a]",
            "(?<n>a)",
            "(?<=a)b",
            "\\1",
            "a{3",
            "[",
            "(?x: # )",
            "(.{900}){900}",
            "é",
        ] {
            assert!(!is_plain(source), "{source}");
        }
    }

    #[test]
    fn what_is_plain_compiles() {
        const PIECES: &[&str] = &[
            "a",
            "Z",
            "0",
            "(",
            ")",
            "(?:",
            "(?=",
            "(?!",
            "(?i:",
            "(?m-ix:",
            "[",
            "[^",
            "]",
            "-",
            "a-f",
            "0-9",
            "|",
            "*",
            "+",
            "?",
            "{2}",
            "{1,3}",
            "{2,}",
            "{",
            "}",
            "^",
            "$",
            ".",
            "\\A",
            "\\z",
            "\\Z",
            "\\b",
            "\\d",
            "\\W",
            "\\S",
            "\\h",
            "\\.",
            "\\-",
            "\\]",
            "\\/",
            "[:xdigit:]",
            "[[:alpha:]]",
            ",",
            ":",
            "#",
            " ",
            "&&",
            "~",
            "\\n",
            "'",
            "\"",
            "=",
            "<",
            ">",
            "!",
            "@",
            "%",
            "\\\\",
            "\\&",
            "\\~",
            "{50}",
            "{999}",
            "\\#",
        ];
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut random = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        let mut plain = 0;
        for _ in 0..60_000 {
            let source: String = (0..=random(9)).map(|_| PIECES[random(PIECES.len())]).collect();
            if is_plain(&source) {
                plain += 1;
                assert!(compile(&source).is_ok(), "{source}: {:?}", compile(&source).err());
            }
        }
        assert!(plain > 3_000, "only {plain} were plain");
    }
}
