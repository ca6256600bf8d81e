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

use super::plan::Plan;
use super::{Arrived, Engine, Hash, Job, Taken, Ticket};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

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
}

#[derive(Default)]
struct State {
    taken: HashMap<Ticket, (Hash, String)>,
    next: Ticket,
    told: HashSet<(Hash, String)>,
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
        Index { place, state: Mutex::default() }
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
        Plan::decode(&run.checked(self.place.get(&manifest(run))?)?)
    }

    /// Whether there is a result.
    ///
    /// # Errors
    /// When that can't be said.
    pub fn is_done(&self, run: &Hash, shard: &str) -> Result<bool, String> {
        self.place.has(&result(run, shard))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|held| held.into_inner())
    }

    fn runs(&self) -> Result<Vec<Hash>, String> {
        let names = self.place.names("runs")?;
        let mut runs = Vec::new();
        for run in names.iter().filter_map(|name| name.parse::<Hash>().ok()) {
            if self.place.has(&manifest(&run))? {
                runs.push(run);
            }
        }
        runs.sort();
        Ok(runs)
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
        let mut is_busy = false;
        for run in self.runs()? {
            let jobs = self.plan(&run)?.jobs(&run);
            let done: HashSet<String> = self.place.names(&results(&run))?.into_iter().collect();
            // Whoever else looks begins elsewhere.
            let begin = RandomState::new().hash_one(0) as usize % jobs.len().max(1);
            let open = jobs[begin..].iter().chain(&jobs[..begin]).filter(|job| !done.contains(&job.shard));
            for job in open {
                let mut state = self.state();
                let whose = (run.clone(), job.shard.clone());
                if state.taken.values().any(|taken| *taken == whose) {
                    is_busy = true;
                    continue;
                }
                state.next += 1;
                let ticket = state.next;
                state.taken.insert(ticket, whose);
                return Ok(Taken::Job(ticket, job.clone()));
            }
        }
        if is_busy {
            std::thread::sleep(self.place.pause());
        }
        Ok(if is_busy { Taken::Nothing } else { Taken::Over })
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
        let begun = Instant::now();
        loop {
            let mut names = self.place.names(&results(run))?;
            names.retain(|name| !self.state().told.contains(&(run.clone(), name.clone())));
            if !names.is_empty() || begun.elapsed() >= wait {
                names.sort();
                let read = |name: String| {
                    let bytes = self.place.get(&result(run, &name))?;
                    self.state().told.insert((run.clone(), name.clone()));
                    Ok((name, bytes))
                };
                return names.into_iter().map(read).collect();
            }
            std::thread::sleep(self.place.pause().min(wait));
        }
    }

    fn given_up(&self, _: &Hash) -> Result<Vec<String>, String> {
        // Whether a shard is tried again is the batch engine's to say.
        Ok(Vec::new())
    }
}
