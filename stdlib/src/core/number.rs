//! Numbers: rounding, signs, extremes, comparison.

use crate::support::{deprecated, text};
use bunraku_vm::arith::strict_float;
use bunraku_vm::cause::Cause;
use bunraku_vm::closure::Closure;
use bunraku_vm::compare::order;
use bunraku_vm::compat::Rule;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::to_ruby_s;
use bunraku_vm::function::Call;
use bunraku_vm::host::Change;
use bunraku_vm::label;
use bunraku_vm::regex;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::cmp::Ordering;

natives! {
    /// The absolute value of a number.
    function "abs" {
        dispatch abs(param "Numeric" val);
        dispatch abs_string(param "String" val);
    }
    /// The least integer that is not less.
    function "ceiling" {
        dispatch ceiling(param "Numeric" val);
        dispatch ceiling_string(param "String" val);
    }
    /// The greatest integer that is not greater.
    function "floor" {
        dispatch floor(param "Numeric" val);
        dispatch floor_string(param "String" val);
    }
    /// The nearest integer, halves away from zero.
    function "round" { dispatch round(param "Numeric" val); }
    /// The greatest of its arguments.
    function "max" {
        dispatch max(repeated_param "Numeric" values);
        dispatch max(repeated_param "String" values);
        dispatch max(repeated_param "Semver" values);
        dispatch max(repeated_param "Timespan" values);
        dispatch max(repeated_param "Timestamp" values);
        dispatch max_array(param "Array[Numeric]" values) [optional_block_param "Callable[2,2]" block];
        dispatch max_array(param "Array[String]" values) [optional_block_param "Callable[2,2]" block];
        dispatch max_array(param "Array[Semver]" values) [optional_block_param "Callable[2,2]" block];
        dispatch max_array(param "Array[Timespan]" values) [optional_block_param "Callable[2,2]" block];
        dispatch max_array(param "Array[Timestamp]" values) [optional_block_param "Callable[2,2]" block];
        dispatch max_array(param "Array" values) [optional_block_param "Callable[2,2]" block];
        dispatch max(repeated_param "Any" values) [block_param "Callable[2,2]" block];
        dispatch max(repeated_param "Any" values);
    }
    /// The least of its arguments.
    function "min" {
        dispatch min(repeated_param "Numeric" values);
        dispatch min(repeated_param "String" values);
        dispatch min(repeated_param "Semver" values);
        dispatch min(repeated_param "Timespan" values);
        dispatch min(repeated_param "Timestamp" values);
        dispatch min_array(param "Array[Numeric]" values) [optional_block_param "Callable[2,2]" block];
        dispatch min_array(param "Array[String]" values) [optional_block_param "Callable[2,2]" block];
        dispatch min_array(param "Array[Semver]" values) [optional_block_param "Callable[2,2]" block];
        dispatch min_array(param "Array[Timespan]" values) [optional_block_param "Callable[2,2]" block];
        dispatch min_array(param "Array[Timestamp]" values) [optional_block_param "Callable[2,2]" block];
        dispatch min_array(param "Array" values) [optional_block_param "Callable[2,2]" block];
        dispatch min(repeated_param "Any" values) [block_param "Callable[2,2]" block];
        dispatch min(repeated_param "Any" values);
    }
    /// -1, 0 or 1 by the order of two values.
    function "compare" {
        local_types {
            "TimeComparable = Variant[Numeric, Timespan, Timestamp]",
            "Comparable = Variant[String, Semver, TimeComparable]",
        }
        dispatch compare(param "Numeric" a, param "Numeric" b);
        dispatch compare_string(param "String" a, param "String" b, optional_param "Boolean" ignore_case);
        dispatch compare(param "Semver" a, param "Semver" b);
        dispatch compare(param "Numeric" a, param "Variant[Timespan, Timestamp]" b);
        dispatch compare(param "Timestamp" a, param "Variant[Timestamp, Numeric]" b);
        dispatch compare(param "Timespan" a, param "Variant[Timespan, Numeric]" b);
        argument_mismatch compare_error(
            param "Comparable" a, param "Comparable" b, repeated_param "Any" ignore_case);
        argument_mismatch not_comparable(param "Any" a, param "Any" b, repeated_param "Any" ignore_case);
    }
}

fn integer<'c>(f: f64) -> Eval<'c> {
    if !f.is_finite() {
        return Err(Flow::raw(bunraku_vm::format::float_to_s(f)));
    }
    // The least float beyond 64 bits; what is below it is exact.
    if f.abs() >= 9_223_372_036_854_775_808.0 {
        let number = bunraku_vm::format::float_to_s(f);
        return Err(Flow::raw(format!("the number {number} does not fit into a 64-bit Integer")));
    }
    Ok(Value::Int(f as i64))
}

fn abs<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(match call.args[0] {
        Value::Int(n) => Value::Int(n.saturating_abs()),
        Value::Float(f) => Value::Float(f.abs()),
        other => other,
    })
}

fn abs_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let message = "The abs() function's auto conversion of String to Numeric is deprecated - change to convert \
                   input before calling";
    deprecated(vm, message);
    let text = text(call.arg(0));
    let is = |source| regex::is_match(source, text).unwrap_or(false);
    if is("^-?(?:\\d+)(?:\\.\\d+){1}$") {
        return Ok(Value::Float(text.parse::<f64>().unwrap_or(0.0).abs()));
    }
    if is("^-?\\d+$") {
        return Ok(Value::Int(text.parse::<i64>().unwrap_or(i64::MAX).saturating_abs()));
    }
    Err(Flow::raw("abs(): Requires float or integer to work with - was given non decimal string"))
}

/// The float in a string that `floor` or `ceiling` was given.
fn coerced<'c>(vm: &mut Vm<'c>, name: &str, call: &Call<'c, '_>) -> Eval<'c, f64> {
    let message = format!(
        "The {name}() function's auto conversion of String to Float is deprecated - change to convert input before \
         calling"
    );
    deprecated(vm, &message);
    strict_float(text(call.arg(0)))
        .map_err(|_| Flow::raw(format!("{name}(): cannot convert given value to a floating point value.")))
}

fn ceiling<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args[0] {
        Value::Float(f) => integer(f.ceil()),
        other => Ok(other),
    }
}

fn ceiling_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    integer(coerced(vm, "ceiling", &call)?.ceil())
}

fn floor<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args[0] {
        Value::Float(f) => integer(f.floor()),
        other => Ok(other),
    }
}

fn floor_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    integer(coerced(vm, "floor", &call)?.floor())
}

fn round<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args[0] {
        Value::Float(f) => integer(if f > 0.0 { f + 0.5 } else { f - 0.5 }.trunc()),
        other => Ok(other),
    }
}

pub(super) fn max<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    extreme(vm, "max", Ordering::Greater, call.args, call.block)
}

pub(super) fn min<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    extreme(vm, "min", Ordering::Less, call.args, call.block)
}

fn items<'c>(call: &Call<'c, '_>) -> &'c [Value<'c>] {
    match call.args[0] {
        Value::Array(items) => items.items(),
        _ => &[],
    }
}

pub(super) fn max_array<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    extreme(vm, "max", Ordering::Greater, items(&call), call.block)
}

pub(super) fn min_array<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    extreme(vm, "min", Ordering::Less, items(&call), call.block)
}

fn extreme<'c>(
    vm: &mut Vm<'c>,
    name: &str,
    wanted: Ordering,
    values: &[Value<'c>],
    block: Option<&'c Closure<'c>>,
) -> Eval<'c> {
    let Some((first, rest)) = values.split_first() else {
        if block.is_some() {
            return Ok(Value::Undef);
        }
        return Err(Flow::raw(format!("{name}(): Wrong number of arguments need at least one")));
    };
    let mut best = *first;
    let same = |is: fn(&Value<'c>) -> bool| values.iter().all(is);
    let of_one_kind = same(|value| matches!(value, Value::SemVer(_)))
        || same(|value| matches!(value, Value::Timespan(_)))
        || same(|value| matches!(value, Value::Timestamp(_)));
    if of_one_kind && block.is_none() {
        vm.witness(Change::Rule(Rule::VersionsAreCompared), name);
    }
    let have_order = of_one_kind && vm.host.holds(Rule::VersionsAreCompared);
    let all_strings = values.iter().all(|value| matches!(value, Value::Str(_)));
    let all_numbers = values.iter().all(|value| matches!(value, Value::Int(_) | Value::Float(_)));
    for value in rest {
        let order = match block {
            Some(block) => block_order(vm, block, *value, best)?,
            None if have_order => order(*value, best).ok().flatten().unwrap_or(Ordering::Equal),
            None => mixed_order(vm, name, *value, best, (all_numbers, all_strings)),
        };
        if order == wanted {
            best = *value;
        }
    }
    Ok(best)
}

/// The order a block gives: negative, zero or positive.
pub(super) fn block_order<'c>(
    vm: &mut Vm<'c>,
    block: &'c Closure<'c>,
    a: Value<'c>,
    b: Value<'c>,
) -> Eval<'c, Ordering> {
    match vm.call(block, &[a, b])? {
        Value::Int(n) => Ok(n.cmp(&0)),
        Value::Float(f) => Ok(f.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        _ => Err(Flow::caused(Cause::Incomparable, super::sort::not_comparable(a, b))),
    }
}

/// The order without a block: of numbers by value, of anything else as text.
fn mixed_order<'c>(
    vm: &mut Vm<'c>,
    name: &str,
    a: Value<'c>,
    b: Value<'c>,
    (numbers, strings): (bool, bool),
) -> Ordering {
    if let (true, Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) = (numbers, a, b) {
        return order(a, b).ok().flatten().unwrap_or(Ordering::Equal);
    }
    let (a, b) = (to_ruby_s(a), to_ruby_s(b));
    let numeric = |text: &str| regex::is_match("\\A-?\\d+([._eE]\\d+)?\\z", text).unwrap_or(false);
    let hint = "is deprecated - change to convert input before calling, or use lambda";
    if numeric(&a) && numeric(&b) {
        let message = format!("The {name}() function's auto conversion of String to Numeric {hint}");
        deprecated(vm, &message);
        let number = |text: &str| text.replace('_', "").parse::<f64>().unwrap_or(0.0);
        return number(&a).partial_cmp(&number(&b)).unwrap_or(Ordering::Equal);
    }
    if !strings {
        let message = format!("The {name}() function's auto conversion of Any to String {hint}");
        deprecated(vm, &message);
    }
    a.cmp(&b)
}

fn compare<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(match order(call.args[0], call.args[1]).map_err(Flow::raw)? {
        Some(order) => Value::Int(order as i64),
        None => Value::Undef,
    })
}

fn compare_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    if call.arg(2).is_none_or(Value::truthy) {
        return compare(vm, Call { args: &call.args[..2], ..call });
    }
    Ok(Value::Int(text(call.arg(0)).cmp(text(call.arg(1))) as i64))
}

fn compare_error<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (a, b) = (call.args[0], call.args[1]);
    let rest = &call.args[2..];
    let message = if rest.is_empty() {
        let (a, b) = (label::value(a), label::value(b));
        format!(
            "compare(): Can only compare values of the same type (or for Timestamp/Timespan also against \
             Numeric). Got {a} and {b}"
        )
    } else if !(matches!(a, Value::Str(_)) && matches!(b, Value::Str(_))) {
        "compare(): The third argument (ignore case) can only be used when comparing strings".to_owned()
    } else if rest.len() != 1 {
        format!("compare(): Accepts at most 3 arguments, got {}", 2 + rest.len())
    } else {
        // Puppet trips over a constant that does not exist; this is what its user sees.
        return Err(Flow::raw(
            "uninitialized constant Puppet::Pops::Loader::RubyFunctionInstantiator::Boolean",
        ));
    };
    Ok(vm.string(&message))
}

fn not_comparable<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (a, b) = (label::value(call.args[0]), label::value(call.args[1]));
    Ok(vm.string(&format!(
        "compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp \
         can be compared. Got {a} and {b}"
    )))
}
