//! Why an expression gives no value. In a box, since that is rare, and what is given instead is passed on all the time.

use super::Done;
use crate::for_ruby::ForRuby;
use crate::value::{Class, ErrorValue, V};
use bunraku_vm::error::Flow;
use std::rc::Rc;

/// Why an expression gives no value.
pub(crate) struct Unwind<'c>(Box<UnwindCause<'c>>);

enum UnwindCause<'c> {
    ForRuby(ForRuby),
    Jump(BlockExit, V<'c>),
    Raise(Rc<ErrorValue<'c>>),
    /// `throw`, with its tag.
    Throw(V<'c>, V<'c>),
    /// What leaves the compile's own code, and nothing in Ruby takes.
    Flow(Box<Flow<'c>>),
}

/// What leaves a block, a loop or a method, with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockExit {
    Next,
    /// Of the block of this number, in the frame of this serial; of a loop for 0.
    Break(usize, u64),
    /// Of the call of this serial.
    Return(u64),
}

impl From<ForRuby> for Unwind<'_> {
    #[cold]
    fn from(ask: ForRuby) -> Self {
        Unwind(Box::new(UnwindCause::ForRuby(ask)))
    }
}

impl<'c> Unwind<'c> {
    /// An exception of one of Ruby's or Puppet's classes, with the message that Ruby gives it.
    pub fn error(class: Class, message: impl Into<String>) -> Unwind<'c> {
        Unwind::raised(Rc::new(ErrorValue::new(class, message.into())))
    }

    /// An exception of a class that is known, with a message that is not: whoever asks for that sends all to Ruby.
    pub fn unsaid(class: Class) -> Unwind<'c> {
        let mut error = ErrorValue::new(class, String::new());
        error.message = Some(V::Void);
        Unwind::raised(Rc::new(error))
    }

    /// An exception.
    pub fn raised(error: Rc<ErrorValue<'c>>) -> Unwind<'c> {
        Unwind(Box::new(UnwindCause::Raise(error)))
    }

    /// What leaves the compile's own code.
    pub(super) fn flow(flow: Box<Flow<'c>>) -> Unwind<'c> {
        Unwind(Box::new(UnwindCause::Flow(flow)))
    }

    pub(crate) fn throw(tag: V<'c>, value: V<'c>) -> Unwind<'c> {
        Unwind(Box::new(UnwindCause::Throw(tag, value)))
    }

    pub(super) fn jump(jump: BlockExit, value: V<'c>) -> Unwind<'c> {
        Unwind(Box::new(UnwindCause::Jump(jump, value)))
    }

    /// The value of an exit of this kind, which ends here; anything else goes on.
    pub(super) fn land(self, jump: BlockExit) -> Done<'c> {
        match *self.0 {
            UnwindCause::Jump(this, value) if this == jump => Ok(value),
            why => Err(Unwind(Box::new(why))),
        }
    }

    /// The value thrown, where the tag is this one.
    pub(super) fn caught(self, is_tag: impl FnOnce(&V<'c>) -> bool) -> Done<'c> {
        match *self.0 {
            UnwindCause::Throw(tag, value) if is_tag(&tag) => Ok(value),
            why => Err(Unwind(Box::new(why))),
        }
    }

    /// The exception that is on its way.
    pub(crate) fn exception(&self) -> Option<&Rc<ErrorValue<'c>>> {
        match &*self.0 {
            UnwindCause::Raise(error) => Some(error),
            _ => None,
        }
    }

    /// Whether Ruby has to do all from the begin.
    pub(crate) fn is_for_ruby(&self) -> bool {
        matches!(*self.0, UnwindCause::ForRuby(_))
    }

    /// How what has been called ends.
    pub(crate) fn ending(self) -> Ending<'c> {
        match *self.0 {
            UnwindCause::ForRuby(ask) => Ending::ForRuby(ask),
            UnwindCause::Raise(error) => Ending::Raised(error),
            UnwindCause::Flow(flow) => Ending::Flow(flow),
            UnwindCause::Jump(..) => Ending::ForRuby(ForRuby("a jump out of what is not there")),
            UnwindCause::Throw(..) => Ending::ForRuby(ForRuby("a `throw` that nothing catches")),
        }
    }
}

/// How a run ends that gives no value.
pub(crate) enum Ending<'c> {
    ForRuby(ForRuby),
    Raised(Rc<ErrorValue<'c>>),
    Flow(Box<Flow<'c>>),
}
