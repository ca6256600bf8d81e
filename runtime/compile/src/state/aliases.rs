//! The types of the language that a compile knows.

use crate::state::arena::{List, Map, Set, list, map, set};
use bumpalo::Bump;
use bunraku_vm::types::{Alias, LastingType};
use bunraku_vm::unit::{ChunkRef, DefKind};
use std::cell::{Cell, RefCell};

/// A type of the language: the alias, what it was defined as, the chunk of its right side.
pub(crate) type AliasDefinition<'c> = (&'c Alias<'c>, DefKind, AliasBody<'c>);

/// What an alias stands for.
#[derive(Clone, Copy)]
pub(crate) enum AliasBody<'c> {
    /// The expression of its definition.
    Chunk(ChunkRef),
    /// What an earlier compile has made of that.
    Lasting(&'c LastingType),
}

/// The types of the language that a compile knows.
pub(crate) struct TypeAliases<'c> {
    /// By name in lower case, with what they stand for; none for a name that has no file.
    pub aliases: RefCell<Map<'c, &'c str, Option<AliasDefinition<'c>>>>,
    /// Where each was defined, as Puppet's loaders name the place.
    pub sites: RefCell<Map<'c, &'c str, &'c str>>,
    /// Types of type sets that have not been looked at yet, by the set's name in lower case.
    pub set_types: RefCell<Map<'c, &'c str, List<'c, (&'c str, AliasDefinition<'c>)>>>,
    /// Whether files are being loaded because a type of theirs is looked for.
    pub is_sought: Cell<bool>,
    /// Chunks whose parameters' types are known to be in order, and have not been evaluated.
    pub taken_on_trust: RefCell<List<'c, ChunkRef>>,
    /// Aliases that are being resolved.
    pub resolving: RefCell<Set<'c, &'c str>>,
}

impl<'c> TypeAliases<'c> {
    /// None is known yet.
    pub fn new(arena: &'c Bump) -> Self {
        TypeAliases {
            aliases: map(arena),
            sites: map(arena),
            set_types: map(arena),
            is_sought: Cell::new(false),
            taken_on_trust: list(arena),
            resolving: set(arena),
        }
    }
}
