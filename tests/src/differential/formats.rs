//! Formats: of `sprintf`, and of a new `String`.

use super::rng::Rng;
use super::values;

fn directive(rng: &mut Rng, letters: &[&str], named: bool) -> String {
    let flags = rng.pick(&["", "", "", "-", "+", "0", "#", " ", "0#", "+-", "-#", "+ 0"]);
    let width = rng.pick(&["", "", "", "5", "10", "3", "20"]);
    let precision = rng.pick(&["", "", "", ".2", ".0", ".5", ".10"]);
    let name = if named { rng.pick(&["<a>", "<b>", "<nosuch>", "<a>"]) } else { "" };
    format!("%{name}{flags}{width}{precision}{}", rng.pick(letters))
}

/// A call of `sprintf`.
pub fn sprintf(rng: &mut Rng) -> String {
    const LETTERS: &[&str] = &[
        "d", "i", "u", "s", "p", "f", "e", "E", "g", "G", "x", "X", "o", "b", "B", "c", "a", "A", "%", "d",
        "s", "f", "y",
    ];
    match rng.below(8) {
        0 => {
            let format = directive(rng, LETTERS, true);
            format!(
                "sprintf('{format} %{{a}}', {{'a' => {}, 'b' => {}}})",
                values::number(rng),
                values::string(rng)
            )
        }
        1 => {
            let (first, second) = (directive(rng, LETTERS, false), directive(rng, LETTERS, false));
            format!("sprintf('{first}|{second}', {}, {})", values::number(rng), values::string(rng))
        }
        2 => format!(
            "sprintf('{}', {}, {})",
            rng.pick(&[
                "%*d",
                "%2$s %1$s",
                "%1$s %1$s",
                "%-*s|",
                "%s",
                "%",
                "%5",
                "%3$s",
                "%s %s %s",
                "%*.2f",
                "%1$*2$d"
            ]),
            values::integer(rng),
            values::value(rng, 1)
        ),
        3 => format!("sprintf('{}', {})", directive(rng, LETTERS, false), values::value(rng, 2)),
        4 => format!(
            "sprintf('{}', {})",
            directive(rng, &["s", "c", "p", "d", "x"], false),
            values::string(rng)
        ),
        _ => format!("sprintf('{}', {})", directive(rng, LETTERS, false), values::number(rng)),
    }
}

const STRING_LETTERS: &[&str] = &[
    "d", "s", "p", "f", "e", "g", "x", "X", "o", "b", "B", "c", "C", "u", "t", "q", "a", "h", "y", "n", "v",
    "V", "T", "Y", "r", "z", "D",
];

/// One format of `String.new`.
fn format(rng: &mut Rng, letters: &[&str]) -> String {
    let flags =
        rng.pick(&["", "", "", "", "-", "+", "0", "#", " ", "|", "[", "(", "{", "<", "#|", "+#", "- "]);
    let width = rng.pick(&["", "", "", "5", "10", "3", "30"]);
    let precision = rng.pick(&["", "", "", ".2", ".0", ".5"]);
    format!("'%{flags}{width}{precision}{}'", rng.pick(letters))
}

fn formatted(rng: &mut Rng) -> (String, String, &'static [&'static str]) {
    match rng.below(10) {
        0 => (
            values::integer(rng),
            "Integer".to_owned(),
            &["d", "s", "p", "x", "X", "o", "b", "c", "e", "f", "g", "a"],
        ),
        1 => (values::number(rng), "Float".to_owned(), &["f", "e", "g", "a", "d", "s", "p", "x"]),
        2 => (values::string(rng), "String".to_owned(), &["s", "p", "c", "C", "u", "d", "t"]),
        3 => (values::array(rng, 2), "Array".to_owned(), &["a", "s", "p", "d"]),
        4 => (values::hash(rng, 2), "Hash".to_owned(), &["h", "a", "s", "p", "d"]),
        5 => (
            rng.pick(&["true", "false"]).to_owned(),
            "Boolean".to_owned(),
            &["t", "T", "y", "Y", "s", "p", "d", "x"],
        ),
        6 => ("undef".to_owned(), "Undef".to_owned(), &["n", "u", "d", "x", "v", "V", "s", "p", "e", "f"]),
        7 => (values::regexp(rng), "Regexp".to_owned(), &["r", "s", "p", "d"]),
        8 => (values::other(rng), "Any".to_owned(), &["s", "p", "d", "b"]),
        _ => (values::value(rng, 2), "Any".to_owned(), STRING_LETTERS),
    }
}

/// A call of `String` with formats.
pub fn new_string(rng: &mut Rng) -> String {
    let (value, ty, letters) = formatted(rng);
    let letters = if rng.chance(15) { STRING_LETTERS } else { letters };
    let own = format(rng, letters);
    match rng.below(8) {
        0 => format!("String({value}, {{{ty} => {own}}})"),
        1 => {
            let number = format(rng, &["d", "x", "f", "s"]);
            let string = format(rng, &["s", "p", "u", "c"]);
            format!("String({value}, {{Any => {own}, Numeric => {number}, String => {string}}})")
        }
        2 => {
            let letter = rng.pick(&["a", "h", "s", "p"]);
            let flag = rng.pick(&["", "#", "|", "(", "#10"]);
            let separator = rng.pick(&["', '", "';'", "''", "1"]);
            let ty = if value.starts_with('[') { "Array" } else { "Hash" };
            let inner = format(rng, &["d", "x", "s", "p"]);
            format!(
                "String({value}, {{{ty} => {{format => '%{flag}{letter}', separator => {separator}, \
                 string_formats => {{Any => {inner}}}}}}})"
            )
        }
        3 => {
            let letter = rng.pick(&["h", "s", "p"]);
            format!(
                "String({value}, {{Hash => {{format => '%{letter}', separator => ';', separator2 => {}}}}})",
                rng.pick(&["' = '", "':'", "''"])
            )
        }
        _ => format!("String({value}, {own})"),
    }
}
