//! Type equality: Puppet's `eql?` of types, structural, aliases by name.

use crate::budget;
use crate::types::ty::{CallableType, Type};
use std::hash::{Hash as _, Hasher};

/// Whether two types are the same, whatever their spelling (the order of a `Variant`'s members does not
/// count). `==` in the language is [`crate::types::equivalent`].
pub fn equal<'c>(a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
    std::ptr::eq(a, b) || budget::within(parts(a), || equal_parts(a, b))
}

/// How many types lie right within a type.
pub(super) fn parts(ty: &Type<'_>) -> usize {
    match ty {
        Type::Variant(types) | Type::Tuple { types, .. } => types.len(),
        Type::Struct(members) => members.len(),
        Type::Callable(callable) => callable.params.len(),
        _ => 1,
    }
}

fn equal_parts<'c>(a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
    use crate::types::ty::Type::*;
    match (a, b) {
        (Integer(a), Integer(b))
        | (String { size: a }, String { size: b })
        | (Collection(a), Collection(b)) => a == b,
        (Float { min: a, max: b }, Float { min: c, max: d }) => a == c && b == d,
        (Boolean(a), Boolean(b)) => a == b,
        (StringValue(a), StringValue(b)) | (Reference(a), Reference(b)) => a == b,
        (Enum { values: a, ignore_case: c }, Enum { values: b, ignore_case: d }) => a == b && c == d,
        (Pattern(a), Pattern(b)) => a.len() == b.len() && a.iter().all(|p| b.contains(p)),
        (SemVer(a), SemVer(b)) => {
            a.len() == b.len() && a.iter().zip(*b).all(|(a, b)| crate::semver::same_range(a, b))
        }
        (Regexp(a), Regexp(b)) | (Class(a), Class(b)) => a == b,
        (Array { element: a, size: s }, Array { element: b, size: t }) => s == t && equal(a, b),
        (Tuple { types: a, size: s }, Tuple { types: b, size: t }) => s == t && all_equal(a, b),
        (Hash { key: a, value: c, size: s }, Hash { key: b, value: d, size: t }) => {
            s == t && equal(a, b) && equal(c, d)
        }
        (Struct(a), Struct(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(*b)
                    .all(|(a, b)| a.name == b.name && a.optional == b.optional && equal(a.value, b.value))
        }
        (Optional(a), Optional(b))
        | (NotUndef(a), NotUndef(b))
        | (Sensitive(a), Sensitive(b))
        | (Type(a), Type(b))
        | (Iterable(a), Iterable(b))
        | (Iterator(a), Iterator(b)) => equal(a, b),
        (Variant(a), Variant(b)) => a.len() == b.len() && a.iter().all(|a| b.iter().any(|b| equal(a, b))),
        (Callable(a), Callable(b)) => equal_callables(a, b),
        (Resource { type_name: a, title: c, held: e }, Resource { type_name: b, title: d, held: f }) => {
            c == d
                && e == f
                && match (a, b) {
                    (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
                    (a, b) => a == b,
                }
        }
        (Timestamp { from: a, to: c }, Timestamp { from: b, to: d })
        | (Timespan { from: a, to: c }, Timespan { from: b, to: d }) => a == b && c == d,
        (Uri(a), Uri(b)) => match (a, b) {
            (Some(a), Some(b)) => a.same(*b),
            (a, b) => a.is_none() && b.is_none(),
        },
        (Runtime { runtime: a, name: c }, Runtime { runtime: b, name: d }) => a == b && c == d,
        (Init { ty: a, args: c }, Init { ty: b, args: d }) => {
            equal_options(*a, *b) && c.len() == d.len() && c.iter().zip(*d).all(|(c, d)| c.same(*d))
        }
        (Object { name: a, definition: c, .. }, Object { name: b, definition: d, .. }) => match (a, b) {
            (Some(a), Some(b)) => a == b,
            (None, None) => match (c, d) {
                // Anonymous ones are told apart by what they declare.
                (Some(c), Some(d)) => c.text.get() == d.text.get(),
                (c, d) => c.is_none() && d.is_none(),
            },
            _ => false,
        },
        (ObjectExtension { base: a, parameters: c, .. }, ObjectExtension { base: b, parameters: d, .. }) => {
            equal(a, b) && c.len() == d.len() && c.iter().zip(*d).all(|((a, c), (b, d))| a == b && c.same(*d))
        }
        (TypeSet { name: a, init: c }, TypeSet { name: b, init: d }) => match (a, b) {
            (Some(a), Some(b)) => a == b,
            (None, None) => match (c, d) {
                (Some(c), Some(d)) => crate::value::Value::Hash(*c).same(crate::value::Value::Hash(*d)),
                (c, d) => c.is_none() && d.is_none(),
            },
            _ => false,
        },
        (Alias(a), Alias(b)) => a.name == b.name,
        // An Object type met while it was being defined is an alias of itself.
        (Alias(a), Object { name: Some(name), .. }) | (Object { name: Some(name), .. }, Alias(a)) => {
            a.name == *name && matches!(a.target.get(), Some(Object { .. }))
        }
        (Any, Any)
        | (Unit, Unit)
        | (Undef, Undef)
        | (Default, Default)
        | (Scalar, Scalar)
        | (ScalarData, ScalarData)
        | (Numeric, Numeric)
        | (CatalogEntry, CatalogEntry)
        | (Binary, Binary)
        | (SemVerRange, SemVerRange) => true,
        _ => false,
    }
}

/// Gives a hash what all types that are [`equal`] have in common: of those that hashes have many of as keys, what tells
/// them apart. How the name of a resource type is spelt does not count.
pub fn feed(ty: &Type<'_>, state: &mut impl Hasher) {
    feed_within(ty, 3, state);
}

/// Feeds what lies within so many `levels` of types.
fn feed_within(ty: &Type<'_>, levels: u32, state: &mut impl Hasher) {
    let Some(levels) = levels.checked_sub(1) else { return };
    match ty {
        Type::Resource { title, .. } => title.hash(state),
        Type::Class(name) => name.hash(state),
        Type::StringValue(text) => text.hash(state),
        Type::Optional(inner) | Type::NotUndef(inner) => feed_within(inner, levels, state),
        Type::Integer(range) | Type::Collection(range) => range.hash(state),
        Type::String { size } => size.hash(state),
        Type::Enum { values, .. } => values.hash(state),
        Type::Tuple { types, .. } => {
            types.len().hash(state);
            // Tuples of many types differ in size, mostly, or early.
            types.iter().take(4).for_each(|ty| feed_within(ty, levels, state));
        }
        Type::Array { element, size } => {
            size.hash(state);
            feed_within(element, levels, state);
        }
        _ => {}
    }
}

fn all_equal<'c>(a: &[&'c Type<'c>], b: &[&'c Type<'c>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

fn equal_options<'c>(a: Option<&'c Type<'c>>, b: Option<&'c Type<'c>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => equal(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn equal_callables<'c>(a: &CallableType<'c>, b: &CallableType<'c>) -> bool {
    a.unspecified == b.unspecified
        && a.size == b.size
        && all_equal(a.params, b.params)
        && equal_options(a.block, b.block)
        && equal_options(a.returns, b.returns)
}
