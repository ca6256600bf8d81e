//! Keys that a function in Ruby has nothing for, without calling it again in a compile: where it does no more with its key than ask
//! hashes for it, it has nothing for any key that is in none of the hashes it has asked.

use super::location_cache::KeyHashes;
use crate::hierarchy::asked_location::AskedLocation;
use crate::hierarchy::entry::BackendKind;
use crate::state::Lookups;
use bunraku_files::reads;
use bunraku_vm::error::Eval;
use bunraku_vm::value::Value;
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

    /// What a call gives, none where the function has nothing for its key; then it is known what it does with keys.
    ///
    /// # Errors
    /// Those of the call.
    pub(super) fn call_to_learn<T>(
        &self,
        at: AskedLocation<'_, 'c>,
        call: impl FnOnce() -> Eval<'c, Option<T>>,
    ) -> Eval<'c, Option<T>> {
        self.around.take_without_key();
        let (found, reads) = reads::gather(call);
        reads::pass_on(&reads);
        let found = found?;
        if found.is_none() {
            let known = match self.around.take_without_key() {
                Some(hashes) if reads.unknown.is_empty() => KeyHashes::Asked(hashes, reads),
                _ => KeyHashes::More,
            };
            // Nobody else has found it out: a function that looks something up does more with its key.
            let _ = at.cache().hashes.set(known);
        }
        Ok(found)
    }
}
