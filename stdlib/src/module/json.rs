//! Values as JSON, as Ruby's generator writes it.

use super::ruby::{error, to_s};
use bunraku_vm::budget;
use bunraku_vm::error::Eval;
use bunraku_vm::format::float_to_s;
use bunraku_vm::value::Value;

/// How JSON is laid out.
pub(super) struct JsonLayout {
    pub(super) indent: String,
    pub(super) space: String,
    pub(super) space_before: String,
    pub(super) object_nl: String,
    pub(super) array_nl: String,
    pub(super) allow_nan: bool,
    pub(super) max_nesting: usize,
}

impl JsonLayout {
    /// Everything on one line.
    pub(super) const fn compact() -> JsonLayout {
        JsonLayout {
            indent: String::new(),
            space: String::new(),
            space_before: String::new(),
            object_nl: String::new(),
            array_nl: String::new(),
            allow_nan: false,
            max_nesting: 100,
        }
    }
}

/// Appends a text in quotes.
pub fn json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a value that stands `depth` levels deep.
///
/// # Errors
/// For what JSON has no notation of, and what nests too deeply.
pub(super) fn json<'c>(
    out: &mut String,
    value: Value<'c>,
    layout: &JsonLayout,
    depth: usize,
) -> Eval<'c, ()> {
    budget::room(2 * out.len());
    budget::within(1, || {
        if layout.max_nesting > 0
            && depth > layout.max_nesting
            && matches!(value, Value::Array(_) | Value::Hash(_))
        {
            return Err(error(format!("nesting of {depth} is too deep")));
        }
        match value {
            Value::Undef => out.push_str("null"),
            Value::Float(f) if !f.is_finite() && !layout.allow_nan => {
                return Err(error(format!("{} not allowed in JSON", float_to_s(f))));
            }
            Value::Bool(_) | Value::Int(_) | Value::Float(_) => out.push_str(&to_s(value)),
            Value::Array(items) => {
                out.push('[');
                if items.is_empty() && layout.array_nl.is_empty() {
                    out.push(']');
                    return Ok(());
                }
                out.push_str(&layout.array_nl);
                for (n, item) in items.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                        out.push_str(&layout.array_nl);
                    }
                    out.push_str(&layout.indent.repeat(depth));
                    json(out, *item, layout, depth + 1)?;
                }
                if !layout.array_nl.is_empty() {
                    out.push_str(&layout.array_nl);
                    out.push_str(&layout.indent.repeat(depth - 1));
                }
                out.push(']');
            }
            Value::Hash(hash) => {
                out.push('{');
                out.push_str(&layout.object_nl);
                for (n, (key, item)) in hash.entries().iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                        out.push_str(&layout.object_nl);
                    }
                    if !layout.object_nl.is_empty() {
                        out.push_str(&layout.indent.repeat(depth));
                    }
                    json_string(out, &plain(*key));
                    out.push_str(&layout.space_before);
                    out.push(':');
                    out.push_str(&layout.space);
                    json(out, *item, layout, depth + 1)?;
                }
                if !layout.object_nl.is_empty() {
                    if !hash.is_empty() {
                        out.push_str(&layout.object_nl);
                    }
                    out.push_str(&layout.indent.repeat(depth - 1));
                }
                out.push('}');
            }
            other => json_string(out, &plain(other)),
        }
        Ok(())
    })
}

/// `to_s` of a value of the language, where references are types.
pub(super) fn plain(value: Value<'_>) -> String {
    bunraku_vm::format::to_ruby_s(value)
}
