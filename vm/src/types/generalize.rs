//! Generalisation: the type without sizes, ranges and exact values.

use crate::budget;
use crate::types::build::variant;
use crate::types::equal::parts;
use crate::types::ty::{CallableType, Range, StructMember, Type};
use bumpalo::Bump;

/// The general form: `Integer[1, 2]` is `Integer`, `Array[Enum[a]]` is `Array[String[1, 1]]`.
pub fn generalize<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    budget::within(parts(ty), || generalize_parts(arena, ty))
}

fn generalize_parts<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    let all = |types: &[&'c Type<'c>]| -> Vec<&'c Type<'c>> {
        types.iter().map(|ty| generalize(arena, ty)).collect()
    };
    match ty {
        Type::Integer(_) => &Type::Integer(Range::ANY),
        Type::Float { .. } => &Type::Float { min: None, max: None },
        Type::Boolean(_) => &Type::Boolean(None),
        Type::String { .. } | Type::StringValue(_) => &Type::String { size: Range::ANY },
        Type::Enum { values, .. } => {
            let sizes = values.iter().map(|v| v.chars().count() as i64);
            let size = match (sizes.clone().min(), sizes.max()) {
                (Some(min), Some(max)) => Range::new(min, max),
                _ => Range::ANY,
            };
            Type::String { size }.alloc(arena)
        }
        Type::Uri(_) => &Type::Uri(None),
        Type::ObjectExtension { base, .. } => base,
        Type::Collection(_) => &Type::Collection(Range::ANY),
        Type::Timestamp { .. } => &Type::Timestamp { from: None, to: None },
        Type::Timespan { .. } => &Type::Timespan { from: None, to: None },
        Type::Array { element, .. } => {
            Type::Array { element: generalize(arena, element), size: Range::ANY }.alloc(arena)
        }
        Type::Hash { size: Range { min: Some(0), max: Some(0) }, .. } => ty,
        Type::Hash { key, value, .. } => {
            Type::Hash { key: generalize(arena, key), value: generalize(arena, value), size: Range::ANY }
                .alloc(arena)
        }
        Type::Struct(members) => {
            let members: Vec<_> =
                members.iter().map(|m| StructMember { value: generalize(arena, m.value), ..*m }).collect();
            Type::Struct(arena.alloc_slice_copy(&members)).alloc(arena)
        }
        Type::Tuple { types, size } => {
            Type::Tuple { types: arena.alloc_slice_copy(&all(types)), size: *size }.alloc(arena)
        }
        Type::Callable(callable) if !callable.unspecified || callable.returns.is_some() => {
            Type::Callable(CallableType {
                params: arena.alloc_slice_copy(&all(callable.params)),
                block: callable.block.map(|ty| generalize(arena, ty)),
                returns: callable.returns.map(|ty| generalize(arena, ty)),
                ..*callable
            })
            .alloc(arena)
        }
        Type::Variant(types) if !types.is_empty() => variant(arena, &all(types)),
        Type::Optional(inner) => Type::Optional(generalize(arena, inner)).alloc(arena),
        Type::NotUndef(inner) => Type::NotUndef(generalize(arena, inner)).alloc(arena),
        Type::Sensitive(inner) => Type::Sensitive(generalize(arena, inner)).alloc(arena),
        Type::Type(inner) => Type::Type(generalize(arena, inner)).alloc(arena),
        Type::Iterable(inner) => Type::Iterable(generalize(arena, inner)).alloc(arena),
        Type::Iterator(inner) => Type::Iterator(generalize(arena, inner)).alloc(arena),
        Type::Init { ty: Some(inner), args } => {
            Type::Init { ty: Some(generalize(arena, inner)), args }.alloc(arena)
        }
        _ => ty,
    }
}
