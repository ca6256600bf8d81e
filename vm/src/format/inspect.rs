//! Ruby's `inspect` and `to_s` of the values that Puppet's Ruby code prints without formatting them itself.

use crate::budget;
use crate::format::collection;
use crate::format::float::float_to_s;
use crate::format::interpolate::to_interpolated;
use crate::format::ruby_hashes::HashNotation;
use crate::types::print::print;
use crate::value::Value;

/// Ruby's `inspect`: `"a\n"`, `[1, nil]`, `{"a"=>1}`; of hashes in the notation of the compile.
pub fn inspect(value: Value<'_>) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

/// Ruby's `to_s`: strings bare, `undef` empty, collections inspected.
pub fn to_ruby_s(value: Value<'_>) -> String {
    match value {
        Value::Array(_) | Value::Hash(_) => inspect(value),
        Value::Regexp(source) => crate::regex::to_s(&source),
        _ => to_interpolated(value),
    }
}

fn write(out: &mut String, value: Value<'_>) {
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Float(f) => out.push_str(&float_to_s(f)),
        Value::Str(s) => budget::push_str(out, &inspect_str(&s)),
        Value::Array(items) => collection::array(out, items, write),
        Value::Hash(hash) => collection::hash(out, hash, write_key, write),
        Value::Timestamp(n) => moment(out, "Timestamp", *n),
        Value::Timespan(n) => moment(out, "Timespan", *n),
        Value::Type(ty) => budget::push_str(out, &print(ty)),
        Value::SemVerRange(range) => out.push_str(&crate::semver::inspect_range(&range)),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        value => budget::push_str(out, &to_interpolated(value)),
    }
}

/// A key of a hash, and what stands before its value.
fn write_key(out: &mut String, key: Value<'_>) {
    let notation = HashNotation::current();
    match key {
        Value::Default if notation.symbol_key("default", true).is_some() => {
            budget::push_str(out, "default: ")
        }
        key => {
            write(out, key);
            budget::push_str(out, notation.arrow());
        }
    }
}

/// Puppet's times have no `inspect` of their own: Ruby shows an object, whose address is 0 here.
fn moment(out: &mut String, class: &str, nanoseconds: i128) {
    out.push_str(&format!("#<Puppet::Pops::Time::{class}:0x{:016x} @nsecs={nanoseconds}>", 0));
}

/// Ruby's `String#inspect`.
pub fn inspect_str(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x1b' => out.push_str("\\e"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02X}", c as u32)),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
