//! Keys: `a::b.c.0."d.e"` is the root key `a::b` and the segments that lead into its value.

use crate::data_file::data::Data;
use crate::explain::{Explain, FoundIn, Step};
use crate::fault::lookup_error;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::names;
use bunraku_vm::value::Value;
use std::borrow::Cow;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'t> {
    /// A key of a hash.
    Name(&'t str),
    /// A place in an array.
    Index(i64),
}

impl Segment<'_> {
    fn data(&self) -> Data {
        match self {
            Segment::Name(name) => Data::Text((*name).to_owned()),
            Segment::Index(n) => Data::Int(*n),
        }
    }
}

/// A key taken apart.
#[derive(Clone, Debug)]
pub struct Key<'t> {
    /// As written.
    pub text: &'t str,
    /// What data files have as their key.
    pub root: Cow<'t, str>,
    /// The way into its value.
    pub segments: Vec<Segment<'t>>,
}

/// Whether a key has neither segments nor quotes.
pub(crate) fn is_plain(text: &str) -> bool {
    // All bytes at a time: hardly a key has any of these.
    !text.bytes().fold(false, |found, byte| found | (byte == b'\'') | (byte == b'"') | (byte == b'.'))
}

impl<'t> Key<'t> {
    /// Takes a key apart; none if it can't be.
    pub fn split(text: &'t str) -> Option<Key<'t>> {
        if is_plain(text) {
            return Some(Key { text, root: Cow::Borrowed(text), segments: Vec::new() });
        }
        let mut segments = segments(text)?.into_iter();
        let root = match segments.next()? {
            Segment::Name(name) => Cow::Borrowed(name),
            Segment::Index(n) => Cow::Owned(n.to_string()),
        };
        Some(Key { text, root, segments: segments.collect() })
    }

    /// The key of a look-up.
    ///
    /// # Errors
    /// When it can't be taken apart.
    pub fn parse<'c>(text: &'t str) -> Eval<'c, Key<'t>> {
        Key::split(text).ok_or_else(|| lookup_error(format!("Syntax error in key: '{text}'")))
    }

    /// The module whose data may hold the key.
    pub fn module(&self) -> Option<&str> {
        names::split_first(&self.root).map(|(module, _)| module)
    }

    /// Follows the segments into a value; none where they lead to nothing.
    ///
    /// # Errors
    /// When one of them leads into what has neither keys nor items.
    pub fn dig<'c>(&self, explain: Explain<'c>, value: Value<'c>) -> Eval<'c, Option<Value<'c>>> {
        if self.segments.is_empty() {
            return Ok(Some(value));
        }
        let what = || Step::SubKey(self.segments.iter().map(Segment::data).collect());
        explain.with(what, || self.follow(explain, value))
    }

    fn follow<'c>(&self, explain: Explain<'c>, mut value: Value<'c>) -> Eval<'c, Option<Value<'c>>> {
        for segment in &self.segments {
            let next = match (segment, value) {
                (_, Value::Undef) => None,
                (Segment::Index(n), Value::Array(items)) => {
                    usize::try_from(*n).ok().and_then(|n| items.items().get(n).copied())
                }
                (Segment::Index(n), Value::Hash(hash)) => hash.get(Value::Int(*n)),
                (Segment::Name(name), Value::Hash(hash)) => hash.get_str(name),
                (_, Value::Int(n)) => {
                    // Ruby's own words: its integers have `[]`, which gives bits.
                    let message = format!(
                        "undefined method `include?' for {n}:Integer\n\n            unless value.include?(segment)\n                        ^^^^^^^^^"
                    );
                    return Err(Flow::caused(Cause::UndefinedMethod, message));
                }
                (segment, other) => {
                    let class = match other {
                        Value::Str(_) => "String",
                        Value::Array(_) => "Array",
                        Value::Bool(true) => "TrueClass",
                        Value::Bool(false) => "FalseClass",
                        Value::Float(_) => "Float",
                        _ => "Object",
                    };
                    let segment = match segment {
                        Segment::Name(name) => (*name).to_owned(),
                        Segment::Index(n) => n.to_string(),
                    };
                    return Err(lookup_error(format!(
                        "Data Provider type mismatch: Got {class} when a hash-like object was expected to \
                         access value using '{segment}' from key '{}'",
                        self.text
                    )));
                }
            };
            explain.with(
                || Step::Segment(segment.data()),
                || match next {
                    Some(next) => explain.found(segment.data(), next, FoundIn::Place),
                    None => explain.not_found(segment.data()),
                },
            );
            match next {
                Some(next) => value = next,
                None => return Ok(None),
            }
        }
        Ok(Some(value))
    }
}

/// The parts of a key, quoted or not; none where it can't be taken apart.
fn segments(text: &str) -> Option<Vec<Segment<'_>>> {
    let mut all = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        if let Some(quote) = trimmed.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            let (inner, after) = trimmed[1..].split_once(quote).filter(|(inner, _)| !inner.is_empty())?;
            all.push(Segment::Name(inner));
            rest = after.trim_start();
        } else {
            let end = rest.find(['\'', '"', '.']).unwrap_or(rest.len());
            let word = rest[..end].trim();
            if end == 0 {
                return None;
            }
            let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
            let number = !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit());
            all.push(match word.parse() {
                Ok(n) if number => Segment::Index(n),
                _ => Segment::Name(word),
            });
            rest = &rest[end..];
        }
        if rest.is_empty() {
            return Some(all);
        }
        rest = rest.strip_prefix('.')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_apart_at_dots_outside_of_quotes() {
        let split = |text| Key::split(text).map(|key| (key.root.into_owned(), key.segments.len()));
        assert_eq!(split("a::b"), Some(("a::b".to_owned(), 0)));
        assert_eq!(split("a.b.0"), Some(("a".to_owned(), 2)));
        assert_eq!(split("'a.b'.c"), Some(("a.b".to_owned(), 1)));
        assert_eq!(split("\"it's\".\"x\""), Some(("it's".to_owned(), 1)));
        for wrong in ["a.", ".a", "a..b", "'a", "a'b'", "''.a"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_places_in_arrays() {
        let key = Key::split("a.1.-2.+3.1x").expect("it is a key");
        let expected = [Segment::Index(1), Segment::Index(-2), Segment::Index(3), Segment::Name("1x")];
        assert_eq!(key.segments, expected);
    }

    #[test]
    fn the_module_is_what_stands_before_the_first_colons() {
        let module = |text| Key::split(text).and_then(|key| key.module().map(str::to_owned));
        assert_eq!(module("a::b::c.d").as_deref(), Some("a"));
        assert_eq!(module("a.b"), None);
    }
}
