//! Values as they pass between the compiler and a worker: each a byte of [`super::protocol::ValueTag`] and what that says.
//! Arrays and hashes that are one object stay one on the other side: see [`super::shared`].

mod read;
mod write;

pub(super) use read::MessageReader;
pub(super) use write::{put_size, put_text};

/// Deeper values are refused, on either side.
const MAX_NESTING: usize = 2000;
/// Nanoseconds of a second.
const BILLION: i128 = 1_000_000_000;
