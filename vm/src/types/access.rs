//! Access on a type: `Integer[1, 10]`, `Array[String]`, `File['/x']`.

use crate::error::{Blame, Eval, Flow};
use crate::label;
use crate::scope::Scope;
use crate::time::{timespan, timestamp};
use crate::types::access_keys::{
    arity, arity_at, array, as_type, callable, check_keys, flatten, float, hash, init, integer, is_type,
    literal_or_type, not_undef, single_type, size, tuple,
};
use crate::types::access_resource::{class, resource};
use crate::types::access_special::{
    enumerate, is_text_or_regexp, patterns, source_of, structure, times, timespan_of, timestamp_of, uri,
    versions,
};
use crate::types::build::variant;
use crate::types::generalize::generalize;
use crate::types::held::written;
use crate::types::name::unresolved;
use crate::types::object::{define, extension, type_set};
use crate::types::ty::Type;
use crate::value::Value;
use crate::vm::Vm;

/// `left[keys…]` for a type on the left. Yields a type, an array of resource or class references, or
/// parameter values of a resource.
///
/// # Errors
/// Puppet's, for keys the type does not take.
pub fn access<'c>(vm: &mut Vm<'c>, scope: &'c Scope<'c>, left: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c> {
    specialize(vm, Some(scope), left, keys)
}

/// A type or an alias's own errors where no scope is at hand (types from text).
pub(super) fn specialize<'c>(
    vm: &mut Vm<'c>,
    scope: Option<&'c Scope<'c>>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c> {
    let arena = vm.arena;
    match left {
        Type::Resource { .. } => match written(arena, left) {
            Type::Class(name) => return class(vm, scope, left, *name, keys),
            left => return resource(vm, scope, left, keys),
        },
        Type::Class(name) => return class(vm, scope, left, *name, keys),
        _ => {}
    }
    let ty: Type<'c> = match left {
        Type::Struct(_) => structure(vm, left, keys)?,
        Type::Callable(_) => callable(vm, keys)?,
        Type::Init { .. } => init(vm, keys)?,
        _ => {
            let keys = flatten(keys);
            match left {
                Type::Integer(_) => integer(&keys)?,
                Type::Float { .. } => float(&keys)?,
                Type::String { .. } | Type::StringValue(_) => match keys.len() {
                    1 | 2 => Type::String { size: size(&keys, 0)?.as_size() },
                    n => {
                        let message = format!("String supports [] with one or two arguments. Got {n}");
                        return Err(Flow::issue("BAD_STRING_SLICE_ARITY", message));
                    }
                },
                Type::Boolean(_) => {
                    check_keys(vm, left, &keys, Some(1), "TrueClass or FalseClass", |key| {
                        matches!(key, Value::Bool(_))
                    })?;
                    Type::Boolean(Some(matches!(keys[0], Value::Bool(true))))
                }
                Type::Enum { .. } => return enumerate(vm, left, &keys),
                Type::Pattern(_) => return patterns(vm, left, &keys),
                Type::Regexp(_) => {
                    if keys.len() != 1 {
                        let label = label::value_an_uc(Value::Type(left));
                        return Err(arity_at(Blame::Key(1), &label, 1, Some(1), keys.len()));
                    }
                    check_keys(vm, left, &keys, Some(1), "String or Regexp", is_text_or_regexp)?;
                    Type::Regexp(source_of(keys[0]))
                }
                Type::Collection(_) => match keys.len() {
                    1 | 2 => Type::Collection(size(&keys, 0)?.as_size()),
                    n => return Err(arity("Collection-Type", 1, Some(2), n)),
                },
                Type::Array { .. } => array(&keys)?,
                Type::Hash { .. } => hash(&keys)?,
                Type::Tuple { .. } => tuple(vm, left, &keys)?,
                Type::Variant(_) => {
                    check_keys(vm, left, &keys, None, "Any-Type", is_type)?;
                    let types: Vec<_> = keys.iter().filter_map(as_type).collect();
                    return Ok(Value::Type(variant(arena, &types)));
                }
                Type::Optional(_) => Type::Optional(literal_or_type(vm, "Optional-Type", &keys)?),
                Type::NotUndef(_) => not_undef(vm, &keys)?,
                Type::Sensitive(_) => {
                    let inner = single_type("Sensitive-Type", &keys)?;
                    Type::Sensitive(generalize(arena, inner))
                }
                Type::Type(_) => Type::Type(single_type("Type-Type", &keys)?),
                Type::Iterable(_) => Type::Iterable(single_type("Iterable-Type", &keys)?),
                Type::Iterator(_) => Type::Iterator(single_type("Iterator-Type", &keys)?),
                Type::Runtime { .. } => {
                    if keys.len() != 2 {
                        return Err(arity(&label::value_an_uc(Value::Type(left)), 1, Some(2), keys.len()));
                    }
                    check_keys(vm, left, &keys, Some(2), "String or String", |key| {
                        matches!(key, Value::Str(_))
                    })?;
                    Type::Runtime { runtime: keys[0].as_str(), name: keys[1].as_str() }
                }
                Type::SemVer(_) => versions(vm, left, &keys)?,
                Type::Timestamp { .. } => {
                    let (from, to) = times(left, &keys, timestamp_of, timestamp::to_s)?;
                    Type::Timestamp { from, to }
                }
                Type::Timespan { .. } => {
                    let (from, to) = times(left, &keys, timespan_of, timespan::to_s)?;
                    Type::Timespan { from, to }
                }
                Type::Uri(_) => uri(vm, &keys)?,
                Type::Object { name: None, .. } => match keys[..] {
                    [Value::Hash(init)] if init.is_empty() => *left,
                    [Value::Hash(init)] => define::define(vm, None, init)?,
                    [other] => return Err(define::not_a_definition(vm, "object", other)),
                    _ => return Err(arity("Object-Type", 1, Some(1), keys.len())),
                },
                Type::Object { .. } => extension::extension(vm, left, &keys)?,
                Type::TypeSet { .. } => match keys[..] {
                    [Value::Hash(init)] => type_set::define_set(vm, None, init)?,
                    [other] => return Err(define::not_a_definition(vm, "TypeSet", other)),
                    _ => return Err(arity("TypeSet-Type", 1, Some(1), keys.len())),
                },
                Type::Reference(name) => {
                    let message = unresolved(name);
                    return Err(Flow::issue("UNKNOWN_RESOURCE_TYPE", message));
                }
                _ => {
                    let message =
                        format!("Operator '[]' is not applicable to {}.", label::value_an(Value::Type(left)));
                    return Err(Flow::issue_at(Blame::Left, "OPERATOR_NOT_APPLICABLE", message));
                }
            }
        }
    };
    Ok(Value::Type(ty.alloc(arena)))
}
