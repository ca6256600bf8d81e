//! How many may compute at once. Those who wait for something else (a classifier, another server) are not among them.

use std::sync::{Condvar, Mutex, PoisonError};

/// Lets so many through at once.
#[derive(Debug)]
pub struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

/// Somebody who has come through; until this is dropped.
#[derive(Debug)]
pub struct Pass<'g>(&'g Gate);

impl Gate {
    /// For so many.
    pub fn new(most: usize) -> Gate {
        Gate { free: Mutex::new(most.max(1)), freed: Condvar::new() }
    }

    /// Waits until one more may.
    pub fn pass(&self) -> Pass<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Pass(self)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn so_many_pass_at_once() {
        let (gate, now, most) = (Gate::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _pass = gate.pass();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
    }
}
