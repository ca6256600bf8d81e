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
