//! The value of a parameter as catalogs write it: resource references are text, and lists of them are flat.

use super::shown::Shown;
use bunraku_data::rich::{self, Style, string};
use bunraku_vm::budget;
use bunraku_vm::types::Type;
use bunraku_vm::value::Value;

/// Writes the value of a parameter as a catalog has it.
pub fn shown(out: &mut String, name: &str, value: Shown<'_>) {
    written(out, name, value, Style::Catalog);
}

/// The same in a style.
pub fn written(out: &mut String, name: &str, value: Shown<'_>, style: Style) {
    match value {
        Shown::Text(text) => string(out, text),
        Shown::Value(value) => parameter(out, name, value, style),
    }
}

/// Arrays that hold resource references are flattened; those of relationship parameters in any case.
fn parameter(out: &mut String, name: &str, value: Value<'_>, style: Style) {
    if let Value::Array(items) = value
        && style != Style::Plain
    {
        let relation = matches!(name, "before" | "subscribe" | "notify" | "require");
        if relation || holds_reference(&items) {
            out.push('[');
            let from = out.len();
            flat(out, &items, from, relation, style);
            return out.push(']');
        }
    }
    rich::value(out, value, style);
}

/// Whether an array has a resource reference in it, or an array that has.
fn holds_reference(items: &[Value<'_>]) -> bool {
    budget::within(items.len(), || {
        items.iter().any(|item| match item {
            Value::Array(inner) => holds_reference(inner),
            item => matches!(item, Value::Type(Type::Resource { .. } | Type::Class(_))),
        })
    })
}

/// Writes the items of an array and those of arrays in it; the list begins at `from`.
fn flat(out: &mut String, items: &[Value<'_>], from: usize, without_undef: bool, style: Style) {
    budget::room(2 * out.len());
    budget::within(items.len(), || {
        for item in items {
            match item {
                Value::Array(inner) => flat(out, inner, from, without_undef, style),
                Value::Undef if without_undef => {}
                item => {
                    if out.len() > from {
                        out.push(',');
                    }
                    rich::value(out, *item, style);
                }
            }
        }
    })
}
