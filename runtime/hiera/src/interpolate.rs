//! `%{…}` in data and in paths: variables, and the functions `lookup`, `hiera`, `alias`, `scope`, `literal`.

use crate::answered::Variable;
use crate::data_file::encoded as words;
use crate::explain::{Explain, What};
use crate::invocation::Invocation;
use crate::key::{Key, lookup_error};
use crate::state::Lookups;
use bunraku_vm::budget;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect::to_ruby_s;
use bunraku_vm::symbol::Symbol;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// The value with every expression in its strings and keys resolved. `functions` says whether functions are
    /// allowed; in `hiera.yaml` they are not.
    pub(crate) fn interpolate(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        value: Value<'c>,
        functions: bool,
    ) -> Eval<'c> {
        match value {
            Value::Str(text) if words::may_interpolate(&text) => {
                let what = || What::Interpolation(text.as_str().to_owned());
                inv.explain.with(what, || self.interpolate_text(vm, inv, text.as_str(), functions))
            }
            Value::Array(items) if items.items().iter().any(|item| may_interpolate(*item)) => {
                let mut all = Vec::with_capacity(items.size());
                for item in items.items() {
                    all.push(budget::within(1, || self.interpolate(vm, inv, *item, functions))?);
                }
                Ok(vm.array(&all))
            }
            Value::Hash(hash) if may_interpolate(value) => {
                let mut all = HashBuilder::new(vm.arena);
                for (key, item) in hash.entries() {
                    let key = budget::within(1, || self.interpolate(vm, inv, *key, functions))?;
                    let item = budget::within(1, || self.interpolate(vm, inv, *item, functions))?;
                    all.insert(key, item);
                }
                Ok(Value::Hash(all.finish()))
            }
            other => Ok(other),
        }
    }

    fn interpolate_text(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        text: &str,
        functions: bool,
    ) -> Eval<'c> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("%{") {
            let Some(end) = rest[start..].find('}').map(|end| start + end) else { break };
            out.push_str(&rest[..start]);
            let expression = rest[start + 2..end].trim();
            let whole = start == 0 && end + 1 == rest.len() && out.is_empty();
            rest = &rest[end + 1..];
            if matches!(expression, "" | "::" | "\"\"" | "''" | "\"::\"" | "'::'") {
                continue;
            }
            let (method, argument) = call(expression).unwrap_or(("scope", expression));
            if call(expression).is_some() && !functions {
                return Err(issue(
                    "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED",
                    "Interpolation using method syntax is not allowed in this context",
                ));
            }
            if method == "alias" && !whole {
                return Err(issue(
                    "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING",
                    "'alias' interpolation is only permitted if the expression is equal to the entire string",
                ));
            }
            let value = match method {
                "lookup" | "hiera" | "alias" => self.sub_lookup(vm, inv, argument)?,
                "scope" => self.variable_at(vm, inv, argument, text)?,
                "literal" => vm.string(argument),
                _ => {
                    return Err(issue(
                        "HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD",
                        &format!("Unknown interpolation method '{method}'"),
                    ));
                }
            };
            if method == "alias" {
                return Ok(value);
            }
            // A variable that leads to itself has a text that leads there.
            let value = match method == "scope" && !may_interpolate(value) {
                true => value,
                false => {
                    let prefix = if method == "scope" { "scope:" } else { "" };
                    let name = self.arena.alloc_str(&[prefix, argument].concat());
                    self.state.guarded(name, || self.interpolate(vm, inv, value, functions))?
                }
            };
            match value {
                Value::Str(text) => out.push_str(&text),
                other => out.push_str(&to_ruby_s(other)),
            }
        }
        out.push_str(rest);
        Ok(vm.string(&out))
    }

    fn sub_lookup(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, name: &str) -> Eval<'c> {
        // Beyond the global layer variables are seen as ever.
        let inv = &Invocation { old_scope: inv.old_scope && inv.global_only, ..*inv };
        let key = vm.string(name);
        if let Some(value) = inv.overrides.and_then(|hash| hash.get(key)) {
            return Ok(value);
        }
        if let Some(value) = self.find(vm, inv, self.arena.alloc_str(name), None)? {
            return Ok(value);
        }
        Ok(inv.defaults.and_then(|hash| hash.get(key)).unwrap_or_else(|| vm.string("")))
    }

    /// A variable and what the rest of its key leads to; undef where there is none.
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
        let scope = || What::Scope("Global Scope".to_owned());
        let value = explain.with(scope, || -> Eval<'c> {
            if let Some(value) = inv.overrides.and_then(|hash| hash.get(root)) {
                explain.found_in(&*key.root, value, "overrides");
                return Ok(value);
            }
            if let Some(value) = self.find_variable(vm, inv, &key.root) {
                explain.found(&*key.root, value);
                return Ok(value);
            }
            // Puppet fails, where it does, before it thinks of the defaults.
            let undefined = self.around.undefined_variable(vm, &key.root)?;
            let default = inv.defaults.and_then(|hash| hash.get(root));
            if let Some(value) = default {
                explain.found_in(&*key.root, value, "defaults");
            }
            Ok(default.unwrap_or(undefined))
        })?;
        let value = match value {
            Value::Undef => Value::Undef,
            value => key.dig(explain, value)?.unwrap_or(Value::Undef),
        };
        self.state.remember(name, &key.root, value);
        Ok(value)
    }

    /// A variable as it is now, without errors; for comparing.
    pub(crate) fn variable_now(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, key: &Key<'_>) -> Value<'c> {
        let value = self.find_variable(vm, inv, &key.root).unwrap_or(Value::Undef);
        key.dig(Explain::default(), value).ok().flatten().unwrap_or(Value::Undef)
    }

    /// A variable as the look-up sees it.
    pub(crate) fn find_variable(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        name: &str,
    ) -> Option<Value<'c>> {
        if let Some(value) = self.state.local(name) {
            return Some(value);
        }
        if inv.old_scope
            && let Some(value) = self.old_variable(vm, inv.scope, name)
        {
            self.state.memos.spoil();
            return Some(value);
        }
        let is_qualified = name.contains(':') && name.contains("::");
        self.find_symbol(vm, inv, vm.symbols.intern(name), is_qualified)
    }

    fn find_symbol(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        name: Symbol,
        is_qualified: bool,
    ) -> Option<Value<'c>> {
        let value = match is_qualified {
            true => vm.find_qualified(vm.symbols.text(name)),
            false => inv.scope.lookup(name),
        };
        self.state.memos.asked(Variable { name, is_qualified, value });
        value
    }

    /// Whether a variable is what it was.
    pub(crate) fn is_unchanged(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        variable: &Variable<'c>,
    ) -> bool {
        let now = match inv.old_scope || self.state.has_local() {
            true => self.find_variable(vm, inv, vm.symbols.text(variable.name)),
            false => self.find_symbol(vm, inv, variable.name, variable.is_qualified),
        };
        match (now, variable.value) {
            (Some(now), Some(then)) => now.identical(then),
            (None, None) => true,
            _ => false,
        }
    }
}

/// An error of look-ups with an issue code.
pub(crate) fn issue<'c>(code: &'static str, message: &str) -> Box<Flow<'c>> {
    Flow::formed(Diagnostic::error(message).with_code(code))
}

fn may_interpolate(value: Value<'_>) -> bool {
    budget::within(1, || match value {
        Value::Str(text) => words::may_interpolate(&text),
        Value::Array(items) => items.items().iter().any(|item| may_interpolate(*item)),
        Value::Hash(hash) => {
            hash.entries().iter().any(|(key, item)| may_interpolate(*key) || may_interpolate(*item))
        }
        _ => false,
    })
}

/// `name('argument')`
fn call(expression: &str) -> Option<(&str, &str)> {
    let (name, rest) = expression.split_once('(')?;
    let quoted = rest.strip_suffix(')')?;
    let argument = ['"', '\''].iter().find_map(|quote| {
        let inner = quoted.strip_prefix(*quote)?.strip_suffix(*quote)?;
        (!inner.is_empty() && !inner.contains(*quote)).then_some(inner)
    })?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then_some((name, argument))
}
