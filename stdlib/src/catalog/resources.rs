//! `create_resources`, `realize`.

use super::old::{arguments, old};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native, native};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native(
        "create_resources",
        "Declares a resource for each entry of a hash: its key is the title, its value the parameters.",
        &[old(create_resources)],
    ),
    native("realize", "Makes virtual resources real, by reference.", &[old(realize)]),
];

fn create_resources<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = arguments(vm, "create_resources", &call, 2)?;
    if args.len() > 3 {
        let count = args.len();
        let message = format!("create_resources(): wrong number of arguments ({count}; must be 2 or 3)");
        return Err(Flow::raw(message));
    }
    let Value::Hash(resources) = args[1] else {
        return Err(Flow::raw("create_resources(): second argument must be a hash"));
    };
    let defaults = match args.get(2) {
        None => None,
        Some(Value::Hash(defaults)) => Some(*defaults),
        Some(_) => {
            return Err(Flow::raw("create_resources(): third argument, if provided, must be a hash"));
        }
    };
    let Value::Str(type_name) = args[0] else {
        // Puppet takes no other type's name either; its message is Ruby's about a missing method.
        let actual = vm.type_text(args[0]);
        return Err(Flow::raw(format!("create_resources(): first argument must be a string, got {actual}")));
    };
    vm.host.create_resources(vm, call.scope.keep(), type_name.as_str(), resources, defaults)?;
    Ok(Value::Undef)
}

fn realize<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = arguments(vm, "realize", &call, 1)?;
    vm.host.realize(vm, call.scope.keep(), &args)?;
    Ok(Value::Undef)
}
