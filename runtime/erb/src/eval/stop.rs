//! Why an expression gives no value. In a box, since that is rare, and what is given instead is passed on all the time.

use super::Done;
use crate::value::{Ask, V};

/// Why an expression gives no value.
pub(crate) struct Stop<'c>(Box<Why<'c>>);

enum Why<'c> {
    Ask(Ask),
    Jump(Jump, V<'c>),
    Raise,
}

/// What leaves a block, a loop or a method, with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jump {
    Next,
    Break,
    Return,
}

impl From<Ask> for Stop<'_> {
    #[cold]
    fn from(ask: Ask) -> Self {
        Stop(Box::new(Why::Ask(ask)))
    }
}

impl<'c> Stop<'c> {
    /// An `ArgumentError`. Where nothing rescues it, it is Ruby's to say.
    pub fn raise() -> Stop<'c> {
        Stop(Box::new(Why::Raise))
    }

    pub(super) fn jump(jump: Jump, value: V<'c>) -> Stop<'c> {
        Stop(Box::new(Why::Jump(jump, value)))
    }

    /// The value of a jump that ends where this is called; what is something else goes on.
    pub(super) fn land(self, jump: Jump) -> Done<'c> {
        match *self.0 {
            Why::Jump(this, value) if this == jump => Ok(value),
            why => Err(Stop(Box::new(why))),
        }
    }

    pub(super) fn is_raise(&self) -> bool {
        matches!(*self.0, Why::Raise)
    }

    /// Why it is Ruby's, where nothing within the template takes it.
    pub(super) fn ask(self) -> Option<Ask> {
        match *self.0 {
            Why::Ask(ask) => Some(ask),
            Why::Jump(..) | Why::Raise => None,
        }
    }
}
