//! Methods of strings that are bytes and no text: those that no encoding matters to.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::V;

const UNKNOWN: ForRuby = ForRuby("a method of a string of bytes");

/// Calls a method of a string of bytes.
pub(super) fn call<'c>(bytes: &[u8], method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::Size | Method::Length | Method::ByteSize, []) => V::Int(bytes.len() as i64),
        (Method::Plus, [V::Bytes(more)]) => {
            crate::budget::spend(more.len() as u64)?;
            V::bytes([bytes, more].concat())
        }
        (Method::Empty, []) => V::Bool(bytes.is_empty()),
        (Method::AsciiOnly, []) => V::Bool(bytes.is_ascii()),
        (Method::BytesOf, []) => V::list(bytes.iter().map(|byte| V::Int((*byte).into())).collect()),
        (Method::Element | Method::Slice | Method::ByteSlice, [V::Int(from @ 0..), V::Int(count @ 0..)]) => {
            match bytes.get(*from as usize..) {
                Some(rest) => V::bytes(rest[..rest.len().min(*count as usize)].to_vec()),
                None => V::Nil,
            }
        }
        (Method::Unpack | Method::Unpack1, [format]) => unpack(bytes, method, format)?,
        _ => return Err(UNKNOWN),
    })
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
        Some("H*") => Ok(V::made(bytes.iter().map(|byte| format!("{byte:02x}")).collect())),
        _ => Err(UNKNOWN),
    }
}
