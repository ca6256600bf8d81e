//! `Integer`, `Float`, `Numeric` and `Boolean` from other values.

use crate::arith::{strict_float, strict_integer, to_number};
use crate::error::{Eval, Flow};
use crate::format::float::float_to_s;
use crate::time::{SECOND, to_f};
use crate::types::mismatch::value::assert_instance;
use crate::types::new::check::{Params, cannot_convert, check};
use crate::types::parse::parse_with;
use crate::value::{Hash, Value};
use crate::vm::Vm;

/// A sign with blanks after it, and the rest: Ruby's number parsers take none between.
fn closed_up(text: &str) -> Option<String> {
    let body = text.strip_prefix(['-', '+'])?;
    let rest = body.trim_start_matches([' ', '\t']);
    (rest.len() < body.len()).then(|| format!("{}{rest}", &text[..1]))
}

fn to_int<'c>(n: i128) -> Eval<'c> {
    i64::try_from(n)
        .map(Value::Int)
        .map_err(|_| Flow::raw(format!("{n} is outside of Puppet's Integer range")))
}

fn absolute<'c>(value: Value<'c>) -> Eval<'c> {
    match value {
        Value::Int(n) => to_int(i128::from(n).abs()),
        Value::Float(f) => Ok(Value::Float(f.abs())),
        value => Ok(value),
    }
}

fn is_integer_text(text: &str) -> bool {
    const SOURCE: &str = "\\A[+-]?\\s*(?:(?:\\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\\z";
    crate::regex::is_match(SOURCE, text).unwrap_or(false)
}

fn is_number_text(text: &str) -> bool {
    const SOURCE: &str = "\\A[+-]?\\s*(?:(?:(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE]-?\\d+)?)|(?:0[xX][0-9A-Fa-f]+)|\
                          (?:0[0-7]+)|(?:0[bB][01]+))\\z";
    crate::regex::is_match(SOURCE, text).unwrap_or(false)
}

fn is_convertible(value: Value<'_>, text: fn(&str) -> bool) -> bool {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Timespan(_) | Value::Timestamp(_) => true,
        Value::Str(s) => text(&s),
        _ => false,
    }
}

/// `Integer.new`
pub(super) fn integer<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let (from, radix, abs) = match args {
        [Value::Hash(hash)] => named_integer(vm, *hash)?,
        [from, rest @ ..] if rest.len() <= 2 => {
            let radix = rest.first().copied().unwrap_or(Value::Default);
            let abs = rest.get(1).copied().unwrap_or(Value::Bool(false));
            let typed = matches!(radix, Value::Default | Value::Int(_)) && matches!(abs, Value::Bool(_));
            if !typed {
                return signature_error(vm, args);
            }
            (*from, radix, abs.truthy())
        }
        _ => return signature_error(vm, args),
    };
    let radix = match radix {
        Value::Default => None,
        Value::Int(n @ (2 | 8 | 10 | 16)) => Some(n as u32),
        Value::Int(n) => {
            return Err(Flow::raw(format!("Illegal radix: {n}, expected 2, 8, 10, 16, or default")));
        }
        _ => return signature_error(vm, args),
    };
    if !is_convertible(from, is_integer_text) {
        // What explains that a value can't be converted takes no `default`.
        return match args {
            [_, Value::Default, ..] => signature_error(vm, args),
            _ => Err(cannot_convert(vm, "new", from, "Integer")),
        };
    }
    let value = match from {
        Value::Int(n) => Value::Int(n),
        Value::Float(f) if !f.is_finite() => return Err(Flow::raw(float_to_s(f))),
        Value::Float(f) => to_int(f as i128)?,
        Value::Bool(b) => Value::Int(b.into()),
        Value::Timestamp(n) | Value::Timespan(n) => to_int(n.div_euclid(SECOND))?,
        Value::Str(text) => {
            let n = strict_integer(&text, radix).or_else(|message| match closed_up(&text) {
                Some(closed) => strict_integer(&closed, radix).map_err(|_| message),
                None => Err(message),
            });
            to_int(n.map_err(Flow::raw)?)?
        }
        other => return Err(cannot_convert(vm, "new", other, "Integer")),
    };
    if abs { absolute(value) } else { Ok(value) }
}

fn signature_error<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    const LOCALS: [(&str, &str); 3] = [
        ("Radix", "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]"),
        (
            "Convertible",
            "Variant[Numeric, Boolean, Pattern[/\\A[+-]?\\s*(?:(?:\\d+)|(?:0[xX][0-9A-Fa-f]+)|\
             (?:0[bB][01]+))\\z/], Timespan, Timestamp]",
        ),
        ("NamedArgs", "Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]"),
    ];
    let positional: &Params =
        &[("Convertible", "from", true), ("Radix", "radix", false), ("Boolean", "abs", false)];
    check(vm, "new", &LOCALS, &[positional, &[("NamedArgs", "hash_args", true)]], args)?;
    Ok(Value::Undef)
}

type Named<'c> = (Value<'c>, Value<'c>, bool);

fn named_integer<'c>(vm: &mut Vm<'c>, hash: Hash<'c>) -> Eval<'c, Named<'c>> {
    if let Some(from) = hash.get_str("from")
        && !is_convertible(from, is_integer_text)
    {
        return Err(cannot_convert(vm, "new", from, "Integer"));
    }
    if let Some(Value::Int(n)) = hash.get_str("radix")
        && !matches!(n, 2 | 8 | 10 | 16)
    {
        return Err(Flow::raw(format!("Illegal radix: {n}, expected 2, 8, 10, 16, or default")));
    }
    let ty = parse_with(
        vm,
        "Struct[{from => Variant[Numeric, Boolean, String, Timespan, Timestamp], \
         Optional[radix] => Variant[Default, Integer], Optional[abs] => Boolean}]",
        &[],
    )?;
    assert_instance(vm, "Integer.new", ty, Value::Hash(hash))?;
    let get = |key| hash.get_str(key);
    Ok((
        get("from").unwrap_or(Value::Undef),
        get("radix").unwrap_or(Value::Default),
        get("abs").is_some_and(Value::truthy),
    ))
}

/// The value and whether to take it without its sign, from positional or named arguments. `numbers` are the types of numbers
/// as the constructor's own signature has them.
fn float_args<'c>(
    vm: &mut Vm<'c>,
    function: &str,
    to: &str,
    numbers: &str,
    args: &[Value<'c>],
) -> Eval<'c, (Value<'c>, bool)> {
    let (from, abs) = match args {
        [Value::Hash(hash)] if let Some(named) = named_float(*hash) => named,
        [from] => (*from, false),
        [from, Value::Bool(abs)] => (*from, *abs),
        _ => {
            let convertible = format!(
                "Variant[{numbers}, Boolean, Pattern[/\\A[+-]?\\s*(?:(?:(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE]-?\\d+)?)|\
                 (?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\\z/], Timespan, Timestamp]"
            );
            let locals = [
                ("Convertible", convertible.as_str()),
                ("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]"),
            ];
            let positional: &Params = &[("Convertible", "from", true), ("Boolean", "abs", false)];
            check(vm, function, &locals, &[positional, &[("NamedArgs", "hash_args", true)]], args)?;
            (Value::Undef, false)
        }
    };
    if !is_convertible(from, is_number_text) {
        return Err(cannot_convert(vm, function, from, to));
    }
    Ok((from, abs))
}

/// What `{from => …, abs => …}` says, if that is all it has and is of the right types.
fn named_float<'c>(hash: Hash<'c>) -> Option<(Value<'c>, bool)> {
    let from = hash.get_str("from").filter(|from| is_convertible(*from, is_number_text))?;
    match hash.get_str("abs") {
        None if hash.len() == 1 => Some((from, false)),
        Some(Value::Bool(abs)) if hash.len() == 2 => Some((from, abs)),
        _ => None,
    }
}

/// `Float.new`
pub(super) fn float<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let (from, abs) = float_args(vm, "new_float", "Float", "Numeric", args)?;
    let f = match from {
        Value::Float(f) => f,
        Value::Int(n) => n as f64,
        Value::Bool(b) => f64::from(u8::from(b)),
        Value::Timestamp(n) | Value::Timespan(n) => to_f(*n),
        Value::Str(text) => {
            let binary = text.len() > 1 && text[..2].eq_ignore_ascii_case("0b");
            if binary {
                strict_integer(&text, None).map_err(Flow::raw)? as f64
            } else {
                strict_float(&text)
                    .or_else(|message| match closed_up(&text) {
                        Some(closed) => strict_float(&closed).map_err(|_| message),
                        None => Err(message),
                    })
                    .map_err(Flow::raw)?
            }
        }
        _ => 0.0,
    };
    Ok(Value::Float(if abs { f.abs() } else { f }))
}

/// `Numeric.new`
pub(super) fn numeric<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let (from, abs) = float_args(vm, "new_numeric", "Numeric", "Integer, Float", args)?;
    let value = match from {
        Value::Bool(b) => Value::Int(b.into()),
        Value::Timestamp(n) | Value::Timespan(n) => Value::Float(to_f(*n)),
        Value::Str(text) => {
            let prefix = text.get(..2).unwrap_or("").to_ascii_lowercase();
            if prefix == "0b" || prefix == "0x" {
                to_int(strict_integer(&text, None).map_err(Flow::raw)?)?
            } else {
                to_number(&text).unwrap_or(Value::Undef)
            }
        }
        value => value,
    };
    if abs { absolute(value) } else { Ok(value) }
}

/// `Boolean.new`
pub(super) fn boolean<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let [from] = args else {
        let params: &Params = &[(
            "Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]]",
            "from",
            true,
        )];
        check(vm, "new_boolean", &[], &[params], args)?;
        return Ok(Value::Undef);
    };
    Ok(Value::Bool(match *from {
        Value::Bool(b) => b,
        Value::Int(n) => n != 0,
        Value::Float(f) => f != 0.0,
        Value::Str(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "y" => true,
            "false" | "no" | "n" => false,
            _ => return Err(cannot_convert(vm, "new_boolean", *from, "Boolean")),
        },
        other => return Err(cannot_convert(vm, "new_boolean", other, "Boolean")),
    }))
}
