//! Threads that answer requests. Each lane has threads of its own, so that files and states never wait behind compiles, and takes in
//! so many requests at once, bodies and all: what is beyond that waits, or is refused.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// What a lane is asked to do.
type Job = Box<dyn FnOnce() + Send>;

/// A lane.
pub struct Lane {
    jobs: Mutex<Option<Sender<Job>>>,
    places: Arc<Semaphore>,
    most: usize,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Clients that have one request each of a kind under way.
#[derive(Clone, Default)]
pub struct OneEach(Arc<Mutex<HashSet<String>>>);

/// A client's turn; the next one may begin when this is dropped.
pub struct Turn {
    all: OneEach,
    client: String,
}

impl OneEach {
    /// The client's turn; none while it has one.
    pub fn begin(&self, client: String) -> Option<Turn> {
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(client.clone());
        is_new.then(|| Turn { all: self.clone(), client })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.client);
    }
}

/// A request's place in a lane; it is free again when this is dropped.
pub struct Permit {
    _permit: OwnedSemaphorePermit,
}

impl Lane {
    /// Starts `threads` threads that are called `name`, for at most `most` requests at once, those that wait among them.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub fn start(name: &str, threads: usize, most: usize) -> Result<Lane, String> {
        let (jobs, received) = channel::<Job>();
        let received = Arc::new(Mutex::new(received));
        let mut started = Vec::new();
        for _ in 0..threads.max(1) {
            let received = Arc::clone(&received);
            let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&received));
            started.push(thread.map_err(|error| format!("No thread could be started: {error}"))?);
        }
        let (places, threads) = (Arc::new(Semaphore::new(most)), Mutex::new(started));
        Ok(Lane { jobs: Mutex::new(Some(jobs)), places, most, threads })
    }

    /// A place, if one is free.
    pub fn enter(&self) -> Option<Permit> {
        Arc::clone(&self.places).try_acquire_owned().ok().map(|permit| Permit { _permit: permit })
    }

    /// A place, as soon as one is free.
    pub async fn wait(&self) -> Option<Permit> {
        Arc::clone(&self.places).acquire_owned().await.ok().map(|permit| Permit { _permit: permit })
    }

    /// Whether no place is free.
    pub fn is_full(&self) -> bool {
        self.places.available_permits() == 0
    }

    /// How many places are taken.
    pub fn taken(&self) -> usize {
        self.most.saturating_sub(self.places.available_permits())
    }

    /// Does some work on one of its threads, once one is free. Whoever waits for it may go: then it is not begun. None where it
    /// panicked, or the lane is closed.
    pub async fn run<T: Send + 'static>(
        &self,
        permit: Permit,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !answer.is_closed() {
                let done = catch_unwind(AssertUnwindSafe(work)).ok();
                // The place is free when the work is done, even if nobody waits for it any more.
                drop(permit);
                let _ = answer.send(done);
            }
        });
        let sent = match &*self.jobs.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(jobs) => jobs.send(job).is_ok(),
            None => false,
        };
        if sent { answered.await.ok().flatten() } else { None }
    }

    /// Takes nothing in any more, and waits until all that it has is done.
    pub fn close(&self) {
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn so_many_are_taken_in_and_no_more() {
        let lane = Lane::start("test", 1, 2).unwrap();
        let places = [lane.enter(), lane.enter()];
        assert!(places.iter().all(Option::is_some) && lane.enter().is_none());
        assert_eq!(lane.taken(), 2);
        drop(places);
        assert!(lane.enter().is_some());
    }

    #[test]
    fn a_client_has_one_turn_at_a_time() {
        let all = OneEach::default();
        let first = all.begin("a".to_owned());
        assert!(
            first.is_some() && all.begin("a".to_owned()).is_none() && all.begin("b".to_owned()).is_some()
        );
        drop(first);
        assert!(all.begin("a".to_owned()).is_some());
    }

    #[test]
    fn work_that_panics_leaves_the_lane_as_it_was() {
        let lane = Lane::start("test", 1, 1).unwrap();
        let place = lane.enter().unwrap();
        assert_eq!(runtime().block_on(lane.run(place, || -> u8 { panic!("on purpose") })), None);
        let place = lane.enter().unwrap();
        assert_eq!(runtime().block_on(lane.run(place, || 7)), Some(7));
    }

    #[test]
    fn what_nobody_waits_for_any_more_is_not_begun() {
        let (lane, begun) = (Lane::start("test", 1, 2).unwrap(), Arc::new(AtomicUsize::new(0)));
        let (hold, held) = channel::<()>();
        let runtime = runtime();
        let first = lane.enter().unwrap();
        let second = lane.enter().unwrap();
        let count = Arc::clone(&begun);
        runtime.block_on(async {
            let mut waits = Box::pin(lane.run(first, move || held.recv().is_err()));
            let mut gone = Box::pin(lane.run(second, move || count.fetch_add(1, Ordering::SeqCst)));
            // Both are handed over; the second one's client goes.
            let polled = std::future::poll_fn(|context| {
                let _ = waits.as_mut().poll(context);
                let _ = gone.as_mut().poll(context);
                std::task::Poll::Ready(())
            });
            polled.await;
            drop(gone);
            drop(hold);
            assert_eq!(waits.await, Some(true));
        });
        lane.close();
        assert_eq!(begun.load(Ordering::SeqCst), 0);
    }
}
