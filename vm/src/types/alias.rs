//! Aliases: giving one its body, and what is to be known of it then. Source: `Puppet::Pops::Types::PTypeAliasType`.

use crate::budget;
use crate::error::{Eval, Flow};
use crate::types::build::variant;
use crate::types::check_fault;
use crate::types::guard::{Guarded, Key, OneSided};
use crate::types::normalize::normalize;
use crate::types::ty::{Alias, Recursion, Type};
use crate::types::walk::{each_part, visit};
use bumpalo::Bump;

/// Gives an alias its body, normalised.
///
/// # Errors
/// When nothing but aliases remains: "Type alias 'X' cannot be resolved to a real type".
pub fn set_alias<'c>(arena: &'c Bump, alias: &'c Alias<'c>, body: &'c Type<'c>) -> Eval<'c, ()> {
    alias.target.set(Some(normalize(arena, body)));
    check_fault::raise().inspect_err(|_| alias.target.set(None))?;
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
    alias.set_recursion(Recursion::Free);
    let mut walk = OneSided::noting();
    accept(alias, &mut walk, &mut |_| {});
    let met = walk.has_met(Key::alias(alias));
    alias.set_recursion(if met { Recursion::Free } else { Recursion::None });
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
