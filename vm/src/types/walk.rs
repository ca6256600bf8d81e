//! Walks over the types within a type, each alias and definition once.

use crate::budget;
use crate::types::ty::{CallableType, StructMember, Type};
use bumpalo::Bump;

/// Whether an `Init` type leads back to itself through what its type is made of.
pub(super) fn is_recursive_init<'c>(init: &'c Type<'c>) -> bool {
    let Type::Init { ty: Some(inner), .. } = init else { return false };
    visit(inner, &mut |ty| std::ptr::eq(ty, init))
}

/// Visits a type and all types in it, each alias once, until `found` says so; whether it did (Ruby: `accept`).
pub(super) fn visit<'c>(ty: &'c Type<'c>, found: &mut dyn FnMut(&'c Type<'c>) -> bool) -> bool {
    parts(ty, &mut Visit { found, seen: Vec::new() })
}

struct Visit<'f, 'c> {
    found: &'f mut dyn FnMut(&'c Type<'c>) -> bool,
    /// Aliases and definitions of Object types, by address.
    seen: Vec<usize>,
}

impl Visit<'_, '_> {
    fn is_new<T>(&mut self, it: &T) -> bool {
        let address = std::ptr::from_ref(it).addr();
        let new = !self.seen.contains(&address);
        if new {
            self.seen.push(address);
        }
        new
    }
}

fn parts<'c>(ty: &'c Type<'c>, walk: &mut Visit<'_, 'c>) -> bool {
    if (walk.found)(ty) {
        return true;
    }
    let is_new = match ty {
        Type::Alias(alias) => walk.is_new(*alias),
        Type::Object { definition: Some(definition), .. } => walk.is_new(*definition),
        _ => true,
    };
    let mut any = false;
    if is_new {
        budget::within(1, || each_part(ty, &mut |part| any = any || parts(part, walk)));
    }
    any
}

/// Calls `each` with the types right within a type as it is written: aliases and Object types are names.
pub(super) fn each_part_written<'c>(ty: &'c Type<'c>, each: &mut dyn FnMut(&'c Type<'c>)) {
    if !matches!(ty, Type::Alias(_) | Type::Object { .. }) {
        budget::within(1, || each_part(ty, each));
    }
}

/// Calls `each` with the types right within a type, in Puppet's order; with what an alias stands for.
pub(super) fn each_part<'c>(ty: &'c Type<'c>, each: &mut dyn FnMut(&'c Type<'c>)) {
    match ty {
        Type::Array { element: inner, .. }
        | Type::Optional(inner)
        | Type::NotUndef(inner)
        | Type::Sensitive(inner)
        | Type::Type(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::ObjectExtension { base: inner, .. }
        | Type::Init { ty: Some(inner), .. } => each(inner),
        Type::Hash { key, value, .. } => {
            each(key);
            each(value);
        }
        Type::Tuple { types, .. } | Type::Variant(types) => types.iter().for_each(|ty| each(ty)),
        Type::Struct(members) => members.iter().for_each(|member| each(member.value)),
        Type::Callable(callable) => {
            let (params, block, returns) = (callable.params.iter(), &callable.block, &callable.returns);
            params.chain(block).chain(returns).for_each(|ty| each(ty));
        }
        Type::Alias(alias) => {
            if let Some(target) = alias.target.get() {
                each(target);
            }
        }
        Type::Object { definition: Some(definition), .. } => {
            let members = definition.attributes.iter().chain(definition.functions);
            definition.parent.into_iter().chain(members.map(|member| member.ty)).for_each(each);
        }
        _ => {}
    }
}

/// The type with other types in the place of those right within it: what `part` makes of each. Sizes stay as they
/// are; so does a type without parts, and one whose part is not given.
pub(super) fn map_parts<'c>(
    arena: &'c Bump,
    ty: &'c Type<'c>,
    part: &dyn Fn(&'c Type<'c>) -> &'c Type<'c>,
) -> &'c Type<'c> {
    let all = |types: &[&'c Type<'c>]| -> &'c [&'c Type<'c>] {
        arena.alloc_slice_fill_iter(types.iter().map(|ty| part(ty)))
    };
    let mapped = match ty {
        Type::Array { element, size } => Type::Array { element: part(element), size: *size },
        Type::Hash { key, value, size } => Type::Hash { key: part(key), value: part(value), size: *size },
        Type::Struct(members) => {
            let mapped = members.iter().map(|member| StructMember { value: part(member.value), ..*member });
            Type::Struct(arena.alloc_slice_fill_iter(mapped))
        }
        Type::Tuple { types, size } => Type::Tuple { types: all(types), size: *size },
        Type::Callable(callable) if !callable.unspecified || callable.returns.is_some() => {
            Type::Callable(CallableType {
                params: all(callable.params),
                block: callable.block.map(part),
                returns: callable.returns.map(part),
                ..*callable
            })
        }
        Type::Optional(inner) if !inner.is_unit() => Type::Optional(part(inner)),
        Type::NotUndef(inner) if !matches!(inner, Type::Any) => Type::NotUndef(part(inner)),
        Type::Sensitive(inner) => Type::Sensitive(part(inner)),
        Type::Type(inner) if !inner.is_unit() => Type::Type(part(inner)),
        Type::Iterable(inner) if !inner.is_unit() => Type::Iterable(part(inner)),
        Type::Iterator(inner) if !inner.is_unit() => Type::Iterator(part(inner)),
        _ => return ty,
    };
    mapped.alloc(arena)
}
