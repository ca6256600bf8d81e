//! Past one machine: the work of a whole fleet cut into jobs that others do, on an engine that hands them out.
//!
//! ```text
//! coordinator   objects: archives, rules, shards of nodes, the plan ─▶ keep
//!               jobs ──────────────────────────────────────────────▶ publish
//! worker        take ─▶ fetch what the job names ─▶ compile ─▶ done (progress meanwhile)
//! coordinator   results, those that were given up ─▶ the report, in the order of names
//! ```
//!
//! A [`Job`] is a pure function of content hashes, so whoever does it twice does no harm, and what comes of it can be compared. Who
//! does which job, what becomes of one whose worker has died, and that a result stands once is the engine's to say: there is no
//! lease, no retry and no heartbeat here. What differs from the work of one process is what a worker can't know (files outside of
//! the tree, programs, Ruby in a process): such nodes are left to the coordinator, which has them.
//!
//! Engines: [`threads`], in this process; [`index`], for batch engines that know nothing but a number, in a [`folder`] or in a bucket of
//! S3 (`bunraku-fleet-s3`); NATS JetStream (`bunraku-fleet-nats`). The last two are crates of their own, as they are async.

pub mod coordinator;
pub mod folder;
pub mod index;
pub mod job;
pub mod lent;
pub mod outcome;
pub mod plan;
pub mod shard;
pub mod threads;
pub mod worker;

mod catalogs;
mod open_shards;

pub use job::{FORMAT, Hash, Job};

use std::time::Duration;

/// A job that was taken, as the engine knows it.
pub type Ticket = u64;

/// What there is to be done.
#[derive(Debug)]
pub enum Taken {
    /// A job.
    Job(Ticket, Box<Job>),
    /// Nothing for now.
    Nothing,
    /// Nothing any more.
    Over,
}

/// A result: whose, and its bytes.
pub type Arrived = (String, Vec<u8>);

/// What hands jobs out, and keeps what they are made of and what comes of them.
pub trait Engine: Send + Sync {
    /// Keeps an object by its hash, unless it is there.
    ///
    /// # Errors
    /// When it can't be kept.
    fn keep(&self, bytes: &[u8]) -> Result<Hash, String>;

    /// An object, which has that hash.
    ///
    /// # Errors
    /// When it is not there, can't be had, or is damaged.
    fn fetch(&self, hash: &Hash) -> Result<Vec<u8>, String>;

    /// Has jobs of one run done, each once, however often they are published.
    ///
    /// # Errors
    /// When they can't be published: some may have been.
    fn publish(&self, jobs: &[Job]) -> Result<(), String>;

    /// A job to be done now. It may wait a moment for one.
    ///
    /// # Errors
    /// When the engine can't be asked.
    fn take(&self) -> Result<Taken, String>;

    /// Says that a job is still being done, as often as [`Engine::patience`] says.
    ///
    /// # Errors
    /// When that can't be said.
    fn progress(&self, ticket: Ticket) -> Result<(), String>;

    /// How long the engine waits for a worker to say so; none where it does not.
    fn patience(&self) -> Option<Duration>;

    /// Keeps what came of a job, unless there is something already, and says that it is done.
    ///
    /// # Errors
    /// When it can't be kept: then the job is not done.
    fn done(&self, ticket: Ticket, job: &Job, result: &[u8]) -> Result<(), String>;

    /// Gives a job back: another worker may do it.
    ///
    /// # Errors
    /// When that can't be said.
    fn refuse(&self, ticket: Ticket) -> Result<(), String>;

    /// Results of a run that this has not been told of before, in no order; it waits so long for the first.
    ///
    /// # Errors
    /// When the engine can't be asked.
    fn results(&self, run: &Hash, wait: Duration) -> Result<Vec<Arrived>, String>;

    /// Names of a run's shards that have results, in no order; the results themselves are not fetched.
    ///
    /// # Errors
    /// When the engine can't be asked.
    fn with_results(&self, run: &Hash) -> Result<Vec<String>, String>;

    /// Shards of a run that workers have begun and not ended too often, which this has not been told of before.
    ///
    /// # Errors
    /// When the engine can't be asked.
    fn given_up(&self, run: &Hash) -> Result<Vec<String>, String>;
}
