//! `include`, `contain`, `require`, `defined`.

use bunraku_vm::error::Eval;
use bunraku_vm::function::{Call, Native, dispatch, native, required_repeated_param};
use bunraku_vm::host::Include;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native(
        "include",
        "Declares classes; each is evaluated once, however often it is included.",
        &[dispatch(&[required_repeated_param("Any", "names")], include)],
    ),
    native(
        "contain",
        "Declares classes inside the current class: they are applied within its bounds.",
        &[dispatch(&[required_repeated_param("Any", "names")], contain)],
    ),
    native(
        "require",
        "Declares classes that the current class or defined type then depends on.",
        &[dispatch(&[required_repeated_param("Any", "names")], require)],
    ),
    native(
        "defined",
        "Whether any of the given classes, resource types, resources or variables is there so far.",
        &[dispatch(
            &[required_repeated_param(
                "Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]]",
                "vals",
            )],
            defined,
        )],
    ),
];

fn include<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.include(vm, call.scope.keep(), Include::Include, call.args)
}

fn contain<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.include(vm, call.scope.keep(), Include::Contain, call.args)
}

fn require<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.include(vm, call.scope.keep(), Include::Require, call.args)
}

fn defined<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.defined(vm, call.scope.keep(), call.args).map(Value::Bool)
}
