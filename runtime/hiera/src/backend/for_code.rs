//! The backends that read files, called by code: a function that wraps `yaml_data` gives it the options and the context that Hiera has given
//! to itself. Source: Puppet's functions of these names.

use super::context::not_found;
use super::data_hash::{Given, no_file};
use super::eyaml::EncryptedAt;
use super::location_cache::LocationData;
use crate::config::location::Location;
use crate::data_file::{DataFormat, hash_of};
use crate::state::Lookups;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};

impl<'c> Lookups<'_, 'c> {
    /// What a backend that reads files gives code that calls it: `yaml_data` and its kin, with options and a context, all data;
    /// `eyaml_lookup_key`, with a key before these, what is at the key.
    ///
    /// # Errors
    /// Where the options name no file, or it can't be read; where the key is not there, as `not_found` of a context.
    pub fn read_for_code(&self, vm: &mut Vm<'c>, function: &str, args: &[Value<'c>]) -> Eval<'c> {
        let (options, kind) = match args {
            [Value::Hash(options), _] => (*options, "data_hash"),
            [_, Value::Hash(options), _] => (*options, "lookup_key"),
            _ => return Err(Flow::raw(format!("'{function}' is given neither options nor a context"))),
        };
        let format = DataFormat::read_by(function);
        let Some(path) = options.get_str("path").and_then(Value::as_str) else {
            return Err(no_file(function, kind));
        };
        // Hiera asks for no file that is not there.
        if !self.tree.exists(Path::new(path)) {
            return Err(Flow::raw(format!("No such file or directory @ rb_file_s_stat - {path}")));
        }
        let location = Location::existing_file(PathBuf::from(path), path);
        if let Some(format) = format {
            return match self.data_of_file(&location, format)? {
                Given::Data(LocationData::File(file)) => file.whole(),
                Given::Data(LocationData::Hash(hash)) => Ok(Value::Hash(hash)),
                Given::Value(value) => Ok(value),
            };
        }
        let given = self.data_of_file(&location, DataFormat::Yaml)?;
        let (Given::Data(LocationData::File(file)), Some(key)) = (given, args[0].as_str()) else {
            return Err(not_found());
        };
        let found = file.find(hash_of(key), key).ok_or_else(not_found)?;
        let value = file.value(found)?;
        let inv = self.look_up_behind(args[2], function)?;
        self.decrypted(vm, EncryptedAt { inv: &inv, options, file: path, key }, value)
    }
}
