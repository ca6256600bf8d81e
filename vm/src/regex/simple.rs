//! Matches plain expressions over ASCII without the engine, whose machines cost more to make than a few matches do: a
//! first compile holds hundreds of expressions against one or two texts each.
//!
//! A match goes forward and steps back where it has to, in the order that the engine prefers, and finds what the engine
//! finds. What takes more than a few steps is left to the engine, which has bounds of its own.

use super::plain::{Alternatives, Piece, Place, Plain, Set, Times, WORD};

/// Expressions that come to more steps are left to the engine.
const LONGEST: usize = 1_000;
/// What one search may take.
const STEPS: usize = 4_000;

/// An expression as steps.
#[derive(Debug)]
pub(super) struct Simple {
    steps: Vec<Step>,
    groups: usize,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    One(Set),
    Place(Place),
    /// Go on at the first; if that comes to nothing, at the second.
    Either(u32, u32),
    Jump(u32),
    /// The place is where a group begins or ends.
    Save(u32),
    Found,
}

/// Byte ranges of the groups, the whole match first.
pub(super) type Groups = Vec<Option<(usize, usize)>>;

/// What a search comes to.
pub(super) enum Outcome {
    Found(Groups),
    Nothing,
    /// It takes too long.
    GivenUp,
}

impl Simple {
    /// The steps of an expression; none where it is the engine's.
    pub fn new(plain: &Plain) -> Option<Simple> {
        let groups = plain.groups as usize + 1;
        let mut writer = Writer { steps: Vec::new() };
        writer.alternatives(&plain.alternatives)?;
        writer.push(Step::Found)?;
        Some(Simple { steps: writer.steps, groups })
    }

    /// The first match in a text that is ASCII, at or after `from`.
    pub fn search(&self, text: &[u8], from: usize) -> Outcome {
        let mut search =
            Search { simple: self, text, left: STEPS, saved: vec![None; 2 * self.groups], back: Vec::new() };
        let starts_only = matches!(self.steps.first(), Some(Step::Place(Place::Start)));
        for start in from..=text.len() {
            match search.at(start) {
                Some(Some(end)) => return Outcome::Found(search.groups(start, end)),
                Some(None) if starts_only => return Outcome::Nothing,
                Some(None) => {}
                None => return Outcome::GivenUp,
            }
        }
        Outcome::Nothing
    }
}

/// Writes steps. What may match nothing is not repeated: there engines differ.
struct Writer {
    steps: Vec<Step>,
}

impl Writer {
    fn push(&mut self, step: Step) -> Option<usize> {
        self.steps.push(step);
        (self.steps.len() <= LONGEST).then(|| self.steps.len() - 1)
    }

    fn here(&self) -> u32 {
        self.steps.len() as u32
    }

    /// Writes alternatives; whether they may match nothing.
    fn alternatives(&mut self, all: &Alternatives) -> Option<bool> {
        let (last, others) = all.split_last()?;
        let mut ends = Vec::new();
        let mut is_empty = false;
        for pieces in others {
            let either = self.push(Step::Either(0, 0))?;
            is_empty |= self.sequence(pieces)?;
            ends.push(self.push(Step::Jump(0))?);
            self.steps[either] = Step::Either(either as u32 + 1, self.here());
        }
        is_empty |= self.sequence(last)?;
        for end in ends {
            self.steps[end] = Step::Jump(self.here());
        }
        Some(is_empty)
    }

    fn sequence(&mut self, pieces: &[Piece]) -> Option<bool> {
        let mut is_empty = true;
        for piece in pieces {
            is_empty &= self.piece(piece)?;
        }
        Some(is_empty)
    }

    fn piece(&mut self, piece: &Piece) -> Option<bool> {
        match piece {
            Piece::One(set) => self.push(Step::One(*set)).map(|_| false),
            Piece::Place(place) => self.push(Step::Place(*place)).map(|_| true),
            Piece::Ahead => None,
            Piece::Group(None, alternatives) => self.alternatives(alternatives),
            Piece::Group(Some(number), alternatives) => {
                self.push(Step::Save(2 * number))?;
                let is_empty = self.alternatives(alternatives)?;
                self.push(Step::Save(2 * number + 1))?;
                Some(is_empty)
            }
            Piece::Repeat(piece, times) => self.repeat(piece, *times),
        }
    }

    fn repeat(&mut self, piece: &Piece, Times { least, most, is_lazy }: Times) -> Option<bool> {
        let once = |writer: &mut Writer| writer.piece(piece).filter(|is_empty| !is_empty);
        let either = |go: usize, on: u32| {
            let go = go as u32 + 1;
            if is_lazy { Step::Either(on, go) } else { Step::Either(go, on) }
        };
        for _ in 0..least {
            once(self)?;
        }
        match most {
            None => {
                let again = self.push(Step::Either(0, 0))?;
                once(self)?;
                self.push(Step::Jump(again as u32))?;
                self.steps[again] = either(again, self.here());
            }
            Some(most) => {
                let mut tries = Vec::new();
                for _ in least..most {
                    tries.push(self.push(Step::Either(0, 0))?);
                    once(self)?;
                }
                for at in tries {
                    self.steps[at] = either(at, self.here());
                }
            }
        }
        Some(least == 0)
    }
}

/// Where a match can be taken up again, and what was saved then.
enum Back {
    To(u32, usize),
    Saved(u32, Option<usize>),
}

struct Search<'s> {
    simple: &'s Simple,
    text: &'s [u8],
    left: usize,
    saved: Vec<Option<usize>>,
    back: Vec<Back>,
}

impl Search<'_> {
    /// The end of a match that begins here, if there is one; none where it takes too long.
    fn at(&mut self, start: usize) -> Option<Option<usize>> {
        self.back.clear();
        self.saved.fill(None);
        let (mut step, mut place) = (0, start);
        loop {
            self.left = self.left.checked_sub(1)?;
            let goes_on = match self.simple.steps[step] {
                Step::Found => return Some(Some(place)),
                Step::One(set) => {
                    let is_in = self.text.get(place).is_some_and(|byte| set >> byte & 1 == 1);
                    place += 1;
                    step += 1;
                    is_in
                }
                Step::Place(wanted) => {
                    step += 1;
                    self.is_at(wanted, place)
                }
                Step::Either(first, second) => {
                    self.back.push(Back::To(second, place));
                    step = first as usize;
                    true
                }
                Step::Jump(to) => {
                    step = to as usize;
                    true
                }
                Step::Save(number) => {
                    let before = self.saved[number as usize].replace(place);
                    self.back.push(Back::Saved(number, before));
                    step += 1;
                    true
                }
            };
            if goes_on {
                continue;
            }
            loop {
                match self.back.pop() {
                    None => return Some(None),
                    Some(Back::Saved(number, before)) => self.saved[number as usize] = before,
                    Some(Back::To(to, from)) => {
                        (step, place) = (to as usize, from);
                        break;
                    }
                }
            }
        }
    }

    fn is_at(&self, wanted: Place, place: usize) -> bool {
        let before = place.checked_sub(1).map(|before| self.text[before]);
        let behind = self.text.get(place).copied();
        let is_word = |byte: Option<u8>| byte.is_some_and(|byte| WORD >> byte & 1 == 1);
        match wanted {
            Place::Start => before.is_none(),
            Place::End => behind.is_none(),
            Place::LastLine => behind.is_none() || (behind == Some(b'\n') && place + 1 == self.text.len()),
            Place::LineStart => before.is_none_or(|byte| byte == b'\n'),
            Place::LineEnd => behind.is_none_or(|byte| byte == b'\n'),
            Place::WordEdge => is_word(before) != is_word(behind),
            Place::NoWordEdge => is_word(before) == is_word(behind),
        }
    }

    fn groups(&self, start: usize, end: usize) -> Groups {
        let inner = self.saved.chunks_exact(2).skip(1).map(|ends| Some((ends[0]?, ends[1]?)));
        std::iter::once(Some((start, end))).chain(inner).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BytesMode, ascii, build, plain};
    use super::*;

    /// Pieces that expressions and texts are made of.
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
        "\\B",
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
        "*?",
        "+?",
        "??",
        "(a|b)",
        "(a*)",
        "(b)?",
        "(?i)",
        "\\0",
        "\t",
        "[[:word:]~]",
        "(a^)",
        "(?:b(?!a))",
        "[ab]",
        "\\w+",
    ];
    const TEXTS: &[&str] =
        &["a", "b", "Z", "z", "0", "\n", " ", "ab", "-", ".", "_", "f", "A", "aa", "]", "\\", ","];

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % limit as u64) as usize
        }

        fn text(&mut self, pieces: &[&str], most: usize) -> String {
            (0..self.below(most)).map(|_| pieces[self.below(pieces.len())]).collect()
        }
    }

    #[test]
    fn what_is_plain_compiles_and_matches_as_the_engine_does() {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let (mut plain, mut found) = (0, 0);
        for _ in 0..40_000 {
            let source = random.text(PIECES, 10);
            let Some(read) = plain::read(&source) else { continue };
            plain += 1;
            let ascii = ascii(&source);
            let unicode = build(&source, BytesMode::Unicode).unwrap_or_else(|error| panic!("{error}"));
            let Some(simple) = Simple::new(&read) else { continue };
            for _ in 0..6 {
                let text = random.text(TEXTS, 8);
                let from = random.below(text.len() + 1);
                let groups = |regex: &fancy_regex::Regex| -> Option<Groups> {
                    let found = regex.captures_from_pos(&text, from).expect("it is matched")?;
                    Some(found.iter().map(|group| group.map(|g| (g.start(), g.end()))).collect())
                };
                let expected = groups(&unicode);
                assert_eq!(
                    ascii.as_deref().map_or(expected.clone(), groups),
                    expected,
                    "/{source}/ in {text:?} from {from}"
                );
                match simple.search(text.as_bytes(), from) {
                    Outcome::GivenUp => {}
                    Outcome::Nothing => assert_eq!(None, expected, "/{source}/ in {text:?} from {from}"),
                    Outcome::Found(groups) => {
                        found += 1;
                        assert_eq!(Some(groups), expected, "/{source}/ in {text:?} from {from}");
                    }
                }
            }
        }
        assert!(plain > 2_000 && found > 2_000, "only {plain} were plain, {found} found");
    }

    #[test]
    fn what_explodes_is_given_up() {
        let read = plain::read("^(?:a+)+b$").expect("it is plain");
        let simple = Simple::new(&read).expect("it is simple");
        assert!(matches!(simple.search("a".repeat(60).as_bytes(), 0), Outcome::GivenUp));
    }
}
