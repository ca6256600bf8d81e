//! `strftime`

use crate::support::{deprecated_here, text};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::time::{timespan, timestamp};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// A timestamp or timespan by a format.
    function "strftime" {
        dispatch format_timespan(param "Timespan" time_object, param "String" format);
        dispatch format_timestamp(
            param "Timestamp" time_object, param "String" format, optional_param "String" timezone);
        dispatch legacy_strftime(param "String" format, optional_param "String" timezone);
    }
}

fn format_timespan<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Timespan(span) = call.args[0] else { return Ok(Value::Undef) };
    let result = timespan::format(*span, text(call.arg(1))).map_err(Flow::raw)?;
    Ok(vm.string(&result))
}

fn format_timestamp<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Timestamp(moment) = call.args[0] else { return Ok(Value::Undef) };
    let zone = call.arg(2).and_then(Value::as_str);
    let result = timestamp::format(*moment, text(call.arg(1)), zone).map_err(Flow::raw)?;
    Ok(vm.string(&result))
}

fn legacy_strftime<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let message = "The argument signature (String format, [String timezone]) is deprecated for #strftime. \
                   See #strftime documentation and Timespan type for more info";
    deprecated_here(vm, message);
    let zone = call.arg(1).and_then(Value::as_str);
    let result = timestamp::format(timestamp::now(), text(call.arg(0)), zone).map_err(Flow::raw)?;
    Ok(vm.string(&result))
}
