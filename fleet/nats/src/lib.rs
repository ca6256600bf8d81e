//! Fleets by NATS JetStream, which Puppet's own orchestration (Choria) runs on: jobs are a stream that is a queue, results one in which
//! the first of each stands, objects a bucket.
//!
//! That a job is published once, handed to one worker at a time, handed out again when that dies, and given up after some times, is the
//! server's doing; so is that no result stands twice. What is here translates. All that a run is lies in the server, so that
//! coordinators and workers may come and go.
//!
//! This crate is async inside, behind a synchronous front; beside it only `fleet/s3` and the server are.

mod streams;

use async_nats::jetstream::consumer::Consumer;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::{Acker, PublishMessage};
use async_nats::jetstream::object_store::InfoErrorKind;
use async_nats::jetstream::stream::RawMessageErrorKind;
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, ConnectOptions};
use bunraku_fleet::engine::job::build;
use bunraku_fleet::engine::{Arrived, Engine, Hash, Job, Taken, Ticket};
use futures_util::StreamExt;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use streams::{Streams, failed};
use tokio::io::AsyncReadExt;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// A result that is larger is an object of its own: a server takes 1 MiB in a message unless it is told otherwise.
const LARGEST_MESSAGE: usize = 512 << 10;
/// What a result begins with, in a message: it follows, or the hash of the object that it is.
const HERE: u8 = b'=';
const OBJECT: u8 = b'@';
/// How many results are read before they are told of.
const MOST_RESULTS: usize = 1000;
/// How long is waited for a job at a time.
const TAKE: Duration = Duration::from_secs(1);
/// How long a server may be away before that is an error.
const AWAY: Duration = Duration::from_secs(120);
/// How often it is asked again meanwhile.
const AGAIN: Duration = Duration::from_millis(500);
/// How long an answer is waited for.
const ANSWER: Duration = Duration::from_secs(10);
/// How long the server waits for a word of a worker, unless somebody says.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of a build's hash that stand in names.
const SHORT: usize = 16;

/// How a server is reached.
#[derive(Clone, Debug)]
pub struct Connection {
    /// `nats://HOST:PORT`, or several, by commas; `tls://` for one that wants that.
    pub url: String,
    /// Certificates of the authority that signs the server: the site's own.
    pub authorities: Option<PathBuf>,
    /// Certificate that the server is shown, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// How long the server waits for a word of a worker before it hands the job to another.
    pub patience: Duration,
}

/// See the module.
pub struct Nats {
    runtime: Runtime,
    client: Client,
    context: jetstream::Context,
    streams: Streams,
    consumer: OnceLock<Consumer<pull::Config>>,
    patience: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    taken: HashMap<Ticket, std::sync::Arc<Acker>>,
    next: Ticket,
    /// Behind which message results are new, by run.
    told: HashMap<Hash, u64>,
    /// The last advisory that was read, by run.
    read: HashMap<Hash, u64>,
}

impl Nats {
    /// Connects to a server, and makes there what is missing.
    ///
    /// # Errors
    /// When it can't be reached, or does not do JetStream.
    pub fn connect(to: &Connection) -> Result<Nats, String> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| format!("Could not start a thread: {error}"))?;
        let mut options = ConnectOptions::new().name("bunraku").connection_timeout(ANSWER);
        if let Some(authorities) = &to.authorities {
            options = options.add_root_certificates(authorities.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &to.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        let urls: Vec<&str> = to.url.split(',').collect();
        let (client, context, streams) = runtime.block_on(async {
            let client = options.connect(urls).await;
            let client = client.map_err(|error| format!("Could not connect to {}: {error}", to.url))?;
            let mut context = jetstream::new(client.clone());
            context.set_timeout(ANSWER);
            let streams = open(&context, &client).await?;
            Ok::<_, String>((client, context, streams))
        })?;
        let (consumer, patience, state) = (OnceLock::new(), to.patience, Mutex::default());
        Ok(Nats { runtime, client, context, streams, consumer, patience, state })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn build() -> String {
        build().chars().take(SHORT).collect()
    }

    /// Does something again while the server is away: all that is done here may be done twice.
    fn patiently<T>(&self, work: impl AsyncFn() -> Result<T, String>) -> Result<T, String> {
        let begun = Instant::now();
        loop {
            let most = if self.is_connected() { ANSWER } else { AWAY };
            match self.runtime.block_on(work()) {
                Err(_) if begun.elapsed() < most => std::thread::sleep(AGAIN),
                done => return done,
            }
        }
    }

    fn consumer(&self) -> Result<&Consumer<pull::Config>, String> {
        if let Some(consumer) = self.consumer.get() {
            return Ok(consumer);
        }
        let made = self.patiently(async || self.streams.consumer(&Nats::build(), self.patience).await)?;
        Ok(self.consumer.get_or_init(|| made))
    }

    fn acker(&self, ticket: Ticket) -> Result<std::sync::Arc<Acker>, String> {
        self.state().taken.get(&ticket).cloned().ok_or_else(|| "NATS: the job was not taken".to_owned())
    }

    /// Puts a result there, unless there is one.
    async fn put(&self, subject: String, payload: Vec<u8>) -> Result<(), String> {
        let message = PublishMessage::build().payload(payload.into()).expected_last_subject_sequence(0);
        let sent = self.context.send_publish(subject, message).await;
        let answered = match sent {
            Ok(answer) => answer.await,
            Err(error) => Err(error),
        };
        match answered {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(()),
            Err(error) => Err(failed("a result can't be kept")(&error)),
        }
    }

    /// An object, each of whose parts is waited for so long.
    async fn object(&self, hash: &Hash, wait: Duration) -> Result<Vec<u8>, String> {
        let failed = failed("an object can't be had");
        let mut object = self.streams.objects.get(hash.as_str()).await.map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        // Parts that the server has lost never come.
        loop {
            match timeout(wait, object.read_buf(&mut bytes)).await {
                Ok(Ok(0)) => return Ok(bytes),
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(failed(&error)),
                Err(_) => return Err(failed(&format!("object {hash} is not complete"))),
            }
        }
    }

    /// Names of the shards of a run that have results.
    async fn shards(&self, run: &Hash) -> Result<Vec<String>, String> {
        let failed = failed("results can't be listed");
        let prefix = results(run, "");
        let listed = self.streams.results.info_with_subjects(format!("{prefix}>")).await;
        let mut listed = listed.map_err(|error| failed(&error))?;
        let mut shards = Vec::new();
        while let Some(found) = listed.next().await {
            let (subject, _) = found.map_err(|error| failed(&error))?;
            shards.extend(subject.strip_prefix(&prefix).map(str::to_owned));
        }
        Ok(shards)
    }

    /// Results of a run behind a message, some of them, and the last message that was read. Each message is read by its number and
    /// once: what a server needs to find those of a run among all grows with all.
    async fn next_results(&self, run: &Hash, after: Option<u64>) -> Result<(Vec<Arrived>, u64), String> {
        let failed = failed("a result can't be read");
        let stream = &self.streams.results;
        let last = stream.get_info().await.map_err(|error| failed(&error))?.state.last_sequence;
        let prefix = results(run, "");
        let mut after = match after {
            Some(after) => after,
            None => match stream.get_first_raw_message_by_subject(format!("{prefix}>"), 1).await {
                Ok(first) => first.sequence - 1,
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => last,
                Err(error) => return Err(failed(&error)),
            },
        };
        let mut arrived = Vec::new();
        while after < last && arrived.len() < MOST_RESULTS {
            after += 1;
            let message = match stream.get_raw_message(after).await {
                Ok(message) => message,
                // What is too old is gone.
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => continue,
                Err(error) => return Err(failed(&error)),
            };
            if let Some(shard) = message.subject.strip_prefix(&prefix) {
                arrived.push((shard.to_owned(), self.result(shard, &message.payload).await?));
            }
        }
        Ok((arrived, after))
    }

    /// A result of the message that says it.
    async fn result(&self, shard: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
        match payload.split_first() {
            Some((&HERE, bytes)) => Ok(bytes.to_vec()),
            Some((&OBJECT, hash)) => {
                let hash: Hash = String::from_utf8_lossy(hash).parse()?;
                hash.checked(self.object(&hash, ANSWER).await?)
            }
            _ => Err(format!("NATS: the result of shard {shard} is damaged")),
        }
    }

    /// Advisories about jobs of a run behind one: the shards, and the last that was read.
    async fn advisories(&self, run: &Hash, after: u64) -> Result<(Vec<String>, u64), String> {
        let failed = failed("what was given up can't be read");
        let last =
            self.streams.given_up.get_info().await.map_err(|error| failed(&error))?.state.last_sequence;
        let mut shards = Vec::new();
        for number in after + 1..=last {
            // What is too old is gone.
            let Ok(advisory) = self.streams.given_up.get_raw_message(number).await else { continue };
            let told: serde_json::Value = serde_json::from_slice(&advisory.payload).unwrap_or_default();
            let Some(sequence) = told["stream_seq"].as_u64() else { continue };
            let Ok(message) = self.streams.jobs.get_raw_message(sequence).await else { continue };
            if let Ok(job) = Job::from_json(&message.payload)
                && job.run == *run
            {
                shards.push(job.shard);
            }
        }
        Ok((shards, last))
    }
}

/// Opens the streams, once more if that fails: the server may have gone in between, and is waited for.
async fn open(context: &jetstream::Context, client: &Client) -> Result<Streams, String> {
    let begun = Instant::now();
    let mut is_again = false;
    loop {
        match Streams::open(context).await {
            Err(_) if !is_again || (!is_connected(client) && begun.elapsed() < AWAY) => {
                is_again = true;
                tokio::time::sleep(AGAIN).await;
            }
            opened => return opened,
        }
    }
}

fn is_connected(client: &Client) -> bool {
    client.connection_state() == async_nats::connection::State::Connected
}

fn results(run: &Hash, shard: &str) -> String {
    format!("bunraku.results.{run}.{shard}")
}

impl Engine for Nats {
    fn keep(&self, bytes: &[u8]) -> Result<Hash, String> {
        let hash = Hash::of(bytes);
        self.patiently(async || {
            let failed = failed("an object can't be kept");
            match self.streams.objects.info(hash.as_str()).await {
                // One that is damaged is put in its place.
                Ok(_) if self.object(&hash, AGAIN).await.is_ok_and(|kept| hash.checked(kept).is_ok()) => {
                    return Ok(());
                }
                Ok(_) => {}
                Err(error) if error.kind() == InfoErrorKind::NotFound => {}
                Err(error) => return Err(failed(&error)),
            }
            let mut reader = bytes;
            let put = self.streams.objects.put(hash.as_str(), &mut reader).await;
            put.map_err(|error| failed(&error))?;
            // A bucket whose files were damaged takes objects in, and has them not.
            let there = self.streams.objects.info(hash.as_str()).await;
            there.map(drop).map_err(|error| failed(&format!("the bucket is damaged: {error}")))
        })?;
        Ok(hash)
    }

    fn fetch(&self, hash: &Hash) -> Result<Vec<u8>, String> {
        // That one is damaged, or not there, is no reason to wait.
        let begun = Instant::now();
        loop {
            match self.runtime.block_on(self.object(hash, ANSWER)) {
                Ok(bytes) => return hash.checked(bytes),
                Err(error) if self.is_connected() || begun.elapsed() >= AWAY => return Err(error),
                Err(_) => std::thread::sleep(AGAIN),
            }
        }
    }

    fn publish(&self, jobs: &[Job]) -> Result<(), String> {
        // Whoever comes first makes what hands them out.
        self.consumer()?;
        let build = Nats::build();
        self.patiently(async || {
            let failed = failed("a job can't be published");
            for jobs in jobs.chunks(100) {
                let mut answers = Vec::with_capacity(jobs.len());
                for job in jobs {
                    let subject = format!("bunraku.jobs.{build}.{}.{}", job.run, job.shard);
                    let message = PublishMessage::build()
                        .payload(job.to_json().into())
                        .message_id(format!("{}.{}", job.run, job.shard));
                    answers.push(
                        self.context.send_publish(subject, message).await.map_err(|error| failed(&error))?,
                    );
                }
                for answer in answers {
                    answer.await.map_err(|error| failed(&error))?;
                }
            }
            Ok(())
        })
    }

    fn take(&self) -> Result<Taken, String> {
        let consumer = self.consumer()?;
        let message = self.patiently(async || {
            let failed = failed("no job can be taken");
            let batch = consumer.batch().max_messages(1).expires(TAKE).messages().await;
            let mut batch = batch.map_err(|error| failed(&error))?;
            batch.next().await.transpose().map_err(|error| failed(&error))
        })?;
        let Some(message) = message else { return Ok(Taken::Nothing) };
        let (message, acker) = message.split();
        let job = match Job::from_json(&message.payload) {
            Ok(job) => job,
            Err(error) => {
                // No worker will ever know what it is.
                let _ = self.runtime.block_on(acker.ack_with(AckKind::Term));
                return Err(error);
            }
        };
        let mut state = self.state();
        state.next += 1;
        let ticket = state.next;
        state.taken.insert(ticket, std::sync::Arc::new(acker));
        Ok(Taken::Job(ticket, Box::new(job)))
    }

    fn progress(&self, ticket: Ticket) -> Result<(), String> {
        let acker = self.acker(ticket)?;
        let said = self.runtime.block_on(acker.ack_with(AckKind::Progress));
        said.map_err(|error| failed("it can't be said that a job is in work")(&error))
    }

    fn patience(&self) -> Option<Duration> {
        Some(self.patience)
    }

    fn done(&self, ticket: Ticket, job: &Job, result: &[u8]) -> Result<(), String> {
        let acker = self.acker(ticket)?;
        let payload = match result.len() <= LARGEST_MESSAGE {
            true => [&[HERE], result].concat(),
            false => [&[OBJECT], self.keep(result)?.as_str().as_bytes()].concat(),
        };
        let subject = results(&job.run, &job.shard);
        self.patiently(async || self.put(subject.clone(), payload.clone()).await)?;
        self.state().taken.remove(&ticket);
        // The result stands: where this is not heard, the job is done again to no effect.
        let _ = self.runtime.block_on(acker.double_ack());
        Ok(())
    }

    fn refuse(&self, ticket: Ticket) -> Result<(), String> {
        let acker = self.acker(ticket)?;
        self.state().taken.remove(&ticket);
        let said = self.runtime.block_on(acker.ack_with(AckKind::Nak(Some(self.patience))));
        said.map_err(|error| failed("a job can't be given back")(&error))
    }

    fn results(&self, run: &Hash, wait: Duration) -> Result<Vec<Arrived>, String> {
        let begun = Instant::now();
        loop {
            let after = self.state().told.get(run).copied();
            let (arrived, last) = self.patiently(async || self.next_results(run, after).await)?;
            self.state().told.insert(run.clone(), last);
            if !arrived.is_empty() || begun.elapsed() >= wait {
                return Ok(arrived);
            }
            std::thread::sleep(AGAIN.min(wait));
        }
    }

    fn with_results(&self, run: &Hash) -> Result<Vec<String>, String> {
        self.patiently(async || self.shards(run).await)
    }

    fn given_up(&self, run: &Hash) -> Result<Vec<String>, String> {
        let after = self.state().read.get(run).copied().unwrap_or_default();
        let (shards, last) = self.patiently(async || self.advisories(run, after).await)?;
        self.state().read.insert(run.clone(), last);
        Ok(shards)
    }
}

impl Nats {
    fn is_connected(&self) -> bool {
        is_connected(&self.client)
    }
}
