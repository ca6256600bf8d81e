//! Rich data: values as JSON, the way Puppet serialises them into catalogs (`__ptype` and `__pvalue`).
//! Source: puppet-specifications, "Pcore data representation"; order and spelling are the oracle's.

use crate::names;
use bunraku_vm::budget;
use bunraku_vm::format;
use bunraku_vm::types::{Type, object};
use bunraku_vm::value::{Hash, Value};
use std::borrow::Cow;
use std::cell::Cell;

thread_local! {
    static UNWRITABLE: Cell<Option<f64>> = const { Cell::new(None) };
}

/// A number that was written, and that JSON has no form for: `NaN`, `Infinity`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotInJson(pub f64);

/// What `write` has written, with this module, on this thread.
///
/// # Errors
/// The first number in it that JSON has no form for.
pub fn checked<T>(write: impl FnOnce() -> T) -> Result<T, NotInJson> {
    // What was written before is no part of it.
    UNWRITABLE.take();
    let written = write();
    UNWRITABLE.take().map_or(Ok(written), |number| Err(NotInJson(number)))
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// In a catalog: resource references and types of catalog entries are their text, but types within Sensitive values and objects,
    /// into which Puppet does not look.
    Catalog,
    /// In a catalog whose reader wants to tell references from text: `{"__ptype":"ResourceReference","__pvalue":"File[/x]"}`;
    /// in lists of keys and values they are their text.
    References,
    /// As rich data of its own: they are types.
    Plain,
    /// For a store of catalogs: what plain JSON has no form for is its text, what is Sensitive not even that (`stringify_rich`).
    Stored,
}

impl Style {
    /// The style of what is in a list of keys and values.
    fn within_list(self) -> Style {
        if self == Style::References { Style::Catalog } else { self }
    }
}

/// Whether a JSON string can't hold a byte as it is.
#[inline]
fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The same of eight bytes at a time, without a branch: the highest bit is set of each that has to be.
#[inline]
fn escaped_of(eight: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let bytes = u64::from_le_bytes(eight);
    // Without its highest bit a byte carries nothing into the next.
    let below = |bytes: u64, value: u8| !((bytes & !HIGH) + ONES * u64::from(0x80 - value)) & !bytes & HIGH;
    let is = |value: u8| below(bytes ^ (ONES * u64::from(value)), 1);
    below(bytes, 0x20) | is(b'"') | is(b'\\')
}

/// Whether one of some bytes has to be escaped; made so that a compiler compares them all at once.
#[inline]
fn any_escaped<const N: usize>(bytes: &[u8; N]) -> bool {
    bytes.iter().fold(false, |found, byte| found | is_escaped(*byte))
}

/// Whether a text stands in a JSON string as it is. Most do: short ones take one or two steps.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    // What is left over is looked at with what is before it.
    if let Some(last) = text.last_chunk::<16>() {
        let (chunks, _) = text.as_chunks::<16>();
        return !any_escaped(last) && !chunks.iter().any(any_escaped);
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        return escaped_of(*first) | escaped_of(*last) == 0;
    }
    if let (Some([a, b, c, d]), Some([e, f, g, h])) = (text.first_chunk(), text.last_chunk()) {
        return escaped_of([*a, *b, *c, *d, *e, *f, *g, *h]) == 0;
    }
    !text.iter().any(|byte| is_escaped(*byte))
}

/// Writes a JSON string.
pub fn string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    escaped(out, text);
    out.push('"');
}

/// Writes `Type[title]` as a JSON string.
pub fn type_and_title(out: &mut String, type_name: &str, title: &str) {
    out.reserve(type_name.len() + title.len() + 4);
    out.push('"');
    escaped(out, type_name);
    out.push('[');
    escaped(out, title);
    out.push_str("]\"");
}

/// Writes what stands between the quotes of a JSON string.
pub fn escaped(out: &mut String, text: &str) {
    if is_plain(text.as_bytes()) {
        out.push_str(text);
    } else {
        with_escapes(out, text);
    }
}

fn with_escapes(out: &mut String, text: &str) {
    let mut from = 0;
    let mut escape = |at: usize| {
        out.push_str(&text[from..at]);
        from = at + 1;
        match text.as_bytes()[at] {
            b'\n' => out.push_str("\\n"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => out.push_str(&format!("\\u{byte:04x}")),
        }
    };
    let (eights, rest) = text.as_bytes().as_chunks::<8>();
    for (n, eight) in eights.iter().enumerate() {
        let mut found = escaped_of(*eight);
        while found != 0 {
            escape(n * 8 + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    }
    for n in (0..rest.len()).filter(|n| is_escaped(rest[*n])) {
        escape(eights.len() * 8 + n);
    }
    out.push_str(&text[from..]);
}

pub(crate) fn tagged(out: &mut String, ptype: &str, value: &str) {
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
        Value::Default
        | Value::Type(_)
        | Value::Regexp(_)
        | Value::Sensitive(_)
        | Value::Timestamp(_)
        | Value::Timespan(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Uri(_)
        | Value::Binary(_)
        | Value::Object(_)
            if style == Style::Stored =>
        {
            string(out, &stored_text(value));
        }
        Value::Default => out.push_str("{\"__ptype\":\"Default\"}"),
        Value::Bool(b) => out.push_str(if b { "true" } else { "false" }),
        Value::Int(i) => out.push_str(itoa::Buffer::new().format(i)),
        Value::Float(f) => {
            if !f.is_finite() {
                UNWRITABLE.set(Some(UNWRITABLE.get().unwrap_or(f)));
            }
            out.push_str(&format::float_to_s(f));
        }
        Value::Str(s) => string(out, &s),
        Value::Array(items) => budget::within(items.len(), || {
            budget::room(2 * out.len());
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                self::value(out, *item, style);
            }
            out.push(']');
        }),
        Value::Hash(hash) => budget::within(hash.len(), || self::hash(out, hash, style)),
        Value::Type(ty) => self::ty(out, ty, style),
        Value::Regexp(source) => tagged(out, "Regexp", &source),
        Value::Sensitive(inner) => {
            out.push_str("{\"__ptype\":\"Sensitive\",\"__pvalue\":");
            budget::within(1, || self::value(out, *inner, Style::Plain));
            out.push('}');
        }
        Value::Timestamp(_) => tagged(out, "Timestamp", &format::to_interpolated(value)),
        Value::Timespan(_) => tagged(out, "Timespan", &format::to_interpolated(value)),
        Value::SemVer(text) => tagged(out, "SemVer", &text),
        Value::SemVerRange(text) => tagged(out, "SemVerRange", &text),
        Value::Uri(text) => tagged(out, "URI", &text),
        Value::Binary(bytes) => tagged(out, "Binary", &bunraku_vm::base64::encode(bytes)),
        Value::Object(object) if object::text_in_catalogs(object).is_some() => {
            string(out, object::text_in_catalogs(object).unwrap_or_default());
        }
        Value::Object(object) => {
            out.push_str("{\"__ptype\":");
            string(out, object.type_name);
            for (name, attribute) in object::data(object) {
                out.push(',');
                string(out, name);
                out.push(':');
                budget::within(1, || self::value(out, attribute, Style::Plain));
            }
            out.push('}');
        }
        Value::Closure(_) | Value::Iterator(_) => string(out, &format::to_interpolated(value)),
    }
}

/// What a store of catalogs has in the place of a value that plain JSON has no form for. Source: Puppet 7.23, `ToStringifiedConverter`.
fn stored_text(value: Value<'_>) -> String {
    match value {
        // Puppet's has a number of the object in Ruby behind it, another in each compile.
        Value::Sensitive(_) => "#<Sensitive [value redacted]:0>".to_owned(),
        Value::Array(_) | Value::Hash(_) => format::to_ruby_s(value),
        Value::Type(ty) => match entry_or_type(ty) {
            Some((type_name, title)) => [&*type_name, "[", &*title, "]"].concat(),
            None => format::to_interpolated(value),
        },
        value => format::to_interpolated(value),
    }
}

/// The entries of a hash, for a store of catalogs: each key is a text.
fn stored_hash(out: &mut String, hash: Hash<'_>) {
    out.push('{');
    for (n, (key, item)) in hash.entries().iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        match key {
            Value::Str(key) if matches!(key.as_str(), "__ptype" | "__pvalue") => {
                string(out, &format!("reserved key: {}", key.as_str()));
            }
            Value::Str(key) => string(out, key),
            key => string(out, &stored_text(*key)),
        }
        out.push(':');
        value(out, *item, Style::Stored);
    }
    out.push('}');
}

/// A hash is a JSON object if every key is a string other than `__ptype`, or becomes one; else a list of keys and values.
fn hash(out: &mut String, hash: Hash<'_>, style: Style) {
    budget::room(2 * out.len());
    if style == Style::Stored {
        return stored_hash(out, hash);
    }
    let is_plain = |key: Value<'_>| match key {
        Value::Type(ty) => style != Style::Plain && entry_or_type(ty).is_some(),
        key => key.as_str().is_some_and(|key| key != "__ptype"),
    };
    let plain = hash.entries().iter().all(|(key, _)| is_plain(*key));
    out.push_str(if plain { "{" } else { "{\"__ptype\":\"Hash\",\"__pvalue\":[" });
    let style = if plain { style } else { style.within_list() };
    for (n, (key, item)) in hash.entries().iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        value(out, *key, style.within_list());
        out.push(if plain { ':' } else { ',' });
        value(out, *item, style);
    }
    out.push_str(if plain { "}" } else { "]}" });
}

/// The reference a catalog entry's type stands for: `File[/x]`, `Class[Main]`.
pub fn reference(ty: &Type<'_>) -> Option<String> {
    entry(ty).map(|(type_name, title)| [&*type_name, "[", &*title, "]"].concat())
}

/// The text of a value where a resource may be meant: of a reference as the catalog has it, of all else as it is interpolated.
pub fn text_or_reference(value: Value<'_>) -> String {
    let reference = if let Value::Type(ty) = value { reference(ty) } else { None };
    reference.unwrap_or_else(|| format::to_interpolated(value))
}

/// Type and title of the catalog entry that a type names, both as the catalog has them.
pub fn entry<'a>(ty: &Type<'a>) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    match ty {
        Type::Resource { type_name: Some(name), title: Some(title), .. } => {
            let type_name = names::capitalized(name);
            let title = if type_name == "Class" { names::capitalized(title) } else { (*title).into() };
            Some((type_name, title))
        }
        Type::Class(Some(name)) => Some(("Class".into(), names::capitalized(name))),
        _ => None,
    }
}

/// What a catalog writes as a reference: an entry, or a type of resources alone, which Puppet makes a resource without a
/// title (`Notify[]`).
pub fn entry_or_type<'a>(ty: &Type<'a>) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    match ty {
        Type::Resource { type_name: Some(name), title: None, .. } => {
            Some((names::capitalized(name), "".into()))
        }
        ty => entry(ty),
    }
}

fn ty(out: &mut String, ty: &Type<'_>, style: Style) {
    match entry_or_type(ty).filter(|_| style != Style::Plain) {
        Some((type_name, title)) if style == Style::References => {
            return tagged(out, "ResourceReference", &[&*type_name, "[", &*title, "]"].concat());
        }
        Some((type_name, title)) => return type_and_title(out, &type_name, &title),
        None => {}
    }
    crate::pcore::write(out, ty);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_escaped_wherever_it_stands() {
        let special = (0u8..0x80).filter(|byte| is_escaped(*byte)).map(char::from);
        for c in special.chain(['a', ' ', '~', '\u{7f}', 'é', '\u{2028}', '😀']) {
            for length in 0..40 {
                for at in 0..=length {
                    let text =
                        [&"ä".repeat(at % 3), &*"x".repeat(at), &*c.to_string(), &"y".repeat(length - at)]
                            .concat();
                    let mut out = String::new();
                    string(&mut out, &text);
                    assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text, "{out}");
                    let must_be = c.is_ascii() && is_escaped(c as u8);
                    assert_eq!(out.len() > text.len() + 2, must_be, "{out}");
                }
            }
        }
    }
}
