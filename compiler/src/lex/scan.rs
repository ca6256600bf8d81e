//! Scanners for the words of the language: white space, names, variables, numbers, comments. Pure functions
//! from the rest of the input to what was recognised, built of nom's combinators.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{opt, recognize, verify};
use nom::multi::{fold_many0, many0_count, many1_count};
use nom::sequence::preceded;
use nom::{IResult, Parser};

/// The outcome of a scanner: the rest and what was recognised. There is one way to fail, so no error value.
pub(super) type Scan<'i, T = &'i [u8]> = IResult<&'i [u8], T, ()>;

const WORD: u8 = 1;
const LOWER: u8 = 2;
const UPPER: u8 = 4;
const DIGIT: u8 = 8;
const DASH: u8 = 16;
const HEX: u8 = 32;
const BLANK: u8 = 64;

/// What each byte may be part of.
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'f' => WORD | LOWER | HEX,
            b'g'..=b'z' => WORD | LOWER,
            b'_' => WORD,
            b'A'..=b'F' => WORD | UPPER | HEX,
            b'G'..=b'Z' => WORD | UPPER,
            b'0'..=b'9' => WORD | DIGIT | HEX,
            b'-' => DASH,
            b' ' | b'\t' | b'\r' => BLANK,
            _ => 0,
        };
        byte += 1;
    }
    table
};

fn is(class: u8) -> impl Fn(u8) -> bool + Copy {
    move |byte| CLASS[byte as usize] & class != 0
}

/// Whether a byte is a letter, a digit or `_`, of ASCII only.
pub(super) fn is_word(byte: u8) -> bool {
    is(WORD)(byte)
}

/// How many bytes at the start are of a class. What is met everywhere is scanned by loops of our own.
fn run(input: &[u8], class: u8) -> usize {
    input.iter().position(|byte| CLASS[*byte as usize] & class == 0).unwrap_or(input.len())
}

/// The first bytes of the input as what was recognised.
fn first(input: &[u8], length: usize) -> Scan<'_> {
    let (found, rest) = input.split_at(length);
    Ok((rest, found))
}

fn one<'i>(class: u8) -> impl Parser<&'i [u8], Output = &'i [u8], Error = ()> {
    take_while_m_n(1, 1, is(class))
}

/// Spaces and tabs of any alphabet, and carriage returns: `[[:blank:]\r]*`.
pub(super) fn white(input: &[u8]) -> Scan<'_> {
    let length = run(input, BLANK);
    if input.get(length).is_some_and(|byte| *byte >= 0x80) {
        return recognize(many0_count(alt((
            take_while1(|byte| matches!(byte, b' ' | b'\t' | b'\r')),
            wide_blank,
        ))))
        .parse(input);
    }
    first(input, length)
}

/// Spaces and tabs of any alphabet: `[[:blank:]]*`.
pub(super) fn blanks(input: &[u8]) -> Scan<'_> {
    recognize(many0_count(alt((take_while1(|byte| matches!(byte, b' ' | b'\t')), wide_blank)))).parse(input)
}

/// A space outside ASCII.
fn wide_blank(input: &[u8]) -> Scan<'_> {
    alt((
        tag("\u{a0}".as_bytes()),
        tag("\u{1680}".as_bytes()),
        verify(take_while_m_n(3, 3, |_| true), |found: &[u8]| {
            matches!(found, [0xe2, 0x80, 0x80..=0x8a | 0xaf] | [0xe2, 0x81, 0x9f] | [0xe3, 0x80, 0x80])
        }),
    ))
    .parse(input)
}

/// How a bare word can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A name: every part starts with a letter and has no dash.
    Name,
    /// Anything else.
    Word,
}

/// A bare word, possibly qualified: `foo`, `foo::bar`, `::foo`, `foo-bar`, `_x`.
pub(super) fn bare_word(input: &[u8]) -> Scan<'_, (&[u8], WordKind)> {
    let (mut rest, mut kind) = word_part(input)?;
    while rest.first() == Some(&b':') {
        let Some(Ok((after, next))) = rest.strip_prefix(b"::").map(plain_part) else { break };
        rest = after;
        if next == WordKind::Word {
            kind = WordKind::Word;
        }
    }
    Ok((rest, (&input[..input.len() - rest.len()], kind)))
}

fn word_part(input: &[u8]) -> Scan<'_, WordKind> {
    plain_part(input.strip_prefix(b"::").unwrap_or(input))
}

/// `[a-z_]` and then word characters and dashes, the last of them no dash.
fn plain_part(input: &[u8]) -> Scan<'_, WordKind> {
    let (rest, word) = first(input, run(input, WORD))?;
    if word.is_empty() {
        return Err(nom::Err::Error(()));
    }
    if word[0] != b'_' && !word[0].is_ascii_lowercase() {
        return Err(nom::Err::Error(()));
    }
    let kind = if word[0] == b'_' { WordKind::Word } else { WordKind::Name };
    if rest.first() == Some(&b'-') {
        let (_, tail) = take_while(is(WORD | DASH))(rest)?;
        let kept = tail.len() - tail.iter().rev().take_while(|byte| **byte == b'-').count();
        if kept > 0 {
            return Ok((&rest[kept..], WordKind::Word));
        }
    }
    Ok((rest, kind))
}

/// A capitalised word, possibly qualified: `Foo`, `Foo::Bar`, `::Foo`.
pub(super) fn class_ref(input: &[u8]) -> Scan<'_> {
    recognize(many1_count((opt(tag("::".as_bytes())), one(UPPER), take_while(is(WORD))))).parse(input)
}

/// The name of a variable, after its `$`: `x`, `::x`, `a::b`, `0`. A trailing `::` is not part of it.
pub(super) fn variable_name(input: &[u8]) -> Scan<'_> {
    let mut length = if input.starts_with(b"::") { 2 } else { 0 };
    loop {
        let part = run(&input[length..], WORD);
        if part == 0 {
            break;
        }
        length += part;
        if !input[length..].starts_with(b"::") {
            return first(input, length);
        }
        length += 2;
    }
    // A `::` with no part behind it is not of the name; without any part it is none.
    match length.checked_sub(2) {
        Some(before) if before > 0 => first(input, before),
        _ => Err(nom::Err::Error(())),
    }
}

/// A number: `42`, `0x2a`, `052`, `1.5e-3`. Fails where a word character follows at once.
pub(super) fn number(input: &[u8]) -> Scan<'_> {
    let digits = || take_while1(is(DIGIT));
    let exponent = || recognize((one_of("eE"), opt(char('-')), take_while1(is(DIGIT))));
    alt((
        ends_word(recognize((char('0'), one_of("xX"), take_while1(is(HEX))))),
        ends_word(recognize((digits(), opt((char('.'), digits())), exponent()))),
        ends_word(recognize((digits(), char('.'), digits()))),
        ends_word(recognize(digits())),
    ))
    .parse(input)
}

/// The same scanner, which fails where a word character follows.
fn ends_word<'i>(
    scanner: impl Parser<&'i [u8], Output = &'i [u8], Error = ()>,
) -> impl Parser<&'i [u8], Output = &'i [u8], Error = ()> {
    let mut scanner = scanner;
    move |input: &'i [u8]| {
        let (rest, found) = scanner.parse(input)?;
        if follows_word(rest) { Err(nom::Err::Error(())) } else { Ok((rest, found)) }
    }
}

/// Whether the input goes on with a letter, digit or `_` of any alphabet.
fn follows_word(input: &[u8]) -> bool {
    match input.first() {
        None => false,
        Some(byte) if *byte < 0x80 => is_word(*byte),
        Some(_) => {
            let end = (1..=4.min(input.len())).find_map(|len| std::str::from_utf8(&input[..len]).ok());
            end.and_then(|text| text.chars().next()).is_some_and(char::is_alphanumeric)
        }
    }
}

/// The word characters at the start of the input.
pub(super) fn word_run(input: &[u8]) -> Scan<'_> {
    take_while(is(WORD))(input)
}

/// `# …` up to the line's end.
pub(super) fn line_comment(input: &[u8]) -> Scan<'_> {
    match input.first() {
        Some(b'#') => first(input, memchr::memchr(b'\n', input).unwrap_or(input.len())),
        _ => Err(nom::Err::Error(())),
    }
}

/// `/* … */`
pub(super) fn block_comment(input: &[u8]) -> Scan<'_> {
    recognize((tag("/*".as_bytes()), take_until("*/".as_bytes()), tag("*/".as_bytes()))).parse(input)
}

/// A regular expression with its slashes; a slash preceded by an odd number of backslashes does not end it.
pub(super) fn regex(input: &[u8]) -> Scan<'_> {
    let text = || take_while(|byte| !matches!(byte, b'/' | b'\\'));
    let escape = || preceded(char('\\'), take_while_m_n(1, 1, |_| true));
    recognize((char('/'), text(), fold_many0((escape(), text()), || (), |(), _| ()), char('/'))).parse(input)
}

/// The specification of a heredoc, from `@(` to its parenthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeredocSpec<'i> {
    /// The end tag with its quotes and the space around it.
    pub tag: &'i [u8],
    /// The syntax after `:`, where given.
    pub syntax: Option<&'i [u8]>,
    /// The escapes after `/`, where given.
    pub escapes: Option<&'i [u8]>,
}

/// `@(tag:syntax/escapes)`
pub(super) fn heredoc_spec(input: &[u8]) -> Scan<'_, HeredocSpec<'_>> {
    let tag_text = take_while1(|byte| !matches!(byte, b':' | b'/' | b'\r' | b'\n' | b')'));
    let syntax = recognize((one(LOWER), take_while1(|byte| is_word(byte) || byte == b'+')));
    let escapes = take_while(|byte| is_word(byte) || byte == b'$');
    let (rest, (_, tag, syntax, escapes, _)) = (
        tag_bytes("@("),
        tag_text,
        opt((char(':'), blanks, syntax, blanks)),
        opt((char('/'), escapes, blanks)),
        char(')'),
    )
        .parse(input)?;
    Ok((
        rest,
        HeredocSpec { tag, syntax: syntax.map(|found| found.2), escapes: escapes.map(|found| found.1) },
    ))
}

fn tag_bytes<'i>(text: &'static str) -> impl Parser<&'i [u8], Output = &'i [u8], Error = ()> {
    tag(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken<'i, T>(scan: Scan<'i, T>, input: &'i str) -> Option<usize> {
        scan.ok().map(|(rest, _)| input.len() - rest.len())
    }

    #[test]
    fn bare_words() {
        let word = |text: &'static str| {
            bare_word(text.as_bytes()).ok().map(|(_, (found, kind))| (found.len(), kind))
        };
        assert_eq!(word("foo bar"), Some((3, WordKind::Name)));
        assert_eq!(word("foo::bar::"), Some((8, WordKind::Name)));
        assert_eq!(word("::foo"), Some((5, WordKind::Name)));
        assert_eq!(word("foo-bar-"), Some((7, WordKind::Word)));
        assert_eq!(word("foo-"), Some((3, WordKind::Name)));
        assert_eq!(word("foo-::bar"), Some((3, WordKind::Name)));
        assert_eq!(word("_x"), Some((2, WordKind::Word)));
        assert_eq!(word("a::_b"), Some((5, WordKind::Word)));
        assert_eq!(word("foo::Bar"), Some((3, WordKind::Name)));
        assert_eq!(word("Foo"), None);
    }

    #[test]
    fn numbers() {
        let number = |text: &'static str| taken(number(text.as_bytes()), text);
        assert_eq!(number("42"), Some(2));
        assert_eq!(number("0x2aG"), None);
        assert_eq!(number("1.5e-3)"), Some(6));
        assert_eq!(number("1.5x"), Some(1));
        assert_eq!(number("1.each"), Some(1));
        assert_eq!(number("12ab"), None);
        assert_eq!(number("1e"), None);
        assert_eq!(number("1é"), None);
    }

    #[test]
    fn variables_and_regular_expressions() {
        assert_eq!(taken(variable_name(b"::a::b::"), "::a::b::"), Some(6));
        assert_eq!(taken(regex(br"/a\/b/ "), r"/a\/b/ "), Some(6));
        assert_eq!(taken(regex(br"/a\\/b"), r"/a\\/b"), Some(5));
        assert_eq!(taken(regex(b"/a"), "/a"), None);
    }
}
