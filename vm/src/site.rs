//! Places in running code: [`Spot`] is cheap to take, [`Site`] is what it comes to.

use crate::diagnostic::Place;
use crate::unit::reader::{Chunk, Unit};

/// A chunk, and where its source is: what places in it are looked up in.
#[derive(Clone, Copy)]
pub(crate) struct LocatedChunk<'c> {
    pub unit: Unit<'c>,
    pub chunk: Chunk<'c>,
    /// The file as Puppet prints it; none for code given as text.
    pub file: Option<&'c str>,
}

/// A place in running code that has not been looked up: hardly any attribute's ever is.
#[derive(Clone, Copy)]
pub struct Spot<'c> {
    pub(crate) code: &'c LocatedChunk<'c>,
    pub(crate) pc: u32,
}

impl<'c> Spot<'c> {
    /// The place, looked up.
    pub fn site(self) -> Site<'c> {
        let (line, column) = self.code.chunk.place(self.pc);
        Site { file: self.code.file, line, column }
    }
}

/// A place in a loaded unit.
#[derive(Clone, Copy)]
pub struct Site<'c> {
    /// The file as Puppet prints it; none for code given as text.
    pub file: Option<&'c str>,
    /// Line from 1; 0 is unknown.
    pub line: u32,
    /// Column in characters from 1; 0 is unknown.
    pub column: u32,
}

impl Site<'_> {
    /// No place at all.
    pub const NONE: Site<'static> = Site { file: None, line: 0, column: 0 };

    /// The place as diagnostics have it.
    pub fn place(&self) -> Place {
        Place {
            file: self.file.map(Into::into),
            line: (self.line != 0).then_some(self.line),
            column: (self.column != 0).then_some(self.column),
        }
    }
}
