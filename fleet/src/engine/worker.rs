//! A worker: does jobs, with archives that it keeps on its disk.
//!
//! What it compiles is confined to the archives and to what the coordinator has lent of its disk: it reads nothing of its own machine
//! but the keys that it was given for encrypted data, runs no program and no Ruby in a process. A node that needs any of these is left to the coordinator, so that what comes of
//! a node never depends on who has compiled it.

use super::catalogs::Catalogs;
use super::job::{Hash, Want};
use super::lent;
use super::outcome::{Outcome, Outcomes, Printed};
use super::shard::{Shard, Targets};
use super::{Engine, Job, Taken, Ticket};
use crate::compare::{Rules, Sources};
use crate::compile;
use crate::compile::{Fleet, Keep, Node};
use crate::diff::{self, From, Sides, Watch};
use crate::pool;
use crate::tree::Files;
use crate::tree::cache::Cache;
use bunraku::bench::Target;
use bunraku::files::write::{self, Access};
use bunraku::{Cause, Change, Compilation, Compiler, Diagnostic, Lent, Reads};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What of two catalogs is compared, as an object.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Comparison {
    /// The rules.
    pub rules: Rules,
    /// Whether what files hold is compared that `source` names.
    pub compares_files: bool,
    /// Where each side's tree lies.
    pub folders: Vec<Option<PathBuf>>,
    /// The module path of each side, where that is not the tree's own.
    pub modulepaths: Vec<Option<Vec<PathBuf>>>,
    /// Whether a node is compiled from the second tree only where its compile from the first has read something that differs.
    pub leaves_untouched: bool,
}

/// See the module.
pub struct Worker {
    cache: Cache,
    compiler: Compiler,
    threads: usize,
    /// What the run at hand has lent of its coordinator's disk, by its hash, which says all of it: so it is never stale.
    lent: Mutex<Option<(Hash, Arc<Lent>)>>,
    /// What modules' files hold, by archive and where its tree is to lie: a few.
    files: Mutex<HashMap<(PathBuf, usize), Arc<Files>>>,
    /// What differs between two trees: of the last two, by their archives and how nodes are compiled, which say all of it.
    change: Mutex<Option<(ChangeKey, Arc<Change>)>>,
}

/// Archives, and how nodes are compiled from them.
type ChangeKey = (Vec<PathBuf>, Vec<String>);

/// No program has this name: what needs Ruby in a process is left to the coordinator.
const NO_RUBY: &str = "/nonexistent/ruby-of-a-worker";

impl Worker {
    /// A worker that keeps archives in a cache, on so many threads; keys of encrypted data may lie at `keys`.
    pub fn new(cache: Cache, threads: usize, keys: Vec<PathBuf>) -> Worker {
        let compiler = Compiler::new().with_fixed_environments().confined_to(Vec::new(), keys);
        let (lent, files, change) = (Mutex::default(), Mutex::default(), Mutex::default());
        Worker { cache, compiler, threads, lent, files, change }
    }

    /// What comes of a job.
    ///
    /// # Errors
    /// When the job is another build's, or an object can't be had.
    pub fn run(&self, engine: &dyn Engine, job: &Job) -> Result<Vec<u8>, String> {
        job.check()?;
        let archives = [Some(&job.from), job.to.as_ref()].into_iter().flatten();
        let archives = archives.map(|hash| self.archive(engine, hash)).collect::<Result<Vec<_>, _>>()?;
        let archives: Vec<&Path> = archives.iter().map(PathBuf::as_path).collect();
        let comparison: Comparison = serde_json::from_slice(&engine.fetch(&job.rules)?)
            .map_err(|error| format!("The rules of shard {} are wrong: {error}", job.shard))?;
        let shard = Shard::decode(&engine.fetch(&job.facts)?)?;
        let names = shard.names();
        let targets = shard.targets(&archives, &self.lent(engine, &job.lent)?);
        let outcomes = match (job.want, &archives[..]) {
            (Want::Differences, [_, _]) => self.differences((&names, &targets), &archives, &comparison)?,
            (Want::Differences, _) => return Err(format!("Shard {} has one tree", job.shard)),
            (Want::Outcome, _) => self.outcomes(&names, &targets, None)?,
            (Want::Catalogs, _) => self.catalogs(engine, &names, &targets)?,
            (Want::Printed, _) => self.printed(&names, &targets)?,
        };
        outcomes.encode(job)
    }

    /// The file of an archive, which has the hash that it is named by: it is fetched where there is none that has.
    fn archive(&self, engine: &dyn Engine, hash: &Hash) -> Result<PathBuf, String> {
        self.cache.file("objects", hash.as_str(), |path| {
            // Nobody but this user writes there, and a half of one is never under its name; its blocks have checksums of their own.
            if path.is_file() {
                return Ok(());
            }
            let bytes = engine.fetch(hash)?;
            write::replace(path, &bytes, Access::Exactly(0o600))
                .map_err(|error| format!("Could not write {}: {error}", path.display()))
        })
    }

    fn lent(&self, engine: &dyn Engine, hash: &Hash) -> Result<Arc<Lent>, String> {
        let mut known = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, lent)) = known.as_ref().filter(|(own, _)| own == hash) {
            return Ok(lent.clone());
        }
        let lent = Arc::new(lent::decode(&engine.fetch(hash)?)?);
        *known = Some((hash.clone(), lent.clone()));
        Ok(lent)
    }

    fn differences(
        &self,
        (names, targets): (&[String], &Targets),
        archives: &[&Path],
        comparison: &Comparison,
    ) -> Result<Outcomes, String> {
        let change = match comparison.leaves_untouched {
            true => self.change((names, targets), archives)?,
            false => None,
        };
        let impure = Impure { change, ..Impure::default() };
        let files: Vec<Option<Arc<Files>>> =
            (0..2).map(|side| self.files(archives[side], side, comparison)).collect::<Result<_, _>>()?;
        let of = |side: usize, name: &str| targets.get(side, name).map(without_ruby);
        let both = |name: &str| Ok([of(0, name)?, of(1, name)?]);
        let side = |side: usize| From {
            folder: comparison.folders.get(side).cloned().flatten(),
            sources: files[side].as_ref().map(|files| &**files as &dyn Sources),
        };
        let (rules, watch) = (&comparison.rules, Some(&impure as &dyn Watch));
        let sides = Sides { targets: &both, from: side(0), to: side(1), rules, watch };
        let mut nodes = Vec::with_capacity(names.len());
        diff::run(&self.compiler, &sides, (names, self.threads), |name, found| {
            nodes.push((name.to_owned(), Outcome::Compared(found)));
        })?;
        Ok(Outcomes { nodes: impure.leave(nodes), catalogs: None })
    }

    /// What differs between both trees; none where there is no node to compile from them.
    fn change(
        &self,
        (names, targets): (&[String], &Targets),
        archives: &[&Path],
    ) -> Result<Option<Arc<Change>>, String> {
        let mut known = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (archives.iter().map(|path| path.to_path_buf()).collect(), targets.hows().to_vec());
        if let Some((_, change)) = known.as_ref().filter(|(own, _)| *own == key) {
            return Ok(Some(change.clone()));
        }
        let both = |name: &String| Some([targets.get(0, name).ok()?, targets.get(1, name).ok()?]);
        let Some([old, new]) = names.iter().find_map(both) else { return Ok(None) };
        let change = Arc::new(self.compiler.change(&old.environment, &new.environment, &old.settings)?);
        *known = Some((key, change.clone()));
        Ok(Some(change))
    }

    fn outcomes(
        &self,
        names: &[String],
        targets: &Targets,
        save: Option<&dyn Keep>,
    ) -> Result<Outcomes, String> {
        let impure = Impure::default();
        let fleet = Fleet {
            compiler: &self.compiler,
            names,
            threads: self.threads,
            target: &|name| targets.get(0, name).map(without_ruby),
            save,
            in_two_passes: false,
            watch: Some(&impure),
        };
        let mut nodes = Vec::with_capacity(names.len());
        compile::compile(&fleet, |node: &Node| {
            nodes.push((node.name.clone(), Outcome::Compiled(node.clone())));
        })?;
        Ok(Outcomes { nodes: impure.leave(nodes), catalogs: None })
    }

    fn catalogs(&self, engine: &dyn Engine, names: &[String], targets: &Targets) -> Result<Outcomes, String> {
        let catalogs = Catalogs::default();
        let outcomes = self.outcomes(names, targets, Some(&catalogs))?;
        Ok(Outcomes { catalogs: Some(engine.keep(&catalogs.encode()?)?), ..outcomes })
    }

    /// What compiles print. One that fails is left to the coordinator, who tells all of an error.
    fn printed(&self, names: &[String], targets: &Targets) -> Result<Outcomes, String> {
        let impure = Impure::default();
        let print = |name: &str| -> Outcome {
            let mut target = match targets.get(0, name) {
                Ok(target) => without_ruby(target),
                Err(why) => return Outcome::Left(why),
            };
            target.settings.reads = true;
            let Compilation { result, logs, reads, .. } = self.compiler.trial(&target);
            impure.compiled(&target, result.as_ref().err(), reads);
            match result {
                Ok(catalog) => Outcome::Printed(Ok(Printed { logs, catalog: catalog.into_json() })),
                Err(error) => Outcome::Left(error.message),
            }
        };
        let mut nodes = Vec::with_capacity(names.len());
        pool::run(names, self.threads, print, |name, outcome| nodes.push((name.to_owned(), outcome)))?;
        Ok(Outcomes { nodes: impure.leave(nodes), catalogs: None })
    }

    /// What the files of a side's modules hold, where that is compared.
    fn files(
        &self,
        archive: &Path,
        side: usize,
        comparison: &Comparison,
    ) -> Result<Option<Arc<Files>>, String> {
        let folder = comparison.folders.get(side).and_then(Option::as_ref);
        let Some(folder) = folder.filter(|_| comparison.compares_files) else { return Ok(None) };
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (archive.to_owned(), side);
        if let Some(known) = known.get(&key) {
            return Ok(Some(known.clone()));
        }
        let modulepath = comparison.modulepaths.get(side).and_then(Option::as_deref);
        let files = Arc::new(Files::archived(archive, folder, modulepath)?);
        known.insert(key, files.clone());
        Ok(Some(files))
    }
}

fn without_ruby(mut target: Target) -> Target {
    target.settings.ruby.program = NO_RUBY.into();
    target
}

/// Nodes whose compiles need what a worker has not.
#[derive(Default)]
struct Impure {
    /// Their names, with what it is.
    nodes: Mutex<BTreeMap<String, String>>,
    /// What differs between the trees, where whom it does not touch is compiled from one alone.
    change: Option<Arc<Change>>,
}

impl Impure {
    fn leave(self, nodes: Vec<(String, Outcome)>) -> Vec<(String, Outcome)> {
        let mut impure = self.nodes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let left = |(name, outcome): (String, Outcome)| match impure.remove(&name) {
            Some(why) => (name, Outcome::Left(why)),
            None => (name, outcome),
        };
        nodes.into_iter().map(left).collect()
    }
}

impl Watch for Impure {
    fn wants(&self, _: usize, _: &str) -> bool {
        true
    }

    fn change(&self) -> Option<&Change> {
        self.change.as_deref()
    }

    fn compiled(&self, target: &Target, error: Option<&Diagnostic>, reads: Option<Reads>) {
        let unknown = reads.as_ref().and_then(|reads| reads.unknown.first().cloned());
        let why = match (unknown, reads, error) {
            (Some(what), ..) => what,
            // It has tried to read what it may not, or was ended for what is wrong with this process.
            (None, None, error) => error.map(|error| error.message.clone()).unwrap_or_default(),
            (None, Some(_), Some(error)) if error.cause == Cause::NoRuby => error.message.clone(),
            _ => return,
        };
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner).insert(target.node.name().to_owned(), why);
    }
}

/// Does jobs until there are no more, or it is told to end: what is being done then is brought to its end. How many it has done.
///
/// # Errors
/// When a job can't be done here (its objects can't be had, the disk is full): it is given back, and this worker takes no more. When
/// the engine can't be asked.
pub fn work(engine: &dyn Engine, worker: &Worker, ends: &AtomicBool) -> Result<usize, String> {
    let mut done = 0;
    while !ends.load(Ordering::Relaxed) {
        let (ticket, job) = match engine.take()? {
            Taken::Job(ticket, job) => (ticket, job),
            Taken::Nothing => continue,
            Taken::Over => break,
        };
        let made = saying_so(engine, ticket, || worker.run(engine, &job));
        match made.and_then(|result| engine.done(ticket, &job, &result)) {
            Ok(()) => done += 1,
            Err(why) => {
                engine.refuse(ticket)?;
                return Err(why);
            }
        }
    }
    Ok(done)
}

/// Does a job, and says meanwhile that it is being done, where the engine wants to know.
fn saying_so<T>(engine: &dyn Engine, ticket: Ticket, work: impl FnOnce() -> T) -> T {
    let Some(patience) = engine.patience() else { return work() };
    let over = Over::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.waits(patience / 3) {
                // Where it can't be said the engine hands the job to somebody else: the same comes of it.
                let _ = engine.progress(ticket);
            }
        });
        let _end = End(&over);
        work()
    })
}

/// Whether a job is over.
#[derive(Default)]
struct Over(Mutex<bool>, Condvar);

impl Over {
    /// Waits that long for it, or till it is.
    fn waits(&self, time: Duration) -> bool {
        let over = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *over {
            return true;
        }
        *self.1.wait_timeout(over, time).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Ends it, also where the job panics.
struct End<'o>(&'o Over);

impl Drop for End<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}
