//! Hiera's data as archives have it: words in the order of the values, so that a look-up parses no YAML.
//!
//! ```text
//!  value  = tag | count << 4, then what the tag says
//!   0 null   1 false   2 true   3 integer, 4 float: two words
//!   5 text   6 symbol: `count` bytes, padded to a word
//!   7 list: `count` values      8 map: `count` keys and values in turn
//! ```

use super::data::Data;

/// Collections may nest this deep; YAML and JSON are refused before.
pub const MAX_DEPTH: u32 = 260;

/// The words of a value; none if a text or collection is too large for its count.
pub fn encode(data: &Data) -> Option<Vec<u32>> {
    let mut words = Vec::new();
    put(data, &mut words)?;
    Some(words)
}

fn head(tag: u32, count: usize) -> Option<u32> {
    (count < 1 << 28).then_some(tag | (count as u32) << 4)
}

fn put(data: &Data, words: &mut Vec<u32>) -> Option<()> {
    let wide = |bits: u64| [bits as u32, (bits >> 32) as u32];
    match data {
        Data::Null => words.push(0),
        Data::Bool(b) => words.push(1 + u32::from(*b)),
        Data::Int(n) => {
            words.push(3);
            words.extend(wide(*n as u64));
        }
        Data::Float(f) => {
            words.push(4);
            words.extend(wide(f.to_bits()));
        }
        Data::Text(text) | Data::Symbol(text) => {
            words.push(head(if matches!(data, Data::Text(_)) { 5 } else { 6 }, text.len())?);
            for four in text.as_bytes().chunks(4) {
                let mut word = [0; 4];
                word[..four.len()].copy_from_slice(four);
                words.push(u32::from_le_bytes(word));
            }
        }
        Data::List(items) => {
            words.push(head(7, items.len())?);
            items.iter().try_for_each(|item| put(item, words))?;
        }
        Data::Map(pairs) => {
            words.push(head(8, pairs.len())?);
            pairs.iter().try_for_each(|(key, value)| put(key, words).and_then(|()| put(value, words)))?;
        }
        Data::Object(_, data) => put(data, words)?,
        // No data file has any.
        Data::Pattern(_) | Data::Instance(..) => return None,
    }
    Some(())
}

/// The begin of a value: a whole one, or how many values or pairs follow.
pub enum Item<'w> {
    /// Null.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(Text<'w>),
    /// A Ruby symbol.
    Symbol(Text<'w>),
    /// A list of so many values.
    List(usize),
    /// So many keys and values in turn.
    Map(usize),
}

/// A text, of which nobody has looked yet whether it is UTF-8.
#[derive(Clone, Copy)]
pub struct Text<'w> {
    /// How many bytes it has.
    pub len: usize,
    words: &'w [u32],
}

impl<'w> Text<'w> {
    /// The text; none if it is no UTF-8.
    pub fn get(self) -> Option<&'w str> {
        std::str::from_utf8(&bytemuck::cast_slice(self.words)[..self.len]).ok()
    }
}

/// Takes an item from the front of some words; none if they do not begin with one.
#[inline]
pub fn item<'w>(rest: &mut &'w [u32]) -> Option<Item<'w>> {
    let word = next(rest, 1)?[0];
    let (tag, count) = (word & 15, (word >> 4) as usize);
    // Every value has a word, so no count can ask for more than is there.
    if tag >= 7 && count > rest.len() {
        return None;
    }
    Some(match tag {
        0 => Item::Null,
        1 => Item::Bool(false),
        2 => Item::Bool(true),
        3 => Item::Int(wide(rest)? as i64),
        4 => Item::Float(f64::from_bits(wide(rest)?)),
        5 | 6 => {
            let text = Text { len: count, words: next(rest, count.div_ceil(4))? };
            if tag == 5 { Item::Text(text) } else { Item::Symbol(text) }
        }
        7 => Item::List(count),
        8 => Item::Map(count),
        _ => return None,
    })
}

fn wide(rest: &mut &[u32]) -> Option<u64> {
    let words = next(rest, 2)?;
    Some(u64::from(words[0]) | u64::from(words[1]) << 32)
}

fn next<'w>(rest: &mut &'w [u32], count: usize) -> Option<&'w [u32]> {
    let (head, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    Some(head)
}
