//! What one rendering may use: steps, depth, bytes and time. A template that needs more is left to Ruby, which has limits
//! of its own.
//!
//! Kept for the thread, since values are compared, printed and made far from the run, which asks for it once; a
//! template within another uses up what is left of the outer one's.

use crate::for_ruby::{ForRuby, OrRuby};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Expressions evaluated, items compared, copied or printed: what runs for about as long as [`TIME`] allows on a slow machine. A function
/// that is left to Ruby has run for nothing, and Ruby takes longer for the same.
const STEPS: u64 = 400_000_000;
/// Bytes of strings, arrays and hashes made.
const BYTES: usize = 256 << 20;
/// Expressions within expressions, blocks and templates included.
const DEPTH: usize = 500;
/// Time; the clock is read every [`EVERY`] steps.
const TIME: Duration = Duration::from_secs(5);
const EVERY: u64 = 512;

/// What the rendering on this thread has used.
pub(crate) struct RenderBudget {
    /// Steps left before bytes and time are checked next.
    soon: Cell<u64>,
    /// Steps left behind that check.
    later: Cell<u64>,
    bytes: Cell<usize>,
    depth: Cell<usize>,
    /// When steps were checked first: a short run never asks the clock.
    began: Cell<Option<Instant>>,
    /// How many runs are under way, each within the one before.
    runs: Cell<usize>,
}

thread_local! {
    static USED: RenderBudget = const {
        RenderBudget {
            soon: Cell::new(0),
            later: Cell::new(0),
            bytes: Cell::new(0),
            depth: Cell::new(0),
            began: Cell::new(None),
            runs: Cell::new(0),
        }
    };
}

/// A run that is under way: when it ends, counts are what they were.
struct UnderWay<'b> {
    used: &'b RenderBudget,
    runs: usize,
    depth: usize,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.used.runs.set(self.runs);
        self.used.depth.set(self.depth);
    }
}

/// Something that is not a run's own is under way: when it ends, the run goes on as it was.
struct Apart<'b> {
    used: &'b RenderBudget,
    runs: usize,
    steps: [u64; 2],
    bytes: usize,
    /// When the run began, and when it was left.
    left: Option<(Instant, Instant)>,
}

impl Drop for Apart<'_> {
    fn drop(&mut self) {
        let [soon, later] = self.steps;
        self.used.runs.set(self.runs);
        self.used.soon.set(soon);
        self.used.later.set(later);
        self.used.bytes.set(self.bytes);
        self.used.began.set(self.left.map(|(began, left)| began + left.elapsed()));
    }
}

impl RenderBudget {
    /// An outermost rendering begins.
    pub fn begin(&self) {
        self.soon.set(EVERY);
        self.later.set(STEPS - EVERY);
        self.bytes.set(0);
        self.began.set(None);
    }

    /// Does something that is not this run's own: what runs within it has a budget of its own, but for the depth.
    pub fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        let _apart = Apart {
            used: self,
            runs: self.runs.replace(0),
            steps: [self.soon.get(), self.later.get()],
            bytes: self.bytes.get(),
            left: self.began.get().map(|began| (began, Instant::now())),
        };
        work()
    }

    /// Whether a run is under way.
    pub fn is_within(&self) -> bool {
        self.runs.get() > 0
    }

    /// Does something as a run.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        // A run may end in a panic, which unwinds through here.
        let _under_way = UnderWay { used: self, runs: self.runs.get(), depth: self.depth.get() };
        self.runs.set(self.runs.get() + 1);
        work()
    }

    /// An expression with others in it begins.
    #[inline]
    pub fn enter(&self) -> OrRuby<()> {
        let depth = self.depth.get() + 1;
        if depth > DEPTH {
            return Err(ForRuby("deep nesting"));
        }
        self.depth.set(depth);
        self.spend(1)
    }

    /// An expression that [`enter`](Self::enter) has counted ends.
    #[inline]
    pub fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// Counts steps.
    ///
    /// # Errors
    /// When there are none left, or bytes or time are used up.
    #[inline]
    pub fn spend(&self, steps: u64) -> OrRuby<()> {
        match self.soon.get().checked_sub(steps) {
            Some(soon) => {
                self.soon.set(soon);
                Ok(())
            }
            None => self.look(steps),
        }
    }

    #[cold]
    fn look(&self, steps: u64) -> OrRuby<()> {
        let left = (self.soon.get() + self.later.get()).checked_sub(steps).ok_or(ForRuby("a long run"))?;
        match self.began.get() {
            None => self.began.set(Some(Instant::now())),
            Some(began) if began.elapsed() > TIME => return Err(ForRuby("a long run")),
            Some(_) => {}
        }
        if self.bytes.get() > BYTES {
            return Err(ForRuby("a long run"));
        }
        self.soon.set(left.min(EVERY));
        self.later.set(left - left.min(EVERY));
        Ok(())
    }

    /// Counts bytes of what is made. When they are too many, the next step fails.
    #[inline]
    fn make(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        if self.bytes.get() > BYTES {
            self.later.set(self.soon.replace(0) + self.later.get());
        }
    }
}

/// Hands over the budget of the rendering on this thread.
pub(crate) fn with<T>(work: impl FnOnce(&RenderBudget) -> T) -> T {
    USED.with(work)
}

/// Counts so many steps.
#[inline]
pub(crate) fn spend(steps: u64) -> OrRuby<()> {
    USED.with(|used| used.spend(steps))
}

/// Counts bytes of what is made; the next step notices when they are too many.
#[inline]
pub(crate) fn made(bytes: usize) {
    USED.with(|used| used.make(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end() {
        with(|used| {
            used.begin();
            for _ in 0..STEPS / EVERY {
                assert!(used.spend(EVERY).is_ok());
            }
            assert!(used.spend(STEPS % EVERY).is_ok());
            assert!(used.spend(1).is_err());
            used.begin();
            assert!(used.spend(STEPS).is_ok());
            assert!(used.spend(1).is_err());
        });
    }

    #[test]
    fn many_bytes_are_noticed_at_the_next_step() {
        with(|used| {
            used.begin();
            made(BYTES);
            assert!(used.spend(1).is_ok());
            made(1);
            assert!(used.spend(1).is_err());
            assert!(used.spend(1).is_err());
        });
    }

    #[test]
    fn what_runs_apart_uses_up_nothing() {
        with(|used| {
            used.begin();
            used.within(|| {
                assert!(used.spend(STEPS - 1).is_ok());
                used.apart(|| {
                    assert!(!used.is_within());
                    used.begin();
                    assert!(used.spend(STEPS).is_ok() && used.spend(1).is_err());
                });
                assert!(used.is_within() && used.spend(1).is_ok() && used.spend(1).is_err());
            });
        });
    }

    #[test]
    fn depth_is_bounded_and_given_back() {
        with(|used| {
            used.begin();
            for _ in 0..DEPTH {
                assert!(used.enter().is_ok());
            }
            assert!(used.enter().is_err());
            used.leave();
            assert!(used.enter().is_ok());
        });
    }
}
