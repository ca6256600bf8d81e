//! `bunraku fleet worker` and `shard`: doing jobs of runs that others have published.

use crate::engines::{ENGINES, On, Opened, Patience, RunName};
use crate::nodes::threads;
use crate::output;
use crate::runs::{TlsArguments, ended};
use crate::trees::default_cache;
use bunraku_fleet::engine::Engine;
use bunraku_fleet::engine::worker::{Worker as Works, work};
use bunraku_fleet::tree::cache::Cache;
use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a worker works.
#[derive(Args)]
struct How {
    /// How many nodes are compiled side by side [default: one a core].
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,
    /// Folder in which archives are kept [default: bunraku/worker in $XDG_CACHE_HOME or ~/.cache].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// How large it may become, in MiB; what was used longest ago goes first.
    #[arg(long = "cache-size", value_name = "MIB", default_value_t = 4096)]
    cache_size: u64,
    /// A key of encrypted data, or a folder of keys, of this machine: keys are never in an engine. It may be given several times.
    #[arg(long = "eyaml-key", value_name = "PATH")]
    keys: Vec<PathBuf>,
}

impl How {
    fn worker(&self) -> Result<Works, String> {
        let folder = self.cache.clone().or_else(|| default_cache().map(|folder| folder.join("worker")));
        let folder = folder.ok_or("Where are archives to be kept? --cache DIR")?;
        let cache = Cache::open(&folder, self.cache_size.saturating_mul(1 << 20))?;
        Ok(Works::new(cache, threads(self.cores), self.keys.clone()))
    }
}

/// Do jobs of runs, one after the other, each on all cores.
///
/// It keeps archives on its disk. On SIGTERM it brings the job at hand to its end, and takes no other. A job that it can't do (an
/// object is damaged, the disk is full) is given back, and the worker ends with an error. With a folder or a bucket it does what lies
/// there and ends; runs that another build of Bunraku has published are left to workers of that build.
#[derive(Args)]
pub struct Worker {
    /// The engine.
    #[arg(long, visible_alias = "nats", value_name = ENGINES)]
    on: On,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    tls: TlsArguments,
    #[command(flatten)]
    patience: Patience,
}

impl Worker {
    /// Runs the subcommand.
    pub fn run(&self) -> ExitCode {
        let worked = || -> Result<usize, String> {
            let ends = Arc::new(AtomicBool::new(false));
            for signal in [SIGTERM, SIGINT] {
                signal_hook::flag::register(signal, ends.clone()).map_err(|error| error.to_string())?;
            }
            let worker = self.how.worker()?;
            let opened = self.on.open(&self.tls.tls(), &self.patience)?;
            let done = work(opened.engine(), &worker, &ends);
            if let Opened::Index(index) = &opened {
                index.passed_over().iter().for_each(|why| output::note(why));
            }
            done
        };
        ended(worked().map(|done| {
            output::note(&format!("{done} jobs are done"));
            0
        }))
    }
}

/// Do one shard of a run that lies in a folder or a bucket, unless it is done: what a batch engine calls.
#[derive(Args)]
pub struct Shard {
    /// The run's folder, also of a bucket.
    #[arg(value_name = "RUN")]
    run: RunName,
    /// The number of the shard, from 0 [default: JOB_COMPLETION_INDEX, as Kubernetes says it, or SLURM_ARRAY_TASK_ID].
    #[arg(long, value_name = "N")]
    index: Option<usize>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    tls: TlsArguments,
    #[command(flatten)]
    patience: Patience,
}

/// Where batch engines say which one it is.
const INDICES: [&str; 2] = ["JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"];

impl Shard {
    /// Runs the subcommand.
    pub fn run(&self) -> ExitCode {
        ended(self.done().map(|()| 0))
    }

    fn done(&self) -> Result<(), String> {
        let said = INDICES.iter().find_map(|name| std::env::var(name).ok());
        let number = match (self.index, said) {
            (Some(number), _) => number,
            (None, Some(text)) => text.parse().map_err(|_| format!("{text} is no number of a shard"))?,
            (None, None) => return Err(format!("Which shard? --index N, or one of {}", INDICES.join(", "))),
        };
        let (Opened::Index(index), run) = self.run.open(None, &self.tls.tls(), &self.patience)? else {
            return Err("NATS hands its jobs out itself: `bunraku fleet worker` does them".to_owned());
        };
        let jobs = index.plan(&run)?.jobs(&run);
        let job =
            jobs.get(number).ok_or_else(|| format!("There are {} shards, and no {number}", jobs.len()))?;
        if index.is_done(&run, &job.shard)? {
            output::note(&format!("shard {number} is done"));
            return Ok(());
        }
        let result = self.how.worker()?.run(&*index, job)?;
        index.done(0, job, &result)
    }
}
