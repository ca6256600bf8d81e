//! What a compile knows of resources besides the catalog's own: of their types, their defaults, and overrides that wait
//! for them.

use crate::state::arena::{List, Map, list, map};
use bumpalo::Bump;
use bunraku_catalog::tags::{Marks, Tags};
use bunraku_catalog::{Param, Params};
use bunraku_resource_types::ResourceType;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::symbol::Interner;
use std::cell::{Cell, RefCell};

/// See the module.
pub(crate) struct Resources<'c> {
    /// What the resources of a type have in common, by the type's name.
    pub type_entries: RefCell<Map<'c, &'c str, &'c TypeEntry<'c>>>,
    /// Types of which Ruby is being asked whether they can be loaded.
    pub loading: RefCell<List<'c, &'c str>>,
    /// Types that can't be loaded, and of which that has been said: from then on they are there.
    pub half_loaded: RefCell<List<'c, &'c str>>,
    /// Resources of the store: the node, type and title that each has there.
    pub taken_in: RefCell<Map<'c, ResourceId, [&'c str; 3]>>,
    /// Resource defaults, by type.
    pub defaults: RefCell<Map<'c, &'c str, List<'c, OfScope<'c>>>>,
    /// Scopes whose `lookupdefaults` code in Ruby has written anew, the last one last; one that Ruby knows by several
    /// lambdas may be there by each.
    pub defaults_in_ruby: RefCell<List<'c, &'c Scope<'c>>>,
    /// Overrides of resources that are not there yet, by reference.
    pub overrides: RefCell<Map<'c, &'c str, List<'c, Override<'c>>>>,
    /// These references in order.
    pub override_order: RefCell<List<'c, &'c str>>,
    /// Whether an alias came to a resource after it was declared.
    pub late_aliases: Cell<bool>,
}

impl<'c> Resources<'c> {
    /// Nothing is known yet.
    pub fn new(arena: &'c Bump) -> Self {
        Resources {
            type_entries: map(arena),
            loading: list(arena),
            half_loaded: list(arena),
            taken_in: map(arena),
            defaults: map(arena),
            defaults_in_ruby: list(arena),
            overrides: map(arena),
            override_order: list(arena),
            late_aliases: Cell::new(false),
        }
    }
}

/// The names of the catalog's tags.
pub(crate) struct TagNames<'c> {
    /// What tags are numbers of.
    pub names: Interner<'c>,
    pub marks: RefCell<Marks>,
}

impl<'c> TagNames<'c> {
    /// No tag is known yet.
    pub fn new(arena: &'c Bump) -> Self {
        TagNames { names: Interner::empty(arena), marks: RefCell::default() }
    }

    /// Lets go of what lies on the heap.
    pub fn release(&self) {
        let TagNames { names, marks } = self;
        names.release();
        marks.take();
    }
}

/// What is always the same of the resources of a type.
pub(crate) struct TypeEntry<'c> {
    /// The name, capitalised.
    pub capitalized: &'c str,
    /// The type, where it is one in Ruby.
    pub ty: Option<&'c ResourceType>,
    /// Whether a file in Ruby is named for it that makes no such type.
    pub is_absent: bool,
    /// The tags that the type's name is.
    pub tags: Tags<'c>,
    /// Its number in the catalog.
    pub number: u32,
}

/// The defaults that a scope, by number, has for a type.
pub(crate) type OfScope<'c> = (u32, List<'c, Param<'c>>);

/// Parameters that are to replace a resource's own.
#[derive(Clone)]
pub(crate) struct Override<'c> {
    pub params: Params<'c>,
    /// The first parameter that is set a second time.
    pub twice: Option<&'c str>,
    pub source: u32,
    pub file: Option<&'c str>,
    pub line: u32,
}
