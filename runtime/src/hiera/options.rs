//! `lookup_options`: how keys are merged and converted, by key or by pattern, from all layers.

use super::Invocation;
use super::key::{Key, lookup_error};
use super::layer::Place;
use super::merge::Strategy;
use crate::compile::Compile;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::regex;
use bunraku_vm::types;
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

/// The reserved key.
pub const LOOKUP_OPTIONS: &str = "lookup_options";

fn options_key() -> Key {
    Key { text: LOOKUP_OPTIONS.into(), root: LOOKUP_OPTIONS.into(), segments: Vec::new() }
}

impl<'c> Compile<'c> {
    /// The options of a key; none where nothing is said of it.
    pub(super) fn options_for(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key,
    ) -> Eval<'c, Option<Hash<'c>>> {
        let module = key.module().map(str::to_owned);
        let known = self.hiera.options.borrow().get(&module).copied();
        let all = match known {
            Some(all) => all,
            None => {
                let all = self.gather_options(vm, inv, key.module())?;
                self.hiera.options.borrow_mut().insert(module, all);
                all
            }
        };
        Ok(all.and_then(|all| matching(all, &key.root)))
    }

    fn gather_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&str>,
    ) -> Eval<'c, Option<Hash<'c>>> {
        let key = options_key();
        let plain = Invocation { overrides: None, defaults: None, ..*inv };
        let mut all: Option<Value<'c>> = None;
        let places: &[Place] = match (inv.global_only, module) {
            (true, _) => &[Place::Global],
            (_, None) => &[Place::Global, Place::Environment],
            _ => &[Place::Global, Place::Environment, Place::Module],
        };
        for place in places {
            let own = match place {
                Place::Global => self.ask_global(vm, &plain, &key, &Strategy::Hash)?,
                Place::Environment => self.ask_environment(vm, &plain, &key, &Strategy::Hash)?,
                Place::Module => self.ask_module(vm, &plain, module, &key, &Strategy::Hash, false)?,
            };
            let Some(own) = own else { continue };
            check(own, module.filter(|_| *place == Place::Module))?;
            all = Some(match all {
                Some(before) => Strategy::Hash.merge(vm, before, own)?,
                None => own,
            });
        }
        Ok(match all {
            Some(Value::Hash(hash)) => Some(hash),
            _ => None,
        })
    }

    /// The merge that a module's default hierarchy asks for.
    pub(super) fn default_merge(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: &str,
        key: &Key,
    ) -> Eval<'c, Option<Value<'c>>> {
        let own = self.ask_module(vm, inv, Some(module), &options_key(), &Strategy::Hash, true)?;
        let Some(own) = own else { return Ok(None) };
        check(own, Some(module))?;
        let Value::Hash(own) = own else { return Ok(None) };
        Ok(matching(own, &key.root).and_then(|options| options.get_str("merge")))
    }

    /// `convert_to`
    pub(super) fn convert_found(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &str,
        options: Option<Hash<'c>>,
        value: Value<'c>,
    ) -> Eval<'c> {
        let Some(convert) =
            options.and_then(|options| options.get_str("convert_to")).filter(|c| !c.is_undef())
        else {
            return Ok(value);
        };
        let mut parts = match convert {
            Value::Array(items) => items.items().to_vec(),
            one => vec![one],
        };
        let text = |flow: &Flow<'c>| match flow {
            Flow::Fault(fault) => fault.diagnostic.message.clone(),
            _ => String::new(),
        };
        if let Some(Value::Str(source)) = parts.first().copied() {
            let ty = types::parse(vm, &source).map_err(|flow| {
                lookup_error(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{}', error: '{}",
                    source.as_str(),
                    text(&flow)
                ))
            })?;
            parts[0] = Value::Type(ty);
        }
        parts.insert(1.min(parts.len()), value);
        vm.call_function("new", &parts, None, inv.scope).map_err(|flow| {
            lookup_error(format!(
                "The convert_to lookup_option for key '{key}' raised error: {}",
                text(&flow)
            ))
        })
    }
}

/// The entry of a key: under its name, or under the first pattern that fits.
fn matching<'c>(all: Hash<'c>, root: &str) -> Option<Hash<'c>> {
    let hash = |value: Value<'c>| match value {
        Value::Hash(hash) => Some(hash),
        _ => None,
    };
    if let Some(value) = all.get_str(root).filter(|value| !value.is_undef()) {
        return hash(value);
    }
    let mut patterns =
        all.entries().iter().filter(|(key, _)| key.as_str().is_some_and(|key| key.starts_with('^')));
    let found =
        patterns.find(|(key, _)| key.as_str().is_some_and(|key| regex::is_match(key, root) == Ok(true)));
    found.and_then(|(_, value)| hash(*value))
}

/// A module speaks of its own keys only.
fn check<'c>(options: Value<'c>, module: Option<&str>) -> Eval<'c, ()> {
    let Value::Hash(options) = options else {
        return Err(lookup_error("value of lookup_options must be a hash"));
    };
    let Some(module) = module else { return Ok(()) };
    let prefix = format!("{module}::");
    for (key, _) in options.entries() {
        let key = key.as_str().unwrap_or_default();
        match key.strip_prefix('^') {
            Some(pattern) if !pattern.starts_with(&prefix) => {
                return Err(lookup_error(format!(
                    "all lookup_options patterns must match a key starting with module name '{module}'"
                )));
            }
            None if !key.starts_with(&prefix) => {
                return Err(lookup_error(format!(
                    "all lookup_options keys must start with module name '{module}'"
                )));
            }
            _ => {}
        }
    }
    Ok(())
}
