//! Inference: the type a value has.

use crate::budget;
use crate::types::build::{enumeration, variant};
use crate::types::common::common;
use crate::types::context::TypeContext;
use crate::types::generalize::generalize;
use crate::types::held;
use crate::types::ty::{CallableType, Range, StructMember, Type};
use crate::uri::to_hash;
use crate::value::{Hash, Value};

/// The type of a value, the types of a collection's elements reduced to one they have in common.
pub fn infer<'c>(context: &mut dyn TypeContext<'c>, value: Value<'c>) -> &'c Type<'c> {
    let arena = context.arena();
    match value {
        Value::Array(items) if items.is_empty() => &Type::Array { element: &Type::Unit, size: Range::EMPTY },
        Value::Array(items) => {
            let element = budget::within(items.len(), || reduce(context, items.items().iter().copied()));
            Type::Array { element, size: Range::exactly(items.len() as i64) }.alloc(arena)
        }
        Value::Hash(hash) if hash.is_empty() => {
            &Type::Hash { key: &Type::Unit, value: &Type::Unit, size: Range::EMPTY }
        }
        Value::Hash(hash) => {
            let (key, value) = budget::within(2 * hash.len(), || {
                let key = reduce(context, hash.entries().iter().map(|(k, _)| *k));
                (key, reduce(context, hash.entries().iter().map(|(_, v)| *v)))
            });
            Type::Hash { key, value, size: Range::exactly(hash.len() as i64) }.alloc(arena)
        }
        _ => infer_single(context, value),
    }
}

/// The type of a value in full detail: an array is a `Tuple`, a hash with string keys a `Struct`.
pub fn infer_set<'c>(context: &mut dyn TypeContext<'c>, value: Value<'c>) -> &'c Type<'c> {
    let arena = context.arena();
    match value {
        Value::Array(items) if !items.is_empty() => {
            let types: Vec<_> = budget::within(items.len(), || {
                items.items().iter().map(|item| infer_set(context, *item)).collect()
            });
            Type::Tuple { types: arena.alloc_slice_copy(&types), size: None }.alloc(arena)
        }
        Value::Hash(hash) if !hash.is_empty() => {
            budget::within(2 * hash.len(), || infer_set_of_hash(context, hash))
        }
        Value::SemVer(version) => {
            let exactly = format!("{0} - {0}", version.as_str());
            Type::SemVer(arena.alloc_slice_copy(&[&*arena.alloc_str(&exactly)])).alloc(arena)
        }
        _ => infer(context, value),
    }
}

fn infer_set_of_hash<'c>(context: &mut dyn TypeContext<'c>, hash: Hash<'c>) -> &'c Type<'c> {
    let arena = context.arena();
    let entries = hash.entries();
    let mut members = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match key {
            Value::Str(key) if !key.is_empty() => {
                let value = infer_set(context, *value);
                members.push(StructMember { name: key.as_str(), optional: false, value });
            }
            _ => break,
        }
    }
    if members.len() == entries.len() {
        return Type::Struct(arena.alloc_slice_copy(&members)).alloc(arena);
    }
    let keys: Vec<_> = entries.iter().map(|(k, _)| infer_set(context, *k)).collect();
    let values: Vec<_> = entries.iter().map(|(_, v)| infer_set(context, *v)).collect();
    let (key, value) = (variant(arena, &keys), variant(arena, &values));
    Type::Hash { key, value, size: Range::exactly(entries.len() as i64) }.alloc(arena)
}

fn infer_single<'c>(context: &mut dyn TypeContext<'c>, value: Value<'c>) -> &'c Type<'c> {
    let arena = context.arena();
    match value {
        Value::Undef => &Type::Undef,
        Value::Default => &Type::Default,
        Value::Bool(true) => &Type::Boolean(Some(true)),
        Value::Bool(false) => &Type::Boolean(Some(false)),
        Value::Int(n) => Type::Integer(Range::exactly(n)).alloc(arena),
        Value::Float(f) => Type::Float { min: Some(f), max: Some(f) }.alloc(arena),
        Value::Str(s) => Type::StringValue(s.as_str()).alloc(arena),
        Value::Type(ty) => Type::Type(held::inferred(arena, ty)).alloc(arena),
        Value::Regexp(source) => Type::Regexp(Some(source.as_str())).alloc(arena),
        Value::Sensitive(hidden) => {
            let inner = budget::within(1, || infer(context, *hidden));
            Type::Sensitive(generalize(arena, inner)).alloc(arena)
        }
        Value::Closure(closure) => {
            context.closure_type(closure).unwrap_or(&Type::Callable(CallableType::ANY))
        }
        Value::Iterator(iter) => Type::Iterator(iter.element).alloc(arena),
        Value::Timestamp(n) => Type::Timestamp { from: Some(*n), to: Some(*n) }.alloc(arena),
        Value::Timespan(n) => Type::Timespan { from: Some(*n), to: Some(*n) }.alloc(arena),
        Value::SemVer(_) => &Type::SemVer(&[]),
        Value::SemVerRange(_) => &Type::SemVerRange,
        Value::Binary(_) => &Type::Binary,
        Value::Uri(uri) => Type::Uri(Some(to_hash(arena, &uri))).alloc(arena),
        Value::Object(object) => context.object_type(object),
        Value::Array(_) | Value::Hash(_) => infer(context, value),
    }
}

fn reduce<'c>(
    context: &mut dyn TypeContext<'c>,
    values: impl Iterator<Item = Value<'c>> + Clone,
) -> &'c Type<'c> {
    // Puppet joins type after type; of strings or integers only, the result is known at once.
    if values.clone().all(|value| matches!(value, Value::Int(_))) {
        let numbers = values.filter_map(|value| if let Value::Int(n) = value { Some(n) } else { None });
        if let Some(range) = numbers.map(Range::exactly).reduce(Range::hull) {
            return Type::Integer(range).alloc(context.arena());
        }
        return &Type::Undef;
    }
    if values.clone().all(|value| matches!(value, Value::Str(_))) {
        let texts: Vec<&'c str> = values.filter_map(Value::as_str).collect();
        return match texts[..] {
            [first, ref rest @ ..] if rest.iter().all(|text| *text == first) => {
                Type::StringValue(first).alloc(context.arena())
            }
            _ => enumeration(context.arena(), &texts, false),
        };
    }
    let mut result: Option<&'c Type<'c>> = None;
    for value in values {
        let ty = infer(context, value);
        result = Some(match result {
            None => ty,
            Some(so_far) => common(context.arena(), so_far, ty),
        });
    }
    result.unwrap_or(&Type::Undef)
}
