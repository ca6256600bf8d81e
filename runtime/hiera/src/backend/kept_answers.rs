//! What functions in Ruby have answered for keys: kept for the snapshot, since most keys that a hierarchy is asked for are at hardly any of
//! its locations, and what is found is mostly the same for each node. [`without_call`](super::without_call) says which.

use crate::data_file::data::Data;
use bunraku_files::memo::{Contract, Memo, NEVER};
use bunraku_files::reads::Reads;
use bunraku_vm::value::{Hash, Value};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much is kept of all locations, in bytes of keys and texts and [`EACH`] for each value.
const MOST: usize = 32 << 20;

/// How much of that one answer may be.
const LARGEST: usize = 64 << 10;

/// What a value counts for, and a key.
const EACH: usize = 64;

const LOCATIONS: Contract = Contract {
    holds: "locations of entries whose backend is a function in Ruby",
    key: "the function and all that it is given but the key; the version of Puppet",
    bound: "the locations that hierarchies of compiles name, a short text each",
    stale: NEVER,
    test: "tests/tests/kept_answers.rs: a_location_is_asked_once_for_what_it_does_not_have",
};

const ANSWERS: Contract = Contract {
    holds: "what a function has answered for keys, if that is plain data, and what it rests on",
    key: "the location and the key",
    bound: "32 MiB of all locations, 64 KiB each",
    stale: "what it rests on outside of the snapshot is asked each time",
    test: "tests/tests/kept_answers.rs: what_is_kept_is_asked_anew_where_it_may_have_changed",
};

/// What a call has rested on beyond its arguments, its code and the files of the snapshot.
pub struct RestsOn<'c> {
    /// Paths outside of the environment at which there was nothing.
    pub absent: Vec<PathBuf>,
    /// Keys, as the context of the look-up writes them, for which that kept nothing.
    pub uncached: Vec<String>,
    /// What the call has had the context keep, in that order; that comes with its answer.
    pub cached: Vec<(String, Value<'c>)>,
}

/// A call of a function that gives the same for the same arguments in each compile of a snapshot: that there is nothing for the key, or a
/// value.
pub struct CertainCall<'c> {
    /// What it has rested on.
    pub rests: RestsOn<'c>,
    /// The hashes that it has asked for the key, where it has done no more with that, none of them has it, and it has said that there is
    /// nothing for it.
    pub without_key: Option<Vec<Hash<'c>>>,
}

/// An answer that is kept.
pub(crate) struct KeptAnswer {
    /// As in [`RestsOn`].
    pub absent: Vec<PathBuf>,
    /// As in [`RestsOn`].
    pub uncached: Vec<String>,
    /// What the call has had the context keep; none where that is what it has found.
    pub cached: Vec<(String, Option<Data>)>,
    /// What was found; none where there was nothing for the key.
    pub found: Option<Data>,
    /// How much of the room for answers it takes.
    size: usize,
}

impl KeptAnswer {
    /// What a call has answered, and what that rests on; none of what is no plain data, is large, or has an identity that would show.
    pub fn of<'c>(rests: RestsOn<'c>, answer: Option<Value<'c>>) -> Option<KeptAnswer> {
        let RestsOn { absent, uncached, cached } = rests;
        let mut room = LARGEST;
        let found = match answer {
            None => None,
            Some(value) => Some(lasting(value, &mut room)?),
        };
        let kept =
            |(key, value): (String, Value<'c>)| match answer.is_some_and(|answer| answer.identical(value)) {
                true => Some((key, None)),
                false if is_object(value) => None,
                false => Some((key, Some(lasting(value, &mut room)?))),
            };
        let cached = cached.into_iter().map(kept).collect::<Option<_>>()?;
        Some(KeptAnswer { absent, uncached, cached, found, size: LARGEST - room + EACH })
    }
}

/// What a snapshot keeps of all locations.
pub(crate) struct KeptAnswers {
    locations: Memo<Box<str>, AnswersAt>,
    size: AtomicUsize,
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
        KeptAnswers { locations: Memo::new(&LOCATIONS), size: AtomicUsize::new(0) }
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
        if at.get(key).is_none() && self.size.fetch_add(key.len() + made.0.size, Ordering::Relaxed) < MOST {
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

/// Whether a value is an object: the same one may stand in several places.
fn is_object(value: Value<'_>) -> bool {
    value.address().is_some()
}

/// A value as data, if it is no more than that and there is room for it.
fn lasting(value: Value<'_>, room: &mut usize) -> Option<Data> {
    *room = room.checked_sub(EACH)?;
    Some(match value {
        Value::Undef => Data::Null,
        Value::Bool(b) => Data::Bool(b),
        Value::Int(n) => Data::Int(n),
        Value::Float(f) => Data::Float(f),
        Value::Str(text) => {
            *room = room.checked_sub(text.len())?;
            Data::Text(text.as_str().to_owned())
        }
        Value::Array(items) => {
            Data::List(items.items().iter().map(|item| lasting(*item, room)).collect::<Option<_>>()?)
        }
        Value::Hash(hash) => {
            let mut pairs = Vec::with_capacity(hash.len().min(LARGEST / EACH));
            for (key, value) in hash.entries() {
                pairs.push((lasting(*key, room)?, lasting(*value, room)?));
            }
            Data::Map(pairs)
        }
        _ => return None,
    })
}
