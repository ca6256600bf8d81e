//! The threads that compiles run on: with a stack deep enough for calls nested to the limit, an arena that is used
//! again, and whatever else a thread keeps warm (compiled regular expressions). They live as long as their session.

use bumpalo::Bump;
use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Stack of a thread: what calls at their deepest nesting need, with room. Only what is used is ever memory.
const STACK: usize = 256 << 20;
/// Bytes that an arena may keep between compiles.
const KEPT: usize = 64 << 20;

/// What a thread is given to do.
type Task = Box<dyn FnOnce(&Bump) + Send>;

thread_local! {
    /// The arena of a thread that runs compiles itself; none while it does, and on all other threads.
    static OWN: Cell<Option<Bump>> = const { Cell::new(None) };
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
        OWN.set(Some(Bump::new()));
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
    /// Runs `compile` on a thread of its own, unless this one was [`spawn`]ed for that, with an arena limited to `memory` bytes that is cleared afterwards.
    ///
    /// # Errors
    /// When no thread can be started; with what `compile` panicked with.
    pub fn run<T: Send + 'static>(
        &self,
        memory: usize,
        compile: impl FnOnce(&Bump) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        if let Some(arena) = OWN.take() {
            let result = guarded(&arena, memory, compile);
            OWN.set(Some(cleared(arena)));
            return result.map_err(Failure::Panic);
        }
        let idle = self.0.lock().ok().and_then(|mut idle| idle.pop());
        let thread = match idle {
            Some(thread) => thread,
            None => start().map_err(Failure::Start)?,
        };
        let (answer, answered) = channel();
        let task = move |arena: &Bump| {
            // Whoever asked is waiting.
            let _ = answer.send(guarded(arena, memory, compile));
        };
        let lost = || Failure::Panic(Box::new("the thread is gone"));
        thread.send(Box::new(task)).map_err(|_| lost())?;
        let result = answered.recv().map_err(|_| lost())?;
        if let Ok(mut idle) = self.0.lock() {
            idle.push(thread);
        }
        result.map_err(Failure::Panic)
    }
}

/// Why there is no result.
pub enum Failure {
    /// The system has no more threads.
    Start(io::Error),
    /// What was thrown.
    Panic(Box<dyn Any + Send>),
}

fn guarded<T>(arena: &Bump, memory: usize, compile: impl FnOnce(&Bump) -> T) -> std::thread::Result<T> {
    arena.set_allocation_limit(Some(memory));
    catch_unwind(AssertUnwindSafe(|| compile(arena)))
}

/// The arena for the next compile: in one piece, so that it need not grow piece by piece once more.
fn cleared(mut arena: Bump) -> Bump {
    let whole = arena.allocated_bytes();
    arena.reset();
    match arena.allocated_bytes() {
        kept if kept > KEPT => Bump::new(),
        // A little less than the most, since what is asked for is rounded up.
        kept if kept < whole => Bump::with_capacity(whole.min(KEPT - (1 << 20))),
        _ => arena,
    }
}

fn start() -> io::Result<Sender<Task>> {
    let (tasks, queue) = channel();
    Builder::new().stack_size(STACK).spawn(move || work(&queue))?;
    Ok(tasks)
}

fn work(queue: &Receiver<Task>) {
    let mut arena = Bump::new();
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
        assert!(matches!(threads.run(1 << 20, |_| -> i32 { panic!("no") }), Err(Failure::Panic(_))));
        let sum = threads.run(1 << 20, |arena| *arena.alloc(20) + 22);
        assert!(matches!(sum, Ok(42)));
        assert_eq!(threads.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn an_arena_is_kept_in_one_piece_and_not_too_large() {
        let mut arena = Bump::new();
        for size in [1 << 10, 1 << 20, 3 << 20] {
            arena.alloc_slice_fill_copy(size, 1u8);
            let whole = arena.allocated_bytes();
            arena = cleared(arena);
            assert!(arena.allocated_bytes() >= whole.min(size) && arena.chunk_capacity() >= size);
        }
        // As large as may be kept, it is kept.
        let most = cleared(Bump::with_capacity(KEPT - (1 << 20)));
        assert!(most.chunk_capacity() > KEPT / 2);
        arena.alloc_slice_fill_copy(KEPT + 1, 1u8);
        assert!(cleared(arena).allocated_bytes() <= KEPT);
    }

    #[test]
    fn a_thread_made_for_it_compiles_itself() {
        let threads = Threads::default();
        let here = || threads.run(1 << 20, |_| std::thread::current().id()).ok();
        let own = std::thread::scope(|scope| {
            let work = || {
                let failed = threads.run(1 << 20, |_| -> i32 { panic!("no") });
                (matches!(failed, Err(Failure::Panic(_))), here() == Some(std::thread::current().id()))
            };
            spawn(scope, work).unwrap().join().unwrap()
        });
        assert_eq!(own, (true, true));
        assert!(threads.0.lock().unwrap().is_empty());
        assert!(here().is_some_and(|id| id != std::thread::current().id()));
    }
}
