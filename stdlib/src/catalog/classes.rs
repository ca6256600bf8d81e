//! `include`, `contain`, `require`, `defined`.

use super::table::{dispatch, some};
use bunraku_vm::error::Eval;
use bunraku_vm::function::{Call, Native};
use bunraku_vm::host::Include;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

pub(super) const NATIVES: &[Native] = &[
    Native {
        name: "include",
        doc: "Declares classes; each is evaluated once, however often it is included.",
        local_types: &[],
        dispatches: &[dispatch(&[some("Any", "names")], include)],
        mismatches: &[],
    },
    Native {
        name: "contain",
        doc: "Declares classes inside the current class: they are applied within its bounds.",
        local_types: &[],
        dispatches: &[dispatch(&[some("Any", "names")], contain)],
        mismatches: &[],
    },
    Native {
        name: "require",
        doc: "Declares classes that the current class or defined type then depends on.",
        local_types: &[],
        dispatches: &[dispatch(&[some("Any", "names")], require)],
        mismatches: &[],
    },
    Native {
        name: "defined",
        doc: "Whether any of the given classes, resource types, resources or variables is there so far.",
        local_types: &[],
        dispatches: &[dispatch(
            &[some("Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]]", "vals")],
            defined,
        )],
        mismatches: &[],
    },
];

fn include<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.include(vm, call.scope, Include::Include, call.args)
}

fn contain<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.include(vm, call.scope, Include::Contain, call.args)
}

fn require<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.include(vm, call.scope, Include::Require, call.args)
}

fn defined<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.defined(vm, call.scope, call.args).map(Value::Bool)
}
