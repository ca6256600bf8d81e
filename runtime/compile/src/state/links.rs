//! What arrows and collectors have to do at the end.

use crate::state::arena::{List, Set, list, set};
use crate::state::resources::Override;
use bumpalo::Bump;
use bunraku_catalog::State;
use bunraku_vm::host::CollectorQuery;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::Type;
use std::cell::RefCell;

/// What may stand beside an arrow.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'c> {
    /// A resource or class.
    Reference(&'c Type<'c>),
    /// A collector, by number.
    Collector(usize),
}

/// A relationship of an arrow, to be entered in the catalog at the end.
pub(crate) struct Relationship<'c> {
    pub source: Operand<'c>,
    pub target: Operand<'c>,
    pub notify: bool,
}

/// What arrows and collectors have to do at the end.
pub(crate) struct Links<'c> {
    /// Collectors by number.
    pub collectors: RefCell<List<'c, Collector<'c>>>,
    pub relationships: RefCell<List<'c, Relationship<'c>>>,
    /// The references that arrows have entered, by address and length: their resources are there.
    pub entered: RefCell<Set<'c, (usize, usize)>>,
}

impl<'c> Links<'c> {
    /// Nothing is waiting yet.
    pub fn new(arena: &'c Bump) -> Self {
        Links { collectors: list(arena), relationships: list(arena), entered: set(arena) }
    }
}

/// What a collector looks for.
pub(crate) enum Wanted<'c> {
    /// Resources of a type that fit a query.
    Matching { type_name: &'c str, query: Option<CollectorQuery<'c>> },
    /// Exported resources of a type that fit a query, from the store too; added to the collector's scope.
    Exported { type_name: &'c str, query: Option<CollectorQuery<'c>>, scope: &'c Scope<'c> },
    /// The resources of `realize`, by reference; those found are taken out.
    Named(List<'c, &'c str>),
}

/// A collector.
pub(crate) struct Collector<'c> {
    pub wanted: Wanted<'c>,
    /// Overrides, and the scope that they stand in.
    pub overrides: Option<(Override<'c>, &'c Scope<'c>)>,
    /// What it has collected so far, in order.
    pub collected: List<'c, ResourceId>,
    /// The same, to ask.
    pub has: Set<'c, ResourceId>,
    /// What the catalog was like when it last looked: only what has changed may be found.
    pub seen: Option<State>,
    /// What stood left of it in a chain of arrows: stands in for it while it is empty.
    pub alternative: Option<&'c [Operand<'c>]>,
}
