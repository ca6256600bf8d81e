//! Timespans from their fields (`days`, `hours`, …), and from texts with formats.

use crate::error::{Eval, Flow};
use crate::time::{SECOND, TimeFormats, timespan as spans};
use crate::value::{Hash, Value};

/// A span of named fields, or of a text with a format.
pub(crate) fn timespan_from_hash<'c>(hash: Hash<'c>) -> Eval<'c, i128> {
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

pub(crate) fn from_fields(fields: [i64; 7]) -> i128 {
    const UNITS: [i128; 7] = [86_400 * SECOND, 3600 * SECOND, 60 * SECOND, SECOND, 1_000_000, 1000, 1];
    fields.iter().zip(UNITS).map(|(n, unit)| i128::from(*n) * unit).sum()
}

/// A span of a text with a format or several; without one, Puppet's own are tried.
pub(crate) fn parse_span<'c>(text: &str, format: Option<Value<'c>>) -> Eval<'c, i128> {
    let span = match format {
        None => spans::parse(text, TimeFormats::Default),
        Some(Value::Str(format)) => spans::parse(text, TimeFormats::One(&format)),
        Some(several) => spans::parse(text, TimeFormats::AnyOf(&texts(several))),
    };
    span.map_err(Flow::raw)
}

/// The formats in an array of such.
pub(crate) fn texts<'c>(value: Value<'c>) -> Vec<&'c str> {
    match value {
        Value::Array(items) => items.items().iter().filter_map(|item| item.as_str()).collect(),
        _ => Vec::new(),
    }
}
