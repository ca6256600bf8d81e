//! The names of a scope's slots, for whoever writes units: found by name, and written once however many chunks have
//! them in common.

use hashbrown::HashMap;
use std::cell::Cell;
use std::rc::Rc;

/// Names in slot order, none twice.
#[derive(Debug, Default)]
pub struct Shape {
    names: Vec<Rc<str>>,
    slots: HashMap<Rc<str>, u32>,
    /// Its list in the one unit that it is written to.
    pub(super) list: Cell<Option<u32>>,
}

impl Shape {
    /// Gives a name the next slot, unless it has one.
    pub fn add(&mut self, name: &str) {
        if !self.slots.contains_key(name) {
            let name: Rc<str> = name.into();
            self.slots.insert(name.clone(), self.names.len() as u32);
            self.names.push(name);
        }
    }

    /// The slot of a name.
    pub fn slot(&self, name: &str) -> Option<u32> {
        self.slots.get(name).copied()
    }

    /// All names, by slot.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }
}

impl<'n> FromIterator<&'n str> for Shape {
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> Self {
        let mut shape = Shape::default();
        names.into_iter().for_each(|name| shape.add(name));
        shape
    }
}
