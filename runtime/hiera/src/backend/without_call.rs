//! What a function in Ruby answers, without calling it: other compiles of the snapshot have.
//!
//! Only what is certain is kept: that the function rests on its arguments and on files of the snapshot alone, as [`RestsOn`] says; that
//! little which it rests on besides is asked again.

use super::kept_answers::{AnswersAt, KeptAnswer, RestsOn};
use crate::data_file::data::is_plain;
use crate::hierarchy::asked_location::AskedLocation;
use crate::hierarchy::entry::BackendKind;
use crate::state::Lookups;
use bunraku_files::reads::Reads;
use bunraku_vm::format::inspect;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;

/// A key that a function is asked for at a location where several compiles ask.
#[derive(Clone, Copy)]
pub(super) struct SharedQuestion<'a, 'c> {
    at: AskedLocation<'a, 'c>,
    kept: &'c AnswersAt,
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
            Some(self.files.kept_answers.at(&location))
        };
        let kept = (*at.cache().kept.get_or_init(find)).filter(|kept| kept.is_shared())?;
        Some(SharedQuestion { at, kept, key: key.as_str() })
    }

    /// What is known that the function would answer, and would again; none inside where that is nothing.
    pub(super) fn kept_answer(&self, question: SharedQuestion<'_, 'c>) -> Option<Option<Value<'c>>> {
        let SharedQuestion { at, kept, key } = question;
        // Its first call in a compile reads its files: they are part of what is told of the compile.
        let called = &at.cache().has_called;
        if !called.get() {
            called.set(self.around.has_called(&at.entry.function, at.entry.module()));
        }
        let answer = kept.get(key).filter(|_| called.get())?;
        let KeptAnswer { absent, uncached, cached, found, .. } = answer;
        let context = at.cache().number();
        let is_as_before = !uncached.iter().any(|key| self.around.context_keeps(context, key))
            && absent.iter().all(|path| self.has_nothing_at(path));
        is_as_before.then(|| {
            let found = found.as_ref().map(|value| value.value(self.arena));
            for (key, value) in cached {
                if let Some(value) = value.as_ref().map(|value| value.value(self.arena)).or(found) {
                    self.around.keep_in_context(context, key, value);
                }
            }
            found
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

    /// Keeps what a call has answered, if that is certain: what was read for it comes with it.
    pub(super) fn keep_answer(
        &self,
        question: SharedQuestion<'_, 'c>,
        answer: Option<Value<'c>>,
        (rests, reads): (RestsOn<'c>, &Reads),
    ) {
        if reads.unknown.is_empty()
            && let Some(kept) = KeptAnswer::of(rests, answer)
        {
            self.files.kept_answers.keep(question.kept, question.key, (kept, reads.clone()));
        }
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
