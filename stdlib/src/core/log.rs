//! The functions that write to the log.

use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::Eval;
use bunraku_vm::format::interpolate;
use bunraku_vm::function::Call;
use bunraku_vm::types;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Logs its arguments at the level `alert`.
    function "alert" { dispatch alert(repeated_param "Any" values) -> "Undef"; }
    /// Logs its arguments at the level `crit`.
    function "crit" { dispatch crit(repeated_param "Any" values) -> "Undef"; }
    /// Logs its arguments at the level `debug`.
    function "debug" { dispatch debug(repeated_param "Any" values) -> "Undef"; }
    /// Logs its arguments at the level `emerg`.
    function "emerg" { dispatch emerg(repeated_param "Any" values) -> "Undef"; }
    /// Logs its arguments at the level `err`.
    function "err" { dispatch err(repeated_param "Any" values) -> "Undef"; }
    /// Logs its arguments at the level `info`.
    function "info" { dispatch info(repeated_param "Any" values) -> "Undef"; }
    /// Logs its arguments at the level `notice`.
    function "notice" { dispatch notice(repeated_param "Any" values) -> "Undef"; }
    /// Logs its arguments at the level `warning`.
    function "warning" { dispatch warning(repeated_param "Any" values) -> "Undef"; }
}

macro_rules! levels {
    ($($name:ident $severity:ident)*) => {$(
        fn $name<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
            log(vm, Severity::$severity, call)
        }
    )*};
}

levels! {
    alert Alert
    crit Crit
    debug Debug
    emerg Emerg
    err Err
    info Info
    notice Notice
    warning Warning
}

/// Puppet's log entry of a function has the scope as its source and no place.
fn log<'c>(vm: &mut Vm<'c>, severity: Severity, call: Call<'c, '_>) -> Eval<'c> {
    let mut message = String::new();
    for (n, value) in call.args.iter().enumerate() {
        if n > 0 {
            message.push(' ');
        }
        interpolate(&mut message, *value);
    }
    // A type that can't be printed: nothing is logged.
    types::raise_check_fault()?;
    vm.host.log_from(call.scope.look(), severity, &message);
    Ok(Value::Undef)
}
