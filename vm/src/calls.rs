//! Counts the bodies that a machine runs, within each other and in all, against their limits.

use crate::budget::Limit;

/// Calls may nest this deep by default; a frame of the loop takes a few kilobytes of stack.
pub const MAX_DEPTH: usize = 1000;

/// This many bodies may be run by default: some minutes' worth.
pub const MAX_CALLS: u64 = 2_000_000_000;

/// Bodies run between two looks at time and memory.
const LOOK_EVERY: u64 = 1024;

/// The calls of a compile.
pub struct CallCounter {
    /// How deep calls may nest.
    pub max_depth: usize,
    /// How many bodies may be run in all: what ends a loop that would go on for ever.
    pub max_calls: u64,
    made: u64,
    /// How many of them before time and memory are looked at again.
    next_look: u64,
}

impl Default for CallCounter {
    fn default() -> Self {
        CallCounter { max_depth: MAX_DEPTH, max_calls: MAX_CALLS, made: 0, next_look: 0 }
    }
}

impl CallCounter {
    /// Counts a body about to run within `depth` others. Whether all limits must be looked at now.
    #[inline]
    pub(crate) fn count(&mut self, depth: usize) -> bool {
        self.made += 1;
        !(depth < self.max_depth && self.made <= self.next_look)
    }

    /// Notes that limits are looked at.
    ///
    /// # Errors
    /// The limit of calls that was reached.
    pub(crate) fn look(&mut self, depth: usize) -> Result<(), Limit> {
        if self.made > self.max_calls {
            return Err(Limit::Calls(self.max_calls));
        }
        if depth >= self.max_depth {
            return Err(Limit::CallDepth(self.max_depth));
        }
        self.next_look = (self.made + LOOK_EVERY).min(self.max_calls);
        Ok(())
    }
}
