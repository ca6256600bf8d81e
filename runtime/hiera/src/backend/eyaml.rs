//! The backend of hiera-eyaml, `eyaml_lookup_key`: YAML in which strings may be encrypted. Sources: which texts count as
//! encrypted, and the words of errors, are hiera-eyaml 3.3's.

use super::data_hash::{Given, no_file};
use super::location_cache::LocationData;
use super::pkcs7::{self, DecryptFault, Eyaml};
use crate::data_file::{DataFormat, hash_of};
use crate::fault::lookup_error;
use crate::hierarchy::asked_location::AskedLocation;
use crate::interpolate::Functions;
use crate::invocation::Invocation;
use crate::state::Lookups;
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::compat::Rule;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// Where an encrypted value was found, for errors.
#[derive(Clone, Copy)]
pub(super) struct EncryptedAt<'a, 'c> {
    pub inv: &'a Invocation<'c>,
    /// Those of the entry, which name the keys.
    pub options: Hash<'c>,
    pub file: &'a str,
    pub key: &'a str,
}

impl<'c> Lookups<'_, 'c> {
    /// What a file has under a key, decrypted and interpolated; none where it has nothing.
    ///
    /// # Errors
    /// When the entry names no file, or the file, the keys or what is encrypted are wrong.
    pub(super) fn eyaml_lookup_key(
        &self,
        vm: &mut Vm<'c>,
        at: AskedLocation<'_, 'c>,
        key: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(location) = at.file() else {
            return Err(no_file("eyaml_lookup_key", "lookup_key"));
        };
        let given = self.data_of_file(location, DataFormat::Yaml)?;
        let (Given::Data(LocationData::File(file)), Some(key)) = (given, key) else { return Ok(None) };
        let key = key.as_str().unwrap_or_default();
        let Some(found) = file.find(hash_of(key), key) else { return Ok(None) };
        let value = file.value(found)?;
        self.decrypted(
            vm,
            EncryptedAt { inv: at.inv, options: at.entry.options, file: &location.text, key },
            value,
        )
        .map(Some)
    }

    /// A value with all in it that is encrypted in plain text, and interpolated.
    pub(super) fn decrypted(
        &self,
        vm: &mut Vm<'c>,
        found: EncryptedAt<'_, 'c>,
        value: Value<'c>,
    ) -> Eval<'c> {
        let inv = found.inv;
        match value {
            Value::Str(text) if pkcs7::is_encrypted(&text) => {
                let eyaml = match vm.host.holds(Rule::PublicKeyForDecryption) {
                    true => Eyaml::Three,
                    false => Eyaml::Four,
                };
                let plain = pkcs7::decrypt(&text, found.options, eyaml, self.tree)
                    .map_err(|fault| not_decrypted(found, &text, fault))?;
                let plain = vm.string(&plain);
                self.interpolate(vm, inv, plain, Functions::Allowed)
            }
            Value::Str(_) => self.interpolate(vm, inv, value, Functions::Allowed),
            Value::Array(items) => {
                let mut all = Vec::with_capacity(items.size());
                for item in items.items() {
                    all.push(self.decrypted(vm, found, *item)?);
                }
                Ok(vm.array(&all))
            }
            Value::Hash(hash) => {
                let mut all = HashBuilder::new(vm.arena);
                for (name, item) in hash.entries() {
                    let name = self.interpolate(vm, inv, *name, Functions::Allowed)?;
                    let item = self.decrypted(vm, found, *item)?;
                    all.insert(name, item);
                }
                Ok(Value::Hash(all.finish()))
            }
            other => Ok(other),
        }
    }
}

fn not_decrypted<'c>(found: EncryptedAt<'_, 'c>, text: &str, fault: DecryptFault) -> Box<Flow<'c>> {
    match fault {
        DecryptFault::NoEncryptor(message) => {
            let diagnostic = Diagnostic::error(message).with_code(UNCAUGHT);
            Flow::formed(diagnostic.because(Cause::RubyException))
        }
        DecryptFault::Other(message) => lookup_error(format!(
            "hiera-eyaml backend error decrypting {text} when looking up {} in {}. Error was {message}",
            found.key, found.file
        )),
    }
}
