//! `%{…}` in data and in paths: variables, and the functions `lookup`, `hiera`, `alias`, `scope`, `literal`.
//! Source: `Puppet::Pops::Lookup::Interpolation`.

use crate::data_file::decode;
use crate::explain::Step;
use crate::fault::issue;
use crate::invocation::Invocation;
use crate::state::Lookups;
use bunraku_vm::budget;
use bunraku_vm::error::Eval;
use bunraku_vm::format::inspect::to_ruby_s;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// Whether expressions may call functions: in data they may, in `hiera.yaml` not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Functions {
    /// They may.
    Allowed,
    /// It is an error.
    Refused,
}

/// An expression between `%{` and `}`.
#[derive(Clone, Copy)]
struct Expression<'t> {
    /// The function: `scope` where it names a variable alone.
    method: &'t str,
    argument: &'t str,
    /// Whether it is written as a call.
    is_call: bool,
    /// Whether there is nothing else in the text.
    is_whole_text: bool,
}

impl<'c> Lookups<'_, 'c> {
    /// The value with every expression in its strings and keys resolved.
    ///
    /// # Errors
    /// Those of the expressions, and of the look-ups they lead to.
    pub(crate) fn interpolate(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        value: Value<'c>,
        functions: Functions,
    ) -> Eval<'c> {
        match value {
            Value::Str(text) if decode::may_interpolate(&text) => {
                let step = || Step::Interpolation(text.as_str().to_owned());
                inv.explain.aside(step, || self.interpolate_text(vm, inv, text.as_str(), functions))
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
        functions: Functions,
    ) -> Eval<'c> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("%{") {
            let Some(end) = rest[start..].find("}").map(|end| start + end) else { break };
            out.push_str(&rest[..start]);
            let written = rest[start + 2..end].trim();
            let is_whole_text = start == 0 && end + 1 == rest.len() && out.is_empty();
            rest = &rest[end + 1..];
            if matches!(written, "" | "::" | "\"\"" | "''" | "\"::\"" | "'::'") {
                continue;
            }
            let expression = Expression { is_whole_text, ..Expression::of(written) };
            expression.check(functions)?;
            let value = self.value_of_expression(vm, inv, expression, text)?;
            if expression.method == "alias" {
                return Ok(value);
            }
            match self.interpolate_result(vm, inv, expression, functions, value)? {
                Value::Str(text) => out.push_str(&text),
                other => out.push_str(&to_ruby_s(other)),
            }
        }
        out.push_str(rest);
        Ok(vm.string(&out))
    }

    /// What an expression of `text` stands for.
    fn value_of_expression(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        expression: Expression<'_>,
        text: &str,
    ) -> Eval<'c> {
        match expression.method {
            "lookup" | "hiera" | "alias" => self.sub_lookup(vm, inv, expression.argument),
            "scope" => self.variable_at(vm, inv, expression.argument, text),
            "literal" => Ok(vm.string(expression.argument)),
            method => Err(issue(
                "HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD",
                format!("Unknown interpolation method '{method}'"),
            )),
        }
    }

    /// What an expression gave, with the expressions in that resolved in turn.
    fn interpolate_result(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        expression: Expression<'_>,
        functions: Functions,
        value: Value<'c>,
    ) -> Eval<'c> {
        let prefix = match expression.method {
            // Nothing can lead back here: a variable that leads to itself has a text that leads there.
            "scope" if !may_interpolate(value) => return Ok(value),
            "scope" => "scope:",
            _ => "",
        };
        let name = self.arena.alloc_str(&[prefix, expression.argument].concat());
        self.state.under_way.run(name, || self.interpolate(vm, inv, value, functions))
    }

    /// A look-up that an expression asks for; the empty text where nothing is found.
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
}

impl<'t> Expression<'t> {
    /// An expression that is not the whole text.
    fn of(written: &'t str) -> Expression<'t> {
        let call = call(written);
        let (method, argument) = call.unwrap_or(("scope", written));
        Expression { method, argument, is_call: call.is_some(), is_whole_text: false }
    }

    /// # Errors
    /// When the expression may not stand where it does.
    fn check<'c>(self, functions: Functions) -> Eval<'c, ()> {
        if self.is_call && functions == Functions::Refused {
            return Err(issue(
                "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED",
                "Interpolation using method syntax is not allowed in this context",
            ));
        }
        if self.method == "alias" && !self.is_whole_text {
            return Err(issue(
                "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING",
                "'alias' interpolation is only permitted if the expression is equal to the entire string",
            ));
        }
        Ok(())
    }
}

/// Whether an expression may stand anywhere in a value.
fn may_interpolate(value: Value<'_>) -> bool {
    budget::within(1, || match value {
        Value::Str(text) => decode::may_interpolate(&text),
        Value::Array(items) => items.items().iter().any(|item| may_interpolate(*item)),
        Value::Hash(hash) => {
            hash.entries().iter().any(|(key, item)| may_interpolate(*key) || may_interpolate(*item))
        }
        _ => false,
    })
}

/// The name and the argument of `name('argument')`; none for what is no call.
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
