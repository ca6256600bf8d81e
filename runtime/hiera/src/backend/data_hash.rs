//! The data of a location: a file's, or what a function gave; read once and checked.

use crate::backend::data_source::Source;
use crate::config::Location;
use crate::data_file::cache::Format;
use crate::data_file::lookup_options::{FileOptions, Says};
use crate::hierarchy::entry::{At, Entry, Kind};
use crate::invocation::Invocation;
use crate::key::lookup_error;
use crate::layer::Layer;
use crate::lookup_options::{LOOKUP_OPTIONS, is_of_module};
use crate::state::Lookups;
use crate::surroundings::Repeat;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::Strict;
use bunraku_vm::types::{self, mismatch};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::path::Path;

/// What a location or a function gave.
pub(crate) enum Data<'c> {
    Source(Source<'c>),
    Value(Value<'c>),
}

impl<'c> Lookups<'_, 'c> {
    /// All data of a location.
    pub(crate) fn source(&self, vm: &mut Vm<'c>, at: At<'_, 'c>) -> Eval<'c, Source<'c>> {
        if let Some(known) = at.context().data.get() {
            return Ok(known);
        }
        let data = self.data_hash(vm, at)?;
        let subject = || format!("Value returned from {}{}", at.entry.full_name(), at.place());
        let source = self.check_data_hash(vm, at.layer, data, subject)?;
        at.context().data.set(Some(source));
        Ok(source)
    }

    /// Adds what `lookup_options` the files of a layer have; none if there is more to them than plain files, or
    /// something is wrong.
    pub(crate) fn file_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        all: &mut Vec<FileOptions<'c>>,
    ) -> Option<()> {
        let resolved = self.resolve(vm, inv, layer).ok()?;
        let is_file = |entry: &Entry<'c>| {
            let are_files = |all: &Vec<Location>| !all.iter().any(|location| location.is_uri);
            entry.kind == Kind::DataHash
                && entry.format().is_some()
                && entry.levels.is_none()
                && entry.locations.as_ref().is_some_and(are_files)
        };
        if !resolved.entries.iter().all(is_file) {
            return None;
        }
        for entry in &resolved.entries {
            let exists = |(_, location): &(usize, &Location)| location.exists;
            for (n, _) in entry.locations.iter().flatten().enumerate().filter(exists) {
                if let Source::File(file) = self.source(vm, At { inv, layer, entry, n }).ok()? {
                    match file.options() {
                        Says::Nothing => {}
                        Says::Plain(options) => all.push(options),
                        Says::Other => return None,
                    }
                }
            }
        }
        Some(())
    }

    /// A module's data may hold the module's keys only.
    fn check_data_hash(
        &self,
        vm: &mut Vm<'c>,
        layer: &Layer<'c>,
        data: Data<'c>,
        subject: impl Fn() -> String,
    ) -> Eval<'c, Source<'c>> {
        let source = match data {
            Data::Source(source) => source,
            Data::Value(Value::Hash(hash)) => Source::Hash(hash),
            Data::Value(other) => {
                let ty = types::constant(vm, "Hash")?;
                mismatch::assert_instance(vm, &subject(), ty, other)?;
                return Ok(Source::Hash(HashBuilder::new(self.arena).finish()));
            }
        };
        if let Some(module) = layer.module {
            let own = |key: &str| key == LOOKUP_OPTIONS || is_of_module(key, module);
            let strange = match source {
                Source::File(file) => file.keys_unlike(own),
                Source::Hash(hash) => {
                    hash.entries().iter().filter(|(key, _)| !key.as_str().is_some_and(own)).count()
                }
            };
            for _ in 0..strange {
                let message = format!(
                    "Module '{module}': {} must use keys qualified with the name of the module",
                    subject()
                );
                self.around.warn(Repeat::Always, message);
            }
        }
        Ok(source)
    }

    fn data_hash(&self, vm: &mut Vm<'c>, at: At<'_, 'c>) -> Eval<'c, Data<'c>> {
        let Some(format) = at.entry.format() else {
            let found = self.call_backend(vm, at, None)?;
            let nothing = || Value::Hash(HashBuilder::new(self.arena).finish());
            return Ok(Data::Value(found.unwrap_or_else(nothing)));
        };
        let Some(location) = at.file() else {
            return Err(Flow::raw(format!(
                "'{}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
                 when using this data_hash function",
                at.entry.function
            )));
        };
        self.file_data(location, format)
    }

    /// The data of a file.
    pub(crate) fn file_data(&self, location: &Location, format: Format) -> Eval<'c, Data<'c>> {
        let known = self.state.sources.borrow().get(&(location.text.clone(), format)).copied();
        if let Some(source) = known {
            return Ok(Data::Source(source));
        }
        let file = self.files.get(self.tree, Path::new(&location.text), format);
        self.around.file_reached(Path::new(&location.text));
        let file = self.around.keep_data(file.map_err(lookup_error)?).reader(self.arena);
        let source = match file.is_hash() {
            true => Source::File(file),
            false => {
                let value = file.whole()?;
                if format != Format::Yaml {
                    return Ok(Data::Value(value));
                }
                let message = format!("{}: file does not contain a valid yaml hash", location.text);
                if self.around.strict() == Strict::Error && value.truthy() {
                    return Err(lookup_error(message));
                }
                self.around.warn(Repeat::Always, message);
                Source::Hash(HashBuilder::new(self.arena).finish())
            }
        };
        self.state.sources.borrow_mut().insert((location.text.clone(), format), source);
        Ok(Data::Source(source))
    }
}
