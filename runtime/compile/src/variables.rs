//! Variables as templates and code in Ruby see and change them.

use crate::compile::Compile;
use crate::state::recorded::Given;
use bunraku_data::names;
use bunraku_native_ruby::MissingVariable;
use bunraku_ruby::world::FoundVariable;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::ClassPort;
use bunraku_vm::scope::Scope;
use bunraku_vm::symbol::Symbol;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;

/// Puppet's built-in variables: they exist even where they have no value.
const BUILT_IN: &[&str] = &["module_name", "caller_module_name"];

impl<'c> Compile<'c> {
    /// Ruby code has changed an array or hash in place: the variable that holds it has the new value, and so has the
    /// parameter of the resource whose body the scope is.
    pub(crate) fn change_in_place(&self, vm: &Vm<'c>, scope: &'c Scope<'c>, name: &str, value: Value<'c>) {
        // A qualified name is its class's variable.
        let (scope, symbol, name) = match name.rsplit_once("::") {
            None => (scope, vm.symbols.intern(name), name),
            Some((class, own)) => {
                let class = class.strip_prefix("::").unwrap_or(class);
                let found = if class.is_empty() { Some(vm.top) } else { self.class_scope(class) };
                let Some(found) = found else { return };
                (found, vm.symbols.intern(own), own)
            }
        };
        let mut owner = Some(scope);
        while let Some(scope) = owner.filter(|scope| scope.own(symbol).is_none()) {
            owner = scope.parent;
        }
        let Some(owner) = owner else { return };
        let old = owner.own(symbol);
        owner.set(symbol, value);
        if let Some(id) = self.resource_of(owner) {
            let mut catalog = self.catalog.borrow_mut();
            for param in catalog[id].params.iter_mut().filter(|param| param.name == name) {
                if old.is_some_and(|old| old.same(param.value)) {
                    param.value = value;
                    if let Some(recorded) = self.recorded {
                        recorded.give(id, param.name, Given::Changed);
                    }
                }
            }
        }
    }

    /// A variable by its simple or qualified name; else why there is none.
    pub(crate) fn variable_seen(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        name: &str,
    ) -> Eval<'c, FoundVariable<'c>> {
        let value = self.variable_found(vm, scope, name);
        let is_of_class = || name.strip_prefix("::").unwrap_or(name).contains("::");
        let missing = match value.is_none() && is_of_class() {
            true => Some(self.missing_variable(vm, name)?),
            false => None,
        };
        Ok(FoundVariable { value, missing })
    }

    /// A variable by its simple or qualified name.
    pub(crate) fn variable_found(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        name: &str,
    ) -> Option<Value<'c>> {
        if !name.contains("::") {
            if let Some(group) = names::match_number(name) {
                return Some(vm.match_group(group));
            }
            let symbol = vm.symbols.intern(name);
            let built_in = BUILT_IN.contains(&name).then_some(Value::Undef);
            return scope.lookup(symbol).or_else(|| vm.withheld_fact(name)).or(built_in);
        }
        let bare = name.strip_prefix("::").unwrap_or(name);
        vm.find_qualified(name).or_else(|| match bare.contains("::") {
            true => None,
            false => vm.withheld_fact(bare),
        })
    }

    /// How Puppet tells of a variable there is not. One of a class that has been evaluated is looked for in the classes that
    /// it inherits, too, and is told of by the last of them, from the top scope on.
    pub(crate) fn missing_variable(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, MissingVariable> {
        self.missing_or_failed(vm, name).map(|(missing, _)| missing)
    }

    /// The same for code that Ruby may run once more.
    ///
    /// # Errors
    /// The variable's class can't be loaded: Ruby is told that.
    pub(crate) fn missing_for_native(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, MissingVariable> {
        let (missing, failed) = self.missing_or_failed(vm, name)?;
        let Some(class) = failed else { return Ok(missing) };
        let kept = (self.arena.alloc_str(class) as &str, self.arena.alloc_str(&missing.reason) as &str);
        self.definitions.failed_for_ruby.set(Some(kept));
        Err(Flow::raw(missing.reason))
    }

    /// How Puppet tells of it, and its class where that can't be loaded.
    fn missing_or_failed<'n>(
        &self,
        vm: &mut Vm<'c>,
        name: &'n str,
    ) -> Eval<'c, (MissingVariable, Option<&'n str>)> {
        let bare = name.strip_prefix("::").unwrap_or(name);
        let Some((class, own)) = bare.rsplit_once("::") else {
            return Ok((MissingVariable { name: name.to_owned(), reason: String::new() }, None));
        };
        let failed = self.definitions.failed_for_ruby.take();
        if let Some((_, reason)) = failed.filter(|(of, _)| *of == class) {
            let (name, reason) = (bare.to_owned(), reason.to_owned());
            return Ok((MissingVariable { name, reason }, Some(class)));
        }
        let mut definition = match self.find_class(vm, class) {
            Ok(definition) => definition,
            Err(flow) => match &*flow {
                Flow::Fault(fault) if !fault.diagnostic.cause.ends_all() => {
                    let reason = fault.diagnostic.to_string();
                    return Ok((MissingVariable { name: bare.to_owned(), reason }, Some(class)));
                }
                _ => return Err(flow),
            },
        };
        if self.class_scope(class).is_none() {
            let reason = match definition {
                Some(_) => format!("class {class} has not been evaluated"),
                None => format!("class {class} could not be found"),
            };
            return Ok((MissingVariable { name: bare.to_owned(), reason }, None));
        }
        let mut class = class;
        while let Some(parent) = definition.and_then(|definition| definition.parent) {
            class = parent;
            definition = self.find_class(vm, parent)?;
        }
        Ok((MissingVariable { name: format!("::{class}::{own}"), reason: String::new() }, None))
    }

    /// The variables seen from a scope that have a value: all, or those of these names.
    pub(crate) fn variables_seen(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        names: Option<&[Value<'c>]>,
    ) -> Value<'c> {
        let mut hash = HashBuilder::new(self.arena);
        if let Some(names) = names {
            for name in names {
                let symbol = name.as_str().and_then(|name| vm.symbols.get(name));
                let value = symbol.and_then(|symbol| scope.lookup(symbol));
                let value = value.or_else(|| vm.withheld_fact(name.as_str()?));
                if let Some(value) = value
                    && !value.is_undef()
                {
                    hash.insert(*name, value);
                }
            }
            return Value::Hash(hash.finish());
        }
        let mut chain = vec![scope];
        while let Some(parent) = chain.last().and_then(|scope| scope.parent) {
            chain.push(parent);
        }
        let mut all: Vec<(Symbol, Value<'c>)> = Vec::new();
        let mut places: HashMap<Symbol, usize> = HashMap::new();
        for scope in chain.iter().rev() {
            for (symbol, value) in scope.own_variables() {
                match places.get(&symbol) {
                    Some(place) => all[*place].1 = value,
                    None => {
                        places.insert(symbol, all.len());
                        all.push((symbol, value));
                    }
                }
            }
        }
        for (symbol, value) in all.into_iter().filter(|(_, value)| !value.is_undef()) {
            hash.insert_str(vm.symbols.text(symbol), value);
        }
        Value::Hash(hash.finish())
    }
}
