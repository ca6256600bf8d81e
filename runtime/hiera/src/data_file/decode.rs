//! Reading the encoded form of data: values are passed over when a file is read, and taken into a compile's arena when a
//! look-up finds them.

use super::data::symbol;
use super::layout::{Item, MAX_DEPTH, Text, item};
use bumpalo::Bump;
use bunraku_vm::value::{Array, Hash, Str, Value};

/// Where in a file a value begins.
#[derive(Clone, Copy)]
pub(crate) struct ValueOffset {
    /// In its words.
    pub word: u32,
    /// In its texts, taken together.
    pub text: u32,
}

/// Where all that a file holds begins.
pub(crate) const START: ValueOffset = ValueOffset { word: 0, text: 0 };

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueTraits {
    /// Whether `%{` stands in a text or a key.
    pub interpolates: bool,
    /// Whether there is something in it that most data has not: a symbol, a key that is no text, a number that is none.
    pub is_odd: bool,
}

/// Whether the text that begins at a word is this one.
#[inline]
pub(crate) fn holds(words: &[u32], at: u32, text: &str) -> bool {
    let Some((head, rest)) = words.get(at as usize..).and_then(<[u32]>::split_first) else { return false };
    (head >> 4) as usize == text.len()
        && bytemuck::cast_slice::<_, u8>(rest).get(..text.len()) == Some(text.as_bytes())
}

/// Passes over a value and tells of each text in it; none if there is no value.
pub(crate) fn scan(rest: &mut &[u32], depth: u32, tell: &mut impl FnMut(&str)) -> Option<ValueTraits> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut all = ValueTraits::default();
    match item(rest)? {
        Item::Null | Item::Bool(_) | Item::Int(_) => {}
        Item::Float(number) => all.is_odd = !number.is_finite(),
        Item::Text(text) => {
            let text = text.get()?;
            tell(text);
            all.interpolates = may_interpolate(text);
        }
        Item::Symbol(text) => {
            tell(text.get()?);
            all.is_odd = true;
        }
        Item::List(count) => {
            for _ in 0..count {
                all.add(scan(rest, depth + 1, tell)?);
            }
        }
        Item::Map(count) => {
            for _ in 0..count {
                let key = *rest;
                match item(rest)? {
                    Item::Text(text) | Item::Symbol(text) => {
                        let text = text.get()?;
                        tell(text);
                        all.interpolates |= may_interpolate(text);
                    }
                    _ => {
                        *rest = key;
                        all.add(scan(rest, depth + 1, tell)?);
                        all.is_odd = true;
                    }
                }
                all.add(scan(rest, depth + 1, tell)?);
            }
        }
    }
    Some(all)
}

/// Whether a text may have an expression in it.
pub(crate) fn may_interpolate(text: &str) -> bool {
    // Most have none: one letter is looked for faster than two.
    text.contains('%') && text.contains("%{")
}

/// A value from the front of some words and texts.
pub(crate) fn value<'c>(rest: &mut &'c [u32], texts: &mut &'c str, arena: &'c Bump) -> Option<Value<'c>> {
    Some(match item(rest)? {
        Item::Null => Value::Undef,
        Item::Bool(b) => Value::Bool(b),
        Item::Int(n) => Value::Int(n),
        Item::Float(f) => Value::Float(f),
        Item::Text(text) => string(text, texts, arena)?,
        Item::Symbol(text) => {
            string(text, texts, arena)?;
            symbol(arena)
        }
        Item::List(count) => {
            let items = arena.alloc_slice_fill_copy(count, Value::Undef);
            for item in items.iter_mut() {
                *item = value(rest, texts, arena)?;
            }
            Value::Array(Array::wrap(arena, items))
        }
        Item::Map(count) => {
            let entries = arena.alloc_slice_fill_copy(count, (Value::Undef, Value::Undef));
            let mut has_symbols = false;
            for entry in entries.iter_mut() {
                let before = *rest;
                let key = match item(rest)? {
                    Item::Text(text) => string(text, texts, arena)?,
                    Item::Symbol(text) => {
                        has_symbols = true;
                        string(text, texts, arena)?
                    }
                    _ => {
                        *rest = before;
                        value(rest, texts, arena)?
                    }
                };
                *entry = (key, value(rest, texts, arena)?);
            }
            // A symbol and a text may be the same key.
            Value::Hash(match has_symbols {
                true => Hash::from_entries(arena, entries),
                false => Hash::wrap(arena, entries),
            })
        }
    })
}

/// The next of the texts, which is a text of the words.
#[inline]
fn string<'c>(text: Text<'_>, texts: &mut &'c str, arena: &'c Bump) -> Option<Value<'c>> {
    let (text, behind) = texts.split_at_checked(text.len)?;
    *texts = behind;
    Some(Value::Str(Str::wrap(arena, text)))
}

impl ValueTraits {
    /// Whether a look-up may give the value as it is: there is nothing to interpolate and nothing to check.
    #[inline]
    pub fn is_plain(self) -> bool {
        self == ValueTraits::default()
    }

    /// What is known of a value that no file gave: nothing, so anything may be.
    pub fn unknown() -> ValueTraits {
        ValueTraits { interpolates: true, is_odd: true }
    }

    fn add(&mut self, part: ValueTraits) {
        self.interpolates |= part.interpolates;
        self.is_odd |= part.is_odd;
    }
}
