//! Variables as look-ups see them: those of the scope that asks, those that the caller of `lookup` gives, those that
//! configurations have of their own.

use crate::answered::{SeenVariable, VariableName};
use crate::explain::{Explain, FoundIn, Step};
use crate::fault::lookup_error;
use crate::invocation::Invocation;
use crate::key::{Key, Segment};
use crate::state::Lookups;
use bunraku_vm::compat::Rule;
use bunraku_vm::error::Eval;
use bunraku_vm::host::Change;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// A variable and what the rest of its key leads to; undef where there is none. `subject` is what errors call the
    /// text it stands in.
    ///
    /// # Errors
    /// When `name` is no key, the variable is unknown and the setting `strict` minds, or its value has no such parts.
    pub(crate) fn variable_at(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        name: &str,
        subject: &str,
    ) -> Eval<'c> {
        let Some(key) = Key::split(name) else {
            return Err(lookup_error(format!("Syntax error in string: {subject}")));
        };
        let root = vm.string(&key.root);
        let explain = inv.explain;
        let scope = || Step::Scope("Global Scope".to_owned());
        let value = explain.with(scope, || -> Eval<'c> {
            if let Some(value) = inv.overrides.and_then(|hash| hash.get(root)) {
                explain.found(&*key.root, value, FoundIn::Overrides);
                return Ok(value);
            }
            if let Some(value) = self.find_variable(vm, inv, &key.root) {
                tell_if_withheld(vm, &key.root, value);
                explain.found(&*key.root, value, FoundIn::Place);
                return Ok(value);
            }
            let default = inv.defaults.and_then(|hash| hash.get(root));
            let asked = default.is_none() || !vm.host.holds(Rule::HieraSeesDefaultValues);
            let undefined = match asked {
                true => self.around.undefined_variable(vm, &key.root, inv.interpolated_into)?,
                false => Value::Undef,
            };
            if let Some(value) = default {
                explain.found(&*key.root, value, FoundIn::Defaults);
            }
            Ok(default.unwrap_or(undefined))
        })?;
        let value = match value {
            Value::Undef => Value::Undef,
            value => match key.dig(explain, value)? {
                Some(found) => found,
                None => match missing_part(vm, &key, value) {
                    Value::Undef => Value::Undef,
                    found => {
                        if let [Segment::Name(name)] = &key.segments[..] {
                            vm.witness(Change::LegacyFact, name);
                        }
                        found
                    }
                },
            },
        };
        self.state.configured_variables.note(name, &key.root, value);
        Ok(value)
    }

    /// A variable as it is now, without errors; for comparing.
    pub(crate) fn variable_now(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, key: &Key<'_>) -> Value<'c> {
        let value = self.find_variable(vm, inv, &key.root).unwrap_or(Value::Undef);
        key.dig(Explain::default(), value).ok().flatten().unwrap_or_else(|| missing_part(vm, key, value))
    }

    /// A variable as the look-up sees it; none where it has no value.
    pub(crate) fn find_variable(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        name: &str,
    ) -> Option<Value<'c>> {
        if let Some(value) = self.state.configured_variables.local(name) {
            return Some(value);
        }
        if inv.old_scope
            && let Some(value) = self.variable_of_version_3(vm, inv.scope, name)
        {
            self.state.answered.spoil();
            return Some(value);
        }
        let is_qualified = name.contains(':') && name.contains("::");
        self.find_named(vm, inv, VariableName { symbol: vm.symbols.intern(name), is_qualified })
    }

    /// The same of a name that is interned, of a scope or of a class.
    fn find_named(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, name: VariableName) -> Option<Value<'c>> {
        let value = match name.is_qualified {
            true => vm.find_qualified(vm.symbols.text(name.symbol)),
            false => inv.scope.lookup(name.symbol),
        };
        let withheld = || vm.host.withheld_fact(vm.symbols.text(name.symbol).trim_start_matches("::"));
        let value = value.or_else(withheld);
        self.state.answered.asked_for(SeenVariable { name, value });
        value
    }

    /// Whether a variable has the value it was seen with.
    pub(crate) fn is_unchanged(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        variable: &SeenVariable<'c>,
    ) -> bool {
        let now = match inv.old_scope || self.state.configured_variables.has_local() {
            true => self.find_variable(vm, inv, vm.symbols.text(variable.name.symbol)),
            false => self.find_named(vm, inv, variable.name),
        };
        match (now, variable.value) {
            (Some(now), Some(then)) => now.identical(then),
            (None, None) => true,
            _ => false,
        }
    }
}

/// Tells of a variable that is a fact which newer agents do not send.
fn tell_if_withheld<'c>(vm: &Vm<'c>, name: &str, value: Value<'c>) {
    let name = name.trim_start_matches("::");
    if vm.host.is_witness() && vm.host.withheld_fact(name).is_some_and(|fact| fact.identical(value)) {
        vm.witness(Change::LegacyFact, name);
    }
}

/// The fact that newer agents do not send and that a key of `$facts` leads to; undef for any other key that leads nowhere.
fn missing_part<'c>(vm: &Vm<'c>, key: &Key<'_>, value: Value<'c>) -> Value<'c> {
    match (value, &key.segments[..]) {
        (Value::Hash(hash), [Segment::Name(name)]) if vm.host.is_all_facts(hash) => {
            vm.host.withheld_fact(name).unwrap_or(Value::Undef)
        }
        _ => Value::Undef,
    }
}
