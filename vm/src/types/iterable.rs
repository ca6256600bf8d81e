//! Types whose values can be iterated, and of what type the elements are then.

use crate::types::build::variant;
use crate::types::ty::{Range, StructMember, Type, resolved};
use bumpalo::Bump;

/// Whether iteration functions accept values of the type.
pub fn is_iterable<'c>(ty: &'c Type<'c>) -> bool {
    match resolved(ty) {
        Type::Enum { .. }
        | Type::Integer(_)
        | Type::String { .. }
        | Type::StringValue(_)
        | Type::Collection(_)
        | Type::Array { .. }
        | Type::Hash { .. }
        | Type::Tuple { .. }
        | Type::Struct(_)
        | Type::Iterable(_)
        | Type::Iterator(_) => true,
        Type::Type(Type::Enum { .. }) => true,
        Type::Type(Type::Integer(range)) => range.min.is_some() && range.max.is_some(),
        _ => false,
    }
}

/// The type of what iterating over a value of `ty` yields, where that is known.
pub fn iterable_element<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> Option<&'c Type<'c>> {
    const ONE: Range = Range::exactly(1);
    const PAIR: Option<Range> = Some(Range::exactly(2));
    let pair =
        |key, value| Type::Tuple { types: arena.alloc_slice_copy(&[key, value]), size: PAIR }.alloc(arena);
    match resolved(ty) {
        Type::Type(inner @ Type::Enum { .. }) => Some(inner),
        Type::Type(inner @ Type::Integer(Range { min: Some(_), max: Some(_) })) => Some(inner),
        Type::Enum { .. } | Type::String { .. } | Type::StringValue(_) => Some(&Type::String { size: ONE }),
        Type::Integer(_) => Some(&Type::Integer(Range::ANY)),
        Type::Array { element: Type::Any, .. } => None,
        Type::Array { element, .. } => Some(element),
        Type::Hash { key: Type::Any, value: Type::Any, size } if size.is_unbounded() => {
            Some(pair(&Type::Unit, &Type::Unit))
        }
        Type::Hash { key, value, .. } => Some(pair(key, value)),
        Type::Struct([]) => Some(pair(&Type::Unit, &Type::Unit)),
        Type::Struct(members) => {
            let keys: Vec<_> = members.iter().map(|m| key_type(arena, m)).collect();
            let values: Vec<_> = members.iter().map(|m| m.value).collect();
            Some(pair(variant(arena, &keys), variant(arena, &values)))
        }
        Type::Tuple { types, .. } => Some(variant(arena, types)),
        Type::Iterable(inner) | Type::Iterator(inner) if !inner.is_unit() => Some(inner),
        _ => None,
    }
}

/// The type of a struct member's key: `String` of that very text, `Optional` of it where it may be missing.
pub(crate) fn key_type<'c>(arena: &'c Bump, member: &StructMember<'c>) -> &'c Type<'c> {
    let key = Type::StringValue(member.name).alloc(arena);
    if member.optional { Type::Optional(key).alloc(arena) } else { key }
}
