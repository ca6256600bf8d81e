//! What Ruby's own methods do that the modules' functions are made of: conversions, equality, flattening.

use crate::support::is_reference;
pub(super) use crate::support::{class, no_conversion};
use bunraku_vm::arith::strict_integer;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::format::{self, to_ruby_s};
use bunraku_vm::raised::{MethodError, REGEXP_ERROR};
use bunraku_vm::regex;
use bunraku_vm::types::{Type, capitalize_segments};
use bunraku_vm::value::Value;

/// `Regexp#inspect`
pub(super) fn regexp_inspect(source: &str) -> String {
    regex::inspect(source)
}

/// `to_s`; of a reference `Type[title]`.
pub(super) fn to_s(value: Value<'_>) -> String {
    match value {
        Value::Type(Type::Class(name)) => format!("Class[{}]", capitalize_segments(name.unwrap_or(""))),
        Value::Type(Type::Resource { type_name: Some(name), title, .. }) => {
            format!("{}[{}]", capitalize_segments(name), title.unwrap_or(""))
        }
        other => to_ruby_s(other),
    }
}

/// `inspect`
pub(super) fn inspect(value: Value<'_>) -> String {
    if is_reference(value) {
        return format!("{}{{}}", to_s(value));
    }
    format::inspect(value)
}

/// `==`: numbers by value, everything else strictly.
pub(super) fn equal<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    budget::within(1, || match (a, b) {
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => a as f64 == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(*a, *b))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && a.entries()
                    .iter()
                    .all(|(key, value)| b.get(*key).is_some_and(|other| equal(*value, other)))
        }
        (a, b) => a.same(b),
    })
}

/// `Array#flatten`
pub(super) fn flatten<'c>(items: &[Value<'c>]) -> Vec<Value<'c>> {
    let mut flat = Vec::with_capacity(items.len());
    bunraku_vm::value::flatten(items, &mut flat);
    flat
}

/// `Array(value)`: an array's items, a hash's pairs, nothing for `undef`, else the value alone.
pub(super) fn array<'c>(arena: &'c bumpalo::Bump, value: Value<'c>) -> Vec<Value<'c>> {
    match value {
        Value::Undef => Vec::new(),
        Value::Array(items) => items.to_vec(),
        Value::Hash(hash) => {
            hash.entries().iter().map(|(key, value)| Value::array(arena, &[*key, *value])).collect()
        }
        other => vec![other],
    }
}

/// `String#to_i`: what begins as a decimal number counts, else it is zero; limited to 64 bits.
pub(super) fn text_to_i(text: &str) -> i64 {
    let text = text.trim_start();
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    };
    let digits = leading_digits(rest);
    if digits.is_empty() {
        return 0;
    }
    format!("{sign}{digits}").parse().unwrap_or(if sign.is_empty() { i64::MAX } else { i64::MIN })
}

/// Digits at the start, single underscores between them left out.
fn leading_digits(text: &str) -> String {
    let mut digits = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_digit() => digits.push(c),
            '_' if !digits.is_empty() && chars.peek().is_some_and(char::is_ascii_digit) => {}
            _ => break,
        }
    }
    digits
}

/// `String#to_f`: the longest start that is a decimal float, else zero.
pub(super) fn text_to_f(text: &str) -> f64 {
    let text = text.trim_start();
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    };
    let pattern = r"\A(\d+(?:_\d+)*)?(\.\d+(?:_\d+)*)?([eE][-+]?\d+)?";
    let groups = regex::captures(pattern, rest).ok().flatten().unwrap_or_default();
    let group = |n: usize| groups.get(n).copied().flatten().unwrap_or("").replace('_', "");
    let (whole, fraction, exponent) = (group(1), group(2), group(3));
    if whole.is_empty() {
        // Ruby takes no number that begins with its point.
        return if fraction.is_empty() {
            0.0
        } else {
            format!("{sign}0{fraction}{exponent}").parse().unwrap_or(0.0)
        };
    }
    format!("{sign}{whole}{fraction}{exponent}").parse().unwrap_or(0.0)
}

/// `to_i` of a number or text; the error of anything else.
pub(super) fn to_i<'c>(value: Value<'c>) -> Eval<'c, i64> {
    match value {
        Value::Int(n) => Ok(n),
        Value::Float(f) => Ok(f as i64),
        Value::Str(text) => Ok(text_to_i(&text)),
        Value::Undef => Ok(0),
        other => Err(no_method("to_i", other)),
    }
}

/// The error of a method that a value does not have.
pub(super) fn no_method<'c>(method: &str, value: Value<'c>) -> Box<Flow<'c>> {
    let of = match value {
        Value::Undef => "nil:NilClass".to_owned(),
        Value::Bool(b) => format!("{b}:{}", class(value)),
        Value::Array(_) | Value::Hash(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => {
            format!("{}:{}", inspect(value), class(value))
        }
        Value::Default => ":default:Symbol".to_owned(),
        other => format!("{}:{}", inspect(other), class(other)),
    };
    error(format!("undefined method `{method}' for {of}")).because(Cause::UndefinedMethod)
}

/// `Integer(value)`: numbers cut to whole ones, text that is an integer as a whole; none where Ruby raises.
pub(super) fn integer(value: Value<'_>) -> Option<i64> {
    match value {
        Value::Int(n) => Some(n),
        Value::Float(f) if f.is_finite() => Some(f as i64),
        Value::Str(text) => strict_integer(&text, None).ok().and_then(|n| i64::try_from(n).ok()),
        _ => None,
    }
}

/// Whether a pattern of ours matches; it always compiles.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    regex::is_match(pattern, text).unwrap_or(false)
}

/// Whether a user's pattern matches.
pub(super) fn user_match<'c>(pattern: &str, text: &str) -> Eval<'c, bool> {
    regex::is_match(pattern, text).map_err(|message| error(message).raised_as(REGEXP_ERROR))
}

/// An error of Ruby itself, not one that a function raises on purpose (Ruby: any but `Puppet::ParseError`).
pub(super) fn error<'c>(message: impl Into<String>) -> Box<Flow<'c>> {
    Flow::of_ruby(message)
}

/// Likewise, of a method of Ruby's.
pub(super) fn method_error<'c>(failed: MethodError) -> Box<Flow<'c>> {
    error(failed.message).raised_as(failed.class)
}

/// Whether a flow is an error that a function raised on purpose.
pub(super) fn is_raised(flow: &Flow<'_>) -> bool {
    matches!(flow, Flow::Fault(fault) if fault.stage == Stage::Raw && fault.diagnostic.code.is_none())
}
