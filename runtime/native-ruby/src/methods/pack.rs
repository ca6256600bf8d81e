//! `pack` of arrays and `unpack` of strings, in the forms that functions use.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::V;
use bunraku_vm::base64;

const UNKNOWN: ForRuby = ForRuby("a form of `pack`");

/// What `pack` gives: the first of the items in the form, or with `*` all.
pub(super) fn pack<'c>(items: &[V<'c>], format: &V<'c>) -> OrRuby<V<'c>> {
    let format = format.text().ok_or(UNKNOWN)?;
    let number = |item: &V<'c>| match item {
        V::Int(number) => Ok(*number),
        _ => Err(UNKNOWN),
    };
    let first = || items.first().ok_or(UNKNOWN);
    // Higher bits are left away.
    let four = || number(first()?).map(|number| number as u32);
    Ok(match &*format {
        "H*" => V::bytes(of_digits(&first()?.text().ok_or(UNKNOWN)?)),
        "m0" => V::made(base64::encode(&bytes(first()?)?)),
        "m" => V::made(base64::encode_lines(&bytes(first()?)?)),
        "L" | "l" => V::bytes(four()?.to_ne_bytes().to_vec()),
        "V" => V::bytes(four()?.to_le_bytes().to_vec()),
        "N" => V::bytes(four()?.to_be_bytes().to_vec()),
        "C*" | "c*" => {
            crate::budget::spend(items.len() as u64)?;
            V::bytes(items.iter().map(|item| number(item).map(|number| number as u8)).collect::<OrRuby<_>>()?)
        }
        _ => return Err(UNKNOWN),
    })
}

fn bytes(item: &V<'_>) -> OrRuby<Vec<u8>> {
    match item {
        V::Bytes(bytes) => Ok(bytes.to_vec()),
        item => Ok(item.text().ok_or(UNKNOWN)?.as_bytes().to_vec()),
    }
}

/// The bytes of hexadecimal digits. What is no digit is taken for one, too.
fn of_digits(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte.is_ascii_alphabetic() {
        true => ((byte & 15) + 9) & 15,
        false => byte & 15,
    };
    let digits: Vec<u8> = text.bytes().map(digit).collect();
    let byte = |pair: &[u8]| pair.first().unwrap_or(&0) << 4 | pair.get(1).unwrap_or(&0);
    digits.chunks(2).map(byte).collect()
}

/// `unpack` and `unpack1` of a string of any encoding.
pub(super) fn unpack<'c>(bytes: &[u8], method: Method, format: &V<'c>) -> OrRuby<V<'c>> {
    if method == Method::Unpack1 {
        return unpacked(bytes, format);
    }
    let text = format.text().ok_or(UNKNOWN)?;
    let rest = text.trim_start_matches("H2");
    if !rest.is_empty() || text.is_empty() {
        return Ok(V::list(vec![unpacked(bytes, format)?]));
    }
    // Two digits each, of the bytes that there are.
    let count = text.len() / 2;
    let digits = |at| bytes.get(at).map(|byte| format!("{byte:02x}")).unwrap_or_default();
    Ok(V::list((0..count).map(|at| V::made(digits(at))).collect()))
}

/// What one directive of `unpack` gives.
fn unpacked<'c>(bytes: &[u8], format: &V<'c>) -> OrRuby<V<'c>> {
    match format.text().as_deref() {
        // A number of four bytes, nil where there are fewer.
        Some(order @ ("L" | "V" | "N")) => Ok(match (bytes.first_chunk(), order) {
            (None, _) => V::Nil,
            (Some(four), "N") => V::Int(u32::from_be_bytes(*four).into()),
            (Some(four), "V") => V::Int(u32::from_le_bytes(*four).into()),
            (Some(four), _) => V::Int(u32::from_ne_bytes(*four).into()),
        }),
        Some("l") => Ok(bytes.first_chunk().map_or(V::Nil, |four| V::Int(i32::from_ne_bytes(*four).into()))),
        Some("H*") => Ok(V::made(bytes.iter().map(|byte| format!("{byte:02x}")).collect())),
        _ => Err(UNKNOWN),
    }
}
