//! What a compile may use: steps, nesting, bytes and time. The machine and every walk over values and types count here,
//! and nowhere else.
//!
//! Reaching a limit ends the compile, and nothing less: the walk is left by unwinding, with a [`Limit`] in place of a
//! panic's text, up to [`guarded`]. So no walk has to say in its result that it was cut off, and no answer of one that
//! was is ever seen. What has been counted is the thread's: values are compared, hashed and printed far from the
//! machine.
//!
//! Outside of [`guarded`] nothing is limited; deep walks get the stack they need all the same.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

/// What a compile may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How deep values, types and walks over them may nest: `max_nesting`.
    pub nesting: u32,
    /// How many parts of values and types walks and iterations may visit in all: `max_steps`.
    pub steps: u64,
    /// How many bytes values may take, and each text or list on its way to become one: `max_memory`.
    pub memory: usize,
    /// How long it may take: `timeout`.
    pub time: Option<Duration>,
    /// What time it is, from any beginning: this layer has no clock of its own.
    pub clock: fn() -> Duration,
}

/// Values may nest this deep by default; Ruby's stack ends at a few thousand levels.
pub const MAX_NESTING: u32 = 10_000;
/// This many parts may be visited by default: some minutes' worth.
pub const MAX_STEPS: u64 = 2_000_000_000;
/// 4 GiB: no catalog comes near it, and a runaway string is stopped before the machine is.
pub const MAX_MEMORY: usize = 4 << 30;

impl Default for Limits {
    fn default() -> Self {
        Limits { nesting: MAX_NESTING, steps: MAX_STEPS, memory: MAX_MEMORY, ..Limits::NONE }
    }
}

impl Limits {
    const NONE: Limits = Limits {
        nesting: u32::MAX,
        steps: u64::MAX,
        memory: usize::MAX,
        time: None,
        clock: || Duration::ZERO,
    };
}

/// A limit that was reached, with its setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_nesting`
    Nesting(u32),
    /// `max_steps`
    Steps(u64),
    /// `max_memory`
    Memory(usize),
    /// `timeout`
    Time(Duration),
    /// `max_calls`
    Calls(u64),
    /// `max_depth`
    CallDepth(usize),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nesting(levels) => {
                write!(f, "stack level too deep: values nest more than {levels} levels (setting max_nesting)")
            }
            Limit::Steps(steps) => write!(f, "The compile needs more than {steps} steps (setting max_steps)"),
            Limit::Memory(bytes) => {
                write!(f, "The compile needs more than {bytes} bytes (setting max_memory)")
            }
            Limit::Calls(calls) => {
                write!(f, "the compile makes more than {calls} calls (setting max_calls)")
            }
            Limit::CallDepth(levels) => {
                write!(f, "stack level too deep: calls nest more than {levels} levels (setting max_depth)")
            }
            Limit::Time(time) => {
                write!(f, "The compile takes more than {} seconds (setting timeout)", time.as_secs_f64())
            }
        }
    }
}

impl Limit {
    /// The limit that unwinding was begun for; none for a panic.
    ///
    /// The arena's own limit stands behind the counts of this file, for what is asked for in one piece; all that is
    /// known of it is the text it panics with.
    pub fn of_unwinding(payload: &(dyn Any + Send)) -> Option<Limit> {
        if let Some(limit) = payload.downcast_ref::<Limit>() {
            return Some(*limit);
        }
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))?;
        let full = text == "out of memory" || text.starts_with("encountered allocation error");
        full.then(|| Limit::Memory(BUDGET.with(|budget| budget.limits.get().memory)))
    }

    #[cold]
    fn hit(self) -> ! {
        // Not a panic: no hook is told, and nothing is printed.
        resume_unwind(Box::new(self))
    }
}

/// Steps between two looks at the clock.
const EVERY: u64 = 1 << 16;
/// Levels between two looks at the stack.
const LEVELS: u32 = 16;
/// What so many levels may need.
const RED_ZONE: usize = 1 << 20;
/// What is added to a stack that has no more.
const STACK: usize = 16 << 20;

struct Budget {
    /// Steps up to the next look at the clock.
    soon: Cell<u64>,
    /// Steps left after that.
    later: Cell<u64>,
    depth: Cell<u32>,
    /// Bytes that the arena held when last looked at.
    arena: Cell<usize>,
    /// Bytes of the heap that the running functions hold.
    held: Cell<usize>,
    limits: Cell<Limits>,
    deadline: Cell<Option<Duration>>,
}

thread_local! {
    static BUDGET: Budget = const {
        Budget {
            soon: Cell::new(EVERY),
            later: Cell::new(u64::MAX),
            depth: Cell::new(0),
            arena: Cell::new(0),
            held: Cell::new(0),
            limits: Cell::new(Limits::NONE),
            deadline: Cell::new(None),
        }
    };
}

impl Budget {
    fn set(&self, limits: Limits, deadline: Option<Duration>) {
        let soon = limits.steps.min(EVERY);
        self.soon.set(soon);
        self.later.set(limits.steps - soon);
        self.depth.set(0);
        self.arena.set(0);
        self.held.set(0);
        self.limits.set(limits);
        self.deadline.set(deadline);
    }

    #[inline]
    fn spend(&self, steps: u64) {
        match self.soon.get().checked_sub(steps) {
            Some(soon) => self.soon.set(soon),
            None => self.ration(steps),
        }
    }

    /// The steps up to the next look are spent.
    #[cold]
    #[inline(never)]
    fn ration(&self, steps: u64) {
        let left = self.soon.get().saturating_add(self.later.get()).checked_sub(steps);
        let left = left.unwrap_or_else(|| Limit::Steps(self.limits.get().steps).hit());
        self.soon.set(left.min(EVERY));
        self.later.set(left - left.min(EVERY));
        self.look();
    }

    fn look(&self) {
        let limits = self.limits.get();
        if self.deadline.get().is_some_and(|deadline| (limits.clock)() >= deadline) {
            Limit::Time(limits.time.unwrap_or_default()).hit();
        }
    }

    #[inline]
    fn enter(&self, parts: usize) -> u32 {
        self.spend(parts as u64 + 1);
        let depth = self.depth.get() + 1;
        self.depth.set(depth);
        depth
    }

    fn room(&self, bytes: usize) {
        let limit = self.limits.get().memory;
        if bytes > limit.saturating_sub(self.arena.get()).saturating_sub(self.held.get()) {
            Limit::Memory(limit).hit();
        }
    }
}

/// Does some work within limits. What the thread counted before goes on afterwards.
///
/// # Errors
/// The limit that was reached. Other panics pass through.
pub fn guarded<T>(limits: Limits, work: impl FnOnce() -> T) -> Result<T, Limit> {
    let deadline = limits.time.and_then(|time| (limits.clock)().checked_add(time));
    BUDGET.with(|budget| {
        let Budget { soon, later, depth, arena, held, limits: own, deadline: until } = budget;
        let before = (soon.get(), later.get(), depth.get(), arena.get(), held.get(), own.get(), until.get());
        budget.set(limits, deadline);
        let result = catch_unwind(AssertUnwindSafe(work));
        let result = result.map_err(|payload| Limit::of_unwinding(&*payload).ok_or(payload));
        soon.set(before.0);
        later.set(before.1);
        depth.set(before.2);
        arena.set(before.3);
        held.set(before.4);
        own.set(before.5);
        until.set(before.6);
        match result {
            Ok(value) => Ok(value),
            Err(Ok(limit)) => Err(limit),
            Err(Err(panic)) => resume_unwind(panic),
        }
    })
}

/// One level of a walk: looks at something of so many parts. What has no parts need not be counted.
#[inline]
pub fn within<T>(parts: usize, walk: impl FnOnce() -> T) -> T {
    let depth = BUDGET.with(|budget| budget.enter(parts));
    let result = if depth.is_multiple_of(LEVELS) { deeper(depth, walk) } else { walk() };
    BUDGET.with(|budget| budget.depth.set(depth - 1));
    result
}

#[cold]
#[inline(never)]
fn deeper<T>(depth: u32, walk: impl FnOnce() -> T) -> T {
    let limit = BUDGET.with(|budget| budget.limits.get().nesting);
    if depth > limit {
        Limit::Nesting(limit).hit();
    }
    on_grown_stack(walk)
}

/// Runs something with stack enough for some levels of calls, more of it where there is not.
pub fn on_grown_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK, work)
}

/// Counts so many steps of a loop.
#[inline]
pub fn spend(steps: usize) {
    BUDGET.with(|budget| budget.spend(steps as u64));
}

/// Looks at the clock, and at what the arena holds.
pub fn look(arena: usize) {
    BUDGET.with(|budget| {
        budget.arena.set(arena);
        budget.room(0);
        budget.look();
    });
}

/// Asks for so many bytes in one piece, before they are taken.
pub fn room(bytes: usize) {
    BUDGET.with(|budget| budget.room(bytes));
}

/// Takes so many bytes of the heap, up to the end of the function that runs.
pub fn hold(bytes: usize) {
    BUDGET.with(|budget| {
        budget.room(bytes);
        budget.held.set(budget.held.get().saturating_add(bytes));
    });
}

/// Runs a function; what it has taken is given back.
#[inline]
pub(crate) fn releasing<T>(function: impl FnOnce() -> T) -> T {
    let before = BUDGET.with(|budget| budget.held.get());
    let result = function();
    BUDGET.with(|budget| budget.held.set(before));
    result
}

/// What is left of the time; none where it is not limited.
pub fn time_left() -> Option<Duration> {
    BUDGET.with(|budget| {
        let clock = budget.limits.get().clock;
        budget.deadline.get().map(|deadline| deadline.saturating_sub(clock()))
    })
}

/// Ends the compile where its time is up.
pub fn check_time() {
    BUDGET.with(Budget::look);
}

/// Appends to a list of which nobody knows how long it becomes: each time it grows, there must be room.
#[inline]
pub fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        room_for_more::<T>(list.len());
    }
    list.push(item);
}

#[cold]
#[inline(never)]
fn room_for_more<T>(length: usize) {
    // A list doubles, with both halves there while it is copied.
    room(length.saturating_mul(3 * size_of::<T>()));
}

/// Appends to a text in the same way.
#[inline]
pub fn push_str(text: &mut String, more: &str) {
    if more.len() > text.capacity() - text.len() {
        room_for_text(text.len(), more.len());
    }
    text.push_str(more);
}

#[cold]
#[inline(never)]
fn room_for_text(length: usize, more: usize) {
    room(length.saturating_mul(2).saturating_add(more));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn down(levels: u32) -> u32 {
        within(1, || if levels == 0 { 0 } else { 1 + down(levels - 1) })
    }

    #[test]
    fn each_limit_is_reached_and_named() {
        let limits = Limits { nesting: 160, steps: 100_000, memory: 1000, ..Limits::NONE };
        assert_eq!(guarded(limits, || down(100)), Ok(100));
        assert_eq!(guarded(limits, || down(200)), Err(Limit::Nesting(160)));
        assert_eq!(guarded(limits, || spend(100_000)), Ok(()));
        assert_eq!(guarded(limits, || (0..1000).for_each(|_| spend(101))), Err(Limit::Steps(100_000)));
        assert_eq!(guarded(limits, || room(1001)), Err(Limit::Memory(1000)));
        let endless = || {
            let mut text = String::new();
            loop {
                push_str(&mut text, "x");
            }
        };
        assert_eq!(guarded(limits, endless), Err(Limit::Memory(1000)));
        // A clock that goes on with each look.
        thread_local! { static NOW: Cell<u64> = const { Cell::new(0) }; }
        let clock = || Duration::from_secs(NOW.with(|now| now.replace(now.get() + 1)));
        let time = Some(Duration::from_secs(5));
        let endless = || loop {
            spend(1);
        };
        let result: Result<(), Limit> = guarded(Limits { time, clock, ..Limits::NONE }, endless);
        assert_eq!(result, Err(Limit::Time(Duration::from_secs(5))));
    }

    #[test]
    fn what_was_counted_before_goes_on() {
        let limits = Limits { steps: 10, ..Limits::default() };
        let outer = guarded(limits, || {
            spend(6);
            assert_eq!(guarded(limits, || spend(11)), Err(Limit::Steps(10)));
            spend(4);
            spend(1);
        });
        assert_eq!(outer, Err(Limit::Steps(10)));
    }

    #[test]
    fn deep_walks_get_their_stack() {
        let small = std::thread::Builder::new().stack_size(2 << 20);
        let deep = small.spawn(|| down(1_000_000)).unwrap();
        assert_eq!(deep.join().unwrap(), 1_000_000);
    }

    #[test]
    fn panics_are_no_limits() {
        let silent = || guarded(Limits::default(), || resume_unwind(Box::new("a fault")));
        let result: std::thread::Result<Result<(), Limit>> = catch_unwind(silent);
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"a fault"));
    }
}
