//! Rich data: values as JSON, the way Puppet serialises them into catalogs (`__ptype` and `__pvalue`).
//! Source: the specification's "Pcore data representation"; order and spelling are the oracle's.

use crate::names;
use bunraku_vm::format;
use bunraku_vm::types::Type;
use bunraku_vm::value::{Hash, Value};

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// In a catalog: resource references and types of catalog entries are their text.
    Catalog,
    /// As rich data of its own: they are types.
    Plain,
}

/// Bytes that a JSON string can't hold as they are.
const ESCAPED: [bool; 256] = {
    let mut all = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        all[byte] = true;
        byte += 1;
    }
    all[b'"' as usize] = true;
    all[b'\\' as usize] = true;
    all
};

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
    if !text.bytes().any(|byte| ESCAPED[usize::from(byte)]) {
        return out.push_str(text);
    }
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..=0x1f => {
                out.push_str(&text[start..at]);
                out.push_str(&format!("\\u{byte:04x}"));
                start = at + 1;
                continue;
            }
            _ => continue,
        };
        out.push_str(&text[start..at]);
        out.push_str(escape);
        start = at + 1;
    }
    out.push_str(&text[start..]);
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
        Value::Object(object) => {
            out.push_str("{\"__ptype\":");
            string(out, object.type_name);
            for (name, attribute) in object.attributes.entries() {
                out.push(',');
                string(out, &format::to_interpolated(*name));
                out.push(':');
                self::value(out, *attribute, style);
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
            let type_name = names::capitalize(name);
            let title = if type_name == "Class" { names::capitalize(title) } else { (*title).to_owned() };
            Some(format!("{type_name}[{title}]"))
        }
        Type::Class(Some(name)) => Some(format!("Class[{}]", names::capitalize(name))),
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
