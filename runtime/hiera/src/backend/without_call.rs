//! What a function in Ruby has nothing for, without calling it: other compiles of the snapshot have.
//!
//! Only what is certain is kept: that the function rests on its arguments and on files of the snapshot alone, as
//! [`RestsOn`](super::absent_keys::RestsOn) says; that little which it rests on besides is asked again.

use super::absent_keys::AbsentAt;
use super::context;
use crate::data_file::data::is_plain;
use crate::hierarchy::asked_location::AskedLocation;
use crate::hierarchy::entry::BackendKind;
use crate::state::Lookups;
use bunraku_files::reads;
use bunraku_vm::error::Eval;
use bunraku_vm::format::inspect;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;

/// A key that a function is asked for at a location where several compiles ask.
#[derive(Clone, Copy)]
pub(super) struct SharedQuestion<'a, 'c> {
    at: AskedLocation<'a, 'c>,
    absent: &'c AbsentAt,
    key: &'c str,
}

impl<'c> Lookups<'_, 'c> {
    /// The question that a function is asked, where it is asked key by key and more than one compile asks at the location.
    pub(super) fn shared_question<'a>(
        &self,
        vm: &Vm<'c>,
        at: AskedLocation<'a, 'c>,
        key: Option<Value<'c>>,
    ) -> Option<SharedQuestion<'a, 'c>> {
        let (BackendKind::LookupKey, Some(Value::Str(key))) = (at.entry.kind, key) else { return None };
        let find = || {
            // Who watches what a newer version would do otherwise wants to see it done.
            let location = (!vm.host.is_witness()).then(|| described(vm, at))??;
            Some(self.files.absent_keys.at(&location))
        };
        let absent = (*at.cache().absent.get_or_init(find)).filter(|absent| absent.is_shared())?;
        Some(SharedQuestion { at, absent, key: key.as_str() })
    }

    /// Whether it is known that the function has nothing for the key, and would be so again.
    pub(super) fn is_absent(&self, question: SharedQuestion<'_, 'c>) -> bool {
        let SharedQuestion { at, absent, key } = question;
        // Its first call in a compile reads its files: they are part of what is told of the compile.
        let called = &at.cache().has_called;
        if !called.get() {
            called.set(self.around.has_called(&at.entry.function, at.entry.module()));
        }
        called.get()
            && absent.get(key).is_some_and(|rests| {
                let context = at.cache().number();
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

    /// What a call gives, none where the function has nothing for the key: that is kept, if it is certain.
    ///
    /// # Errors
    /// Those of the call.
    pub(super) fn call_to_keep<T>(
        &self,
        question: SharedQuestion<'_, 'c>,
        call: impl FnOnce() -> Eval<'c, T>,
    ) -> Eval<'c, Option<T>> {
        self.around.take_rested();
        let (answer, reads) = reads::gather(call);
        reads::pass_on(&reads);
        let found = context::found(answer)?;
        if found.is_none()
            && reads.unknown.is_empty()
            && let Some(rests) = self.around.take_rested()
        {
            self.files.absent_keys.keep(question.absent, question.key, (rests, reads));
        }
        Ok(found)
    }
}

/// All that a function is given but the key, as a text that no other location has; none where an option is no plain data.
fn described(vm: &Vm<'_>, at: AskedLocation<'_, '_>) -> Option<String> {
    let function = (at.entry.function.as_str(), at.layer.module);
    let location = at.location().map(|location| (location.is_file(), &*location.text));
    let options = Value::Hash(at.entry.options);
    let describe = || format!("{:?} {function:?} {location:?} {}", vm.host.compat(), inspect(options));
    is_plain(options).then(describe)
}
