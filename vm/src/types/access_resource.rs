//! Access on resource and class types: references, and parameters of declared resources.

use crate::error::{Blame, Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::format::scalar::capitalize;
use crate::label;
use crate::names::{is_qualified, lower};
use crate::scope::Scope;
use crate::types::access_keys::{arity, flatten, key_name};
use crate::types::build;
use crate::types::held::held;
use crate::types::print::print;
use crate::types::quote::capitalize_segments;
use crate::types::ty::Type;
use crate::value::Value;
use crate::vm::Vm;
use std::borrow::Cow;

fn is_class_reference(name: &str) -> bool {
    is_qualified(name.strip_prefix("::").unwrap_or(name), u8::is_ascii_uppercase)
}

fn is_class_name(name: &str) -> bool {
    is_qualified(name.strip_prefix("::").unwrap_or(name), u8::is_ascii_lowercase)
}

/// One value, or an array of them where several keys or an array were given.
fn pack<'c>(vm: &Vm<'c>, several: bool, mut values: Vec<Value<'c>>) -> Value<'c> {
    if several { vm.array(&values) } else { values.pop().unwrap_or(Value::Undef) }
}

/// `File['/x']`, `Resource['file', '/x']`, `File['/x']['mode']`.
pub(super) fn resource<'c>(
    vm: &mut Vm<'c>,
    scope: Option<&'c Scope<'c>>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c> {
    let Type::Resource { type_name, title, .. } = left else { return Ok(Value::Undef) };
    if keys.is_empty() {
        return Err(arity(&print(left), 1, None, 0));
    }
    let (name, keys): (&'c str, &[Value<'c>]) = match type_name {
        Some(name) => (name, keys),
        None => match keys[0] {
            Value::Str(name) => (vm.arena.alloc_str(&capitalize_segments(&name)), &keys[1..]),
            Value::Type(Type::Resource { type_name: Some(name), title: None, .. }) if keys.len() == 1 => {
                return Ok(Value::Type(build::resource(vm.arena, name, None)));
            }
            reference @ Value::Type(Type::Resource { held: false, .. }) if keys.len() == 1 => {
                return Ok(reference);
            }
            Value::Type(Type::Resource { type_name: Some(name), held: false, .. }) => (*name, &keys[1..]),
            // A name nothing is known of yet is a type name all the same.
            Value::Type(Type::Reference(name)) => (*name, &keys[1..]),
            other => {
                let actual = key_name(vm, other);
                let message = format!(
                    "First argument to Resource[] must be a resource type or a String. Got {actual}."
                );
                return Err(Flow::issue_at(Blame::Key(0), "ILLEGAL_RESOURCE_SPECIALIZATION", message));
            }
        },
    };
    if !is_class_reference(name) {
        let message =
            format!("Illegal type reference. The given name '{name}' does not conform to the naming rule");
        return Err(Flow::issue_at(Blame::Key(0), "ILLEGAL_CLASSREF", message));
    }
    if let (None, [Value::Str(one)]) = (title, keys) {
        let ty = Type::Resource { type_name: Some(name), title: Some(one.as_str()), held: false };
        return Ok(Value::Type(ty.alloc(vm.arena)));
    }
    let several = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
    let given = keys.len();
    let keys: Vec<_> = flatten(keys).into_iter().filter(|key| !key.is_undef()).collect();
    if keys.is_empty() && given > 0 {
        return Ok(pack(vm, several, Vec::new()));
    }
    if let Some(title) = title {
        return parameters(vm, scope, name, title, &keys, several);
    }
    if keys.is_empty() {
        return Ok(Value::Type(build::resource(vm.arena, name, None)));
    }
    let mut references = Vec::with_capacity(keys.len());
    for (n, key) in keys.iter().enumerate() {
        let Value::Str(title) = key else {
            let actual = key_name(vm, *key);
            let base = label::value_an(Value::Type(left));
            let message = format!(
                "Error creating type specialization of {base}, Cannot use {actual} where a resource title \
                 String is expected"
            );
            // Puppet counts the titles, not the keys.
            return Err(Flow::issue_at(Blame::Key(n), "BAD_TYPE_SPECIALIZATION", message));
        };
        let ty = Type::Resource { type_name: Some(name), title: Some(title.as_str()), held: false };
        references.push(Value::Type(ty.alloc(vm.arena)));
    }
    Ok(pack(vm, several, references))
}

fn parameters<'c>(
    vm: &mut Vm<'c>,
    scope: Option<&'c Scope<'c>>,
    type_name: &str,
    title: &str,
    keys: &[Value<'c>],
    several: bool,
) -> Eval<'c> {
    let Some(scope) = scope else {
        let message = format!("Resource not found: {type_name}['{title}']");
        return Err(Flow::issue("UNKNOWN_RESOURCE", message));
    };
    let mut values = Vec::with_capacity(keys.len());
    for key in keys {
        let Value::Str(parameter) = key else {
            let name = capitalize(type_name);
            let key = to_interpolated(*key);
            let message = format!("The resource {name}['{title}'] does not have a parameter called '{key}'");
            return Err(Flow::issue("UNKNOWN_RESOURCE_PARAMETER", message));
        };
        let host = vm.host;
        let value = host.resource_parameter(vm, scope, type_name, title, parameter)?;
        values.push(value.map_or(Value::Undef, |value| held(vm.arena, value)));
    }
    Ok(pack(vm, several, values))
}

/// `Class['a']`, `Class['a', 'b']`, `Class['a']['parameter']`.
pub(super) fn class<'c>(
    vm: &mut Vm<'c>,
    scope: Option<&'c Scope<'c>>,
    left: &'c Type<'c>,
    class_name: Option<&'c str>,
    keys: &[Value<'c>],
) -> Eval<'c> {
    if keys.is_empty() {
        return Err(arity(&print(left), 1, None, 0));
    }
    if let (None, [Value::Str(_)]) = (class_name, keys) {
        return class_reference(vm, 0, keys[0]);
    }
    let several = keys.len() > 1 || matches!(keys[0], Value::Array(_));
    let keys: Vec<_> = flatten(keys).into_iter().filter(|key| !key.is_undef()).collect();
    if keys.is_empty() {
        return Ok(pack(vm, several, Vec::new()));
    }
    if let Some(class_name) = class_name {
        return parameters(vm, scope, "Class", class_name, &keys, several);
    }
    let references: Result<_, _> =
        keys.iter().enumerate().map(|(n, key)| class_reference(vm, n, *key)).collect();
    Ok(pack(vm, several, references?))
}

/// The reference to a class that key number `n` names.
fn class_reference<'c>(vm: &Vm<'c>, n: usize, key: Value<'c>) -> Eval<'c> {
    let Value::Str(given) = key else {
        let actual = label::value_an_uc(key);
        let message = format!(
            "Illegal Class name in class reference. {actual} cannot be used where a String is expected"
        );
        return Err(Flow::issue_at(Blame::Key(n), "ILLEGAL_HOSTCLASS_NAME", message));
    };
    let given = given.as_str();
    let lower = match lower(given) {
        Cow::Borrowed(lower) => lower,
        Cow::Owned(lower) => vm.arena.alloc_str(&lower),
    };
    let name = lower.strip_prefix("::").unwrap_or(lower);
    if !is_class_name(name) {
        let message = format!(
            "Illegal name. The given name '{given}' does not conform to the naming rule \
             /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/"
        );
        return Err(Flow::issue_at(Blame::Key(n), "ILLEGAL_NAME", message));
    }
    Ok(Value::Type(Type::Class(Some(name)).alloc(vm.arena)))
}
