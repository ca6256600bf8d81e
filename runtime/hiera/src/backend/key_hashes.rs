//! Keys that a function in Ruby has nothing for, without calling it again in a compile: where it does no more with its key than ask
//! hashes for it, it has nothing for any key that is in none of the hashes it has asked.

use super::location_cache::KeyHashes;
use crate::hierarchy::asked_location::AskedLocation;
use crate::hierarchy::entry::BackendKind;
use crate::state::Lookups;
use bunraku_files::reads::{self, Reads};
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// Whether the function of a location has nothing for a key, by what it has done with others.
    pub(super) fn is_in_no_hash(&self, at: AskedLocation<'_, 'c>, key: Option<Value<'c>>) -> bool {
        let (Some(KeyHashes::Asked(hashes, reads)), Some(Value::Str(key))) = (at.cache().hashes.get(), key)
        else {
            return false;
        };
        let is_absent = hashes.iter().all(|hash| hash.get_str(key.as_str()).is_none())
            && !self.around.context_keeps_text(at.cache().number(), key.as_str());
        if is_absent {
            reads::pass_on(reads);
        }
        is_absent
    }

    /// Whether it is to be found out by a call what the function of a location does with its keys.
    pub(super) fn learns_of_keys(&self, vm: &Vm<'c>, at: AskedLocation<'_, 'c>) -> bool {
        // Who watches what a newer version would do otherwise wants to see each call done.
        at.entry.kind == BackendKind::LookupKey && at.cache().hashes.get().is_none() && !vm.host.is_witness()
    }
}

/// Takes note of what the function of a location does with its keys, which it has just had nothing for: the hashes that it has asked and no
/// more, where that is certain, and what the call has read.
pub(super) fn learn_of_keys<'c>(at: AskedLocation<'_, 'c>, (hashes, reads): (Option<Vec<Hash<'c>>>, Reads)) {
    let known = match hashes {
        Some(hashes) if reads.unknown.is_empty() => KeyHashes::Asked(hashes, reads),
        _ => KeyHashes::More,
    };
    // Nobody else has found it out: a function that looks something up does more with its key.
    let _ = at.cache().hashes.set(known);
}
