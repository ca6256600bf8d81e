//! A folder as the engine, for batch engines that know nothing but a number: Kubernetes' indexed jobs, Slurm's arrays. They say who
//! does which shard, and what becomes of one that fails; here lie what shards are made of and what comes of them.
//!
//! ```text
//! objects/AB/ABCDEF…   by SHA-256
//! runs/RUN/manifest    the plan
//! runs/RUN/results/N   what came of shard N: written under another name and put there unless there is one
//! ```

use super::plan::Plan;
use super::{Arrived, Engine, Hash, Job, Taken, Ticket};
use bunraku::files::read;
use bunraku::files::write::{self, Access};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Bytes that an object may have: an archive with all its files.
const LARGEST: u64 = 16 << 30;
/// Nobody else reads facts and catalogs.
const MODE: u32 = 0o600;
/// How often it is looked whether there is something new.
const PAUSE: Duration = Duration::from_millis(200);

/// See the module.
pub struct Folder {
    root: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    taken: HashMap<Ticket, (Hash, String)>,
    next: Ticket,
    told: HashSet<(Hash, String)>,
}

impl Folder {
    /// Opens a folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn open(root: &Path) -> Result<Folder, String> {
        let failed = |error: io::Error| format!("Could not use the folder {}: {error}", root.display());
        for kind in ["objects", "runs"] {
            fs::create_dir_all(root.join(kind)).map_err(failed)?;
        }
        let root = std::path::absolute(root).map_err(failed)?;
        Ok(Folder { root, state: Mutex::default() })
    }

    /// The folder that a run lies in, and which run that is: `ROOT/runs/RUN`.
    ///
    /// # Errors
    /// When it is none.
    pub fn of_run(path: &Path) -> Result<(Folder, Hash), String> {
        let none = || format!("{} is no run: it takes a folder runs/HASH with a manifest", path.display());
        let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let run = path.file_name().and_then(|name| name.to_str()?.parse().ok()).ok_or_else(none)?;
        let root = path.parent().filter(|runs| runs.ends_with("runs")).and_then(Path::parent);
        let root = root.filter(|_| path.join("manifest").is_file()).ok_or_else(none)?;
        Ok((Folder::open(root)?, run))
    }

    /// Where a run lies.
    pub fn run(&self, run: &Hash) -> PathBuf {
        self.root.join("runs").join(run.as_str())
    }

    /// The plan of a run.
    ///
    /// # Errors
    /// When there is no such run, or it is damaged.
    pub fn plan(&self, run: &Hash) -> Result<Plan, String> {
        let path = self.run(run).join("manifest");
        let bytes = read::regular(&path, LARGEST);
        let bytes = bytes.map_err(|error| format!("Could not read {}: {error}", path.display()))?;
        Plan::decode(&run.checked(bytes)?)
    }

    /// Whether there is a result.
    pub fn is_done(&self, run: &Hash, shard: &str) -> bool {
        self.run(run).join("results").join(shard).exists()
    }

    fn object(&self, hash: &Hash) -> PathBuf {
        self.root.join("objects").join(&hash.as_str()[..2]).join(hash.as_str())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|held| held.into_inner())
    }

    fn runs(&self) -> Result<Vec<Hash>, String> {
        let folder = self.root.join("runs");
        let listed =
            fs::read_dir(&folder).map_err(|error| format!("Could not list {}: {error}", folder.display()))?;
        let names = listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.parse().ok());
        let mut runs: Vec<Hash> =
            names.filter(|run: &Hash| self.run(run).join("manifest").is_file()).collect();
        runs.sort();
        Ok(runs)
    }

    /// Writes a file that is there whole or not at all, and not if there is one.
    fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let chance = RandomState::new().hash_one(path);
        let unfinished = path.with_file_name(format!(".unfinished-{}-{chance:016x}", std::process::id()));
        let written = write::replace(&unfinished, bytes, Access::Exactly(MODE))
            .and_then(|()| fs::hard_link(&unfinished, path));
        let removed = fs::remove_file(&unfinished);
        match written {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
            Ok(()) => removed,
        }
    }
}

impl Engine for Folder {
    fn keep(&self, bytes: &[u8]) -> Result<Hash, String> {
        let hash = Hash::of(bytes);
        if self.fetch(&hash).is_ok() {
            return Ok(hash);
        }
        let path = self.object(&hash);
        let kept = fs::create_dir_all(path.parent().unwrap_or(&self.root))
            .and_then(|()| write::replace(&path, bytes, Access::Exactly(MODE)));
        kept.map_err(|error| format!("Could not write {}: {error}", path.display()))?;
        Ok(hash)
    }

    fn fetch(&self, hash: &Hash) -> Result<Vec<u8>, String> {
        let path = self.object(hash);
        let bytes = read::regular(&path, LARGEST);
        hash.checked(bytes.map_err(|error| format!("Could not read {}: {error}", path.display()))?)
    }

    fn publish(&self, jobs: &[Job]) -> Result<(), String> {
        let Some(first) = jobs.first() else { return Ok(()) };
        let folder = self.run(&first.run);
        let failed = |error: io::Error| format!("Could not write {}: {error}", folder.display());
        fs::create_dir_all(folder.join("results")).map_err(failed)?;
        self.put(&folder.join("manifest"), &self.fetch(&first.run)?).map_err(failed)
    }

    fn take(&self) -> Result<Taken, String> {
        let mut is_busy = false;
        for run in self.runs()? {
            let jobs = self.plan(&run)?.jobs(&run);
            // Whoever else looks begins elsewhere.
            let begin = RandomState::new().hash_one(0) as usize % jobs.len().max(1);
            for job in jobs[begin..].iter().chain(&jobs[..begin]) {
                if self.is_done(&run, &job.shard) {
                    continue;
                }
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
            std::thread::sleep(PAUSE);
        }
        Ok(if is_busy { Taken::Nothing } else { Taken::Over })
    }

    fn progress(&self, _: Ticket) -> Result<(), String> {
        Ok(())
    }

    fn patience(&self) -> Option<Duration> {
        None
    }

    fn done(&self, ticket: Ticket, job: &Job, result: &[u8]) -> Result<(), String> {
        let path = self.run(&job.run).join("results").join(&job.shard);
        let put = self.put(&path, result);
        self.state().taken.remove(&ticket);
        put.map_err(|error| format!("Could not write {}: {error}", path.display()))
    }

    fn refuse(&self, _: Ticket) -> Result<(), String> {
        // It stays taken: this process has tried it, and others know nothing of that.
        Ok(())
    }

    fn results(&self, run: &Hash, wait: Duration) -> Result<Vec<Arrived>, String> {
        let folder = self.run(run).join("results");
        let failed = |error: io::Error| format!("Could not read {}: {error}", folder.display());
        let begun = Instant::now();
        loop {
            let mut names: Vec<String> = Vec::new();
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
                if !name.starts_with('.') && !self.state().told.contains(&(run.clone(), name.clone())) {
                    names.push(name);
                }
            }
            if !names.is_empty() || begun.elapsed() >= wait {
                names.sort();
                let read = |name: String| {
                    let bytes = read::regular(&folder.join(&name), LARGEST).map_err(failed)?;
                    self.state().told.insert((run.clone(), name.clone()));
                    Ok((name, bytes))
                };
                return names.into_iter().map(read).collect();
            }
            std::thread::sleep(PAUSE.min(wait));
        }
    }

    fn given_up(&self, _: &Hash) -> Result<Vec<String>, String> {
        // Whether a shard is tried again is the batch engine's to say.
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FORMAT;
    use crate::engine::job::{Want, build};
    use crate::engine::shard::Part;

    fn run(folder: &Folder, shards: usize) -> (Hash, Plan) {
        let hash = folder.keep(b"x").expect("it can be written");
        let shards = (0..shards).map(|_| Part { facts: hash.clone(), nodes: 1 }).collect();
        let (from, rules) = (hash.clone(), hash);
        let plan = Plan {
            format: FORMAT,
            fingerprint: build(),
            from,
            to: None,
            rules,
            want: Want::Outcome,
            shards,
            report: serde_json::Value::Null,
        };
        let run = folder.keep(&plan.encode()).expect("it can be written");
        folder.publish(&plan.jobs(&run)).expect("it can be published");
        (run, plan)
    }

    #[test]
    fn objects_are_what_they_were_or_are_not_there() {
        let work = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(work.path()).expect("it can be made");
        let hash = folder.keep(b"text").expect("it can be written");
        assert_eq!(folder.fetch(&hash).as_deref(), Ok(&b"text"[..]));
        fs::write(folder.object(&hash), "test").expect("it can be written");
        assert!(folder.fetch(&hash).expect_err("damaged").contains("is damaged"));
        folder.keep(b"text").expect("it is written anew");
        assert_eq!(folder.fetch(&hash).as_deref(), Ok(&b"text"[..]));
        assert!(folder.fetch(&Hash::of(b"other")).is_err());
    }

    #[test]
    fn each_shard_is_taken_until_it_has_a_result_and_the_first_one_stands() {
        let work = tempfile::tempdir().expect("a folder");
        let [one, other] = [(); 2].map(|()| Folder::open(work.path()).expect("it can be made"));
        let (run, plan) = run(&one, 3);
        assert_eq!(other.plan(&run), Ok(plan));
        let take = |folder: &Folder| match folder.take() {
            Ok(Taken::Job(ticket, job)) => Some((ticket, job)),
            _ => None,
        };
        // Two that know nothing of each other may do the same.
        let (mine, yours): (Vec<_>, Vec<_>) =
            (0..3).map(|_| (take(&one).expect("a job"), take(&other).expect("a job"))).unzip();
        assert!(matches!(one.take(), Ok(Taken::Nothing)));
        for (ticket, job) in &mine {
            one.done(*ticket, job, job.shard.as_bytes()).expect("it can be written");
        }
        for (ticket, job) in &yours {
            other.done(*ticket, job, b"later").expect("it is there");
        }
        assert!(matches!((one.take(), other.take()), (Ok(Taken::Over), Ok(Taken::Over))));
        let results = other.results(&run, Duration::ZERO).expect("they can be read");
        assert_eq!(results, ["0", "1", "2"].map(|name| (name.to_owned(), name.as_bytes().to_vec())));
        assert_eq!(other.results(&run, Duration::ZERO), Ok(Vec::new()));
        let (again, same) = Folder::of_run(&one.run(&run)).expect("it is one");
        assert_eq!((again.root, same), (one.root.clone(), run));
        assert!(Folder::of_run(work.path()).is_err());
        assert_eq!(fs::read_dir(one.root.join("runs")).expect("it can be listed").count(), 1);
    }
}
