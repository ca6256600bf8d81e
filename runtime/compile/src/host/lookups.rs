//! Looks up keys in Hiera, and variables by name.

use crate::compile::Compile;
use crate::stats::Kind;
use bunraku_data::names;
use bunraku_hiera::InterpolatedInto;
use bunraku_vm::error::Eval;
use bunraku_vm::host::{Lookup, LookupPort};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> LookupPort<'c> for Compile<'c> {
    fn lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        self.accounts.counter.count(Kind::Hiera, lookup.key, || self.hiera_lookup(vm, scope, lookup))
    }

    fn read_for_code(&self, vm: &mut Vm<'c>, function: &str, args: &[Value<'c>]) -> Eval<'c> {
        Compile::read_for_code(self, vm, function, args)
    }

    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c> {
        if let Some(group) = names::match_number(name) {
            return Ok(vm.match_group(group));
        }
        let found =
            if name.contains("::") { vm.find_qualified(name) } else { scope.lookup(vm.symbols.intern(name)) };
        match found.or_else(|| vm.withheld_fact(name)) {
            Some(value) => Ok(value),
            None => self.undefined_variable(vm, name, InterpolatedInto::Value),
        }
    }
}
