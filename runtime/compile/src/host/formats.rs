//! Reads and writes texts in known notations.

use crate::compile::Compile;
use bunraku_data::json as data;
use bunraku_data::rich;
use bunraku_hiera::data_file::hocon;
use bunraku_hiera::data_file::yaml::{self, Patterns, YamlFault};
use bunraku_vm::diagnostic::Place;
use bunraku_vm::error::Eval;
use bunraku_vm::host::FormatPort;
use bunraku_vm::value::{Hash, Object, Str, Value};
use bunraku_vm::vm::Vm;
use std::path::Path;

impl<'c> FormatPort<'c> for Compile<'c> {
    fn check_syntax(&self, vm: &mut Vm<'c>, syntax: &str, text: &str, place: Place) -> Eval<'c, ()> {
        self.check_text(vm, syntax, text, place)
    }

    fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c> {
        self.ruby.string_of_bytes(vm, bytes)
    }

    fn named_in_ruby(&self, vm: &Vm<'c>, class: &str, text: &str) -> &'c Object<'c> {
        self.ruby.named(vm, class, text)
    }

    fn parse_json(&self, vm: &Vm<'c>, text: &str) -> Option<Value<'c>> {
        Some(data::value(vm.arena, &serde_json::from_str(text).ok()?))
    }

    fn parse_yaml(&self, vm: &Vm<'c>, text: &str, name: &str) -> Result<Value<'c>, String> {
        // A text is parsed once for all compiles; what is wrong with one is found each time.
        if let Some(kept) = self.environment.data_files.text(text, Patterns::Refused) {
            return Ok(kept.value(vm.arena));
        }
        match yaml::parse(text) {
            Ok(found) => Ok(found.with_symbols_as_text().value(vm.arena)),
            Err(YamlFault::Syntax(why)) => Err(format!("({name}): {why}")),
            Err(fault) => Err(fault.to_string()),
        }
    }

    fn yaml_of_file(&self, vm: &Vm<'c>, path: &str) -> Option<Value<'c>> {
        let loaded = self.environment.data_files.loaded(self.tree(), Path::new(path))?;
        Some(loaded.value(vm.arena))
    }

    fn parse_hocon(&self, vm: &Vm<'c>, text: &str) -> Result<Value<'c>, String> {
        Ok(hocon::parse(text)?.value(vm.arena))
    }

    fn yaml(
        &self,
        value: Value<'c>,
        options: Option<Hash<'c>>,
        is_symbol: &dyn Fn(Str<'c>) -> bool,
    ) -> Option<String> {
        yaml::write::of_value(value, options, is_symbol)
    }

    fn plain_data(&self, vm: &Vm<'c>, value: Value<'c>) -> Value<'c> {
        let mut json = String::new();
        rich::value(&mut json, value, rich::Style::Plain);
        self.parse_json(vm, &json).unwrap_or(Value::Undef)
    }
}
