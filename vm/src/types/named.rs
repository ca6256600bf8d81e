//! What capitalised names mean: Puppet's own types, and what the host knows of others.

use crate::error::Eval;
use crate::types::build::{builtin, resource};
use crate::types::ty::Type;
use crate::vm::Vm;

/// What a capitalised name means: a built-in type, an alias, a resource type, or a reference to nothing known.
///
/// # Errors
/// Those of loading an alias.
#[inline(never)]
pub fn by_name<'c>(vm: &mut Vm<'c>, name: &str) -> Eval<'c, &'c Type<'c>> {
    if let Some(ty) = builtin(vm.arena, name) {
        return Ok(ty);
    }
    let host = vm.host;
    if let Some(ty) = host.type_alias(vm, name)? {
        return Ok(ty);
    }
    if host.is_resource_type(vm, &name.to_lowercase())? {
        return Ok(resource(vm.arena, name, None));
    }
    Ok(Type::Reference(vm.arena.alloc_str(name)).alloc(vm.arena))
}

/// Resource types that Puppet knows before it has loaded any.
const RESOURCE_TYPES: &[&str] = &[
    "component",
    "exec",
    "file",
    "filebucket",
    "group",
    "node",
    "notify",
    "package",
    "resources",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
];

/// What a capitalised name means to who knows Puppet's own types only: one of those, or a reference to nothing known.
///
/// # Errors
/// Those of making the type.
pub(super) fn of_puppet<'c>(vm: &mut Vm<'c>, name: &str) -> Eval<'c, &'c Type<'c>> {
    // The type of errors belongs to Puppet's modules.
    if let Some(ty) = builtin(vm.arena, name).filter(|_| !name.eq_ignore_ascii_case("error")) {
        return Ok(ty);
    }
    if name.eq_ignore_ascii_case("puppet::lookupcontext") {
        return by_name(vm, name);
    }
    if RESOURCE_TYPES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return Ok(resource(vm.arena, name, None));
    }
    Ok(Type::Reference(vm.arena.alloc_str(name)).alloc(vm.arena))
}
