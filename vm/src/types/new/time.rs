//! `Timestamp` and `Timespan` from numbers, text and fields.

use crate::error::{Eval, Flow};
use crate::time::{TimeFormats, of_seconds, timestamp as moments};
use crate::types::new::check::{Params, check};
use crate::types::span_fields::{from_fields, parse_span, texts, timespan_from_hash};
use crate::value::Value;
use crate::vm::Vm;

const FORMATS: [(&str, &str); 1] = [("Formats", "Variant[String[2],Array[String[2], 1]]")];

fn parse_moment<'c>(text: &str, format: Option<Value<'c>>, zone: Option<Value<'c>>) -> Eval<'c, i128> {
    let zone = zone.and_then(Value::as_str);
    let moment = match format.filter(|f| !f.is_undef()) {
        None => moments::parse(text, TimeFormats::Default, zone),
        Some(Value::Str(format)) => moments::parse(text, TimeFormats::One(&format), zone),
        Some(several) => moments::parse(text, TimeFormats::AnyOf(&texts(several)), zone),
    };
    moment.map_err(Flow::raw)
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
        [value, ..] => of_seconds(*value)?.unwrap_or(0),
    };
    Ok(Value::Timestamp(vm.arena.alloc(moment)))
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
        [Value::Hash(hash)] => timespan_from_hash(*hash)?,
        [value] => of_seconds(*value)?.unwrap_or(0),
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
