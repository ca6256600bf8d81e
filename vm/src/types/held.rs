//! References as the parameters of resources hold them. Puppet makes objects of another kind (`Puppet::Resource`) of the
//! references that a resource is given: they print as `File[/x]` and `Class[X]`, are equal to no type, and a class is
//! one of the resources. Source: `Puppet::Pops::Evaluator::Runtime3Converter`.

use crate::budget;
use crate::names::lower;
use crate::types::quote::capitalize_segments;
use crate::types::ty::Type;
use crate::value::{Array, Hash, Value};
use bumpalo::Bump;

/// A parameter's value as its resource has it: texts, arrays and hashes of its own, and references as they are held.
pub fn held<'c>(arena: &'c Bump, value: Value<'c>) -> Value<'c> {
    match value {
        Value::Type(ty) => Value::Type(held_type(arena, ty)),
        Value::Str(text) => Value::Str(text.again(arena)),
        Value::Array(items) => budget::within(items.len(), || {
            let all = items.iter().map(|item| held(arena, *item));
            Value::Array(Array::wrap(arena, arena.alloc_slice_fill_iter(all)))
        }),
        Value::Hash(hash) => budget::within(2 * hash.len(), || {
            let all = hash.entries().iter();
            // References may be the same as they are held. The keys of a hash are frozen in Ruby whatever they were before.
            if all.clone().any(|(key, _)| matches!(key, Value::Type(_) | Value::Array(_) | Value::Hash(_))) {
                let all: Vec<_> = all.map(|(key, value)| (held(arena, *key), held(arena, *value))).collect();
                return Value::Hash(Hash::from_entries(arena, &all));
            }
            Value::Hash(Hash::made_unique(arena, all.map(|(key, value)| (*key, held(arena, *value)))))
        }),
        value => value,
    }
}

/// Whether a reference is one that a parameter holds.
pub fn is_held(ty: &Type<'_>) -> bool {
    matches!(ty, Type::Resource { held: true, .. })
}

/// The reference as code writes it.
pub fn written<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    match ty {
        Type::Resource { type_name: Some("Class"), title: Some(title), held: true } => {
            Type::Class(Some(arena.alloc_str(&lower(title)))).alloc(arena)
        }
        Type::Resource { type_name, title, held: true } => shown(arena, *type_name, *title),
        ty => ty,
    }
}

/// The type that Puppet infers of a reference: one that is held is a resource, also where it is a class.
pub(super) fn inferred<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    match ty {
        Type::Resource { type_name, title, held: true } => shown(arena, *type_name, *title),
        ty => ty,
    }
}

/// `File[/x]`
pub(super) fn text(type_name: &str, title: &str) -> String {
    format!("{}[{title}]", capitalize_segments(type_name))
}

fn shown<'c>(arena: &'c Bump, type_name: Option<&'c str>, title: Option<&'c str>) -> &'c Type<'c> {
    Type::Resource { type_name, title, held: false }.alloc(arena)
}

fn held_type<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    match ty {
        Type::Class(Some(name)) => {
            let title = Some(&*arena.alloc_str(&capitalize_segments(name)));
            Type::Resource { type_name: Some("Class"), title, held: true }.alloc(arena)
        }
        Type::Resource { type_name: Some(_), title: Some(_), held: true } => ty,
        // A type of resources is held as a resource without a title.
        Type::Resource { type_name: Some(name), title, held: false } => {
            Type::Resource { type_name: Some(name), title: title.or(Some("")), held: true }.alloc(arena)
        }
        ty => ty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::equals;
    use crate::types::build::reference;
    use crate::types::print::print;

    #[test]
    fn a_held_reference_prints_otherwise_and_is_equal_to_no_type() {
        let arena = Bump::new();
        for (type_name, title, printed) in [("File", "/a", "File[/a]"), ("class", "a::b", "Class[A::B]")] {
            let plain = reference(&arena, type_name, title);
            let Value::Type(held) = held(&arena, Value::Type(plain)) else {
                panic!("it is a reference still")
            };
            assert_eq!(print(held), printed);
            assert!(!equals(Value::Type(plain), Value::Type(held)));
            assert!(equals(Value::Type(held), super::held(&arena, Value::Type(plain))));
            assert_eq!(print(written(&arena, held)), print(plain));
        }
    }

    #[test]
    fn what_lies_deep_is_held_and_the_rest_stays() {
        let arena = Bump::new();
        let file = Value::Type(reference(&arena, "File", "/a"));
        let inner = Value::array(&arena, &[Value::Int(1), file]);
        let Value::Array(outer) = held(&arena, Value::array(&arena, &[inner])) else { panic!("an array") };
        let Value::Array(inner) = outer.items()[0] else { panic!("an array") };
        assert!(matches!(inner.items()[1], Value::Type(ty) if is_held(ty)));
        assert!(inner.items()[0].same(Value::Int(1)));
    }
}
