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
    state: Cell<State>,
}

/// Whether it may be changed.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    Frozen,
    /// Ruby makes it anew each time it is asked for, and it is kept here: a change would be seen the next time.
    Kept,
}

impl<T> Shared<T> {
    pub fn new(content: T) -> Self {
        Shared { content: RefCell::new(content), state: Cell::default() }
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
        if self.state.get() != State::Free {
            return Err(FROZEN);
        }
        self.content.try_borrow_mut().map_err(|_| BUSY)
    }

    pub fn freeze(&self) {
        self.state.set(State::Frozen);
    }

    /// It is kept, and must not be changed; what is frozen can't be.
    pub fn keep(&self) {
        if !self.is_frozen() {
            self.state.set(State::Kept);
        }
    }

    /// Whether it is one that Ruby makes anew each time.
    pub fn is_kept(&self) -> bool {
        self.state.get() == State::Kept
    }

    pub fn is_frozen(&self) -> bool {
        self.state.get() == State::Frozen
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
