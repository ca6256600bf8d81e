//! Attribute lists and bodies of resource expressions while they are put together.

use crate::host::declaration::Attribute;
use crate::value::Value;
use bumpalo::Bump;

/// Attribute lists and bodies that are open.
#[derive(Default)]
pub(crate) struct Pending<'c> {
    attributes: Vec<Attribute<'c>>,
    /// Where each open list starts.
    lists: Vec<usize>,
    pub bodies: Vec<OpenBody<'c>>,
}

/// A body whose title and attributes are evaluated.
pub(crate) struct OpenBody<'c> {
    /// Strings and `default`.
    pub titles: &'c [Value<'c>],
    /// In order.
    pub attributes: &'c [Attribute<'c>],
}

impl<'c> Pending<'c> {
    /// How far everything has come, for [`Pending::reset`].
    pub fn mark(&self) -> (usize, usize, usize) {
        (self.attributes.len(), self.lists.len(), self.bodies.len())
    }

    /// Drops what was opened since `mark`.
    pub fn reset(&mut self, (attributes, lists, bodies): (usize, usize, usize)) {
        self.attributes.truncate(attributes);
        self.lists.truncate(lists);
        self.bodies.truncate(bodies);
    }

    /// Opens a list.
    pub fn open(&mut self) {
        self.lists.push(self.attributes.len());
    }

    /// Adds to the innermost list.
    pub fn attribute(&mut self, attribute: Attribute<'c>) {
        self.attributes.push(attribute);
    }

    /// Closes the innermost list.
    pub fn close(&mut self, arena: &'c Bump) -> &'c [Attribute<'c>] {
        let start = self.lists.pop().unwrap_or(0).min(self.attributes.len());
        let list = arena.alloc_slice_copy(&self.attributes[start..]);
        self.attributes.truncate(start);
        list
    }
}
