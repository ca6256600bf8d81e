//! Backends: functions in the Puppet language or in Ruby, and hiera-eyaml.

use crate::backend::context;
use crate::backend::data_hash::Data;
use crate::backend::data_source::Source;
use crate::backend::eyaml;
use crate::config::Location;
use crate::data_file as file;
use crate::data_file::cache::Format;
use crate::hierarchy::entry::{At, Kind};
use crate::key::lookup_error;
use crate::state::Lookups;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// The code of an exception of Ruby that nobody catches; the worker's have the same.
const UNCAUGHT: &str = "RUBY_EXCEPTION";

impl<'c> Lookups<'_, 'c> {
    /// The backend of hiera-eyaml: YAML in which strings may be encrypted.
    fn eyaml(&self, vm: &mut Vm<'c>, at: At<'_, 'c>, key: Option<Value<'c>>) -> Eval<'c, Option<Value<'c>>> {
        let Some(location) = at.file() else {
            return Err(Flow::raw(
                "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in \
                 hiera.yaml when using this lookup_key function",
            ));
        };
        let (Data::Source(Source::File(file)), Some(key)) = (self.file_data(location, Format::Yaml)?, key)
        else {
            return Ok(None);
        };
        let text = key.as_str().unwrap_or_default();
        let Some(found) = file.find(file::hash_of(text), text) else { return Ok(None) };
        let value = file.value(found)?;
        self.decrypted(vm, at, location, key, value).map(Some)
    }

    fn decrypted(
        &self,
        vm: &mut Vm<'c>,
        at: At<'_, 'c>,
        location: &Location,
        key: Value<'c>,
        value: Value<'c>,
    ) -> Eval<'c> {
        let inv = at.inv;
        match value {
            Value::Str(text) if eyaml::is_encrypted(&text) => {
                let plain = eyaml::decrypt(&text, at.entry.options).map_err(|fault| match fault {
                    eyaml::Fault::NoEncryptor(message) => {
                        let diagnostic = Diagnostic::error(message).with_code(UNCAUGHT);
 Flow::formed(diagnostic.because(Cause::RubyException))
                    }
                    eyaml::Fault::Other(message) => lookup_error(format!(
                        "hiera-eyaml backend error decrypting {} when looking up {} in {}. Error was {message}",
                        text.as_str(),
                        key.as_str().unwrap_or_default(),
                        location.text
                    )),
                })?;
                let plain = vm.string(&plain);
                self.interpolate(vm, inv, plain, true)
            }
            Value::Str(_) => self.interpolate(vm, inv, value, true),
            Value::Array(items) => {
                let mut all = Vec::with_capacity(items.size());
                for item in items.items() {
                    all.push(self.decrypted(vm, at, location, key, *item)?);
                }
                Ok(vm.array(&all))
            }
            Value::Hash(hash) => {
                let mut all = HashBuilder::new(vm.arena);
                for (name, item) in hash.entries() {
                    let name = self.interpolate(vm, inv, *name, true)?;
                    let item = self.decrypted(vm, at, location, key, *item)?;
                    all.insert(name, item);
                }
                Ok(Value::Hash(all.finish()))
            }
            other => Ok(other),
        }
    }

    /// Calls a backend written in the Puppet language; none where it says that there is nothing.
    pub(crate) fn call_backend(
        &self,
        vm: &mut Vm<'c>,
        at: At<'_, 'c>,
        argument: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let name = at.entry.function.as_str();
        if name == "eyaml_lookup_key" {
            return self.eyaml(vm, at, argument);
        }
        self.state.memos.spoil();
        let from = name.split_once("::").map_or("", |(module, _)| module);
        let args = self.backend_arguments(vm, at, argument)?;
        let Some(answer) = context::found(self.around.call_function(vm, name, from, &args))? else {
            return Ok(None);
        };
        answer.map(Some).ok_or_else(|| {
            let message = format!("Unable to find '{}' function named '{name}'", at.entry.kind.name());
            let file = at.layer.config.path.as_ref().map(|path| path.to_string_lossy().into());
            let place = bunraku_vm::diagnostic::Place { file, line: None, column: None };
            let diagnostic = bunraku_vm::diagnostic::Diagnostic::error(message).at(place);
            Flow::formed(diagnostic.with_code("HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND"))
        })
    }

    /// What a backend is called with: the key where it takes one, the options, the context.
    fn backend_arguments(
        &self,
        vm: &mut Vm<'c>,
        at: At<'_, 'c>,
        argument: Option<Value<'c>>,
    ) -> Eval<'c, Vec<Value<'c>>> {
        if at.entry.kind == Kind::LegacyHash {
            return Ok(Vec::new());
        }
        let mut options = HashBuilder::with(self.arena, at.entry.options);
        if let Some(location) = at.location() {
            let key = if location.is_uri { "uri" } else { "path" };
            options.insert_str(key, vm.string(&location.text));
        }
        let context = self.make_context(vm, at.inv, at.layer.module, at.context())?;
        let mut args: Vec<_> = argument.into_iter().collect();
        args.extend([Value::Hash(options.finish()), context]);
        Ok(args)
    }
}
