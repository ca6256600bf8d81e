//! What PuppetDB is to know: facts, catalogs, reports, nodes that are gone. A command is written to a [`spool`] on disk and
//! accepted by that; threads in the background send what waits there.
//!
//! PuppetDB, too, answers before it has looked at a command, so nothing is lost by not waiting for it; and an agent's run does
//! not fail because PuppetDB is restarted.

pub mod payload;
mod reached;
pub mod spool;

use crate::exchange::Failure;
use crate::notices::Notices;
use crate::reports::Taker;
use bunraku::http::Client;
use bunraku::{Configuration, PuppetDbServers, replace_catalog_payload};
use http::StatusCode;
use payload::Producer;
use reached::Reached;
use serde_json::{Map, Value as Json};
use spool::{Limits, NotTaken, Spool};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// A command, as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its name, with `_` for blanks.
    pub name: String,
    /// The version of its form.
    pub version: u32,
    /// The node.
    pub certname: String,
    /// When it was made, in UTC.
    pub producer_timestamp: String,
    /// JSON.
    pub payload: Vec<u8>,
}

/// What became of a command that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// PuppetDB has it.
    Taken,
    /// PuppetDB will never take it, and says why.
    Refused(String),
    /// Nobody took it now, though somebody answered: others may be taken.
    Failed(String),
    /// Nobody answered.
    Away(String),
}

/// Sends one command.
pub type Send = Arc<dyn Fn(&Command) -> Sent + std::marker::Send + Sync>;

/// How long an answer of PuppetDB may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How long a command waits that nobody took, and all of them where nobody answers: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// How many commands are sent at once.
const SENDERS: usize = 2;

/// Takes commands. It may be shared by threads; sending ends when it is dropped, and goes on when the spool is opened again.
pub struct Commands {
    spool: Arc<Spool>,
    told: Arc<RwLock<Told>>,
    notices: Notices,
    threads: Vec<JoinHandle<()>>,
}

/// Where commands are to go by a configuration that was read.
pub struct Way(Told);

/// How PuppetDB is told: what may change when the configuration is read anew.
struct Told {
    send: Send,
    /// The name of the server.
    producer: String,
    /// Whether reports have resources of which there is nothing to tell.
    all_resources: bool,
    /// Whether catalogs have their edges.
    edges: bool,
}

impl Told {
    fn of(configuration: &Configuration, notices: &Notices) -> Result<Told, String> {
        let servers = configuration.puppetdb_servers()?;
        let (all_resources, edges) = (servers.include_unchanged_resources, servers.include_catalog_edges);
        let client = Client::new(&servers.certificates, TIMEOUT)?;
        let reached = Reached::new(notices.clone());
        let send: Send = Arc::new(move |command| send(&client, &servers, &reached, command));
        Ok(Told { send, producer: configuration.get("certname")?.text, all_resources, edges })
    }

    /// Who tells something now.
    fn produced_now(&self) -> Producer {
        let time = bunraku::time::format(bunraku::time::now(), "%Y-%m-%dT%H:%M:%S.%LZ");
        Producer { name: self.producer.clone(), time }
    }
}

impl Commands {
    /// Commands to the servers of `puppetdb.conf`, by a spool in a folder.
    ///
    /// # Errors
    /// When `puppetdb.conf` or the certificates can't be used, or the folder.
    pub fn new(
        configuration: &Configuration,
        spool: &Path,
        limits: Limits,
        notices: Notices,
    ) -> Result<Commands, String> {
        let told = Told::of(configuration, &notices)?;
        Commands::start(told, Spool::open(spool, limits)?, notices, PAUSES)
    }

    /// The same, to look at only: nothing of a folder is read, nothing is taken or sent.
    ///
    /// # Errors
    /// When `puppetdb.conf` or the certificates can't be used.
    pub fn idle(configuration: &Configuration, notices: Notices) -> Result<Commands, String> {
        Commands::start(Told::of(configuration, &notices)?, Spool::closed(), notices, PAUSES)
    }

    /// The same, sent by a function.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn by(
        send: Send,
        producer: &str,
        spool: Spool,
        notices: Notices,
        pauses: (Duration, Duration),
    ) -> Result<Commands, String> {
        let told = Told { send, producer: producer.to_owned(), all_resources: false, edges: true };
        Commands::start(told, spool, notices, pauses)
    }

    fn start(
        told: Told,
        spool: Spool,
        notices: Notices,
        pauses: (Duration, Duration),
    ) -> Result<Commands, String> {
        let (spool, told) = (Arc::new(spool), Arc::new(RwLock::new(told)));
        let pause = Arc::new(Mutex::new(pauses.0));
        let start = |number: usize| {
            let (spool, told, notices, pause) =
                (Arc::clone(&spool), Arc::clone(&told), notices.clone(), Arc::clone(&pause));
            let thread = std::thread::Builder::new().name(format!("puppetdb-{number}"));
            thread.spawn(move || work(&spool, &told, &notices, (&pause, pauses)))
        };
        let threads = (0..SENDERS).map(start).collect::<Result<_, _>>();
        let threads = threads.map_err(|error| format!("Could not start a thread: {error}"))?;
        Ok(Commands { spool, told, notices, threads })
    }

    /// Reads where commands are to go by another configuration; until [`Commands::follow`] they go where they went.
    ///
    /// # Errors
    /// As of [`Commands::new`].
    pub fn read(&self, configuration: &Configuration) -> Result<Way, String> {
        Told::of(configuration, &self.notices).map(Way)
    }

    /// From now on commands go there.
    pub fn follow(&self, Way(told): Way) {
        *self.told.write().unwrap_or_else(PoisonError::into_inner) = told;
    }

    fn told(&self) -> RwLockReadGuard<'_, Told> {
        self.told.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many commands wait to be sent, and their bytes.
    pub fn waiting(&self) -> (usize, u64) {
        self.spool.waiting()
    }

    /// `replace facts`: facts in the form in which they are kept, the environment they are for, and what is trusted of the node
    /// (`trusted`).
    ///
    /// # Errors
    /// 503 where the spool is full, 500 where it can't be written to.
    pub fn replace_facts(
        &self,
        certname: &str,
        facts: &Map<String, Json>,
        environment: &str,
        trusted: &Json,
    ) -> Result<(), Failure> {
        let producer = self.now();
        let payload = payload::replace_facts(certname, facts, environment, trusted, &producer);
        self.put(("replace_facts", 5), certname, &payload, producer)
    }

    /// `store report`: a report in Puppet's one form.
    ///
    /// # Errors
    /// As of [`Commands::replace_facts`]; 500 where it lacks what PuppetDB needs.
    pub fn store_report(&self, certname: &str, report: &Map<String, Json>) -> Result<(), Failure> {
        let producer = self.now();
        let payload = payload::store_report(report, self.told().all_resources, &producer);
        let payload = payload.map_err(crate::exchange::server_error)?;
        self.put(("store_report", 8), certname, &payload, producer)
    }

    /// `replace catalog`: a catalog as JSON, exported resources included, and the run that it was compiled for.
    ///
    /// # Errors
    /// As of [`Commands::replace_facts`].
    pub fn replace_catalog(
        &self,
        certname: &str,
        catalog: &Json,
        (transaction_uuid, job_id): (Option<&str>, Option<&str>),
    ) -> Result<(), Failure> {
        let producer = self.now();
        let mut payload = replace_catalog_payload(catalog);
        if !self.told().edges {
            payload["edges"] = Json::Array(Vec::new());
        }
        payload["producer"] = Json::from(producer.name.clone());
        payload["producer_timestamp"] = Json::from(producer.time.clone());
        payload["transaction_uuid"] = Json::from(transaction_uuid);
        payload["job_id"] = Json::from(job_id);
        self.put(("replace_catalog", 9), certname, &payload, producer)
    }

    /// What takes reports for the processor `puppetdb`.
    pub fn taker_of_reports(self: &Arc<Commands>) -> Taker {
        let commands = Arc::clone(self);
        Arc::new(move |certname, report| commands.store_report(certname, report))
    }

    /// What takes facts: beside what is kept of them they have the keys `environment` and `trusted`.
    pub fn taker_of_facts(self: &Arc<Commands>) -> Taker {
        let commands = Arc::clone(self);
        Arc::new(move |certname, facts| {
            let environment = facts.get("environment").and_then(Json::as_str).unwrap_or("production");
            let trusted = facts.get("trusted").cloned().unwrap_or(Json::Null);
            commands.replace_facts(certname, facts, environment, &trusted)
        })
    }

    fn now(&self) -> Producer {
        self.told().produced_now()
    }

    fn put(
        &self,
        what: (&str, u32),
        certname: &str,
        payload: &Json,
        producer: Producer,
    ) -> Result<(), Failure> {
        let is_name = !certname.is_empty()
            && certname.len() <= 200
            && certname.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
        if !is_name {
            let message = format!("PuppetDB is told of no node {certname:?}");
            return Err(Failure::new(StatusCode::BAD_REQUEST, message));
        }
        self.spool.put(&command(what, certname, payload, producer)).map_err(|why| match why {
            NotTaken::Full => {
                let message = "The spool of commands to PuppetDB is full";
                Failure::new(StatusCode::SERVICE_UNAVAILABLE, message)
            }
            NotTaken::Failed(error) => {
                crate::exchange::server_error(format!("Could not keep a command to PuppetDB: {error}"))
            }
        })
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        self.spool.end();
        for thread in self.threads.drain(..) {
            // A thread that has panicked has said so.
            let _ = thread.join();
        }
    }
}

/// A command by its name and version.
fn command((name, version): (&str, u32), certname: &str, payload: &Json, producer: Producer) -> Command {
    Command {
        name: name.to_owned(),
        version,
        certname: certname.to_owned(),
        producer_timestamp: producer.time,
        payload: payload.to_string().into_bytes(),
    }
}

/// `deactivate node`, sent at once: nothing waits of it.
///
/// # Errors
/// When PuppetDB does not take it.
pub fn deactivate(configuration: &Configuration, certname: &str) -> Result<(), String> {
    let told = Told::of(configuration, &Notices::default())?;
    let producer = told.produced_now();
    let payload = payload::deactivate_node(certname, &producer);
    match (told.send)(&command(("deactivate_node", 3), certname, &payload, producer)) {
        Sent::Taken => Ok(()),
        Sent::Refused(why) | Sent::Failed(why) | Sent::Away(why) => {
            Err(format!("PuppetDB has not taken it: {why}"))
        }
    }
}

/// Sends what waits until the spool is ended. A command that somebody has answered waits by itself; where nobody answers, all do.
fn work(
    spool: &Spool,
    told: &RwLock<Told>,
    notices: &Notices,
    (pause, pauses): (&Mutex<Duration>, (Duration, Duration)),
) {
    while let Some(taken) = spool.next() {
        let command = &taken.command;
        let what = format!("'{}' command for {}", command.name, command.certname);
        let waits = |why: &str| {
            let message = format!("PuppetDB could not take the {what}, which waits: {why}");
            notices.say("warning", "Puppet", message);
        };
        let pause = || pause.lock().unwrap_or_else(PoisonError::into_inner);
        let send = Arc::clone(&told.read().unwrap_or_else(PoisonError::into_inner).send);
        let sent = send(command);
        if !matches!(sent, Sent::Away(_)) {
            *pause() = pauses.0;
        }
        match sent {
            Sent::Taken => spool.done(&taken),
            Sent::Refused(why) => {
                spool.refused(&taken);
                notices.say("err", "Puppet", format!("PuppetDB has refused the {what}: {why}"));
            }
            Sent::Failed(why) => {
                if spool.again(&taken, pauses) == 1 {
                    waits(&why);
                }
            }
            Sent::Away(why) => {
                let mut pause = pause();
                spool.pause(*pause);
                spool.again(&taken, pauses);
                if *pause == pauses.0 {
                    waits(&why);
                }
                *pause = (*pause * 2).min(pauses.1);
            }
        }
    }
}

/// Posts a command to the first server that takes it, or to all. What one of them refuses for good none will take.
fn send(client: &Client, servers: &PuppetDbServers, reached: &Reached, command: &Command) -> Sent {
    let version = command.version.to_string();
    let query = [
        ("version", version.as_str()),
        ("certname", &command.certname),
        ("command", &command.name),
        ("producer-timestamp", &command.producer_timestamp),
    ];
    let headers = [("Accept", "application/json"), ("Content-Type", "application/json; charset=utf-8")];
    let (mut taken, mut refused, mut failures, mut is_away) = (0, Vec::new(), Vec::new(), true);
    for url in &servers.urls {
        let answer = client.post(&format!("{url}/pdb/cmd/v1"), &headers, &query, &command.payload);
        let answer = answer.map(|(code, text)| (code, format!("{code} {}", text.trim())));
        is_away &= answer.is_err();
        reached.tell(url, &answer);
        match answer {
            Ok((200..300, _)) => taken += 1,
            Ok((400 | 405 | 413 | 415 | 422, said)) => refused.push(format!("{url}: {said}")),
            Ok((_, said)) => failures.push(format!("{url}: {said}")),
            Err(error) => failures.push(format!("{url}: {error}")),
        }
        if servers.broadcast.is_none() && (taken > 0 || !refused.is_empty()) {
            break;
        }
    }
    match (taken >= servers.broadcast.unwrap_or(1), refused.is_empty(), is_away) {
        (true, ..) => Sent::Taken,
        (_, false, _) => Sent::Refused(refused.join("; ")),
        (_, _, true) => Sent::Away(failures.join("; ")),
        _ => Sent::Failed(failures.join("; ")),
    }
}

#[cfg(test)]
mod tests;
