//! Keys that functions in Ruby have said there is nothing for: kept for the snapshot, since most keys that a hierarchy is
//! asked for are at hardly any of its locations, and the same for each node.
//!
//! Only what is certain is kept: that the function rests on its arguments and on files of the snapshot alone, as
//! [`RestsOn`] says; that little which it rests on besides is asked again.

use crate::hierarchy::asked_location::AskedLocation;
use crate::hierarchy::entry::HierarchyEntry;
use crate::state::Lookups;
use crate::surroundings::RestsOn;
use bunraku_files::memo::{Contract, Memo, NEVER};
use bunraku_files::reads::Reads;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;
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
    fn at(&self, location: &str) -> &AbsentAt {
        let new = || AbsentAt { compiles: AtomicUsize::new(0), keys: Memo::new(&KEYS) };
        let at = self.locations.get_or(location, new);
        at.compiles.fetch_add(1, Ordering::Relaxed);
        at
    }
}

impl<'c> Lookups<'_, 'c> {
    /// What is kept of a location, where more than one compile asks there.
    pub(super) fn absent_at(&self, vm: &Vm<'c>, at: AskedLocation<'_, 'c>) -> Option<&'c AbsentAt> {
        let find = || {
            // Who watches what a newer version would do otherwise wants to see it done.
            let location = (!vm.host.is_witness()).then(|| described(vm, at))??;
            Some(self.files.absent_keys.at(&location))
        };
        let found = *at.cache().absent.get_or_init(find);
        found.filter(|absent| absent.compiles.load(Ordering::Relaxed) > 1)
    }

    /// Whether it is known that a function has nothing for a key there, and would be so again.
    pub(super) fn is_absent(&self, absent: &AbsentAt, at: AskedLocation<'_, 'c>, key: &str) -> bool {
        // Its first call in a compile reads its files: they are part of what is told of the compile.
        let called = &at.cache().has_called;
        if !called.get() {
            called.set(self.around.has_called(&at.entry.function, module_of(at.entry)));
        }
        if !called.get() {
            return false;
        }
        let context = Rc::as_ptr(at.cache()).addr() as i64;
        absent.keys.get(key).is_some_and(|rests| {
            !rests.uncached.iter().any(|key| self.around.context_keeps(context, key))
                && rests.absent.iter().all(|path| self.has_nothing_at(path))
        })
    }

    /// Whether there is nothing at a path outside of the environment.
    fn has_nothing_at(&self, path: &Path) -> bool {
        let mut known = self.state.absent_outside.borrow_mut();
        if known.contains(path) {
            return true;
        }
        let is_absent = !self.tree.exists(path);
        if is_absent {
            known.insert(path.to_owned());
        }
        is_absent
    }

    /// Keeps that a function has nothing for a key, if that is certain.
    pub(super) fn keep_absent(&self, absent: &AbsentAt, key: &str, reads: Reads) {
        let Some(rests) = self.around.take_rested() else { return };
        // The first call in a compile is made in any case.
        if absent.keys.get(key).is_some() {
            return;
        }
        let count = &self.files.absent_keys.count;
        if reads.unknown.is_empty() && count.fetch_add(1, Ordering::Relaxed) < MOST {
            absent.keys.keep(key.into(), (rests, reads));
        }
    }
}

/// The module whose code an entry's function is called as.
pub(super) fn module_of<'e>(entry: &'e HierarchyEntry<'_>) -> &'e str {
    entry.function.split_once("::").map_or("", |(module, _)| module)
}

/// All that a function is given but the key, as a text that no other location has; none where a value is no plain data.
fn described(vm: &Vm<'_>, at: AskedLocation<'_, '_>) -> Option<String> {
    let mut text = String::new();
    let function = (at.entry.function.as_str(), at.layer.module);
    let location = at.location().map(|location| (location.is_file(), &*location.text));
    write!(text, "{:?} {function:?} {location:?} ", vm.host.compat()).ok()?;
    describe(&mut text, Value::Hash(at.entry.options))?;
    Some(text)
}

fn describe(text: &mut String, value: Value<'_>) -> Option<()> {
    match value {
        Value::Undef => text.push_str("undef"),
        Value::Bool(value) => write!(text, "{value}").ok()?,
        Value::Int(value) => write!(text, "{value}").ok()?,
        Value::Float(value) => write!(text, "{value:?}").ok()?,
        Value::Str(value) => write!(text, "{:?}", value.as_str()).ok()?,
        Value::Array(items) => {
            text.push('[');
            for item in items.items() {
                describe(text, *item)?;
                text.push(',');
            }
            text.push(']');
        }
        Value::Hash(hash) => {
            text.push('{');
            for (key, value) in hash.entries() {
                describe(text, *key)?;
                text.push(':');
                describe(text, *value)?;
                text.push(',');
            }
            text.push('}');
        }
        _ => return None,
    }
    Some(())
}
