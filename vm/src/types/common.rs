//! The narrowest type Puppet names that two types have in common.

use crate::budget;
use crate::types::assign::is_assignable;
use crate::types::build::{data, enumeration, pattern, rich_data, variant};
use crate::types::ty::{CallableType, Range, Type};
use bumpalo::Bump;

/// The narrowest type Puppet names that both are assignable to.
pub fn common<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> &'c Type<'c> {
    budget::within(2, || common_of(arena, a, b))
}

fn common_of<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> &'c Type<'c> {
    use crate::types::ty::Type::*;
    match (a, b) {
        (Undef | Unit, _) => return b,
        (_, Undef | Unit) => return a,
        _ => {}
    }
    if is_assignable(arena, a, b) {
        return a;
    }
    if is_assignable(arena, b, a) {
        return b;
    }
    let special = match (a, b) {
        (Array { element: a, .. }, Array { element: b, .. }) => {
            Array { element: common(arena, a, b), size: Range::ANY }
        }
        (Hash { key: a, value: c, .. }, Hash { key: b, value: d, .. }) => {
            Hash { key: common(arena, a, b), value: common(arena, c, d), size: Range::ANY }
        }
        (Class(_), Class(_)) => Class(None),
        (Resource { type_name: a, .. }, Resource { type_name: b, .. }) => {
            Resource { type_name: if a == b { *a } else { None }, title: None, held: false }
        }
        (Integer(a), Integer(b)) => Integer(a.hull(*b)),
        (Float { min: a, max: c }, Float { min: b, max: d }) => {
            Float { min: a.zip(*b).map(|(a, b)| a.min(b)), max: c.zip(*d).map(|(c, d)| c.max(d)) }
        }
        (StringValue(a), StringValue(b)) => return enumeration(arena, &[a, b], false),
        (StringValue(a), Enum { values, .. }) | (Enum { values, .. }, StringValue(a)) => {
            let mut all = values.to_vec();
            all.push(a);
            return enumeration(arena, &all, false);
        }
        (String { .. }, Enum { .. }) | (Enum { .. }, String { .. }) => {
            Enum { values: &[], ignore_case: false }
        }
        (Enum { values: a, .. }, Enum { values: b, .. }) => {
            return enumeration(arena, &[*a, *b].concat(), false);
        }
        (String { size: a }, String { size: b }) if !a.is_unbounded() && !b.is_unbounded() => {
            String { size: a.hull(*b) }
        }
        (String { .. } | StringValue(_), String { .. } | StringValue(_)) => String { size: Range::ANY },
        (Pattern(a), Pattern(b)) => return pattern(arena, &[*a, *b].concat()),
        (Variant(a), Variant(b)) => return variant(arena, &[*a, *b].concat()),
        (Regexp(_), Regexp(_)) => Regexp(None),
        (Callable(_), Callable(_)) => Callable(CallableType::ANY),
        _ => return common_general(arena, a, b),
    };
    special.alloc(arena)
}

fn common_general<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> &'c Type<'c> {
    let both = |ty: &'c Type<'c>| is_assignable(arena, ty, a) && is_assignable(arena, ty, b);
    for ty in [&Type::Numeric, &Type::ScalarData, &Type::Scalar] {
        if both(ty) {
            return ty;
        }
    }
    let data = data(arena);
    if both(data) {
        return data;
    }
    if let (Type::Type(a), Type::Type(b)) = (a, b) {
        return Type::Type(common(arena, a, b)).alloc(arena);
    }
    let rich = rich_data(arena);
    if both(rich) {
        return rich;
    }
    &Type::Any
}
