//! Keys that functions in Ruby have said there is nothing for: kept for the snapshot, since most keys that a hierarchy is
//! asked for are at hardly any of its locations, and the same for each node. [`without_call`](super::without_call) says which.

use bunraku_files::memo::{Contract, Memo, NEVER};
use bunraku_files::reads::Reads;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many keys are kept of all locations: some ten megabytes.
const MOST: usize = 1 << 16;

const LOCATIONS: Contract = Contract {
    holds: "locations of entries whose backend is a function in Ruby",
    key: "the function and all that it is given but the key; the version of Puppet",
    bound: "the locations that hierarchies of compiles name, a short text each",
    stale: NEVER,
    test: "tests/tests/absent_keys.rs: a_location_is_asked_once_for_what_it_does_not_have",
};

const KEYS: Contract = Contract {
    holds: "keys for which a function has said that there is nothing, and what that rests on",
    key: "the location and the key",
    bound: "65,536 of all locations",
    stale: "what it rests on outside of the snapshot is asked each time",
    test: "tests/tests/absent_keys.rs: what_is_kept_is_asked_anew_where_it_may_have_changed",
};

/// What a call has rested on beyond its arguments, its code and the files of the snapshot.
#[derive(Debug)]
pub struct RestsOn {
    /// Paths outside of the environment at which there was nothing.
    pub absent: Vec<PathBuf>,
    /// Keys for which the context of the look-up kept nothing.
    pub uncached: Vec<String>,
}

/// What a snapshot keeps of all locations.
pub(crate) struct AbsentKeys {
    locations: Memo<Box<str>, AbsentAt>,
    count: AtomicUsize,
}

/// What it keeps of one.
pub(crate) struct AbsentAt {
    /// How many compiles have asked here. What only one asks is not kept: a location may be a node's own.
    compiles: AtomicUsize,
    keys: Memo<Box<str>, RestsOn>,
}

impl AbsentKeys {
    /// Nothing yet.
    pub fn new() -> AbsentKeys {
        AbsentKeys { locations: Memo::new(&LOCATIONS), count: AtomicUsize::new(0) }
    }

    /// That of a location, for a compile that has not asked here before.
    pub fn at(&self, location: &str) -> &AbsentAt {
        let new = || AbsentAt { compiles: AtomicUsize::new(0), keys: Memo::new(&KEYS) };
        let at = self.locations.get_or(location, new);
        at.compiles.fetch_add(1, Ordering::Relaxed);
        at
    }

    /// Keeps that there is nothing for a key at a location, unless that is known or enough are kept.
    pub fn keep(&self, at: &AbsentAt, key: &str, made: (RestsOn, Reads)) {
        // The first call in a compile is made whatever is kept.
        if at.get(key).is_none() && self.count.fetch_add(1, Ordering::Relaxed) < MOST {
            at.keys.keep(key.into(), made);
        }
    }
}

impl AbsentAt {
    /// Whether more than one compile has asked here.
    pub fn is_shared(&self) -> bool {
        self.compiles.load(Ordering::Relaxed) > 1
    }

    /// What it rests on that there is nothing for a key, where that is kept.
    pub fn get(&self, key: &str) -> Option<&RestsOn> {
        self.keys.get(key)
    }
}
