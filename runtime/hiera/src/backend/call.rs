//! Calling the function of an entry: one in the Puppet language or in Ruby, or hiera-eyaml's.

use super::context;
use super::key_hashes::learn_of_keys;
use crate::config::location::LocationKind;
use crate::hierarchy::asked_location::AskedLocation;
use crate::hierarchy::entry::BackendKind;
use crate::state::Lookups;
use bunraku_files::reads;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// Calls the function of an entry for one of its locations, with the key where it takes one; none where it says
    /// that there is nothing.
    ///
    /// # Errors
    /// When there is no such function; those of the function.
    pub(crate) fn call_backend(
        &self,
        vm: &mut Vm<'c>,
        at: AskedLocation<'_, 'c>,
        key: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let name = at.entry.function.as_str();
        if name == "eyaml_lookup_key" {
            return self.eyaml_lookup_key(vm, at, key);
        }
        self.state.answered.spoil();
        let question = self.shared_question(vm, at, key);
        if let Some(answer) = question.and_then(|question| self.kept_answer(question)) {
            return Ok(answer);
        }
        if self.is_in_no_hash(at, key) {
            return Ok(None);
        }
        let args = self.backend_arguments(vm, at, key);
        let learns = self.learns_of_keys(vm, at);
        let mut call = || context::found(self.around.call_function(vm, name, at.entry.module(), &args));
        let found = match learns || question.is_some() {
            false => call()?,
            true => {
                let (found, reads) = reads::gather(call);
                reads::pass_on(&reads);
                let found = found?;
                let certain = args.last().and_then(|context| self.around.take_certain(*context));
                let (rests, without_key) =
                    certain.map_or((None, None), |call| (Some(call.rests), call.without_key));
                if let (Some(question), Some(rests)) = (question, rests) {
                    self.keep_answer(question, found.flatten(), (rests, &reads));
                }
                if learns && found.is_none() {
                    learn_of_keys(at, (without_key, reads));
                }
                found
            }
        };
        match found {
            None => Ok(None),
            Some(Some(value)) => Ok(Some(value)),
            Some(None) => {
                let message = format!("Unable to find '{}' function named '{name}'", at.entry.kind.name());
                let file = at.layer.config.path.as_ref().map(|path| path.to_string_lossy().into());
                let place = Place { file, line: None, column: None };
                let diagnostic = Diagnostic::error(message).at(place);
                Err(Flow::formed(diagnostic.with_code("HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND")))
            }
        }
    }

    /// What a backend is called with: the key where it takes one, the options, the context.
    fn backend_arguments(
        &self,
        vm: &mut Vm<'c>,
        at: AskedLocation<'_, 'c>,
        key: Option<Value<'c>>,
    ) -> Vec<Value<'c>> {
        if at.entry.kind == BackendKind::LegacyHash {
            return Vec::new();
        }
        let mut options = HashBuilder::with(self.arena, at.entry.options);
        if let Some(location) = at.location() {
            let name = match location.kind {
                LocationKind::Uri => "uri",
                LocationKind::File => "path",
            };
            options.insert_str(name, vm.string(&location.text));
        }
        let context = self.context_for(vm, at.inv, at.layer.module, at.cache());
        let mut args: Vec<_> = key.into_iter().collect();
        args.extend([Value::Hash(options.finish()), context]);
        args
    }
}
