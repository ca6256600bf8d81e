//! What one rendering may use: steps, depth, bytes and time. What needs more is Ruby's, which has limits of its own.
//!
//! Kept for the thread, since values are compared, printed and made far from the renderer, which asks for it once; a
//! template within another uses up what is left of the outer one's.

use super::value::{Ask, Known};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Expressions evaluated, items compared, copied or printed.
const STEPS: u64 = 2_000_000;
/// Bytes of strings, arrays and hashes made.
const BYTES: usize = 256 << 20;
/// Expressions within expressions, blocks and templates included.
const DEPTH: usize = 500;
/// Time, looked at now and then.
const TIME: Duration = Duration::from_secs(5);
const EVERY: u64 = 512;

/// What the rendering on this thread has used.
pub(super) struct Used {
    steps: Cell<u64>,
    bytes: Cell<usize>,
    depth: Cell<usize>,
    began: Cell<Option<Instant>>,
}

thread_local! {
    static USED: Used = const {
        Used { steps: Cell::new(0), bytes: Cell::new(0), depth: Cell::new(0), began: Cell::new(None) }
    };
}

impl Used {
    /// An outermost rendering begins.
    pub fn begin(&self) {
        self.steps.set(0);
        self.bytes.set(0);
        self.depth.set(0);
        self.began.set(Some(Instant::now()));
    }

    /// An expression with others in it begins.
    #[inline]
    pub fn enter(&self) -> Known<()> {
        let depth = self.depth.get() + 1;
        if depth > DEPTH {
            return Err(Ask("deep nesting"));
        }
        self.depth.set(depth);
        self.spend(1)
    }

    /// It ends.
    #[inline]
    pub fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// So many steps are made.
    #[inline]
    pub fn spend(&self, steps: u64) -> Known<()> {
        let before = self.steps.get();
        let now = before + steps;
        self.steps.set(now);
        if now > STEPS || self.bytes.get() > BYTES {
            return Err(Ask("a long run"));
        }
        // When a multiple is passed.
        if before / EVERY != now / EVERY && self.began.get().is_some_and(|began| began.elapsed() > TIME) {
            return Err(Ask("a long run"));
        }
        Ok(())
    }
}

/// Gives what the thread's rendering has used.
pub(super) fn with<T>(work: impl FnOnce(&Used) -> T) -> T {
    USED.with(work)
}

/// Counts so many steps.
pub(super) fn spend(steps: u64) -> Known<()> {
    USED.with(|used| used.spend(steps))
}

/// Counts bytes of what is made; the next step notices when they are too many.
pub(super) fn made(bytes: usize) {
    USED.with(|used| used.bytes.set(used.bytes.get().saturating_add(bytes)));
}
