//! Instance checks: whether a value is of a type.

use super::assign::{in_enum, in_pattern};
use super::{Type, infer, is_assignable, tuple_range};
use crate::semver;
use crate::value::{Array, Hash, Value};
use crate::vm::Vm;

/// Whether `value` is an instance of `ty`.
pub fn is_instance<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, value: Value<'c>) -> bool {
    match ty {
        Type::Any | Type::Unit => true,
        Type::String { size } => match value {
            Value::Str(s) => size.is_unbounded() || size.contains(length(&s)),
            _ => false,
        },
        Type::Integer(range) => matches!(value, Value::Int(n) if range.contains(n)),
        Type::Boolean(wanted) => matches!(value, Value::Bool(b) if wanted.is_none_or(|w| w == b)),
        Type::Optional(inner) => value.is_undef() || (!inner.is_unit() && is_instance(vm, inner, value)),
        Type::Array { element, size } => match value {
            Value::Array(items) => {
                (size.is_unbounded() || size.contains(items.len() as i64))
                    && all_instances(vm, element, items)
            }
            _ => false,
        },
        Type::Hash { key, value: wanted, size } => match value {
            Value::Hash(hash) => {
                (size.is_unbounded() || size.contains(hash.len() as i64))
                    && hash
                        .entries()
                        .iter()
                        .all(|(k, v)| is_instance(vm, key, *k) && is_instance(vm, wanted, *v))
            }
            _ => false,
        },
        Type::Variant(types) => types.iter().any(|ty| is_instance(vm, ty, value)),
        Type::Alias(alias) => alias.target.get().is_some_and(|target| is_instance(vm, target, value)),
        Type::Undef => value.is_undef(),
        Type::Default => matches!(value, Value::Default),
        Type::NotUndef(inner) => !value.is_undef() && is_instance(vm, inner, value),
        Type::Scalar => matches!(
            value,
            Value::Str(_)
                | Value::Int(_)
                | Value::Float(_)
                | Value::Bool(_)
                | Value::Regexp(_)
                | Value::SemVer(_)
                | Value::SemVerRange(_)
                | Value::Timespan(_)
                | Value::Timestamp(_)
        ),
        Type::ScalarData => {
            matches!(value, Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_))
        }
        Type::Numeric => matches!(value, Value::Int(_) | Value::Float(_)),
        Type::Float { min, max } => {
            matches!(value, Value::Float(f) if min.is_none_or(|m| m <= f) && max.is_none_or(|m| f <= m))
        }
        Type::StringValue(text) => matches!(value, Value::Str(s) if s.as_str() == *text),
        Type::Enum { values, ignore_case } => {
            matches!(value, Value::Str(s) if in_enum(values, *ignore_case, &s))
        }
        Type::Pattern(sources) => matches!(value, Value::Str(s) if in_pattern(sources, &s)),
        Type::Regexp(source) => {
            matches!(value, Value::Regexp(s) if source.is_none_or(|source| source == s.as_str()))
        }
        Type::Collection(size) => match value {
            Value::Array(items) => size.is_unbounded() || size.contains(items.len() as i64),
            Value::Hash(hash) => size.is_unbounded() || size.contains(hash.len() as i64),
            _ => false,
        },
        Type::Tuple { types, size } => match value {
            Value::Array(items) => tuple_instance(vm, types, *size, items),
            _ => false,
        },
        Type::Struct(members) => match value {
            Value::Hash(hash) => struct_instance(vm, members, hash),
            _ => false,
        },
        Type::Sensitive(inner) => {
            matches!(value, Value::Sensitive(hidden) if is_instance(vm, inner, *hidden))
        }
        Type::Type(inner) => match value {
            Value::Type(ty) => inner.is_unit() || is_assignable(vm.arena, inner, ty),
            _ => false,
        },
        Type::Iterable(inner) => iterable_instance(vm, ty, inner, value),
        Type::Iterator(inner) => match value {
            Value::Iterator(iter) => inner.is_unit() || is_assignable(vm.arena, inner, iter.element),
            _ => false,
        },
        Type::Callable(_) => match value {
            Value::Closure(_) => {
                let actual = infer(vm, value);
                is_assignable(vm.arena, ty, actual)
            }
            _ => false,
        },
        Type::Binary => matches!(value, Value::Binary(_)),
        Type::Timestamp { from, to } => match value {
            Value::Timestamp(n) => from.is_none_or(|from| from <= *n) && to.is_none_or(|to| *n <= to),
            _ => false,
        },
        Type::Timespan { from, to } => match value {
            Value::Timespan(n) => from.is_none_or(|from| from <= *n) && to.is_none_or(|to| *n <= to),
            _ => false,
        },
        Type::SemVer(ranges) => match value {
            Value::SemVer(version) => {
                ranges.is_empty() || ranges.iter().any(|range| semver::range_includes(range, &version))
            }
            _ => false,
        },
        Type::SemVerRange => matches!(value, Value::SemVerRange(_)),
        Type::Uri(None) => matches!(value, Value::Uri(_)),
        Type::Uri(Some(Value::Hash(wanted))) => {
            let Value::Uri(text) = value else { return false };
            let Value::Hash(parts) = crate::uri::to_hash(vm.arena, &text) else { return false };
            wanted.entries().iter().all(|(key, wanted)| {
                let part = parts.get(*key).unwrap_or(Value::Undef);
                // A port may be asked for as a number, and the scheme may have one of its own.
                let part = match (wanted, part) {
                    (Value::Int(_), Value::Str(digits)) => digits.parse().map_or(part, Value::Int),
                    (Value::Int(_), Value::Undef) if key.as_str() == Some("port") => {
                        match parts.get_str("scheme").and_then(Value::as_str) {
                            Some("http") => Value::Int(80),
                            Some("https") => Value::Int(443),
                            _ => part,
                        }
                    }
                    _ => part,
                };
                crate::compare::matches_option(vm, part, *wanted).unwrap_or(false)
            })
        }
        Type::Uri(Some(_)) => false,
        Type::Init { ty: None, .. } => {
            let rich = super::rich_data(vm.arena);
            is_instance(vm, rich, value)
        }
        Type::Init { ty: Some(inner), args } => {
            is_instance(vm, inner, value) || super::new::is_init(vm, inner, args, value)
        }
        Type::Object { .. } => match value {
            Value::Object(object) => {
                is_assignable(vm.arena, ty, object.ty) || super::object::is_made_by(ty, object)
            }
            // To Puppet a type is itself an object of its meta model.
            Value::Type(_) => matches!(ty, Type::Object { name: None, definition: None, .. }),
            _ => false,
        },
        Type::ObjectExtension { base, parameters, .. } => match value {
            Value::Object(object) => {
                is_instance(vm, base, value) && super::object::matches_value(vm, object, parameters)
            }
            _ => false,
        },
        Type::TypeSet { name: None, init: None } => matches!(value, Value::Type(Type::TypeSet { .. })),
        Type::TypeSet { .. } => matches!(value, Value::Type(other) if super::equal(ty, other)),
        Type::CatalogEntry
        | Type::Class(_)
        | Type::Resource { .. }
        | Type::Runtime { .. }
        | Type::Reference(_) => false,
    }
}

fn length(text: &str) -> i64 {
    text.chars().count() as i64
}

fn all_instances<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, items: Array<'c>) -> bool {
    matches!(ty, Type::Any) || items.items().iter().all(|item| is_instance(vm, ty, *item))
}

fn tuple_instance<'c>(
    vm: &mut Vm<'c>,
    types: &'c [&'c Type<'c>],
    size: Option<super::Range>,
    items: Array<'c>,
) -> bool {
    if !tuple_range(types.len(), size).contains(items.len() as i64) {
        return false;
    }
    let Some(last) = types.last() else { return true };
    items.items().iter().enumerate().all(|(n, item)| is_instance(vm, types.get(n).unwrap_or(last), *item))
}

fn struct_instance<'c>(vm: &mut Vm<'c>, members: &'c [super::StructMember<'c>], hash: Hash<'c>) -> bool {
    let mut matched = 0;
    members.iter().all(|member| match hash.get_str(member.name) {
        None => member.optional,
        Some(value) => {
            matched += 1;
            is_instance(vm, member.value, value)
        }
    }) && matched == hash.len()
}

fn iterable_instance<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, inner: &'c Type<'c>, value: Value<'c>) -> bool {
    if !inner.is_unit() && !is_assignable(vm.arena, inner, &Type::Any) {
        let actual = infer(vm, value);
        return is_assignable(vm.arena, ty, actual);
    }
    match value {
        Value::Iterator(_) | Value::Str(_) | Value::Hash(_) | Value::Array(_) => true,
        Value::Int(n) => n >= 0,
        Value::Type(ty) => match super::resolved(ty) {
            Type::Enum { .. } => true,
            Type::Integer(range) => range.min.is_some() && range.max.is_some(),
            _ => false,
        },
        _ => false,
    }
}
