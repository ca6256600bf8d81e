//! What one rendering may use: steps, depth, bytes and time. What needs more is Ruby's, which has limits of its own.
//!
//! Kept for the thread, since values are compared, printed and made far from the renderer; a template within another
//! uses up what is left of the outer one's.

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

thread_local! {
    static STEPS_USED: Cell<u64> = const { Cell::new(0) };
    static BYTES_USED: Cell<usize> = const { Cell::new(0) };
    static DEPTH_NOW: Cell<usize> = const { Cell::new(0) };
    static BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// An outermost rendering begins.
pub(super) fn begin() {
    STEPS_USED.set(0);
    BYTES_USED.set(0);
    DEPTH_NOW.set(0);
    BEGAN.set(Some(Instant::now()));
}

/// Counts so many steps.
pub(super) fn spend(steps: u64) -> Known<()> {
    let before = STEPS_USED.get();
    let now = before + steps;
    STEPS_USED.set(now);
    if now > STEPS || BYTES_USED.get() > BYTES {
        return Err(Ask("a long run"));
    }
    // When a multiple is passed.
    if before / EVERY != now / EVERY && BEGAN.get().is_some_and(|began| began.elapsed() > TIME) {
        return Err(Ask("a long run"));
    }
    Ok(())
}

/// Counts bytes of what is made; the next step notices when they are too many.
pub(super) fn made(bytes: usize) {
    BYTES_USED.set(BYTES_USED.get().saturating_add(bytes));
}

/// An expression begins.
pub(super) fn enter() -> Known<()> {
    let depth = DEPTH_NOW.get() + 1;
    if depth > DEPTH {
        return Err(Ask("deep nesting"));
    }
    DEPTH_NOW.set(depth);
    spend(1)
}

/// It ends.
pub(super) fn leave() {
    DEPTH_NOW.set(DEPTH_NOW.get().saturating_sub(1));
}
