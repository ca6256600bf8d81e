//! Aliases: giving one its body, and what is to be known of it then. Source: `Puppet::Pops::Types::PTypeAliasType`.

use super::guard::{Guarded, Key, OneSided};
use super::{Type, normalize, variant};
use crate::budget;
use crate::error::{Eval, Flow};
use bumpalo::Bump;
use std::cell::Cell;

/// A named type: an alias from a `type` statement, a `types/*.pp` file or Puppet itself (`Data`, `RichData`).
/// The target is set once the body has been evaluated, so an alias may refer to itself.
pub struct Alias<'c> {
    /// Name as declared: `Stdlib::Absolutepath`.
    pub name: &'c str,
    /// What it stands for; unset only while the alias is being resolved.
    pub target: Cell<Option<&'c Type<'c>>>,
    recursion: Cell<Recursion>,
}

/// Whether an alias leads back to itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recursion {
    None,
    /// It does, and each time through an element of a collection: a check of a value comes to its end by itself.
    Founded,
    /// It does.
    Free,
}

impl<'c> Alias<'c> {
    /// An alias that stands for nothing yet.
    pub fn new(name: &'c str) -> Self {
        Alias { name, target: Cell::new(None), recursion: Cell::new(Recursion::None) }
    }

    /// An alias of a type that does not lead back to it.
    pub fn of(name: &'c str, target: &'c Type<'c>) -> Self {
        let alias = Alias::new(name);
        alias.target.set(Some(target));
        alias
    }

    /// The Object type that this stands for in that type's own definition, before which it was met.
    pub fn itself(&self) -> Option<&'c Type<'c>> {
        self.target
            .get()
            .filter(|target| matches!(target, Type::Object { name: Some(name), .. } if *name == self.name))
    }

    /// Gives one of Puppet's own aliases its target, which leads back to it through elements of collections.
    pub(super) fn found(&self, target: &'c Type<'c>) {
        self.target.set(Some(target));
        self.recursion.set(Recursion::Founded);
    }

    /// Whether it leads back to itself.
    pub fn is_recursive(&self) -> bool {
        self.recursion.get() != Recursion::None
    }

    /// Whether a check of a value may come back to it with the same value.
    pub(super) fn may_stand_still(&self) -> bool {
        self.recursion.get() == Recursion::Free
    }
}

/// Gives an alias its body, normalised.
///
/// # Errors
/// When nothing but aliases remains: "Type alias 'X' cannot be resolved to a real type".
pub fn set_alias<'c>(arena: &'c Bump, alias: &'c Alias<'c>, body: &'c Type<'c>) -> Eval<'c, ()> {
    alias.target.set(Some(normalize(arena, body)));
    super::noted::noted().inspect_err(|_| alias.target.set(None))?;
    if !is_real(Type::Alias(alias).alloc(arena)) {
        alias.target.set(None);
        let message = format!("Type alias '{}' cannot be resolved to a real type", alias.name);
        return Err(Flow::raw(message));
    }
    settle(arena, alias);
    Ok(())
}

/// Finds out whether an alias that has just got its target leads back to itself, and which of those it leads to do by
/// now.
pub fn settle<'c>(arena: &'c Bump, alias: &'c Alias<'c>) {
    if !leads_back(alias) {
        return;
    }
    accept(alias, &mut OneSided::default(), &mut |other| {
        if !other.is_recursive() && other.target.get().is_some() && leads_back(other) {
            drop_unreal(arena, other);
        }
    });
    drop_unreal(arena, alias);
}

/// Whether an alias leads back to itself, which it then knows. It is taken for one that does in the meantime.
fn leads_back<'c>(alias: &'c Alias<'c>) -> bool {
    alias.recursion.set(Recursion::Free);
    let mut walk = OneSided::noting();
    accept(alias, &mut walk, &mut |_| {});
    let met = walk.has_met(Key::alias(alias));
    alias.recursion.set(if met { Recursion::Free } else { Recursion::None });
    met
}

/// Takes out of a recursive alias of a `Variant` what is only the alias itself.
fn drop_unreal<'c>(arena: &'c Bump, alias: &'c Alias<'c>) {
    let Some(Type::Variant(types)) = alias.target.get() else { return };
    let is_self = |ty: &Type<'_>| matches!(ty, Type::Alias(other) if other.name == alias.name);
    let real: Vec<_> = types.iter().copied().filter(|ty| !is_self(ty) && is_real(ty)).collect();
    if real.len() != types.len() {
        alias.target.set(Some(variant(arena, &real)));
        leads_back(alias);
    }
}

/// Visits an alias and those it leads to, in Puppet's order and as far as Puppet's guard lets it.
fn accept<'c>(alias: &'c Alias<'c>, walk: &mut OneSided<'c>, found: &mut dyn FnMut(&'c Alias<'c>)) {
    let mut step = |walk: &mut OneSided<'c>| {
        found(alias);
        if let Some(target) = alias.target.get() {
            accept_parts(target, walk, found);
        }
    };
    budget::within(1, || match alias.is_recursive() {
        false => step(walk),
        true => walk.with_this(Key::alias(alias), |walk, again| {
            if !again.in_this() {
                step(walk);
            }
        }),
    });
}

fn accept_parts<'c>(ty: &'c Type<'c>, walk: &mut OneSided<'c>, found: &mut dyn FnMut(&'c Alias<'c>)) {
    if let Type::Alias(alias) = ty {
        return accept(alias, walk, found);
    }
    if let Type::Object { definition: Some(definition), .. } = ty {
        return walk.with_this(Key::of(*definition), |walk, again| {
            if !again.in_this() {
                budget::within(1, || each_part(ty, &mut |part| accept_parts(part, walk, found)));
            }
        });
    }
    budget::within(1, || each_part(ty, &mut |part| accept_parts(part, walk, found)));
}

/// Whether a type leads to something other than aliases and variants.
fn is_real<'c>(ty: &'c Type<'c>) -> bool {
    visit(ty, &mut |ty| match ty {
        // What is still being resolved passes for real: it will be asked itself.
        Type::Alias(alias) => alias.target.get().is_none(),
        Type::Variant(_) => false,
        _ => true,
    })
}

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
fn each_part<'c>(ty: &'c Type<'c>, each: &mut dyn FnMut(&'c Type<'c>)) {
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
