//! Whether `undef` is of a type.

use crate::budget;
use crate::types::guard::OneSided;
use crate::types::ty::Type;

/// Whether `undef` is an instance of the type.
pub(crate) fn accepts_undef(ty: &Type<'_>) -> bool {
    takes_undef(ty, &|_| true)
}

/// Whether `undef` is an instance of the type, where Puppet asks an `Init` in it, too: `can_make` says whether that
/// has a constructor.
pub(super) fn takes_undef(ty: &Type<'_>, can_make: &dyn Fn(&Type<'_>) -> bool) -> bool {
    check(ty, can_make, &mut OneSided::default())
}

fn check<'c>(ty: &Type<'c>, can_make: &dyn Fn(&Type<'_>) -> bool, walk: &mut OneSided<'c>) -> bool {
    match ty {
        Type::Any | Type::Unit | Type::Undef | Type::Optional(_) | Type::Init { ty: None, .. } => true,
        Type::Init { ty: Some(ty), .. } => {
            can_make(ty) && (is_made_of_anything(ty) || budget::within(1, || check(ty, can_make, walk)))
        }
        Type::Variant(types) => {
            budget::within(types.len(), || types.iter().any(|ty| check(ty, can_make, walk)))
        }
        Type::Alias(alias) => {
            budget::within(1, || walk.target(alias, false, |walk, target| check(target, can_make, walk)))
        }
        _ => false,
    }
}

/// Whether the type has a constructor that takes any value.
fn is_made_of_anything(ty: &Type<'_>) -> bool {
    match ty {
        Type::String { .. }
        | Type::StringValue(_)
        | Type::Sensitive(_)
        | Type::Hash { .. }
        | Type::Struct(_) => true,
        Type::Alias(alias) => alias.target.get().is_some_and(is_made_of_anything),
        _ => false,
    }
}
