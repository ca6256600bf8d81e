//! Archives: the units of a whole module tree and what else a compile would have to parse, in one file that is mapped
//! and used where it lies. [`layout`] draws the form, [`writer`] makes the bytes, [`reader`] answers from them,
//! [`map`] holds the file in memory, [`cold`] decodes the small parts.
//!
//! What the parts mean is the runtime's to know; here are only paths, names and bytes. Whatever the bytes, nothing
//! here panics: what is out of order is a [`ArchiveFault`].

pub mod cold;
pub mod layout;
pub mod map;
mod places;
pub mod reader;
mod record;
pub mod writer;

use layout::{Section, VERSION};
use std::fmt;

/// What is wrong with an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveFault {
    /// The file can't be opened or mapped: why.
    Unreadable(String),
    /// It does not begin as an archive does.
    NotAnArchive,
    /// It has another format version.
    Version(u32),
    /// It was made by another version of the compiler.
    Compiler,
    /// It is shorter or longer than its header says: found, said.
    Length(u64, u64),
    /// The header's checksum does not fit.
    Header,
    /// A section lies outside of the file or has no whole number of records.
    Section(Section),
    /// The checksum of a block of bytes does not fit.
    Block(u64),
    /// A record refers to what is not there.
    Record(Section, u32),
    /// A text is no UTF-8.
    Text(Section),
    /// A cold part can't be decoded.
    Cold(Section),
}

impl fmt::Display for ArchiveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveFault::Unreadable(why) => write!(f, "it can't be read: {why}"),
            ArchiveFault::NotAnArchive => write!(f, "it is not a Bunraku archive"),
            ArchiveFault::Version(found) => write!(f, "its format version is {found}, expected {VERSION}"),
            ArchiveFault::Compiler => write!(f, "it was built by another version of Bunraku"),
            ArchiveFault::Length(found, said) => {
                write!(f, "it has {found} bytes, and its header says {said}")
            }
            ArchiveFault::Header => write!(f, "its header is damaged"),
            ArchiveFault::Section(section) => write!(f, "section {section} is out of range"),
            ArchiveFault::Block(at) => write!(f, "the bytes at {at} do not fit their checksum"),
            ArchiveFault::Record(section, number) => {
                write!(f, "record {number} of section {section} is out of range")
            }
            ArchiveFault::Text(section) => write!(f, "a text of section {section} is not UTF-8"),
            ArchiveFault::Cold(section) => write!(f, "a part of section {section} can't be decoded"),
        }
    }
}

impl std::error::Error for ArchiveFault {}

/// What may come of reading an archive.
pub type Read<T> = Result<T, ArchiveFault>;
