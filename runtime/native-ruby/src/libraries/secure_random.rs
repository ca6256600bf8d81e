//! `SecureRandom`: what the system draws, in the forms that code asks for.

use super::random_drawn::span;
use crate::eval::Run;
use crate::for_ruby::OrRuby;
use crate::random::{below, bytes, fraction};
use crate::value::V;
use bunraku_vm::base64;

/// Longer texts are left to Ruby.
const LONGEST: i64 = 1 << 16;
/// How long they are where nobody says it.
const LENGTH: usize = 16;

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Calls a method of `SecureRandom`; none for what is not known.
pub(super) fn call<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let length = match args {
        [] | [V::Nil, ..] => Some(LENGTH),
        [V::Int(length), ..] if (0..LONGEST).contains(length) => Some(*length as usize),
        _ => None,
    };
    crate::budget::spend(length.unwrap_or(1) as u64)?;
    run.note_chance();
    Ok(Some(match (name, args, length) {
        ("hex", [] | [_], Some(length)) => V::made(hex(&bytes(length)?)),
        ("uuid", [], _) => V::made(uuid()?),
        ("base64", [] | [_], Some(length)) => V::made(base64::encode(&bytes(length)?)),
        ("urlsafe_base64", [] | [_] | [_, _], Some(length)) => {
            let text = base64::encode_url(&bytes(length)?);
            let is_padded = args.get(1).is_some_and(V::truthy);
            V::made(if is_padded { text } else { text.trim_end_matches('=').to_owned() })
        }
        ("alphanumeric", [] | [_], Some(length)) => {
            let letter = |_| Ok(char::from(LETTERS[below(LETTERS.len() as u64)? as usize]));
            V::made((0..length).map(letter).collect::<OrRuby<String>>()?)
        }
        ("random_bytes", [] | [_], Some(length)) | ("bytes", [V::Int(_)], Some(length)) => {
            V::bytes(bytes(length)?)
        }
        ("random_number" | "rand", [] | [V::Nil | V::Int(..=0)], _) => V::Float(fraction()?),
        ("random_number" | "rand", [V::Int(limit)], _) => V::Int(below(*limit as u64)? as i64),
        ("random_number" | "rand", [V::Float(limit)], _) if *limit > 0.0 && limit.is_finite() => {
            V::Float(fraction()? * limit)
        }
        ("random_number" | "rand", [range @ V::Range(..)], _) => match span(range)? {
            Some((from, count)) => V::Int(from + below(count)? as i64),
            None => V::Float(fraction()?),
        },
        _ => return Ok(None),
    }))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One of the fourth version: all of it is drawn but for the version and two bits.
fn uuid() -> OrRuby<String> {
    let mut bytes = bytes(16)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    Ok([&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-"))
}
