//! The threads that compiles run on: with a stack deep enough for calls nested to the limit, an arena that is used
//! again, and whatever else a thread keeps warm (compiled regular expressions). They live as long as their session.

use bumpalo::Bump;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Stack of a thread: what calls at their deepest nesting need, with room. Only what is used is ever memory.
const STACK: usize = 256 << 20;
/// Bytes that an arena may keep between compiles.
const KEPT: usize = 64 << 20;

/// What a thread is given to do.
type Task = Box<dyn FnOnce(&Bump) + Send>;

/// Threads that wait for a compile.
#[derive(Default)]
pub struct Threads(Mutex<Vec<Sender<Task>>>);

impl Threads {
    /// Runs `compile` on a thread of its own, with an arena limited to `memory` bytes that is cleared afterwards.
    ///
    /// # Errors
    /// When no thread can be started; with what `compile` panicked with.
    pub fn run<T: Send + 'static>(
        &self,
        memory: usize,
        compile: impl FnOnce(&Bump) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let idle = self.0.lock().ok().and_then(|mut idle| idle.pop());
        let thread = match idle {
            Some(thread) => thread,
            None => start().map_err(Failure::Start)?,
        };
        let (answer, answered) = channel();
        let task = move |arena: &Bump| {
            arena.set_allocation_limit(Some(memory));
            let result = catch_unwind(AssertUnwindSafe(|| compile(arena)));
            // Whoever asked is waiting.
            let _ = answer.send(result);
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
    Start(std::io::Error),
    /// What was thrown.
    Panic(Box<dyn Any + Send>),
}

fn start() -> std::io::Result<Sender<Task>> {
    let (tasks, queue) = channel();
    std::thread::Builder::new().stack_size(STACK).spawn(move || work(&queue))?;
    Ok(tasks)
}

fn work(queue: &Receiver<Task>) {
    let mut arena = Bump::new();
    while let Ok(task) = queue.recv() {
        task(&arena);
        arena.reset();
        if arena.allocated_bytes() > KEPT {
            arena = Bump::new();
        }
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
}
