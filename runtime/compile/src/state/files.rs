//! Files and templates that a compile has found.

use crate::state::arena::{Map, map};
use bumpalo::Bump;
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::unit::ChunkRef;
use std::cell::RefCell;

/// See the module.
pub(crate) struct KnownFiles<'c> {
    /// Where files of modules are, by folder and by name as code gives it.
    pub found: RefCell<Map<'c, (ModuleFolder, &'c str), Option<&'c str>>>,
    /// EPP templates by path.
    pub epp: RefCell<Map<'c, &'c str, ChunkRef>>,
    /// The same by name as code gives it.
    pub epp_by_name: RefCell<Map<'c, &'c str, ChunkRef>>,
    /// The same by their text, with the module they were compiled for.
    pub epp_texts: RefCell<Map<'c, &'c str, (&'c str, ChunkRef)>>,
}

impl<'c> KnownFiles<'c> {
    /// Nothing has been found yet.
    pub fn new(arena: &'c Bump) -> Self {
        KnownFiles { found: map(arena), epp: map(arena), epp_by_name: map(arena), epp_texts: map(arena) }
    }
}
