//! Why an expression gives no value. In a box, since that is rare, and what is given instead is passed on all the time.

use super::Done;
use crate::for_ruby::ForRuby;
use crate::value::V;

/// Why an expression gives no value.
pub(crate) struct Unwind<'c>(Box<UnwindCause<'c>>);

enum UnwindCause<'c> {
    ForRuby(ForRuby),
    Jump(BlockExit, V<'c>),
    Raise,
}

/// What leaves a block, a loop or a method, with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockExit {
    Next,
    Break,
    Return,
}

impl From<ForRuby> for Unwind<'_> {
    #[cold]
    fn from(ask: ForRuby) -> Self {
        Unwind(Box::new(UnwindCause::ForRuby(ask)))
    }
}

impl<'c> Unwind<'c> {
    /// An `ArgumentError`. Where the template does not rescue it, Ruby raises it again with its own message.
    pub fn raise() -> Unwind<'c> {
        Unwind(Box::new(UnwindCause::Raise))
    }

    pub(crate) fn jump(jump: BlockExit, value: V<'c>) -> Unwind<'c> {
        Unwind(Box::new(UnwindCause::Jump(jump, value)))
    }

    /// The value of an exit of this kind, which ends here; anything else goes on.
    pub(crate) fn land(self, jump: BlockExit) -> Done<'c> {
        match *self.0 {
            UnwindCause::Jump(this, value) if this == jump => Ok(value),
            why => Err(Unwind(Box::new(why))),
        }
    }

    pub(crate) fn is_raise(&self) -> bool {
        matches!(*self.0, UnwindCause::Raise)
    }

    /// Why Ruby has to render the template; none for an exit that nothing in the template takes.
    pub(crate) fn for_ruby(self) -> Option<ForRuby> {
        match *self.0 {
            UnwindCause::ForRuby(ask) => Some(ask),
            UnwindCause::Jump(..) | UnwindCause::Raise => None,
        }
    }
}
