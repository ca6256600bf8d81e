//! The same work for each of many nodes, on several threads, with the results in the order of the nodes' names: so reports come
//! out the same whoever was faster, and none has to be kept till the end.

use bunraku::threads::spawn;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard};

/// How many results a thread may be ahead of the one whose turn it is: what waits is memory.
const AHEAD: usize = 4;

/// Where everybody stands.
struct Progress<T> {
    /// The number of the next name that a thread takes.
    next: usize,
    /// How many results have been handed over.
    handed: usize,
    /// Results that wait for their turn, by number.
    waiting: BTreeMap<usize, T>,
    /// No more is wanted, or a thread has ended before its time, and its result never comes.
    over: bool,
}

struct Pool<T> {
    progress: Mutex<Progress<T>>,
    changed: Condvar,
}

impl<T> Pool<T> {
    fn progress(&self) -> MutexGuard<'_, Progress<T>> {
        self.progress.lock().unwrap_or_else(|held| held.into_inner())
    }

    fn wait<'p>(&self, progress: MutexGuard<'p, Progress<T>>) -> MutexGuard<'p, Progress<T>> {
        self.changed.wait(progress).unwrap_or_else(|held| held.into_inner())
    }
}

/// Tells those who wait when a thread ends by a panic.
struct Watch<'p, T>(&'p Pool<T>);

impl<T> Drop for Watch<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.progress().over = true;
            self.0.changed.notify_all();
        }
    }
}

/// Runs `work` for each name on so many threads; `done` gets the results in the order of the names, each as soon as it is
/// that name's turn, on the thread that has called. A bounded number of results waits: a thread that is too far ahead waits
/// with its next name. What `work` panics with is passed on.
///
/// # Errors
/// When no thread can be started.
pub fn run<T: Send>(
    names: &[String],
    threads: usize,
    work: impl Fn(&str) -> T + Sync,
    mut done: impl FnMut(&str, T),
) -> Result<(), String> {
    run_while(names, threads, work, |name, result| {
        done(name, result);
        true
    })
}

/// The same until `done` says that it is enough: what is at work then is brought to its end, and its results are dropped.
///
/// # Errors
/// As of [`run`].
pub fn run_while<T: Send>(
    names: &[String],
    threads: usize,
    work: impl Fn(&str) -> T + Sync,
    mut done: impl FnMut(&str, T) -> bool,
) -> Result<(), String> {
    let threads = threads.clamp(1, names.len().max(1));
    let progress = Progress { next: 0, handed: 0, waiting: BTreeMap::new(), over: false };
    let pool = Pool { progress: Mutex::new(progress), changed: Condvar::new() };
    std::thread::scope(|scope| {
        let mut started = Vec::new();
        for _ in 0..threads {
            match spawn(scope, || take_names(&pool, names, threads * AHEAD, &work)) {
                Ok(thread) => started.push(thread),
                // Fewer do it, too.
                Err(_) if !started.is_empty() => break,
                Err(error) => return Err(format!("Could not start a thread: {error}")),
            }
        }
        // Whoever waits for a turn must not wait for one who has panicked in `done`.
        let watch = Watch(&pool);
        for (number, name) in names.iter().enumerate() {
            let Some(result) = result_of(&pool, number) else { break };
            if !done(name, result) {
                pool.progress().over = true;
                pool.changed.notify_all();
                break;
            }
        }
        drop(watch);
        for thread in started {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
        Ok(())
    })
}

/// What a thread does.
fn take_names<T>(pool: &Pool<T>, names: &[String], ahead: usize, work: &impl Fn(&str) -> T) {
    let _watch = Watch(pool);
    loop {
        let mut progress = pool.progress();
        let number = progress.next;
        let Some(name) = names.get(number).filter(|_| !progress.over) else { return };
        progress.next += 1;
        while number >= progress.handed + ahead && !progress.over {
            progress = pool.wait(progress);
        }
        if progress.over {
            return;
        }
        drop(progress);
        let result = work(name);
        pool.progress().waiting.insert(number, result);
        pool.changed.notify_all();
    }
}

/// The result of a number, when it is there; none where that is over.
fn result_of<T>(pool: &Pool<T>, number: usize) -> Option<T> {
    let mut progress = pool.progress();
    loop {
        if let Some(result) = progress.waiting.remove(&number) {
            progress.handed = number + 1;
            drop(progress);
            pool.changed.notify_all();
            return Some(result);
        }
        if progress.over {
            return None;
        }
        progress = pool.wait(progress);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("n{number:03}")).collect()
    }

    #[test]
    fn results_come_in_order_whoever_was_faster() {
        let names = names(60);
        let mut got = Vec::new();
        let work = |name: &str| {
            // Those with an even number take longer.
            let number: u64 = name[1..].parse().unwrap();
            std::thread::sleep(Duration::from_micros(if number.is_multiple_of(2) { 700 } else { 50 }));
            number
        };
        run(&names, 3, work, |name, number| got.push((name.to_owned(), number))).unwrap();
        let wanted: Vec<_> = names.iter().cloned().zip(0..60).collect();
        assert_eq!(got, wanted);
    }

    #[test]
    fn no_more_than_a_bounded_number_of_results_waits() {
        let (made, taken, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |_: &str| {
            let ahead = made.fetch_add(1, Ordering::SeqCst) + 1 - taken.load(Ordering::SeqCst);
            most.fetch_max(ahead, Ordering::SeqCst);
        };
        let done = |_: &str, ()| {
            std::thread::sleep(Duration::from_micros(300));
            taken.fetch_add(1, Ordering::SeqCst);
        };
        run(&names(100), 2, work, done).unwrap();
        let most = most.into_inner();
        // The one that `done` is at is not counted as taken yet.
        assert!((2..=2 * AHEAD + 1).contains(&most), "{most}");
    }

    #[test]
    fn a_panic_ends_the_run_and_is_passed_on() {
        let panicking = |in_work: bool| {
            let work = |name: &str| assert!(!in_work || name != "n007", "in work");
            let done = |name: &str, ()| assert!(in_work || name != "n007", "in done");
            let all = names(50);
            let outcome = catch_unwind(AssertUnwindSafe(|| run(&all, 2, work, done)));
            let panic = outcome.unwrap_err();
            panic.downcast_ref::<&str>().map(|text| (*text).to_owned()).unwrap()
        };
        assert_eq!(panicking(true), "in work");
        assert_eq!(panicking(false), "in done");
    }

    #[test]
    fn it_ends_when_no_more_is_wanted() {
        let (worked, mut got) = (AtomicUsize::new(0), 0);
        let work = |_: &str| worked.fetch_add(1, Ordering::SeqCst);
        run_while(&names(500), 2, work, |_, _| {
            got += 1;
            got < 3
        })
        .unwrap();
        assert_eq!(got, 3);
        assert!(worked.into_inner() < 20);
    }

    #[test]
    fn no_names_are_no_work() {
        run(&[], 4, |_| (), |_, ()| panic!("there is none")).unwrap();
    }
}
