//! `Timestamp` and `Timespan` from numbers, text and fields.

use super::{Params, check};
use crate::error::{Eval, Flow};
use crate::time::{SECOND, from_f, timespan as spans, timestamp as moments};
use crate::value::{Hash, Value};
use crate::vm::Vm;

const FORMATS: [(&str, &str); 1] = [("Formats", "Variant[String[2],Array[String[2], 1]]")];

fn texts<'c>(value: Value<'c>) -> (Vec<&'c str>, bool) {
    match value {
        Value::Str(text) => (vec![text.as_str()], true),
        Value::Array(items) => (items.items().iter().filter_map(|item| item.as_str()).collect(), false),
        _ => (Vec::new(), false),
    }
}

fn seconds(value: Value<'_>) -> Option<i128> {
    match value {
        Value::Int(n) => Some(i128::from(n) * SECOND),
        Value::Float(f) => Some(from_f(f)),
        _ => None,
    }
}

fn parse_moment<'c>(text: &str, format: Option<Value<'c>>, zone: Option<Value<'c>>) -> Eval<'c, i128> {
    let zone = zone.and_then(Value::as_str);
    match format.filter(|f| !f.is_undef()) {
        None => moments::parse(text, None, false, zone),
        Some(format) => {
            let (formats, single) = texts(format);
            moments::parse(text, Some(&formats), single, zone)
        }
    }
    .map_err(Flow::raw)
}

/// `Timestamp.new`
pub(super) fn timestamp<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let signatures: [&Params; 4] = [
        &[],
        &[("Variant[Integer,Float]", "seconds", true)],
        &[("String[1]", "string", true), ("Formats", "format", false), ("String[1]", "timezone", false)],
        &[(
            "Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}]",
            "hash_arg",
            true,
        )],
    ];
    check(vm, "new_timestamp", &FORMATS, &signatures, args)?;
    let moment = match args {
        [] => moments::now(),
        [Value::Str(text), rest @ ..] => parse_moment(text, rest.first().copied(), rest.get(1).copied())?,
        [Value::Hash(hash)] => {
            let text = hash.get_str("string").and_then(Value::as_str).unwrap_or("");
            parse_moment(text, hash.get_str("format"), hash.get_str("timezone"))?
        }
        [value, ..] => seconds(*value).unwrap_or(0),
    };
    Ok(Value::Timestamp(vm.arena.alloc(moment)))
}

fn parse_span<'c>(text: &str, format: Option<Value<'c>>) -> Eval<'c, i128> {
    match format {
        None => spans::parse(text, &spans::DEFAULTS, false),
        Some(format) => {
            let (formats, single) = texts(format);
            spans::parse(text, &formats, single)
        }
    }
    .map_err(Flow::raw)
}

/// A span of named fields, or of a text with a format.
pub(crate) fn timespan_from_hash<'c>(_: &mut Vm<'c>, hash: Hash<'c>) -> Eval<'c, i128> {
    if let Some(Value::Str(text)) = hash.get_str("string") {
        return parse_span(&text, hash.get_str("format"));
    }
    let field = |name: &str| match hash.get_str(name) {
        Some(Value::Int(n)) => n,
        _ => 0,
    };
    let fields = [
        field("days"),
        field("hours"),
        field("minutes"),
        field("seconds"),
        field("milliseconds"),
        field("microseconds"),
        field("nanoseconds"),
    ];
    let span = from_fields(fields);
    Ok(if hash.get_str("negative").is_some_and(Value::truthy) { -span } else { span })
}

fn from_fields(fields: [i64; 7]) -> i128 {
    const UNITS: [i128; 7] = [86_400 * SECOND, 3600 * SECOND, 60 * SECOND, SECOND, 1_000_000, 1000, 1];
    fields.iter().zip(UNITS).map(|(n, unit)| i128::from(*n) * unit).sum()
}

/// `Timespan.new`
pub(super) fn timespan<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let signatures: [&Params; 5] = [
        &[("Variant[Integer,Float]", "seconds", true)],
        &[("String[1]", "string", true), ("Formats", "format", false)],
        &[
            ("Integer", "days", true),
            ("Integer", "hours", true),
            ("Integer", "minutes", true),
            ("Integer", "seconds", true),
            ("Integer", "milliseconds", false),
            ("Integer", "microseconds", false),
            ("Integer", "nanoseconds", false),
        ],
        &[("Struct[{string => String[1], Optional[format] => Formats}]", "hash_arg", true)],
        &[(
            "Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, \
             Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer, \
             Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}]",
            "hash_arg",
            true,
        )],
    ];
    check(vm, "new_timespan", &FORMATS, &signatures, args)?;
    let span = match args {
        [Value::Str(text), rest @ ..] => parse_span(text, rest.first().copied())?,
        [Value::Hash(hash)] => timespan_from_hash(vm, *hash)?,
        [value] => seconds(*value).unwrap_or(0),
        fields => {
            let mut all = [0; 7];
            for (slot, value) in all.iter_mut().zip(fields) {
                if let Value::Int(n) = value {
                    *slot = *n;
                }
            }
            from_fields(all)
        }
    };
    Ok(Value::Timespan(vm.arena.alloc(span)))
}
