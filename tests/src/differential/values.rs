//! Values as they are written: literals of every type, and arrays and hashes of them.

use super::rng::Rng;

const INTEGERS: &[&str] =
    &["0", "1", "2", "-1", "3", "10", "42", "0x1F", "017", "255", "-300", "9223372036854775807", "1000000"];
const FLOATS: &[&str] = &[
    "0.0",
    "1.0",
    "1.5",
    "-2.5",
    "3.14159",
    "1.0e10",
    "1e-5",
    "2.0e100",
    "0.1",
    "123456789.125",
    "-0.5",
    "1.0e15",
    "1.0e16",
];
const STRINGS: &[&str] = &[
    "''",
    "'a'",
    "'abc'",
    "'hello world'",
    "'Hello'",
    "'10'",
    "'-3'",
    "'0x1f'",
    "'3.7'",
    "' padded '",
    "'héllo ß'",
    "\"line1\\nline2\"",
    "\"tab\\there\"",
    "'a,b,c'",
    "'true'",
    "'1.2.3'",
    "'it\\'s'",
    "'2020-01-02T03:04:05'",
    "'foo::bar'",
    "'日本語'",
    "'0b101'",
    "'1e3'",
    "'a.b.c'",
    "'C:/x y'",
];
const REGEXPS: &[&str] =
    &["/a/", "/^h/", "/(l+)(o)/", "/[[:alpha:]]+/", "/\\d+/", "/x*/", "/b$/", "/(?i:HELLO)/"];
const OTHERS: &[&str] = &[
    "undef",
    "default",
    "true",
    "false",
    "Sensitive('secret')",
    "Sensitive(1)",
    "Binary('aGVsbG8=')",
    "Timestamp('2020-01-02T03:04:05')",
    "Timestamp(0)",
    "Timespan('1-02:03:04')",
    "Timespan(90)",
    "SemVer('1.2.3')",
    "SemVer('2.0.0-rc1')",
    "SemVerRange('>=1.0.0 <2.0.0')",
    "URI('http://example.com/p?q=1')",
    "Error('boom')",
    "Deferred('join', [['a']])",
    "Notify['x']",
    "File['/a', '/b']",
    "Class['foo']",
];

/// An integer.
pub fn integer(rng: &mut Rng) -> String {
    rng.pick(INTEGERS).to_owned()
}

/// An integer or a float.
pub fn number(rng: &mut Rng) -> String {
    let pool = if rng.chance(60) { INTEGERS } else { FLOATS };
    rng.pick(pool).to_owned()
}

/// A string.
pub fn string(rng: &mut Rng) -> String {
    rng.pick(STRINGS).to_owned()
}

/// A regular expression.
pub fn regexp(rng: &mut Rng) -> String {
    rng.pick(REGEXPS).to_owned()
}

/// Neither number, string nor collection.
pub fn other(rng: &mut Rng) -> String {
    rng.pick(OTHERS).to_owned()
}

/// An array; its items of one kind more often than not.
pub fn array(rng: &mut Rng, depth: usize) -> String {
    let kind = rng.below(5);
    let items = rng.list(0, 4, |rng| match kind {
        0 => integer(rng),
        1 => string(rng),
        2 => number(rng),
        _ => value(rng, depth.saturating_sub(1)),
    });
    format!("[{items}]")
}

/// A hash; its keys strings more often than not.
pub fn hash(rng: &mut Rng, depth: usize) -> String {
    let odd = rng.chance(15);
    let entries = rng.list(0, 3, |rng| {
        let key = if odd { value(rng, 0) } else { rng.pick(&["'a'", "'b'", "'c'", "'key one'"]).to_owned() };
        format!("{key} => {}", value(rng, depth.saturating_sub(1)))
    });
    format!("{{{entries}}}")
}

/// Any value.
pub fn value(rng: &mut Rng, depth: usize) -> String {
    match rng.below(if depth == 0 { 10 } else { 14 }) {
        0 | 1 => integer(rng),
        2 => rng.pick(FLOATS).to_owned(),
        3..=5 => string(rng),
        6 => regexp(rng),
        7 => super::types::ty(rng, 1),
        8 | 9 => other(rng),
        10 | 11 => array(rng, depth),
        _ => hash(rng, depth),
    }
}
