//! `create_resources`, `realize`.

use super::table::{old, old_args};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native};
use bunraku_vm::types;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

pub(super) const NATIVES: &[Native] = &[
    Native {
        name: "create_resources",
        doc: "Declares a resource for each entry of a hash: its key is the title, its value the parameters.",
        local_types: &[],
        dispatches: &[old(create_resources)],
        mismatches: &[],
    },
    Native {
        name: "realize",
        doc: "Makes virtual resources real, by reference.",
        local_types: &[],
        dispatches: &[old(realize)],
        mismatches: &[],
    },
];

fn create_resources<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = old_args(vm, "create_resources", &call, 2)?;
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
        let actual = types::generalized_name(vm, args[0]);
        return Err(Flow::raw(format!("create_resources(): first argument must be a string, got {actual}")));
    };
    vm.host.create_resources(vm, call.scope, type_name.as_str(), resources, defaults)?;
    Ok(Value::Undef)
}

fn realize<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = old_args(vm, "realize", &call, 1)?;
    vm.host.realize(vm, call.scope, &args)?;
    Ok(Value::Undef)
}
