//! The data of one location, which a backend of kind `data_hash` gives all at once.

use crate::data_file::Reader;
use bunraku_vm::value::Hash;

/// The data of one location.
#[derive(Clone, Copy)]
pub enum Source<'c> {
    /// A file.
    File(Reader<'c>),
    /// What a function gave.
    Hash(Hash<'c>),
}
