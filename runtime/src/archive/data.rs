//! Hiera's data in an archive: words in the order of the values, so that a look-up parses no YAML.
//!
//! ```text
//!  value  = tag | count << 4, then what the tag says
//!   0 null   1 false   2 true   3 integer, 4 float: two words
//!   5 text   6 symbol: `count` bytes, padded to a word
//!   7 list: `count` values      8 map: `count` keys and values in turn
//! ```

use crate::hiera::data::Data;

/// Collections may nest this deep; YAML and JSON are refused before.
const MAX_DEPTH: u32 = 260;

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
    }
    Some(())
}

/// The value of some words; none if they are not exactly one.
pub fn decode(words: &[u32]) -> Option<Data> {
    let mut rest = words;
    let data = take(&mut rest, 0)?;
    rest.is_empty().then_some(data)
}

fn take(rest: &mut &[u32], depth: u32) -> Option<Data> {
    let word = next(rest, 1)?[0];
    let (tag, count) = (word & 15, (word >> 4) as usize);
    // Every value has a word, so no count can ask for more than is there.
    if depth > MAX_DEPTH || (tag >= 7 && count > rest.len()) {
        return None;
    }
    Some(match tag {
        0 => Data::Null,
        1 => Data::Bool(false),
        2 => Data::Bool(true),
        3 => Data::Int(wide(rest)? as i64),
        4 => Data::Float(f64::from_bits(wide(rest)?)),
        5 | 6 => {
            let bytes: &[u8] = bytemuck::cast_slice(next(rest, count.div_ceil(4))?);
            let text = std::str::from_utf8(&bytes[..count]).ok()?.to_owned();
            if tag == 5 { Data::Text(text) } else { Data::Symbol(text) }
        }
        7 => Data::List((0..count).map(|_| take(rest, depth + 1)).collect::<Option<_>>()?),
        8 => {
            let pair = |_| Some((take(rest, depth + 1)?, take(rest, depth + 1)?));
            Data::Map((0..count).map(pair).collect::<Option<_>>()?)
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_and_nothing_else_panics() {
        let text = |text: &str| Data::Text(text.to_owned());
        let data = Data::Map(vec![
            (text("a"), Data::List(vec![Data::Int(-1), Data::Float(1.5), Data::Null, Data::Bool(true)])),
            (Data::Symbol("symbol".into()), text("four")),
            (text(""), Data::Map(vec![])),
        ]);
        let words = encode(&data).expect("it is small");
        assert_eq!(decode(&words), Some(data));
        for at in 0..words.len() {
            assert_eq!(decode(&words[..at]), None);
            for bit in 0..32 {
                let mut broken = words.clone();
                broken[at] ^= 1 << bit;
                let _ = decode(&broken);
            }
        }
        assert_eq!(decode(&vec![7 | 1 << 4; 100_000]), None, "it nests without end");
        assert_eq!(decode(&[7 | u32::MAX << 4]), None);
    }
}
