//! Rich data: values as JSON, the way Puppet serialises them into catalogs (`__ptype` and `__pvalue`).
//! Source: the specification's "Pcore data representation"; order and spelling are the oracle's.

use crate::names;
use bunraku_vm::format;
use bunraku_vm::types::{Type, object};
use bunraku_vm::value::{Hash, Value};

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// In a catalog: resource references and types of catalog entries are their text.
    Catalog,
    /// As rich data of its own: they are types.
    Plain,
}

/// Whether a JSON string can't hold a byte as it is.
fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Where the first byte that has to be escaped stands: sixteen at a time are looked at without a branch.
fn next_escape(bytes: &[u8]) -> Option<usize> {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let has_one = |block: &[u8; 16]| block.iter().fold(false, |found, byte| found | is_escaped(*byte));
    let at = blocks.iter().position(has_one).map_or(blocks.len() * 16, |n| n * 16);
    let tail = if at < blocks.len() * 16 { &bytes[at..] } else { rest };
    tail.iter().position(|byte| is_escaped(*byte)).map(|n| at + n)
}

/// Writes a JSON string.
pub fn string(out: &mut String, text: &str) {
    out.push('"');
    escaped(out, text);
    out.push('"');
}

/// Writes `Type[title]` as a JSON string.
pub fn type_and_title(out: &mut String, type_name: &str, title: &str) {
    out.push('"');
    escaped(out, type_name);
    out.push('[');
    escaped(out, title);
    out.push_str("]\"");
}

fn escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = next_escape(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => out.push_str(&format!("\\u{byte:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

fn tagged(out: &mut String, ptype: &str, value: &str) {
    out.push_str("{\"__ptype\":");
    string(out, ptype);
    out.push_str(",\"__pvalue\":");
    string(out, value);
    out.push('}');
}

/// Writes a value.
pub fn value(out: &mut String, value: Value<'_>, style: Style) {
    match value {
        Value::Undef => out.push_str("null"),
        Value::Default => out.push_str("{\"__ptype\":\"Default\"}"),
        Value::Bool(b) => out.push_str(if b { "true" } else { "false" }),
        Value::Int(i) => out.push_str(itoa::Buffer::new().format(i)),
        Value::Float(f) => out.push_str(&format::float_to_s(f)),
        Value::Str(s) => string(out, &s),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                self::value(out, *item, style);
            }
            out.push(']');
        }
        Value::Hash(hash) => self::hash(out, hash, style),
        Value::Type(ty) => self::ty(out, ty, style),
        Value::Regexp(source) => tagged(out, "Regexp", &source),
        Value::Sensitive(inner) => {
            out.push_str("{\"__ptype\":\"Sensitive\",\"__pvalue\":");
            self::value(out, *inner, style);
            out.push('}');
        }
        Value::Timestamp(_) => tagged(out, "Timestamp", &format::to_interpolated(value)),
        Value::Timespan(_) => tagged(out, "Timespan", &format::to_interpolated(value)),
        Value::SemVer(text) => tagged(out, "SemVer", &text),
        Value::SemVerRange(text) => tagged(out, "SemVerRange", &text),
        Value::Uri(text) => tagged(out, "URI", &text),
        Value::Binary(bytes) => tagged(out, "Binary", &bunraku_vm::base64::encode(bytes)),
        Value::Object(object) if object::foreign_text(object).is_some() => {
            string(out, object::foreign_text(object).unwrap_or_default());
        }
        Value::Object(object) => {
            out.push_str("{\"__ptype\":");
            string(out, object.type_name);
            for (name, attribute) in object::data(object) {
                out.push(',');
                string(out, name);
                out.push(':');
                self::value(out, attribute, style);
            }
            out.push('}');
        }
        Value::Closure(_) | Value::Iterator(_) => string(out, &format::to_interpolated(value)),
    }
}

/// A hash is a JSON object if every key is a string other than `__ptype`; else a list of keys and values.
fn hash(out: &mut String, hash: Hash<'_>, style: Style) {
    let plain = hash.entries().iter().all(|(key, _)| key.as_str().is_some_and(|key| key != "__ptype"));
    out.push_str(if plain { "{" } else { "{\"__ptype\":\"Hash\",\"__pvalue\":[" });
    for (n, (key, item)) in hash.entries().iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        value(out, *key, style);
        out.push(if plain { ':' } else { ',' });
        value(out, *item, style);
    }
    out.push_str(if plain { "}" } else { "]}" });
}

/// The reference a catalog entry's type stands for: `File[/x]`, `Class[Main]`.
pub fn reference(ty: &Type<'_>) -> Option<String> {
    match ty {
        Type::Resource { type_name: Some(name), title: Some(title) } => {
            let type_name = names::capitalized(name);
            let title = if type_name == "Class" { names::capitalized(title) } else { (*title).into() };
            Some([&*type_name, "[", &*title, "]"].concat())
        }
        Type::Class(Some(name)) => Some(["Class[", &*names::capitalized(name), "]"].concat()),
        _ => None,
    }
}

fn ty(out: &mut String, ty: &Type<'_>, style: Style) {
    if style == Style::Catalog
        && let Some(text) = reference(ty)
    {
        return string(out, &text);
    }
    super::pcore::write(out, ty);
}
