//! puppetlabs-stdlib: the first value that is something, and truth from and to text and numbers.

use super::old::call_old;
use super::ruby::{matches, text_to_f, text_to_i, to_i, to_s};
use bunraku_vm::arith::strict_float;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::float_to_s;
use bunraku_vm::function::Call;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

old_functions! {
    /// The first argument that is neither undefined nor an empty string.
    "pick" pick;
    /// The same; the last argument where there is no such one.
    "pick_default" pick_default;
    /// An array of whatever is given: a hash's keys and values in turn.
    "any2array" any2array;
    /// Whether something is true, by the rules for numbers and strings.
    "any2bool" any2bool;
    /// Whether a string means true: `yes`, `no`, `1`, …
    "str2bool" str2bool;
    /// Whether a number is greater than zero.
    "num2bool" num2bool;
    /// 1 for true, 0 for false.
    "bool2num" bool2num;
    /// A boolean as text.
    "bool2str" bool2str tells;
    /// The middle one of three numbers.
    "clamp" clamp (1);
    /// A number written to another base.
    "convert_base" convert_base (2, 2);
    /// Bytes from text with a prefix: `4 kB`.
    "to_bytes" to_bytes;
    /// The type of a value in Puppet 3's names.
    "type3x" type3x;
}

/// `count for expected` where the number of arguments is wrong.
fn wrong_count<'c, T>(name: &str, count: usize, expected: &str) -> Eval<'c, T> {
    Err(Flow::raw(format!("{name}(): Wrong number of arguments given ({count} for {expected})")))
}

fn is_nothing(value: &Value<'_>) -> bool {
    value.is_undef() || value.as_str() == Some("")
}

fn pick<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let first = call.args.iter().find(|arg| !is_nothing(arg)).copied();
    first
        .filter(|value| !to_s(*value).is_empty())
        .ok_or_else(|| Flow::raw("pick(): must receive at least one non empty value"))
}

fn pick_default<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some((default, rest)) = call.args.split_last() else {
        return Err(Flow::raw("Must receive at least one argument."));
    };
    Ok(rest.iter().find(|arg| !is_nothing(arg)).copied().unwrap_or(*default))
}

fn any2array<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args {
        [Value::Array(_)] => Ok(call.args[0]),
        [Value::Hash(hash)] => {
            let items: Vec<_> = hash.entries().iter().flat_map(|(key, value)| [*key, *value]).collect();
            Ok(vm.array(&items))
        }
        [Value::Str(text)] if text.is_empty() => Ok(vm.array(&[])),
        args => Ok(vm.array(args)),
    }
}

fn any2bool<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(first) = call.args.first().copied() else { return wrong_count("any2bool", 0, "1") };
    let single = Call { args: &[first], ..call };
    match first {
        Value::Bool(_) => Ok(first),
        Value::Undef => Ok(Value::Bool(false)),
        Value::Int(_) | Value::Float(_) => num2bool(vm, single),
        Value::Str(text) if strict_float(&text).is_ok() => num2bool(vm, single),
        Value::Str(_) => str2bool(vm, single),
        _ => Ok(Value::Bool(true)),
    }
}

fn str2bool<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let text = match call.args.first() {
        None => return wrong_count("str2bool", 0, "1"),
        Some(Value::Bool(b)) => return Ok(Value::Bool(*b)),
        Some(Value::Str(text)) => text,
        Some(_) => return Err(Flow::raw("str2bool(): Requires string to work with")),
    };
    if matches("^$", text) {
        return Ok(Value::Bool(false));
    }
    if matches("(?i)^(1|t|y|true|yes)$", text) {
        return Ok(Value::Bool(true));
    }
    if matches("(?i)^(0|f|n|false|no)$", text) || matches("^(undef|undefined)$", text) {
        return Ok(Value::Bool(false));
    }
    Err(Flow::raw("str2bool(): Unknown type of boolean given"))
}

fn num2bool<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [arg] = call.args else { return wrong_count("num2bool", call.args.len(), "1") };
    let number = match arg {
        Value::Int(n) => *n as f64,
        Value::Float(f) => *f,
        Value::Str(text) => match strict_float(text) {
            Ok(number) => number,
            Err(why) => {
                let text = text.as_str();
                return Err(Flow::raw(format!("num2bool(): '{text}' does not look like a number: {why}")));
            }
        },
        other => text_to_i(&to_s(*other)) as f64,
    };
    if !number.is_finite() {
        return Err(Flow::raw(float_to_s(number)));
    }
    Ok(Value::Bool(number.trunc() > 0.0))
}

fn bool2num<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(first) = call.args.first() else { return wrong_count("bool2num", 0, "1") };
    let value = call_old("str2bool", vm, Call { args: &[*first], ..call })?;
    Ok(Value::Int(i64::from(value.truthy())))
}

fn bool2str<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count != 1 && count != 3 {
        return wrong_count("bool2str", count, "3");
    }
    let text = |n: usize, default: &str| match call.arg(n) {
        Some(value) if value.truthy() => value,
        _ => vm.string(default),
    };
    let (yes, no) = (text(1, "true"), text(2, "false"));
    let Value::Bool(value) = call.args[0] else {
        return Err(Flow::raw("bool2str(): Requires a boolean to work with"));
    };
    if yes.as_str().is_none() || no.as_str().is_none() {
        return Err(Flow::raw("bool2str(): Requires strings to convert to"));
    }
    Ok(if value { yes } else { no })
}

fn clamp<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = super::ruby::flatten(call.args);
    if args.len() != 3 {
        return Err(Flow::raw("clamp(): Wrong number of arguments, need three to clamp"));
    }
    for arg in &args {
        match arg {
            Value::Str(text) if !matches(r"^\d+$", text) => {
                let text = text.as_str();
                return Err(Flow::raw(format!("clamp(): Required explicit numeric ({text}:String)")));
            }
            Value::Hash(_) => {
                let text = to_s(*arg);
                return Err(Flow::raw(format!("clamp(): The Hash type is not allowed ({text})")));
            }
            _ => {}
        }
    }
    let mut numbers: Vec<i64> = args.iter().map(|arg| to_i(*arg)).collect::<Result<_, _>>()?;
    numbers.sort_unstable();
    Ok(Value::Int(numbers[1]))
}

fn convert_base<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    for (arg, which) in call.args.iter().zip(["First", "Second"]) {
        if !matches!(arg, Value::Int(_) | Value::Str(_)) {
            let message = format!("convert_base(): {which} argument must be either a string or an integer");
            return Err(Flow::raw(message));
        }
    }
    for arg in call.args {
        if arg.as_str().is_some_and(|text| !matches("^[0-9]+$", text)) {
            return Err(Flow::raw(
                "convert_base(): First argument must be an integer or a string corresponding to an integer in base 10",
            ));
        }
    }
    let (number, base) = (to_i(call.args[0])?, to_i(call.args[1])?);
    if !(2..=36).contains(&base) {
        return Err(Flow::raw("convert_base(): base must be at least 2 and must not be greater than 36"));
    }
    let mut rest = number.unsigned_abs();
    let mut digits = Vec::new();
    while rest > 0 || digits.is_empty() {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % base as u64) as usize]);
        rest /= base as u64;
    }
    if number < 0 {
        digits.push(b'-');
    }
    let text: String = digits.into_iter().rev().map(char::from).collect();
    Ok(vm.string(&text))
}

fn to_bytes<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [arg] = call.args else { return wrong_count("to_bytes", call.args.len(), "1") };
    let text = match arg {
        Value::Int(_) | Value::Float(_) => return Ok(*arg),
        Value::Str(text) => text,
        other => return Err(super::ruby::no_conversion(*other, "String")),
    };
    let groups = bunraku_vm::regex::captures(r"([0-9.e+-]*)\s*([^bB]?)", text).map_err(Flow::raw)?;
    let groups = groups.unwrap_or_default();
    let group = |n: usize| groups.get(n).copied().flatten().unwrap_or("");
    let value = text_to_f(group(1));
    let shift = match group(2) {
        "" => 0,
        "k" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        "P" => 50,
        "E" => 60,
        other => return Err(Flow::raw(format!("to_bytes(): Unknown prefix {other}"))),
    };
    let bytes = value * (1i64 << shift) as f64;
    if bytes.abs() >= i64::MAX as f64 {
        return Err(Flow::raw(format!("to_bytes(): {} does not fit into a 64-bit Integer", text.as_str())));
    }
    Ok(Value::Int(bytes as i64))
}

fn type3x<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [arg] = call.args else {
        let count = call.args.len();
        return wrong_count("type3x", count, "1");
    };
    let name = match arg {
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        Value::Float(_) => "float",
        Value::Hash(_) => "hash",
        Value::Int(_) => "integer",
        Value::Str(text) if text_to_i(text).to_string() == text.as_str() => "integer",
        Value::Str(text) if float_to_s(text_to_f(text)) == text.as_str() => "float",
        Value::Str(_) => "string",
        _ => return Err(Flow::raw("type3x(): Unknown type")),
    };
    Ok(vm.string(name))
}
