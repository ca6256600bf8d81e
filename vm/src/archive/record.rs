//! What the reader hands out of an archive: entries, their parts, definitions.

use super::layout::{FILE, FOLDER, LINK, Section};
use std::ops::Range;

/// A file, folder or link of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its number.
    pub number: u32,
    /// Its path: `/` between the segments, the first of which names a root.
    pub path: &'a str,
    /// Bits [`FILE`], [`FOLDER`], [`LINK`].
    pub bits: u32,
    /// Size of a file.
    pub size: u64,
    /// SHA-256 of a file's content.
    pub hash: [u8; 32],
    /// Offset in the path of the module's name.
    pub module_at: Option<usize>,
    /// Permission bits of the file or folder, links followed.
    pub mode: u32,
    /// What the symbolic link leads to, as it says it; nothing where it is no link.
    pub target: &'a str,
    pub(super) parts: (u32, u32),
}

impl Entry<'_> {
    /// Whether it is a file.
    pub fn is_file(&self) -> bool {
        self.bits & FILE != 0
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.bits & FOLDER != 0
    }

    /// Whether a symbolic link leads to it.
    pub fn is_link(&self) -> bool {
        self.bits & LINK != 0
    }

    /// The part of the path behind the last `/`.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// What a file was made into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its section.
    pub section: Section,
    /// Format of data.
    pub variant: u32,
    pub(super) range: Range<usize>,
}

impl Part {
    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }
}

/// A definition of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// Its name.
    pub name: &'a str,
    /// 0 class, 1 defined type, 2 function, 3 type alias.
    pub kind: u32,
    /// Entry of its file.
    pub entry: u32,
    /// Its line.
    pub line: u32,
    /// Its number in its unit.
    pub number: u32,
}
