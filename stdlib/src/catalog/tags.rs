//! `tag`, `tagged`.

use super::old::{arguments, old};
use bunraku_vm::error::Eval;
use bunraku_vm::function::{Call, Native, native};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native(
        "tag",
        "Adds tags to the containing class or defined type, and so to all that it contains.",
        &[old(tag)],
    ),
    native(
        "tagged",
        "Whether the containing class or defined type has all of the given tags.",
        &[old(tagged)],
    ),
];

fn tag<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = arguments(vm, "tag", &call, 1)?;
    vm.host.tag(vm, call.scope.keep(), &args)?;
    Ok(Value::Undef)
}

fn tagged<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = arguments(vm, "tagged", &call, 1)?;
    vm.host.tagged(vm, call.scope.keep(), &args).map(Value::Bool)
}
