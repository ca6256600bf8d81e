//! The engine in this process: objects, jobs and results in memory. What the others are held against, and what is beside them in
//! figures; a run of one process that cuts nothing into jobs goes by [`crate::pool`].

use super::{Arrived, Engine, Hash, Job, Taken, Ticket};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// See the module.
#[derive(Default)]
pub struct Threads {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    objects: HashMap<Hash, Vec<u8>>,
    waiting: VecDeque<Job>,
    taken: HashMap<Ticket, Job>,
    next: Ticket,
    known: HashSet<(Hash, String)>,
    results: BTreeMap<(Hash, String), Vec<u8>>,
    told: HashSet<(Hash, String)>,
    over: bool,
}

impl Threads {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|held| held.into_inner())
    }

    /// Tells workers that no more jobs will come.
    pub fn end(&self) {
        self.state().over = true;
        self.changed.notify_all();
    }
}

impl Engine for Threads {
    fn keep(&self, bytes: &[u8]) -> Result<Hash, String> {
        let hash = Hash::of(bytes);
        self.state().objects.entry(hash.clone()).or_insert_with(|| bytes.to_vec());
        Ok(hash)
    }

    fn fetch(&self, hash: &Hash) -> Result<Vec<u8>, String> {
        let found = self.state().objects.get(hash).cloned();
        hash.checked(found.ok_or_else(|| format!("There is no object {hash}"))?)
    }

    fn publish(&self, jobs: &[Job]) -> Result<(), String> {
        let mut state = self.state();
        for job in jobs {
            if state.known.insert((job.run.clone(), job.shard.clone())) {
                state.waiting.push_back(job.clone());
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    fn take(&self) -> Result<Taken, String> {
        let mut state = self.state();
        if state.waiting.is_empty() && !state.over {
            let waited = self.changed.wait_timeout(state, Duration::from_millis(100));
            state = waited.map_or_else(|held| held.into_inner().0, |(state, _)| state);
        }
        let Some(job) = state.waiting.pop_front() else {
            return Ok(if state.over { Taken::Over } else { Taken::Nothing });
        };
        state.next += 1;
        let ticket = state.next;
        state.taken.insert(ticket, job.clone());
        Ok(Taken::Job(ticket, Box::new(job)))
    }

    fn progress(&self, _: Ticket) -> Result<(), String> {
        Ok(())
    }

    fn patience(&self) -> Option<Duration> {
        None
    }

    fn done(&self, ticket: Ticket, job: &Job, result: &[u8]) -> Result<(), String> {
        let mut state = self.state();
        state.taken.remove(&ticket);
        let whose = (job.run.clone(), job.shard.clone());
        state.results.entry(whose).or_insert_with(|| result.to_vec());
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    fn refuse(&self, ticket: Ticket) -> Result<(), String> {
        let mut state = self.state();
        let job = state.taken.remove(&ticket);
        state.waiting.extend(job);
        Ok(())
    }

    fn results(&self, run: &Hash, wait: Duration) -> Result<Vec<Arrived>, String> {
        let mut state = self.state();
        let is_new = |state: &State, whose: &(Hash, String)| whose.0 == *run && !state.told.contains(whose);
        if !state.results.keys().any(|whose| is_new(&state, whose)) {
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.map_or_else(|held| held.into_inner().0, |(state, _)| state);
        }
        let new: Vec<_> = state.results.keys().filter(|whose| is_new(&state, whose)).cloned().collect();
        let results = new.iter().map(|whose| (whose.1.clone(), state.results[whose].clone())).collect();
        state.told.extend(new);
        Ok(results)
    }

    fn with_results(&self, run: &Hash) -> Result<Vec<String>, String> {
        let state = self.state();
        let of_run = state.results.keys().filter(|whose| whose.0 == *run);
        Ok(of_run.map(|whose| whose.1.clone()).collect())
    }

    fn given_up(&self, _: &Hash) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}
