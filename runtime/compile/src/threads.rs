//! The threads that compiles run on: with a stack deep enough for calls nested to the limit, an arena that is used
//! again, and whatever else a thread keeps warm (compiled regular expressions). They live as long as their session.

use bumpalo::Bump;
use bunraku_vm::budget::{self, Limit, Limits};
use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Stack of a thread: what calls at their deepest nesting need, with room. Only what is used is ever memory.
const STACK: usize = 256 << 20;
/// Bytes of the piece that an arena begins with: the same for each compile, so that how much fits into an arena does not
/// depend on what ran before. Only what is used is ever memory.
const WHOLE: usize = (64 << 20) - (1 << 12);

/// What a thread is given to do.
type Task = Box<dyn FnOnce(&Bump) + Send>;

thread_local! {
    /// The arenas that are free on a thread that runs compiles itself: one, and another for each compile within a compile.
    /// None on all other threads.
    static OWN: Cell<Option<Vec<Bump>>> = const { Cell::new(None) };
}

/// Starts a thread that runs what it compiles itself: no other is woken for it. It is for those who compile many.
///
/// # Errors
/// When the system has no more threads.
pub fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> io::Result<ScopedJoinHandle<'s, T>> {
    let work = || {
        OWN.set(Some(vec![Bump::with_capacity(WHOLE)]));
        work()
    };
    Builder::new().stack_size(STACK).spawn_scoped(scope, work)
}

/// Does some work on such a thread, and waits for it. What it panics with is passed on.
///
/// # Errors
/// As of [`spawn`].
pub fn within<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = spawn(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Threads that wait for a compile.
#[derive(Default)]
pub struct Threads(Mutex<Vec<Sender<Task>>>);

impl Threads {
    /// Runs `compile` on a thread of its own, unless this one was [`spawn`]ed for that,
    /// within limits, with an arena that is cleared afterwards.
    ///
    /// # Errors
    /// When no thread can be started; with what `compile` panicked with.
    pub fn run<T: Send + 'static>(
        &self,
        limits: Limits,
        compile: impl FnOnce(&Bump) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        if is_own() {
            return here(limits, compile);
        }
        let idle = self.0.lock().ok().and_then(|mut idle| idle.pop());
        let thread = match idle {
            Some(thread) => thread,
            None => start().map_err(Failure::Start)?,
        };
        let (answer, answered) = channel();
        let task = move |arena: &Bump| {
            // Whoever asked is waiting.
            let _ = answer.send(guarded(arena, limits, compile));
        };
        let lost = || Failure::Panic(Box::new("the thread is gone"));
        thread.send(Box::new(task)).map_err(|_| lost())?;
        let result = answered.recv().map_err(|_| lost())?;
        if let Ok(mut idle) = self.0.lock() {
            idle.push(thread);
        }
        result
    }
}

/// Whether this thread was [`spawn`]ed to run what it compiles itself.
pub fn is_own() -> bool {
    let own = OWN.take();
    let is_own = own.is_some();
    OWN.set(own);
    is_own
}

/// Runs `compile` on this thread, within limits, with an arena that is cleared afterwards.
///
/// # Errors
/// With what `compile` panicked with.
pub fn here<T>(limits: Limits, compile: impl FnOnce(&Bump) -> T) -> Result<T, Failure> {
    let mut free = OWN.take();
    let arena = free.as_mut().and_then(Vec::pop).unwrap_or_else(|| Bump::with_capacity(WHOLE));
    OWN.set(free);
    let result = guarded(&arena, limits, compile);
    if let Some(mut free) = OWN.take() {
        // A compile within this one has ended later than this one has written: its arena is the next one's, as long as it is in the
        // processor's caches.
        free.insert(0, cleared(arena));
        OWN.set(Some(free));
    }
    result
}

/// Why there is no result.
pub enum Failure {
    /// The system has no more threads.
    Start(io::Error),
    /// A limit that was reached before or after the compile itself, which answers for its own.
    Limit(Limit),
    /// What was thrown.
    Panic(Box<dyn Any + Send>),
}

fn guarded<T>(arena: &Bump, limits: Limits, compile: impl FnOnce(&Bump) -> T) -> Result<T, Failure> {
    // An arena that may not have the usual first piece begins with none.
    let small = (limits.memory < WHOLE).then(Bump::new);
    let arena = small.as_ref().unwrap_or(arena);
    arena.set_allocation_limit(Some(limits.memory));
    let result = catch_unwind(AssertUnwindSafe(|| budget::guarded(limits, || compile(arena))));
    result.map_err(Failure::Panic)?.map_err(Failure::Limit)
}

/// The arena for the next compile: its first piece alone, whatever the last one has added to it.
fn cleared(mut arena: Bump) -> Bump {
    let before = arena.allocated_bytes();
    arena.reset();
    if arena.allocated_bytes() == before { arena } else { Bump::with_capacity(WHOLE) }
}

fn start() -> io::Result<Sender<Task>> {
    let (tasks, queue) = channel();
    Builder::new().stack_size(STACK).spawn(move || work(&queue))?;
    Ok(tasks)
}

fn work(queue: &Receiver<Task>) {
    let mut arena = Bump::with_capacity(WHOLE);
    while let Ok(task) = queue.recv() {
        task(&arena);
        arena = cleared(arena);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_survives_what_panics_on_it() {
        let threads = Threads::default();
        assert!(matches!(
            threads.run(Limits::default(), |_| -> i32 { panic!("no") }),
            Err(Failure::Panic(_))
        ));
        let sum = threads.run(Limits::default(), |arena| *arena.alloc(20) + 22);
        assert!(matches!(sum, Ok(42)));
        assert_eq!(threads.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn each_compile_begins_with_an_arena_of_the_same_form() {
        let fresh = || Bump::with_capacity(WHOLE);
        let form = |arena: &Bump| (arena.allocated_bytes(), arena.chunk_capacity());
        for size in [1 << 10, WHOLE / 2, WHOLE, WHOLE + 1, 3 * WHOLE] {
            let arena = fresh();
            arena.alloc_slice_fill_copy(size, 1u8);
            assert_eq!(form(&cleared(arena)), form(&fresh()), "{size}");
        }
    }

    #[test]
    fn memory_ends_at_the_same_size_on_a_warm_thread() {
        let threads = Threads::default();
        let run = |memory: usize, size: usize| {
            let limits = Limits { memory, ..Limits::default() };
            let result = threads.run(limits, move |arena| arena.alloc_slice_fill_copy(size, 1u8).len());
            matches!(result, Err(Failure::Limit(_)))
        };
        for _ in 0..2 {
            assert!(run(1 << 20, 2 << 20) && !run(1 << 20, 1 << 19));
            assert!(run(100 << 20, 101 << 20) && !run(100 << 20, 30 << 20));
        }
    }

    #[test]
    fn a_compile_within_a_compile_has_an_arena_of_its_own() {
        let work = || {
            let inner = || here(Limits::default(), |arena| std::ptr::from_ref(arena).addr()).ok();
            let outer = here(Limits::default(), |arena| {
                let text = arena.alloc_str("outer");
                let other = here(Limits::default(), |arena| arena.alloc_str("inner").to_owned()).ok();
                (text.to_owned(), other, is_own())
            });
            (outer.ok(), inner().is_some())
        };
        let (outer, again) = within(work).unwrap();
        assert_eq!(outer, Some(("outer".to_owned(), Some("inner".to_owned()), true)));
        assert!(again && !is_own());
    }

    #[test]
    fn a_thread_made_for_it_compiles_itself() {
        let threads = Threads::default();
        let here = || threads.run(Limits::default(), |_| std::thread::current().id()).ok();
        let own = std::thread::scope(|scope| {
            let work = || {
                let failed = threads.run(Limits::default(), |_| -> i32 { panic!("no") });
                (matches!(failed, Err(Failure::Panic(_))), here() == Some(std::thread::current().id()))
            };
            spawn(scope, work).unwrap().join().unwrap()
        });
        assert_eq!(own, (true, true));
        assert!(threads.0.lock().unwrap().is_empty());
        assert!(here().is_some_and(|id| id != std::thread::current().id()));
    }
}
