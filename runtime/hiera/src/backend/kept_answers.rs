//! What functions in Ruby have answered for keys: kept for the snapshot, since most keys that a hierarchy is asked for are at hardly any of
//! its locations, and what is found is mostly the same for each node. [`without_call`](super::without_call) says which.

use crate::data_file::data::Data;
use bunraku_files::memo::{Contract, Memo, NEVER};
use bunraku_files::reads::Reads;
use bunraku_vm::value::{Hash, Value};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many answers are kept of all locations: some ten megabytes.
const MOST: usize = 1 << 16;

/// How long a text is that is kept, in bytes.
const LONGEST: usize = 1 << 10;

const LOCATIONS: Contract = Contract {
    holds: "locations of entries whose backend is a function in Ruby",
    key: "the function and all that it is given but the key; the version of Puppet",
    bound: "the locations that hierarchies of compiles name, a short text each",
    stale: NEVER,
    test: "tests/tests/kept_answers.rs: a_location_is_asked_once_for_what_it_does_not_have",
};

const ANSWERS: Contract = Contract {
    holds: "what a function has answered for keys, if that is nothing or no list and no hash, and what it rests on",
    key: "the location and the key",
    bound: "65,536 of all locations, no text longer than 1 KiB",
    stale: "what it rests on outside of the snapshot is asked each time",
    test: "tests/tests/kept_answers.rs: what_is_kept_is_asked_anew_where_it_may_have_changed",
};

/// What a call has rested on beyond its arguments, its code and the files of the snapshot.
#[derive(Debug)]
pub struct RestsOn {
    /// Paths outside of the environment at which there was nothing.
    pub absent: Vec<PathBuf>,
    /// Keys, as the context of the look-up writes them, for which that kept nothing.
    pub uncached: Vec<String>,
    /// What the call has had the context keep, in that order; that comes with its answer.
    pub cached: Vec<(String, Data)>,
}

/// A call of a function that gives the same for the same arguments in each compile of a snapshot: that there is nothing for the key, or a
/// value.
pub struct CertainCall<'c> {
    /// What it has rested on.
    pub rests: RestsOn,
    /// The hashes that it has asked for the key, where it has done no more with that, none of them has it, and it has said that there is
    /// nothing for it.
    pub without_key: Option<Vec<Hash<'c>>>,
}

/// An answer that is kept.
pub(crate) struct KeptAnswer {
    /// What it rests on.
    pub rests: RestsOn,
    /// What was found; none where there was nothing for the key.
    pub found: Option<Data>,
}

/// What a snapshot keeps of all locations.
pub(crate) struct KeptAnswers {
    locations: Memo<Box<str>, AnswersAt>,
    count: AtomicUsize,
}

/// What it keeps of one.
pub(crate) struct AnswersAt {
    /// How many compiles have asked here. What only one asks is not kept: a location may be a node's own.
    compiles: AtomicUsize,
    answers: Memo<Box<str>, KeptAnswer>,
}

impl KeptAnswers {
    /// Nothing yet.
    pub fn new() -> KeptAnswers {
        KeptAnswers { locations: Memo::new(&LOCATIONS), count: AtomicUsize::new(0) }
    }

    /// That of a location, for a compile that has not asked here before.
    pub fn at(&self, location: &str) -> &AnswersAt {
        let new = || AnswersAt { compiles: AtomicUsize::new(0), answers: Memo::new(&ANSWERS) };
        let at = self.locations.get_or(location, new);
        at.compiles.fetch_add(1, Ordering::Relaxed);
        at
    }

    /// Keeps an answer for a key at a location, unless that is known or enough are kept.
    pub fn keep(&self, at: &AnswersAt, key: &str, made: (KeptAnswer, Reads)) {
        // The first call in a compile is made whatever is kept.
        if at.get(key).is_none() && self.count.fetch_add(1, Ordering::Relaxed) < MOST {
            at.answers.keep(key.into(), made);
        }
    }
}

impl AnswersAt {
    /// Whether more than one compile has asked here.
    pub fn is_shared(&self) -> bool {
        self.compiles.load(Ordering::Relaxed) > 1
    }

    /// What is kept for a key.
    pub fn get(&self, key: &str) -> Option<&KeptAnswer> {
        self.answers.get(key)
    }
}

/// A value as it may be kept; none of a long text, and of what has an identity: a list or hash that two keys lead to is one object.
pub fn lasting(value: Value<'_>) -> Option<Data> {
    Some(match value {
        Value::Undef => Data::Null,
        Value::Bool(b) => Data::Bool(b),
        Value::Int(n) => Data::Int(n),
        Value::Float(f) => Data::Float(f),
        Value::Str(text) if text.len() <= LONGEST => Data::Text(text.as_str().to_owned()),
        _ => return None,
    })
}
