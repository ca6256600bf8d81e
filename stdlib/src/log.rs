//! Functions that write to the log, one for each level.

use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::Eval;
use bunraku_vm::format;
use bunraku_vm::function::{Call, Native, NativeFn, dispatch, native, repeated_param};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

macro_rules! levels {
    ($($name:literal $function:ident $severity:ident;)*) => {
        /// The group.
        pub const FUNCTIONS: &[Native] = &[$(
            native(
                $name,
                concat!("Logs its arguments, joined by spaces, at the level `", $name, "`."),
                &[dispatch(&[repeated_param("Any", "values")], $function as NativeFn).returns("Undef")],
            )
        ),*];
        $(fn $function<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
            log(vm, Severity::$severity, &call)
        })*
    };
}

levels! {
    "debug" debug Debug;
    "info" info Info;
    "notice" notice Notice;
    "warning" warning Warning;
    "err" err Err;
    "alert" alert Alert;
    "crit" crit Crit;
    "emerg" emerg Emerg;
}

fn log<'c>(vm: &mut Vm<'c>, severity: Severity, call: &Call<'c, '_>) -> Eval<'c> {
    // Puppet's default log level is notice: what is below is not there.
    if severity >= Severity::Notice {
        let words: Vec<String> = call.args.iter().map(|value| format::to_interpolated(*value)).collect();
        vm.host.log(severity, &words.join(" "), None);
    }
    Ok(Value::Undef)
}
