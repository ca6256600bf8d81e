//! The data of a location that are given all at once: a file's, or what a function gave; read once and checked.

use super::location_cache::LocationData;
use crate::config::location::Location;
use crate::data_file::DataFormat;
use crate::fault::lookup_error;
use crate::hierarchy::asked_location::AskedLocation;
use crate::layer::Layer;
use crate::lookup_options::{LOOKUP_OPTIONS, is_of_module};
use crate::state::Lookups;
use crate::surroundings::Repeat;
use bunraku_vm::cause::Cause;
use bunraku_vm::compat::Rule;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::host::{Change, Strict, no_data_file};
use bunraku_vm::label;
use bunraku_vm::types::{self, mismatch, object};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::path::Path;

/// What a file or a function gave.
pub(super) enum Given<'c> {
    /// A hash of data.
    Data(LocationData<'c>),
    /// Any value, of which nothing is known yet.
    Value(Value<'c>),
}

/// What is said where a backend that reads files has none to read.
#[cold]
pub(super) fn no_file<'c>(function: &str, kind: &str) -> Box<Flow<'c>> {
    // hiera-eyaml puts it so.
    let colon = if kind == "lookup_key" { ":" } else { "" };
    let message = format!("'{function}'{colon} {}", no_data_file(kind));
    Flow::caused(Cause::NoDataFile, message)
}

impl<'c> Lookups<'_, 'c> {
    /// All data of a location.
    ///
    /// # Errors
    /// When its file cannot be read or its function fails; when it is no hash.
    pub(crate) fn data_of(&self, vm: &mut Vm<'c>, at: AskedLocation<'_, 'c>) -> Eval<'c, LocationData<'c>> {
        if let Some(known) = at.cache().data.get() {
            return Ok(known);
        }
        let given = self.given_by(vm, at)?;
        let subject = || format!("Value returned from {}{}", at.entry.full_name(), at.place());
        let data = self.check_data(vm, at.layer, given, subject)?;
        at.cache().data.set(Some(data));
        Ok(data)
    }

    fn given_by(&self, vm: &mut Vm<'c>, at: AskedLocation<'_, 'c>) -> Eval<'c, Given<'c>> {
        let Some(format) = at.entry.format() else {
            let found = self.call_backend(vm, at, None)?;
            let nothing = || Value::Hash(HashBuilder::new(self.arena).finish());
            return Ok(Given::Value(found.unwrap_or_else(nothing)));
        };
        let Some(location) = at.file().filter(|_| !at.entry.has_surplus_options()) else {
            return Err(no_file(&at.entry.function, "data_hash"));
        };
        self.data_of_file(location, format)
    }

    /// The data of a file. What is no hash is given as it is, but for YAML, where it counts as an empty hash.
    ///
    /// # Errors
    /// When the file cannot be read or parsed.
    pub(super) fn data_of_file(&self, location: &Location, format: DataFormat) -> Eval<'c, Given<'c>> {
        let known = self.state.file_data.borrow().get(&(location.text.clone(), format)).copied();
        if let Some(data) = known {
            return Ok(Given::Data(data));
        }
        let path = Path::new(&location.text);
        let parsed = self.files.get(self.tree, path, format);
        self.around.file_reached(path);
        let file = parsed.map_err(|fault| lookup_error(fault.to_string()))?;
        let file = self.around.keep_data(file).reader(self.arena);
        let data = match file.is_hash() {
            true => LocationData::File(file),
            false => {
                let value = file.whole()?;
                if format != DataFormat::Yaml {
                    return Ok(Given::Value(value));
                }
                let message = format!("{}: file does not contain a valid yaml hash", location.text);
                if value.truthy() {
                    self.around.witness(Change::DataIsNoHash, path, "");
                }
                if self.around.strict() == Strict::Error && value.truthy() {
                    return Err(lookup_error(message));
                }
                self.around.warn(Repeat::Always, message);
                LocationData::Hash(HashBuilder::new(self.arena).finish())
            }
        };
        self.state.file_data.borrow_mut().insert((location.text.clone(), format), data);
        Ok(Given::Data(data))
    }

    /// Checks that it is a hash; a module's data may hold the module's keys only.
    fn check_data(
        &self,
        vm: &mut Vm<'c>,
        layer: &Layer<'c>,
        given: Given<'c>,
        subject: impl Fn() -> String,
    ) -> Eval<'c, LocationData<'c>> {
        let data = match given {
            Given::Data(data) => data,
            Given::Value(Value::Hash(hash)) => LocationData::Hash(hash),
            Given::Value(other) => {
                let ty = types::constant(vm, "Hash")?;
                mismatch::assert_instance(vm, subject(), ty, other)?;
                return Ok(LocationData::Hash(HashBuilder::new(self.arena).finish()));
            }
        };
        if let Some(module) = layer.module {
            let is_own = |key: &str| key == LOOKUP_OPTIONS || is_of_module(key, module);
            let strange = match data {
                LocationData::File(file) => file.keys_unlike(is_own),
                LocationData::Hash(hash) => {
                    hash.entries().iter().filter(|(key, _)| !key.as_str().is_some_and(is_own)).count()
                }
            };
            if strange > 0 {
                let subject = subject();
                let message = format!(
                    "Module '{module}': {subject} must use keys qualified with the name of the module"
                );
                self.tell_of_strange_keys(vm, module, data, &message)?;
            }
        }
        Ok(data)
    }

    /// Warns of the keys of a module's data that are not its own, by a message.
    ///
    /// # Errors
    /// Puppet's of the first key that is neither a text nor a symbol; what is damaged.
    fn tell_of_strange_keys(
        &self,
        vm: &Vm<'c>,
        module: &str,
        data: LocationData<'c>,
        message: &str,
    ) -> Eval<'c, ()> {
        let hash = match data {
            LocationData::Hash(hash) => hash,
            LocationData::File(file) => match file.whole()? {
                Value::Hash(hash) => hash,
                _ => return Ok(()),
            },
        };
        let name_of = |key: &Value<'c>| match key {
            Value::Str(text) => Some(text.as_str()),
            Value::Default => Some("default"),
            Value::Object(object) => object::symbol_text(object),
            _ => None,
        };
        // Whoever comes upon an error here may ask again: see `options_of_files`.
        let repeat = match hash.entries().iter().all(|(key, _)| name_of(key).is_some()) {
            true => Repeat::Always,
            false => Repeat::Once,
        };
        for (key, _) in hash.entries() {
            let Some(name) = name_of(key) else { return Err(no_text(vm, *key)) };
            if key.as_str() == Some(LOOKUP_OPTIONS) || is_of_module(name, module) {
                continue;
            }
            self.around.warn(
                repeat,
                match vm.host.holds(Rule::HieraNamesStrangeKeys) {
                    true => format!("{message}; got {name}"),
                    false => message.to_owned(),
                },
            );
        }
        Ok(())
    }
}

/// Ruby's own words, with the line of Puppet's that asks the key what only texts and symbols know.
#[cold]
fn no_text<'c>(vm: &Vm<'c>, key: Value<'c>) -> Box<Flow<'c>> {
    let asks = match vm.host.holds(Rule::HieraNamesStrangeKeys) {
        true => "if k == LOOKUP_OPTIONS || k",
        false => "next memo if k == LOOKUP_OPTIONS || k",
    };
    let below = " ".repeat(asks.len());
    let (key, class) = (format::inspect(key), label::ruby_class(key));
    Flow::caused(
        Cause::UndefinedMethod,
        format!(
            "undefined method `start_with?' for {key}:{class}\n\n      {asks}.start_with?(module_prefix)\n      {below}^^^^^^^^^^^^"
        ),
    )
}
