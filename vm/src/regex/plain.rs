//! Reads regular expressions that are written with what every engine knows. They are sure to be some, so they need not
//! be made into machines before they are matched, and most of those that types name never are; and over ASCII they
//! are simple enough to be matched as they stand a few times (see [`super::simple`]).
//!
//! Whatever is not recognised here is compiled at once, with the engine's own verdict.

/// What an expression may come to when its repetitions are written out, in states, roughly: far below the engine's
/// bounds, even where each letter has other cases.
const LARGEST: u64 = 5_000;
/// Groups may nest this deep.
const DEEPEST: u32 = 30;

/// States of a class beyond ASCII, and of one with all letters of a kind.
const WIDE: u64 = 20;
const UNICODE: u64 = 300;

/// Characters of ASCII, a bit each.
pub(super) type Set = u128;

/// An expression, as far as it concerns ASCII.
#[derive(Debug)]
pub(super) struct Plain {
    pub alternatives: Alternatives,
    /// Groups that capture.
    pub groups: u32,
}

pub(super) type Alternatives = Vec<Vec<Piece>>;

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Piece {
    One(Set),
    Place(Place),
    /// With its number, where it captures.
    Group(Option<u32>, Alternatives),
    /// A look ahead.
    Ahead,
    Repeat(Box<Piece>, Times),
}

/// How often something is repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub least: u32,
    /// None for any number.
    pub most: Option<u32>,
    pub is_lazy: bool,
}

/// A place between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Start,
    End,
    /// The end, or in front of a last line end.
    LastLine,
    LineStart,
    LineEnd,
    WordEdge,
    NoWordEdge,
}

/// The expression; none where it is not sure to be one.
pub(super) fn read(source: &str) -> Option<Plain> {
    let mut reader =
        Reader { rest: source.as_bytes(), depth: 0, groups: 0, ignores_case: false, dot_is_all: false };
    // Options of the whole.
    if reader.rest.starts_with(b"(?") {
        let all = reader.rest;
        reader.rest = &all[2..];
        if reader.options() != Some(b')') {
            reader = Reader { rest: all, ignores_case: false, dot_is_all: false, ..reader };
        }
    }
    let (alternatives, _, _) = reader.alternatives()?;
    reader.rest.is_empty().then_some(Plain { alternatives, groups: reader.groups })
}

/// The set of some characters.
const fn set(characters: &[u8]) -> Set {
    let (mut set, mut at) = (0, 0);
    while at < characters.len() {
        set |= 1 << characters[at];
        at += 1;
    }
    set
}

/// The set of the characters from one to another.
const fn range(from: u8, to: u8) -> Set {
    let (mut set, mut at) = (0, from);
    while at <= to {
        set |= 1 << at;
        at += 1;
    }
    set
}

const DIGITS: Set = range(b'0', b'9');
const UPPER: Set = range(b'A', b'Z');
const LOWER: Set = range(b'a', b'z');
pub(super) const WORD: Set = DIGITS | UPPER | LOWER | set(b"_");
const SPACE: Set = set(b"\t\n\x0b\x0c\r ");
const HEX: Set = DIGITS | range(b'A', b'F') | range(b'a', b'f');

/// Both cases of the letters of a set.
fn both_cases(set: Set) -> Set {
    set | (set & UPPER) << 32 | (set & LOWER) >> 32
}

struct Reader<'s> {
    rest: &'s [u8],
    depth: u32,
    groups: u32,
    ignores_case: bool,
    dot_is_all: bool,
}

/// An atom, its size, and whether it may be repeated: places, and groups with an alternative of nothing else, are not.
type Atom = (Piece, u64, bool);

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

    /// Alternatives up to a `)` or the end, their size, and whether each has more than places; none where something is
    /// not known.
    fn alternatives(&mut self) -> Option<(Alternatives, u64, bool)> {
        let mut all = Vec::new();
        let (mut size, mut is_repeatable) = (0, true);
        loop {
            let mut pieces = Vec::new();
            let (more, has_more) = self.sequence(&mut pieces)?;
            size += 1 + more;
            is_repeatable &= has_more;
            all.push(pieces);
            if !self.eat("|") {
                return (size <= LARGEST).then_some((all, size, is_repeatable));
            }
        }
    }

    fn sequence(&mut self, pieces: &mut Vec<Piece>) -> Option<(u64, bool)> {
        let (mut size, mut has_more) = (0u64, false);
        while !matches!(self.peek(), None | Some(b'|' | b')')) {
            let (mut piece, mut one, is_repeatable) = self.atom()?;
            has_more |= is_repeatable;
            if is_repeatable && let Some(times) = self.quantifier()? {
                one = one.max(1).checked_mul(1 + u64::from(times.most.unwrap_or(times.least + 1)))?;
                piece = Piece::Repeat(Box::new(piece), times);
            }
            pieces.push(piece);
            size = size.checked_add(one).filter(|size| *size <= LARGEST)?;
        }
        Some((size, has_more))
    }

    fn one(&self, set: Set) -> Piece {
        Piece::One(if self.ignores_case { both_cases(set) } else { set })
    }

    fn atom(&mut self) -> Option<Atom> {
        let place = |place| Some((Piece::Place(place), 1, false));
        Some(match self.next()? {
            b'^' => return place(Place::LineStart),
            b'$' => return place(Place::LineEnd),
            b'.' => (Piece::One(if self.dot_is_all { Set::MAX } else { !set(b"\n") }), WIDE, true),
            b'[' => {
                let (set, size) = self.class()?;
                (Piece::One(set), size, true)
            }
            b'(' => return self.group(),
            b'\\' => match self.next()? {
                b'A' => return place(Place::Start),
                b'z' => return place(Place::End),
                b'Z' => return place(Place::LastLine),
                b'b' => return place(Place::WordEdge),
                b'B' => return place(Place::NoWordEdge),
                escaped => {
                    let (set, size) = self.escape(escaped)?;
                    (self.one(set), size, true)
                }
            },
            b']' | b'{' | b'}' | b'*' | b'+' | b'?' => return None,
            // Spaces and `#` are themselves, as long as no `x` is about.
            byte if byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t') => (self.one(1 << byte), 1, true),
            _ => return None,
        })
    }

    /// A group that captures, one that does not, one with options, or a look ahead.
    fn group(&mut self) -> Option<Atom> {
        let options = (self.ignores_case, self.dot_is_all);
        let (mut is_ahead, mut number) = (false, None);
        if self.eat("?") {
            is_ahead = self.eat("=") || self.eat("!");
            if !is_ahead && self.options()? != b':' {
                return None;
            }
        } else {
            self.groups += 1;
            number = Some(self.groups);
        }
        self.depth += 1;
        let (alternatives, size, is_repeatable) = (self.depth <= DEEPEST).then(|| self.alternatives())??;
        self.depth -= 1;
        (self.ignores_case, self.dot_is_all) = options;
        let group = if is_ahead { Piece::Ahead } else { Piece::Group(number, alternatives) };
        self.eat(")").then_some((group, size, is_repeatable && !is_ahead))
    }

    /// `i` and `m`, on or off, and `x`, off; and what stands behind them.
    fn options(&mut self) -> Option<u8> {
        if !matches!(self.peek(), Some(b'i' | b'm' | b'-' | b':')) || self.rest.starts_with(b"-)") {
            return None;
        }
        let mut on = true;
        loop {
            match self.next()? {
                b'i' => self.ignores_case = on,
                b'm' => self.dot_is_all = on,
                b'x' if !on => {}
                b'-' if on => on = false,
                end @ (b':' | b')') => return Some(end),
                _ => return None,
            }
        }
    }

    /// How often what stands in front is repeated, if it is.
    fn quantifier(&mut self) -> Option<Option<Times>> {
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => return self.counted().map(Some),
            _ => return Some(None),
        };
        self.next();
        let is_lazy = self.eat("?");
        // Possessive, repeated again: less certain.
        let is_more = matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{'));
        (!is_more).then_some(Some(Times { least, most, is_lazy }))
    }

    fn counted(&mut self) -> Option<Times> {
        self.next();
        let least = self.number()?;
        let most = if !self.eat(",") {
            Some(least)
        } else if self.peek() == Some(b'}') {
            None
        } else {
            Some(self.number()?)
        };
        let fits = most.is_none_or(|most| most > 0 && least <= most) && self.eat("}");
        let is_more = matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{'));
        (fits && !is_more).then_some(Times { least, most, is_lazy: false })
    }

    fn number(&mut self) -> Option<u32> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        (1..=3).contains(&digits).then(|| number.iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0')))
    }

    /// Whether a range goes on here: a `-` that is not the class's last.
    fn is_range(&self) -> bool {
        self.peek() == Some(b'-') && self.rest.get(1) != Some(&b']')
    }

    /// A class behind its bracket: letters, digits and signs, ranges of letters or digits, POSIX classes.
    fn class(&mut self) -> Option<(Set, u64)> {
        let is_negated = self.eat("^");
        let (mut all, mut size): (Set, u64) = (0, if is_negated { WIDE } else { 1 });
        let mut is_empty = true;
        loop {
            let byte = self.next()?;
            let (some, more) = match byte {
                b']' if !is_empty => {
                    let all = if self.ignores_case { both_cases(all) } else { all };
                    return Some((if is_negated { !all } else { all }, size));
                }
                b'[' => self.posix()?,
                b'\\' => {
                    let escaped = self.next()?;
                    self.escape(escaped).filter(|_| !self.is_range())?
                }
                // At either end it is itself.
                b'-' if is_empty || self.peek() == Some(b']') => (set(b"-"), 1),
                byte if byte.is_ascii_alphanumeric() => {
                    let mut end = byte;
                    if self.is_range() {
                        self.next();
                        end = self.next()?;
                        let same = |is: fn(&u8) -> bool| is(&byte) && is(&end);
                        let is_known = same(u8::is_ascii_digit)
                            || same(u8::is_ascii_lowercase)
                            || same(u8::is_ascii_uppercase);
                        if !is_known || byte > end || self.is_range() {
                            return None;
                        }
                    }
                    (range(byte, end), 1)
                }
                b']' | b'-' | b'^' => return None,
                // Doubled they may mean something.
                b'&' | b'~' if self.peek() == Some(byte) => return None,
                byte if byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t') => {
                    (!self.is_range()).then_some((set(&[byte]), 1))?
                }
                _ => return None,
            };
            all |= some;
            size += more;
            is_empty = false;
        }
    }

    /// A POSIX class within a class, behind its bracket.
    fn posix(&mut self) -> Option<(Set, u64)> {
        const KNOWN: [(&str, Set, u64); 7] = [
            (":word:]", WORD, UNICODE),
            (":xdigit:]", HEX, 2),
            (":alpha:]", UPPER | LOWER, UNICODE),
            (":alnum:]", UPPER | LOWER | DIGITS, UNICODE),
            (":digit:]", DIGITS, UNICODE),
            (":upper:]", UPPER, UNICODE),
            (":lower:]", LOWER, UNICODE),
        ];
        let (_, set, size) = KNOWN.iter().find(|(name, ..)| self.eat(name))?;
        Some((*set, *size))
    }

    /// What an escape stands for, within a class or outside, and its size.
    fn escape(&self, escaped: u8) -> Option<(Set, u64)> {
        Some(match escaped {
            b'd' => (DIGITS, 2),
            b'w' => (WORD, 2),
            b's' => (SPACE, 2),
            b'h' => (HEX, 2),
            b'D' => (!DIGITS, WIDE),
            b'W' => (!WORD, WIDE),
            b'S' => (!SPACE, WIDE),
            b'n' => (set(b"\n"), 1),
            b't' => (set(b"\t"), 1),
            b'r' => (set(b"\r"), 1),
            b'0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => (1, 1),
            sign if sign.is_ascii_punctuation() && !matches!(sign, b'<' | b'>' | b'`' | b'\'') => {
                (set(&[sign]), 1)
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn common_patterns_are_plain() {
        for source in [
            r"\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z",
            r"^([0-9](?!\d)|1[0-9]{2}(?!\d))[.]$",
            r"\A([[:xdigit:]]{1,4}:){6}([0-9]|25[0-5])(\.(1[0-9]{2}|2[0-4][0-9])){3}\z",
            r"(?i-mx:\Ahttps?://.*\z)",
            r"^((header|post|query|cookie\:[A-Za-z0-9\-\._]+|basic)\s?)+$",
            "^(.*?)@(.*)$",
            "(?i)true",
            r"\A/([^\n/\0]+/*)*\z",
            "",
        ] {
            assert!(read(source).is_some(), "{source}");
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
            "a++",
            "a{2}?",
            "a(?i)b",
        ] {
            assert!(read(source).is_none(), "{source}");
        }
    }
}
