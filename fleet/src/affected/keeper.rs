//! Keeps what nodes have read that are compiled for another reason than to find that out, so that whoever asks next whom a change
//! touches need not compile them.

use super::kept::Record;
use super::{GivenOf, KIND, WAITING, keep, key};
use crate::tree::cache::Cache;
use bunraku::bench::Target;
use bunraku::{Change, Reads};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Where it is kept what nodes of a tree read, of those of which it is not known. At most [`WAITING`] records wait to be written.
pub struct Keeper<'k> {
    cache: Option<&'k Cache>,
    change: &'k Change,
    names: BTreeSet<String>,
    given: Option<&'k GivenOf<'k>>,
    waiting: Mutex<(Vec<Record>, Result<(), String>)>,
}

impl<'k> Keeper<'k> {
    /// One for the tree that a change begins with, and for these nodes, with what they are given where that can be told. Without a
    /// cache it keeps nothing.
    pub fn new(
        cache: Option<&'k Cache>,
        change: &'k Change,
        names: BTreeSet<String>,
        given: Option<&'k GivenOf<'k>>,
    ) -> Keeper<'k> {
        Keeper { cache, change, names, given, waiting: Mutex::new((Vec::new(), Ok(()))) }
    }

    /// Whether it is to be found out what a node reads.
    pub fn lacks(&self, node: &str) -> bool {
        self.names.contains(node)
    }

    /// What differs between the tree and what it becomes.
    pub fn change(&self) -> &Change {
        self.change
    }

    /// Takes in what a compile has read that was asked to tell so.
    pub fn add(&self, target: &Target, fails: bool, reads: Reads) {
        let (Some(_), Ok(mut waiting)) = (self.cache, self.waiting.lock()) else { return };
        let (records, written) = &mut *waiting;
        if written.is_ok() {
            let node = target.node.name().to_owned();
            let given = self.given.and_then(|given| given(&node));
            records.push(Record { node, key: target.digest(), given, fails, reads });
        }
        if records.len() >= WAITING {
            *written = self.write(records);
        }
    }

    fn write(&self, records: &mut Vec<Record>) -> Result<(), String> {
        let Some(cache) = self.cache.filter(|_| !records.is_empty()) else { return Ok(()) };
        records.sort_by(|one, other| one.node.cmp(&other.node));
        cache.file(KIND, &key(self.change), |file| keep(file, records)).map(drop)
    }

    /// Writes what waits.
    ///
    /// # Errors
    /// When the cache can't be written.
    pub fn finish(self) -> Result<(), String> {
        let waiting = std::mem::replace(
            &mut *self.waiting.lock().map_err(|held| held.to_string())?,
            (Vec::new(), Ok(())),
        );
        let (mut records, written) = waiting;
        written.and_then(|()| self.write(&mut records))
    }
}
