//! Commands on their way to PuppetDB, in a folder: a command that was accepted is there until PuppetDB has it, whatever
//! becomes of this process.
//!
//! A command is a file `NUMBER-NAME-CERTNAME` in one of 256 folders, by the node: a line of JSON that says what it is, then its
//! payload. Files are written beside and renamed, both synced, before the command counts as accepted. Of facts, catalogs and
//! deactivations of a node the newest is kept: it says all that PuppetDB is to know. Reports are kept, each.

use super::Command;
use bunraku::files::read;
use bunraku::files::write::{self, Access};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Commands.
    pub commands: usize,
    /// Bytes of them.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { commands: 50_000, bytes: 4 << 30 }
    }
}

/// Bytes that one command may have.
const MAX_COMMAND: u64 = 256 << 20;

/// How many commands that PuppetDB has refused are kept, for whoever wants to know why.
const MOST_REFUSED: usize = 100;

/// Where those are kept.
const REFUSED: &str = "refused";

/// Why a command was not taken.
#[derive(Debug)]
pub enum NotTaken {
    /// So much waits already.
    Full,
    /// It could not be written.
    Failed(io::Error),
}

/// The folder, and what is in it. It may be shared by threads; there is one for one process.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    limits: Limits,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    /// In the order in which they were accepted.
    commands: BTreeMap<u64, Entry>,
    /// In the order in which they are sent: those that have not been tried, then those that have, by when they are tried again.
    order: BTreeSet<(Option<Instant>, u64)>,
    /// The newest of those that take the place of others.
    newest: HashMap<(String, String), u64>,
    /// Nodes of which a command is being sent: the next of a node waits for it.
    sending: HashSet<String>,
    /// What of the limits is taken, by what is being written, too.
    count: usize,
    bytes: u64,
    next: u64,
    /// No command is sent before.
    pause: Option<Instant>,
    is_ended: bool,
}

#[derive(Clone, Debug)]
struct Entry {
    path: PathBuf,
    name: String,
    certname: String,
    bytes: u64,
    /// How often it could not be sent.
    failures: u32,
    /// When it may be sent again.
    due: Option<Instant>,
}

impl Entry {
    fn new(path: PathBuf, name: &str, certname: &str, bytes: u64) -> Entry {
        Entry { path, name: name.to_owned(), certname: certname.to_owned(), bytes, failures: 0, due: None }
    }

    /// What it takes the place of older ones by; none for reports.
    fn key(&self) -> Option<(String, String)> {
        (self.name != "store_report").then(|| (self.name.clone(), self.certname.clone()))
    }
}

impl Spool {
    /// Opens the folder, which is made where it is not there, with all that waits in it.
    ///
    /// # Errors
    /// When it can't be made, read or written to.
    pub fn open(folder: &Path, limits: Limits) -> Result<Spool, String> {
        let failed = |error: io::Error| format!("Could not use the spool {}: {error}", folder.display());
        std::fs::create_dir_all(folder.join(REFUSED)).map_err(failed)?;
        let mut waiting = Waiting::default();
        // Of one number there is one command, unless somebody has put files here.
        let mut more = Vec::new();
        for number in 0..=u8::MAX {
            let part = folder.join(format!("{number:02x}"));
            std::fs::create_dir_all(&part).map_err(failed)?;
            for entry in std::fs::read_dir(&part).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let bytes = entry.metadata().map_err(failed)?.len();
                if let Some((number, name, certname)) = parsed(&entry.file_name().to_string_lossy()) {
                    waiting.next = waiting.next.max(number + 1);
                    let entry = Entry::new(entry.path(), &name, &certname, bytes);
                    more.extend(waiting.insert(number, entry));
                }
            }
        }
        for entry in more {
            waiting.insert(waiting.next, entry);
            waiting.next += 1;
        }
        waiting.count = waiting.commands.len();
        waiting.bytes = waiting.commands.values().map(|entry| entry.bytes).sum();
        let spool = Spool {
            folder: folder.to_path_buf(),
            limits,
            waiting: Mutex::default(),
            changed: Condvar::new(),
        };
        // Where a process ended between writing the newer and removing the older, both are there.
        let all: Vec<(u64, Entry)> =
            waiting.commands.iter().map(|(number, entry)| (*number, entry.clone())).collect();
        for (number, entry) in all {
            if let Some(older) = waiting.supersede(number, &entry) {
                std::fs::remove_file(&older.path).map_err(failed)?;
            }
        }
        *spool.lock() = waiting;
        Ok(spool)
    }

    /// One without a folder, which is always full.
    pub fn closed() -> Spool {
        let limits = Limits { commands: 0, bytes: 0 };
        Spool { folder: PathBuf::new(), limits, waiting: Mutex::default(), changed: Condvar::new() }
    }

    /// Takes a command in: when this returns, it is on the disk.
    ///
    /// # Errors
    /// When it is full or can't be written: then nothing is kept of it.
    pub fn put(&self, command: &Command) -> Result<(), NotTaken> {
        let text = written(command);
        let bytes = text.len() as u64;
        let number = self.lock().reserve(bytes, self.limits).ok_or(NotTaken::Full)?;
        let path = self.folder.join(part_of(&command.certname)).join(file_name(number, command));
        if let Err(error) = write::replace(&path, &text, Access::Exactly(0o600)) {
            // The name may stand there although the folder could not be synced.
            let _ = std::fs::remove_file(&path);
            self.lock().release(bytes);
            return Err(NotTaken::Failed(error));
        }
        let entry = Entry::new(path, &command.name, &command.certname, bytes);
        let older = {
            let mut waiting = self.lock();
            waiting.insert(number, entry.clone());
            waiting.supersede(number, &entry)
        };
        if let Some(older) = older {
            // It would be sent before the newer one, to no harm.
            let _ = std::fs::remove_file(older.path);
        }
        self.changed.notify_one();
        Ok(())
    }

    /// How many commands wait, and their bytes.
    pub fn waiting(&self) -> (usize, u64) {
        let waiting = self.lock();
        (waiting.count, waiting.bytes)
    }

    /// The next command to send, as soon as there is one; none when the spool has been ended. One of a node is given out
    /// at a time.
    pub(super) fn next(&self) -> Option<Taken> {
        let mut waiting = self.lock();
        loop {
            if waiting.is_ended {
                return None;
            }
            let now = Instant::now();
            let pause = waiting.pause.map(|pause| pause.saturating_duration_since(now));
            let later = match pause.filter(|pause| !pause.is_zero()) {
                Some(pause) => Some(pause),
                None => match waiting.free(now) {
                    Ok((number, entry)) => {
                        waiting.sending.insert(entry.certname.clone());
                        drop(waiting);
                        if let Some(taken) = self.taken(number, entry) {
                            return Some(taken);
                        }
                        waiting = self.lock();
                        continue;
                    }
                    Err(later) => later,
                },
            };
            waiting = match later {
                Some(later) => {
                    self.changed.wait_timeout(waiting, later).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Reads a command; one that is not there any more, or is none, is let go of.
    fn taken(&self, number: u64, entry: Entry) -> Option<Taken> {
        let read = read::regular(&entry.path, MAX_COMMAND).ok().and_then(|bytes| read_command(&bytes));
        match read {
            Some(command) => Some(Taken { number, entry, command }),
            None => {
                let _ = self.put_aside(&entry);
                self.finish(number, &entry);
                None
            }
        }
    }

    /// PuppetDB has the command.
    pub(super) fn done(&self, taken: &Taken) {
        let _ = std::fs::remove_file(&taken.entry.path);
        self.finish(taken.number, &taken.entry);
    }

    /// PuppetDB will never take it: it is put aside.
    pub(super) fn refused(&self, taken: &Taken) {
        let _ = self.put_aside(&taken.entry);
        self.finish(taken.number, &taken.entry);
    }

    /// It could not be sent, and is not for a while that doubles each time: others go before. How often that was so.
    pub(super) fn again(&self, taken: &Taken, (least, most): (Duration, Duration)) -> u32 {
        let mut waiting = self.lock();
        waiting.sending.remove(&taken.entry.certname);
        let failures = taken.entry.failures.saturating_add(1);
        let wait = least.saturating_mul(1 << taken.entry.failures.min(16)).min(most);
        // One of which there is a newer is not there any more.
        if let Some(mut entry) = waiting.take(taken.number) {
            (entry.failures, entry.due) = (failures, Some(Instant::now() + wait));
            waiting.insert(taken.number, entry);
        }
        drop(waiting);
        self.changed.notify_all();
        failures
    }

    /// Nothing is sent for a while.
    pub(super) fn pause(&self, pause: Duration) {
        self.lock().pause = Some(Instant::now() + pause);
    }

    /// Lets everybody who waits go.
    pub(super) fn end(&self) {
        self.lock().is_ended = true;
        self.changed.notify_all();
    }

    fn put_aside(&self, entry: &Entry) -> io::Result<()> {
        let folder = self.folder.join(REFUSED);
        let name = entry.path.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
        std::fs::rename(&entry.path, folder.join(name))?;
        let mut all: Vec<PathBuf> = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
        all.sort_unstable();
        let beyond = all.len().saturating_sub(MOST_REFUSED);
        all.into_iter().take(beyond).try_for_each(std::fs::remove_file)
    }

    fn finish(&self, number: u64, entry: &Entry) {
        let mut waiting = self.lock();
        waiting.remove(number);
        waiting.sending.remove(&entry.certname);
        if let Some(key) = entry.key()
            && waiting.newest.get(&key) == Some(&number)
        {
            waiting.newest.remove(&key);
        }
        drop(waiting);
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// A number for a command that is to be written.
    fn reserve(&mut self, bytes: u64, limits: Limits) -> Option<u64> {
        if self.count >= limits.commands || self.bytes.saturating_add(bytes) > limits.bytes {
            return None;
        }
        (self.count, self.bytes) = (self.count + 1, self.bytes + bytes);
        self.next += 1;
        Some(self.next - 1)
    }

    fn release(&mut self, bytes: u64) {
        (self.count, self.bytes) = (self.count - 1, self.bytes - bytes);
    }

    fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.take(number)?;
        self.release(entry.bytes);
        Some(entry)
    }

    /// Puts a command into its place; that which had its number.
    fn insert(&mut self, number: u64, entry: Entry) -> Option<Entry> {
        let before = self.take(number);
        self.order.insert((entry.due, number));
        self.commands.insert(number, entry);
        before
    }

    /// Takes one out of its place.
    fn take(&mut self, number: u64) -> Option<Entry> {
        let entry = self.commands.remove(&number)?;
        self.order.remove(&(entry.due, number));
        Some(entry)
    }

    /// The next command that may be sent; else how long it is until there may be one, where that is known.
    fn free(&self, now: Instant) -> Result<(u64, Entry), Option<Duration>> {
        for (due, number) in &self.order {
            if let Some(due) = due.filter(|due| *due > now) {
                return Err(Some(due - now));
            }
            if let Some(entry) =
                self.commands.get(number).filter(|entry| !self.sending.contains(&entry.certname))
            {
                return Ok((*number, entry.clone()));
            }
        }
        Err(None)
    }

    /// Of a command and the one of the same node and name that was newest before, takes out the older.
    fn supersede(&mut self, number: u64, entry: &Entry) -> Option<Entry> {
        let key = entry.key()?;
        let before = self.newest.get(&key).copied();
        let (newer, older) = match before {
            Some(before) if before > number => (before, Some(number)),
            before => (number, before),
        };
        self.newest.insert(key, newer);
        self.remove(older?)
    }
}

/// A command that is being sent.
#[derive(Debug)]
pub(super) struct Taken {
    number: u64,
    entry: Entry,
    /// What it says.
    pub(super) command: Command,
}

/// The folder of a node.
fn part_of(certname: &str) -> String {
    let sum = certname.bytes().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
    format!("{sum:02x}")
}

fn file_name(number: u64, command: &Command) -> String {
    format!("{number:020}-{}-{}", command.name, command.certname)
}

fn parsed(file: &str) -> Option<(u64, String, String)> {
    let (number, rest) = file.split_once('-')?;
    let (name, certname) = rest.split_once('-')?;
    let number = number.parse().ok().filter(|_| number.len() == 20)?;
    Some((number, name.to_owned(), certname.to_owned()))
}

fn written(command: &Command) -> Vec<u8> {
    let head = json!({
        "command": command.name,
        "version": command.version,
        "certname": command.certname,
        "producer_timestamp": command.producer_timestamp,
    });
    let mut text = head.to_string().into_bytes();
    text.push(b'\n');
    text.extend_from_slice(&command.payload);
    text
}

fn read_command(bytes: &[u8]) -> Option<Command> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head: Json = serde_json::from_slice(&bytes[..end]).ok()?;
    let text = |key: &str| head[key].as_str().map(str::to_owned);
    Some(Command {
        name: text("command")?,
        version: head["version"].as_u64().and_then(|version| version.try_into().ok())?,
        certname: text("certname")?,
        producer_timestamp: text("producer_timestamp")?,
        payload: bytes[end + 1..].to_vec(),
    })
}
