//! The scopes of classes that have been evaluated, and of the node.

use crate::state::arena::{Map, map};
use bumpalo::Bump;
use bunraku_vm::scope::Scope;
use std::cell::{Cell, RefCell};

/// The scopes of classes that have been evaluated, and of the node.
pub(crate) struct ClassScopes<'c> {
    pub of_classes: RefCell<Map<'c, &'c str, &'c Scope<'c>>>,
    pub of_node: Cell<Option<&'c Scope<'c>>>,
}

impl<'c> ClassScopes<'c> {
    /// Nothing has been evaluated yet.
    pub fn new(arena: &'c Bump) -> Self {
        ClassScopes { of_classes: map(arena), of_node: Cell::new(None) }
    }
}
