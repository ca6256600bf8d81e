//! What Ruby code can change: strings, arrays and hashes that it has made. Each is one object however many names it has,
//! and may be frozen.

use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::ops::Deref;

const FROZEN: ForRuby = ForRuby("a change of what is frozen");

/// A value that can be changed in place.
#[derive(Default)]
pub(crate) struct Shared<T> {
    content: RefCell<T>,
    frozen: Cell<bool>,
}

impl<T> Shared<T> {
    pub fn new(content: T) -> Self {
        Shared { content: RefCell::new(content), frozen: Cell::new(false) }
    }

    /// Its content. Nothing changes it while it is looked at.
    pub fn borrow(&self) -> Ref<'_, T> {
        self.content.borrow()
    }

    /// Its content, unless it is being changed.
    pub fn try_borrow(&self) -> OrRuby<Ref<'_, T>> {
        self.content.try_borrow().map_err(|_| BUSY)
    }

    /// Its content, to be changed: not while anybody looks at it, and not if it is frozen.
    pub fn try_borrow_mut(&self) -> OrRuby<RefMut<'_, T>> {
        if self.frozen.get() {
            return Err(FROZEN);
        }
        self.content.try_borrow_mut().map_err(|_| BUSY)
    }

    pub fn freeze(&self) {
        self.frozen.set(true);
    }

    pub fn is_frozen(&self) -> bool {
        self.frozen.get()
    }
}

/// The text of a string for as long as it is looked at.
pub(crate) enum Text<'a> {
    Known(&'a str),
    Made(Ref<'a, String>),
}

impl Default for Text<'_> {
    fn default() -> Self {
        Text::Known("")
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Known(text) => text,
            Text::Made(text) => text,
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
