//! Short ways to write a signature, and what functions of Puppet's old (3.x) interface share: they take any
//! arguments, count them themselves, and see `undef` as an empty string.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Arity, Call, Dispatch, NativeFn, ParamSpec};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// `param`
pub const fn required(ty: &'static str, name: &'static str) -> ParamSpec {
    ParamSpec { ty, name, arity: Arity::Required }
}

/// `optional_param`
pub const fn optional(ty: &'static str, name: &'static str) -> ParamSpec {
    ParamSpec { ty, name, arity: Arity::Optional }
}

/// `required_repeated_param`
pub const fn some(ty: &'static str, name: &'static str) -> ParamSpec {
    ParamSpec { ty, name, arity: Arity::RequiredRepeated }
}

/// A signature without block and return type.
pub const fn dispatch(params: &'static [ParamSpec], body: NativeFn) -> Dispatch {
    Dispatch { params, block: None, returns: None, body }
}

/// The signature of an old function: anything.
pub const fn old(body: NativeFn) -> Dispatch {
    const ANY: &[ParamSpec] = &[ParamSpec { ty: "Any", name: "args", arity: Arity::Repeated }];
    dispatch(ANY, body)
}

/// The arguments of an old function that needs at least `least`: `undef` is an empty string to it.
pub fn old_args<'c>(vm: &Vm<'c>, name: &str, call: &Call<'c, '_>, least: usize) -> Eval<'c, Vec<Value<'c>>> {
    let count = call.args.len();
    if count < least {
        let message = format!("{name}(): Wrong number of arguments given ({count} for minimum {least})");
        return Err(Flow::raw(message));
    }
    Ok(call.args.iter().map(|arg| if arg.is_undef() { vm.string("") } else { *arg }).collect())
}
