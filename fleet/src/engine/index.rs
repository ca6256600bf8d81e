//! An index of shards as the engine, for batch engines that know nothing but a number: Kubernetes' indexed jobs, Slurm's arrays. They
//! say who does which shard, and what becomes of one that fails; here lie what shards are made of and what comes of them.
//!
//! ```text
//! objects/AB/ABCDEF…   by SHA-256
//! runs/RUN/manifest    the plan
//! runs/RUN/results/N   what came of shard N: put there unless there is one
//! ```
//!
//! Where that lies is a [`Place`]: a [`Folder`](super::folder::Folder), or a bucket of S3 in a crate of its own (`bunraku-fleet-s3`).

use super::open_shards::{Next, OpenShards};
use super::plan::{NoPlan, Plan};
use super::{Arrived, Engine, Hash, Job, Taken, Ticket};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Looking for new results takes at most this part of the time in which they are waited for, however many there are.
const LISTING_SHARE: u32 = 10;

/// Where an index lies: files by their paths, with `/` between folders.
pub trait Place: Send + Sync {
    /// What a path is called in messages, and by users who name it.
    fn name(&self, path: &str) -> String;

    /// A file's bytes.
    ///
    /// # Errors
    /// When it is not there, or can't be read.
    fn get(&self, path: &str) -> Result<Vec<u8>, String>;

    /// Whether there is a file.
    ///
    /// # Errors
    /// When that can't be said.
    fn has(&self, path: &str) -> Result<bool, String>;

    /// Whether there is a file with these bytes; what can't be read is none.
    fn holds(&self, path: &str, bytes: &[u8]) -> bool;

    /// Puts a file there, whole or not at all, in place of what may be there.
    ///
    /// # Errors
    /// When it can't be written.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<(), String>;

    /// The same, unless there is one, which then stays.
    ///
    /// # Errors
    /// When it can't be written.
    fn put_new(&self, path: &str, bytes: &[u8]) -> Result<(), String>;

    /// The names of files and folders in a folder, in no order; none where it is not there.
    ///
    /// # Errors
    /// When it can't be listed.
    fn names(&self, folder: &str) -> Result<Vec<String>, String>;

    /// How long to wait before it is looked again whether there is something new.
    fn pause(&self) -> Duration;
}

/// See the module.
pub struct Index {
    place: Box<dyn Place>,
    state: Mutex<State>,
    /// Runs that have something to be done; none for one that is over or another build's, which is not looked at again.
    runs: Mutex<BTreeMap<Hash, Option<OpenShards>>>,
}

#[derive(Default)]
struct State {
    taken: HashMap<Ticket, (Hash, String)>,
    next: Ticket,
    /// Results that were told of, by run.
    told: HashMap<Hash, HashSet<String>>,
    /// When a run's results are to be listed again.
    due: HashMap<Hash, Instant>,
    /// Why runs were passed over, with their names.
    passed_over: Vec<String>,
}

/// The place and the run of a run's name, `PLACE/runs/RUN`; none where it is no such name.
pub fn split(name: &str) -> Option<(&str, Hash)> {
    let (folder, run) = name.trim_end_matches('/').rsplit_once('/')?;
    let place = folder.strip_suffix("runs")?;
    let place = place.strip_suffix('/').unwrap_or(".");
    Some((place, run.parse().ok()?))
}

fn folder(run: &Hash) -> String {
    format!("runs/{run}")
}

fn manifest(run: &Hash) -> String {
    format!("{}/manifest", folder(run))
}

fn results(run: &Hash) -> String {
    format!("{}/results", folder(run))
}

fn result(run: &Hash, shard: &str) -> String {
    format!("{}/{shard}", results(run))
}

fn object(hash: &Hash) -> String {
    format!("objects/{}/{hash}", &hash.as_str()[..2])
}

impl Index {
    /// The index that lies at a place.
    pub fn new(place: Box<dyn Place>) -> Index {
        Index { place, state: Mutex::default(), runs: Mutex::default() }
    }

    /// What a run is called, by which [`split`] finds it.
    pub fn name(&self, run: &Hash) -> String {
        self.place.name(&folder(run))
    }

    /// The plan of a run.
    ///
    /// # Errors
    /// When there is no such run, or it is damaged.
    pub fn plan(&self, run: &Hash) -> Result<Plan, String> {
        Ok(self.decoded(run)??)
    }

    fn decoded(&self, run: &Hash) -> Result<Result<Plan, NoPlan>, String> {
        Ok(Plan::decode(&run.checked(self.place.get(&manifest(run))?)?))
    }

    /// Which runs were passed over when work was asked for, and why: another build has published them, and its workers do them.
    pub fn passed_over(&self) -> Vec<String> {
        self.state().passed_over.clone()
    }

    /// Whether there is a result.
    ///
    /// # Errors
    /// When that can't be said.
    pub fn is_done(&self, run: &Hash, shard: &str) -> Result<bool, String> {
        self.place.has(&result(run, shard))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the runs that have come since this was asked last.
    fn open_new(&self, runs: &mut BTreeMap<Hash, Option<OpenShards>>) -> Result<(), String> {
        let names = self.place.names("runs")?;
        for run in names.iter().filter_map(|name| name.parse::<Hash>().ok()) {
            if !runs.contains_key(&run) && self.place.has(&manifest(&run))? {
                let open = match self.decoded(&run)? {
                    Ok(plan) => Some(OpenShards::new(plan)),
                    Err(NoPlan::OfAnotherBuild(why)) => {
                        self.state().passed_over.push(format!("{}: {why}", self.name(&run)));
                        None
                    }
                    Err(damaged) => return Err(damaged.into()),
                };
                runs.insert(run, open);
            }
        }
        Ok(())
    }

    /// A shard of the runs that are known, or whether some are still being done here.
    fn next(&self, runs: &mut BTreeMap<Hash, Option<OpenShards>>) -> Result<Next, String> {
        let mut is_busy = false;
        for (run, shards) in runs {
            let Some(open) = shards else { continue };
            let list = || -> Result<HashSet<String>, String> {
                Ok(self.place.names(&results(run))?.into_iter().collect())
            };
            let is_taken =
                |shard: &str| self.state().taken.values().any(|(of, taken)| of == run && taken == shard);
            match open.next(run, &list, &|shard| self.is_done(run, shard), &is_taken)? {
                Next::Over => *shards = None,
                Next::Busy => is_busy = true,
                job => return Ok(job),
            }
        }
        Ok(if is_busy { Next::Busy } else { Next::Over })
    }
}

impl Engine for Index {
    fn keep(&self, bytes: &[u8]) -> Result<Hash, String> {
        let hash = Hash::of(bytes);
        let path = object(&hash);
        if !self.place.holds(&path, bytes) {
            self.place.put(&path, bytes)?;
        }
        Ok(hash)
    }

    fn fetch(&self, hash: &Hash) -> Result<Vec<u8>, String> {
        hash.checked(self.place.get(&object(hash))?)
    }

    fn publish(&self, jobs: &[Job]) -> Result<(), String> {
        let Some(first) = jobs.first() else { return Ok(()) };
        let plan = self.fetch(&first.run)?;
        self.place.put_new(&manifest(&first.run), &plan)
    }

    fn take(&self) -> Result<Taken, String> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = self.next(&mut runs)?;
        // Whether there are other runs is looked for only when those that are known have nothing to do.
        if !matches!(next, Next::Job(_)) {
            self.open_new(&mut runs)?;
            next = self.next(&mut runs)?;
        }
        drop(runs);
        match next {
            Next::Job(job) => {
                let mut state = self.state();
                state.next += 1;
                let ticket = state.next;
                state.taken.insert(ticket, (job.run.clone(), job.shard.clone()));
                Ok(Taken::Job(ticket, job))
            }
            Next::Busy => {
                std::thread::sleep(self.place.pause());
                Ok(Taken::Nothing)
            }
            Next::Over => Ok(Taken::Over),
        }
    }

    fn progress(&self, _: Ticket) -> Result<(), String> {
        Ok(())
    }

    fn patience(&self) -> Option<Duration> {
        None
    }

    fn done(&self, ticket: Ticket, job: &Job, bytes: &[u8]) -> Result<(), String> {
        let put = self.place.put_new(&result(&job.run, &job.shard), bytes);
        self.state().taken.remove(&ticket);
        put
    }

    fn refuse(&self, _: Ticket) -> Result<(), String> {
        // It stays taken: this process has tried it, and others know nothing of that.
        Ok(())
    }

    fn results(&self, run: &Hash, wait: Duration) -> Result<Vec<Arrived>, String> {
        let end = Instant::now() + wait;
        loop {
            let due = self.state().due.get(run).copied().filter(|_| !wait.is_zero());
            if let Some(due) = due {
                std::thread::sleep(due.min(end).saturating_duration_since(Instant::now()));
                if due > end {
                    return Ok(Vec::new());
                }
            }
            let begun = Instant::now();
            let mut names = self.place.names(&results(run))?;
            let now = Instant::now();
            let pause = self.place.pause().max((now - begun) * LISTING_SHARE);
            let mut state = self.state();
            state.due.insert(run.clone(), now + pause);
            let told = state.told.entry(run.clone()).or_default();
            names.retain(|name| !told.contains(name));
            drop(state);
            if !names.is_empty() || now >= end {
                names.sort();
                let read = |name: String| {
                    let bytes = self.place.get(&result(run, &name))?;
                    self.state().told.entry(run.clone()).or_default().insert(name.clone());
                    Ok((name, bytes))
                };
                return names.into_iter().map(read).collect();
            }
        }
    }

    fn with_results(&self, run: &Hash) -> Result<Vec<String>, String> {
        self.place.names(&results(run))
    }

    fn given_up(&self, _: &Hash) -> Result<Vec<String>, String> {
        // Whether a shard is tried again is the batch engine's to say.
        Ok(Vec::new())
    }
}
