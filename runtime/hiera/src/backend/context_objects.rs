//! The objects of type `Puppet::LookupContext` that a compile has, and what stands behind each.

use super::location_cache::LocationCache;
use crate::invocation::Invocation;
use bunraku_vm::types::Type;
use bunraku_vm::value::Object;
use bunraku_vm::vm::Vm;
use std::cell::RefCell;
use std::rc::Rc;

/// The type's name.
pub const TYPE: &str = "Puppet::LookupContext";

/// The type.
pub fn context_type<'c>(vm: &Vm<'c>) -> &'c Type<'c> {
    Type::Object { name: Some(TYPE), parent: None, definition: None }.alloc(vm.arena)
}

/// What stands behind a context.
#[derive(Clone)]
pub(crate) struct BehindContext<'c> {
    /// The look-up it was given out for; none for one that code has made.
    pub inv: Option<Invocation<'c>>,
    /// What is kept for the location it was given out for.
    pub cache: Rc<LocationCache<'c>>,
}

/// All contexts of a compile by identity: one for each call of a backend, and those that code has made.
#[derive(Default)]
pub(crate) struct ContextObjects<'c>(RefCell<Vec<(&'c Object<'c>, BehindContext<'c>)>>);

impl<'c> ContextObjects<'c> {
    /// Adds a context.
    pub fn add(&self, object: &'c Object<'c>, behind: BehindContext<'c>) {
        self.0.borrow_mut().push((object, behind));
    }

    /// What stands behind an object; none if it is no context.
    pub fn behind(&self, object: &'c Object<'c>) -> Option<BehindContext<'c>> {
        let all = self.0.borrow();
        // The one that is asked for is nearly always the newest.
        all.iter().rev().find(|(known, _)| std::ptr::eq(*known, object)).map(|(_, behind)| behind.clone())
    }
}
