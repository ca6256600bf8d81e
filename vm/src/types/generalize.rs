//! Generalisation: the type without sizes, ranges and exact values.

use crate::budget;
use crate::types::build::variant;
use crate::types::equal::parts;
use crate::types::ty::{Range, Type};
use crate::types::walk::map_parts;
use bumpalo::Bump;

/// The general form: `Integer[1, 2]` is `Integer`, `Array[Enum[a]]` is `Array[String[1, 1]]`.
pub fn generalize<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    budget::within(parts(ty), || generalize_parts(arena, ty))
}

fn generalize_parts<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
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
        Type::Variant(types) if !types.is_empty() => {
            let types: Vec<_> = types.iter().map(|ty| generalize(arena, ty)).collect();
            variant(arena, &types)
        }
        Type::Init { ty: Some(inner), args } => {
            Type::Init { ty: Some(generalize(arena, inner)), args }.alloc(arena)
        }
        _ => map_parts(arena, ty, &|part| generalize(arena, part)),
    }
}
