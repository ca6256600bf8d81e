//! `tag`, `tagged`.

use super::table::{old, old_args};
use bunraku_vm::error::Eval;
use bunraku_vm::function::{Call, Native};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

pub(super) const NATIVES: &[Native] = &[
    Native {
        name: "tag",
        doc: "Adds tags to the containing class or defined type, and so to all that it contains.",
        local_types: &[],
        dispatches: &[old(tag)],
        mismatches: &[],
    },
    Native {
        name: "tagged",
        doc: "Whether the containing class or defined type has all of the given tags.",
        local_types: &[],
        dispatches: &[old(tagged)],
        mismatches: &[],
    },
];

fn tag<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = old_args(vm, "tag", &call, 1)?;
    vm.host.tag(vm, call.scope, &args)?;
    Ok(Value::Undef)
}

fn tagged<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = old_args(vm, "tagged", &call, 1)?;
    vm.host.tagged(vm, call.scope, &args).map(Value::Bool)
}
