//! Words that several compiles share, wherever they lie: a unit's or a data file's.

use crate::archive::OpenArchive;
use bunraku_vm::archive::reader::Part;
use std::sync::Arc;

/// The words of a unit or of a data file.
#[derive(Clone)]
pub enum SharedWords {
    /// In memory.
    Owned(Arc<[u32]>),
    /// In an archive's map.
    Mapped(Arc<OpenArchive>, Part),
}

impl SharedWords {
    /// The words themselves.
    pub fn get(&self) -> &[u32] {
        match self {
            SharedWords::Owned(words) => words,
            // Whoever made this has read the part: its checksums are known to fit.
            SharedWords::Mapped(opened, part) => opened.archive().part_words(part).unwrap_or_default(),
        }
    }
}
