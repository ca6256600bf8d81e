//! Finds functions for running code.

use crate::compile::Compile;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Eval;
use bunraku_vm::function::{Call, Native};
use bunraku_vm::host::FunctionPort;
use bunraku_vm::types::Signature;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> FunctionPort<'c> for Compile<'c> {
    fn native(&self, name: &str, from: &str) -> Option<&'static Native> {
        self.options.functions.find(name, self.options.settings.compat).or_else(|| self.twin(name, from))
    }

    fn has_old_function(&self, name: &str) -> bool {
        self.has_function_of_old_kind(name)
    }

    fn manifest_function(&self, name: &str) -> Option<&'c Closure<'c>> {
        if self.options.functions.embedded(name).is_some() {
            return None;
        }
        if name.contains("::") {
            return None;
        }
        self.known_function(name).flatten()
    }

    fn function(&self, vm: &mut Vm<'c>, name: &str, module: &str) -> Eval<'c, Option<&'c Closure<'c>>> {
        match self.options.functions.embedded(name) {
            Some(_) => Ok(None),
            None => self.find_function(vm, name, module),
        }
    }

    fn foreign(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        if let Some(function) = self.options.functions.embedded(name) {
            return function.call(vm, call).map(Some);
        }
        if self.asks_puppetdb(name) {
            return self.ask_puppetdb(call.args).map(Some);
        }
        if let Some(value) = self.context_method(vm, name, call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.talk().block_function(vm, name, call)? {
            return Ok(Some(value));
        }
        let from = vm.module();
        self.call_ruby(vm, name, from, call)
    }

    fn foreign_number(&self, name: &str, module: &str) -> Option<u32> {
        match self.options.functions.embedded(name).is_some() || self.asks_puppetdb(name) {
            true => None,
            false => self.talk().number(name, module),
        }
    }

    fn call_foreign(&self, vm: &mut Vm<'c>, number: u32, call: Call<'c, '_>) -> Eval<'c> {
        let function = self.talk().numbered(number)?;
        if let Some(value) = self.context_method(vm, &function.name, call)? {
            return Ok(value);
        }
        self.talk().call_again(vm, &function, call)
    }

    fn foreign_signatures(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>> {
        match self.options.functions.embedded(name) {
            Some(function) => Ok(Some(vec![function.signature(vm)?])),
            None => self.talk().signatures(vm, name),
        }
    }
}
