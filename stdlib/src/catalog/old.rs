//! What functions of Puppet's old (3.x) interface share: they take anything, count their arguments themselves, and
//! see `undef` as an empty string.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Dispatch, NativeFn, ParamSpec, dispatch, repeated_param};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The signature of an old function: anything.
pub const fn old(body: NativeFn) -> Dispatch {
    const ANY: &[ParamSpec] = &[repeated_param("Any", "args")];
    dispatch(ANY, body).optional_block("Callable")
}

/// The arguments of an old function that needs at least `least`: `undef` is an empty string to it.
pub fn arguments<'c>(vm: &Vm<'c>, name: &str, call: &Call<'c, '_>, least: usize) -> Eval<'c, Vec<Value<'c>>> {
    let count = call.args.len();
    if count < least {
        let message = format!("{name}(): Wrong number of arguments given ({count} for minimum {least})");
        return Err(Flow::raw(message));
    }
    Ok(call.args.iter().map(|arg| if arg.is_undef() { vm.string("") } else { *arg }).collect())
}
