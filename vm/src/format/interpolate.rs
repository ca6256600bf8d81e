//! What interpolation yields: `"${value}"`.

use crate::budget;
use crate::format::collection;
use crate::format::float::float_to_s;
use crate::time::{timespan, timestamp};
use crate::types::general_text::general_text;
use crate::types::print::{print, print_value};
use crate::value::{Object, Value};

/// What `"${value}"` yields.
pub fn to_interpolated(value: Value<'_>) -> String {
    match value {
        Value::Str(s) => s.as_str().to_owned(),
        value => {
            let mut out = String::new();
            interpolate(&mut out, value);
            out
        }
    }
}

/// Appends what `"${value}"` yields.
pub fn interpolate(out: &mut String, value: Value<'_>) {
    match value {
        Value::Undef => {}
        Value::Default => out.push_str("default"),
        Value::Bool(b) => out.push_str(if b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(itoa::Buffer::new().format(n)),
        Value::Float(f) => out.push_str(&float_to_s(f)),
        Value::Str(s) | Value::SemVer(s) | Value::SemVerRange(s) | Value::Uri(s) => {
            budget::push_str(out, &s);
        }
        Value::Array(items) => collection::array(out, items, interpolate),
        Value::Hash(hash) => collection::hash(out, hash, interpolate_key, interpolate),
        Value::Type(ty) => budget::push_str(out, &print(ty)),
        Value::Regexp(source) => out.push_str(&crate::regex::shown(&source)),
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        Value::Timestamp(n) => out.push_str(&timestamp::to_s(*n)),
        Value::Timespan(n) => out.push_str(&timespan::to_s(*n)),
        Value::Binary(bytes) => out.push_str(&crate::base64::encode(bytes)),
        Value::Object(Object { plain: Some(plain), .. }) => budget::push_str(out, plain.text),
        Value::Object(_) => budget::push_str(out, &print_value(value)),
        Value::Iterator(iter) => {
            out.push_str(&format!("Iterator[{}]-Value", general_text(iter.element)));
        }
        Value::Closure(closure) => {
            out.push_str(closure.name.unwrap_or("lambda"));
        }
    }
}

fn interpolate_key(out: &mut String, key: Value<'_>) {
    interpolate(out, key);
    budget::push_str(out, " => ");
}
