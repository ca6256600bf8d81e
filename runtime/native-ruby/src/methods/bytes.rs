//! Methods of strings that are bytes and no text: those that no encoding matters to.

use super::pack;
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
        // Of letters alone: with others they have no encoding in common.
        (Method::Plus, [more]) if more.text().is_some_and(|more| more.is_ascii()) => {
            let more = more.text().ok_or(UNKNOWN)?;
            crate::budget::spend(more.len() as u64)?;
            V::bytes([bytes, more.as_bytes()].concat())
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
        (Method::Unpack | Method::Unpack1, [format]) => pack::unpack(bytes, method, format)?,
        _ => return Err(UNKNOWN),
    })
}
