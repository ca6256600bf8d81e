//! `succ` of strings: the string that follows, as in `az`, `ba`.

use crate::for_ruby::{ForRuby, OrRuby};

/// The string that follows. Letters beyond ASCII are left to Ruby.
pub(crate) fn succ(text: &str) -> OrRuby<String> {
    if !text.is_ascii() {
        return Err(ForRuby("letters beyond ASCII"));
    }
    let mut bytes = text.as_bytes().to_vec();
    // Where the last letter or digit stands that has begun anew, and what is put in front of it in the end.
    let mut wrapped: Option<(usize, u8)> = None;
    let mut gap = false;
    for at in (0..bytes.len()).rev() {
        let byte = bytes[at];
        if !byte.is_ascii_alphanumeric() {
            gap = true;
            continue;
        }
        if let (true, Some((place, _))) = (gap, wrapped)
            && bytes[place].is_ascii_digit() != byte.is_ascii_digit()
        {
            break;
        }
        gap = false;
        let (first, carry) = match byte {
            b'z' => (b'a', b'a'),
            b'Z' => (b'A', b'A'),
            b'9' => (b'0', b'1'),
            _ => {
                bytes[at] += 1;
                return Ok(String::from_utf8_lossy(&bytes).into_owned());
            }
        };
        bytes[at] = first;
        wrapped = Some((at, carry));
    }
    match wrapped {
        Some((place, carry)) => bytes.insert(place, carry),
        None => match bytes.last_mut() {
            None => {}
            Some(last) if *last < 0x7f => *last += 1,
            Some(_) => return Err(ForRuby("letters beyond ASCII")),
        },
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
