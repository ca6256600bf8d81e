//! The streams of a server that hold a fleet's jobs and results, and the bucket of objects.
//!
//! | name | subjects | holds |
//! | --- | --- | --- |
//! | `BUNRAKU_JOBS` | `bunraku.jobs.BUILD.RUN.SHARD` | jobs that are not done; each build of Bunraku takes its own |
//! | `BUNRAKU_RESULTS` | `bunraku.results.RUN.SHARD` | the first result of each shard |
//! | `BUNRAKU_GIVEN_UP` | the server's own advisories | which jobs were handed out too often |
//! | bucket `bunraku` | | archives, shards, rules, plans, large results, catalogs, by SHA-256 |

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, Consumer};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, RetentionPolicy, Stream};
use async_nats::jetstream::{Context, stream};
use std::fmt::Display;
use std::time::Duration;

/// The stream of jobs.
pub const JOBS: &str = "BUNRAKU_JOBS";
const RESULTS: &str = "BUNRAKU_RESULTS";
const GIVEN_UP: &str = "BUNRAKU_GIVEN_UP";
const BUCKET: &str = "bunraku";
/// What runs leave behind goes after a week.
const AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// In this time a job that is published again is the same one; it costs memory.
const DUPLICATES: Duration = Duration::from_secs(60 * 60);
/// How often a job is handed out, each time to a worker that does not come to its end.
const MAX_DELIVER: i64 = 4;
/// How many jobs may be in work at once: more than all workers of a site.
const MAX_PENDING: i64 = 20_000;

/// See the module.
pub struct Streams {
    /// Jobs.
    pub jobs: Stream,
    /// Results.
    pub results: Stream,
    /// Advisories.
    pub given_up: Stream,
    /// Objects.
    pub objects: ObjectStore,
}

/// What is said where a server does not do as it is asked.
pub fn failed(what: &str) -> impl Fn(&dyn Display) -> String + '_ {
    move |error| format!("NATS: {what}: {error}")
}

impl Streams {
    /// Opens them, and makes those that are not there.
    ///
    /// # Errors
    /// What the server says.
    pub async fn open(context: &Context) -> Result<Streams, String> {
        let plain = |name: &str, subject: &str| Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            max_age: AGE,
            num_replicas: 1,
            ..Config::default()
        };
        let jobs = Config {
            retention: RetentionPolicy::WorkQueue,
            duplicate_window: DUPLICATES,
            ..plain(JOBS, "bunraku.jobs.>")
        };
        let results = Config { max_messages_per_subject: 1, ..plain(RESULTS, "bunraku.results.>") };
        let advisories = format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{JOBS}.*");
        Ok(Streams {
            jobs: made(context, jobs).await?,
            results: made(context, results).await?,
            given_up: made(context, plain(GIVEN_UP, &advisories)).await?,
            objects: objects(context).await?,
        })
    }

    /// Hands out the jobs of a build, to all its workers in turn; a job that nobody says anything of for `patience` is handed out again.
    ///
    /// # Errors
    /// What the server says.
    pub async fn consumer(&self, build: &str, patience: Duration) -> Result<Consumer<pull::Config>, String> {
        let name = format!("workers-{build}");
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: format!("bunraku.jobs.{build}.>"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: patience,
            max_deliver: MAX_DELIVER,
            max_ack_pending: MAX_PENDING,
            ..pull::Config::default()
        };
        let made = self.jobs.get_or_create_consumer(&name, config).await;
        made.map_err(|error| failed("the jobs can't be taken")(&error))
    }
}

async fn made(context: &Context, config: stream::Config) -> Result<Stream, String> {
    let name = config.name.clone();
    let made = context.get_or_create_stream(config).await;
    made.map_err(|error| failed(&format!("the stream {name} can't be had"))(&error))
}

async fn objects(context: &Context) -> Result<ObjectStore, String> {
    if let Ok(there) = context.get_object_store(BUCKET).await {
        return Ok(there);
    }
    let config = object_store::Config {
        bucket: BUCKET.to_owned(),
        max_age: AGE,
        num_replicas: 1,
        ..object_store::Config::default()
    };
    match context.create_object_store(config).await {
        Ok(made) => Ok(made),
        // Another may have been faster.
        Err(error) => {
            let there = context.get_object_store(BUCKET).await;
            there.map_err(|_| failed("the bucket of objects can't be had")(&error))
        }
    }
}
