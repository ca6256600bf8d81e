//! JSON and values: facts and node terms in, rich data out.

use crate::rich::{self, Style};
use bumpalo::Bump;
use bunraku_vm::format::convert;
use bunraku_vm::format::ruby_hashes::HashNotation;
use bunraku_vm::types::object;
use bunraku_vm::value::{Array, Hash, Held, Value};
use bunraku_vm::vm::Vm;
use serde_json::{Map, Value as Json};

/// A JSON value as a Puppet value. Whole numbers beyond 64 bits become floats.
pub fn value<'c>(arena: &'c Bump, json: &Json) -> Value<'c> {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Int(integer),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::str(arena, text),
        Json::Array(items) => Value::Array(Array::made(arena, items.iter().map(|item| value(arena, item)))),
        Json::Object(map) => object(arena, map),
    }
}

/// A fact: as [`value`], but null becomes the empty string, however deep, as Puppet sanitises facts.
pub fn fact<'c>(arena: &'c Bump, json: &Json) -> Value<'c> {
    match json {
        Json::Null => Value::str(arena, ""),
        Json::Array(items) => Value::Array(Array::made(arena, items.iter().map(|item| fact(arena, item)))),
        Json::Object(map) => Value::Hash(facts(arena, map)),
        other => value(arena, other),
    }
}

/// All facts as a hash.
pub fn facts<'c>(arena: &'c Bump, map: &Map<String, Json>) -> Hash<'c> {
    Hash::made_unique(arena, map.iter().map(|(key, item)| (Value::str(arena, key), fact(arena, item))))
}

/// A JSON object as a value.
pub fn object<'c>(arena: &'c Bump, map: &Map<String, Json>) -> Value<'c> {
    Value::Hash(hash(arena, map))
}

/// A JSON object as a hash.
pub fn hash<'c>(arena: &'c Bump, map: &Map<String, Json>) -> Hash<'c> {
    let entries = map.iter().map(|(key, item)| (Value::str(arena, key), value(arena, item)));
    Hash::made_unique(arena, entries)
}

/// A value as rich data (JSON) and as `%p` prints it.
pub fn describe<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> (String, String) {
    let value = match value {
        Value::Object(object) => match object::foreign_text(object) {
            Some(text) if !matches!(object.held, Held::InRuby(_)) => vm.string(text),
            _ => value,
        },
        other => other,
    };
    let mut json = String::new();
    rich::value(&mut json, value, Style::Plain);
    (json, convert::repr(vm, value))
}

/// A fact as Ruby's `to_s` writes it: what stands in Puppet's messages.
pub fn inspect(value: &serde_json::Value) -> String {
    use serde_json::Value as Json;
    fn within(out: &mut String, value: &Json) {
        match value {
            Json::Null => out.push_str("nil"),
            Json::String(text) => out.push_str(&format!("{text:?}")),
            Json::Array(items) => {
                out.push('[');
                for (n, item) in items.iter().enumerate() {
                    out.push_str(if n > 0 { ", " } else { "" });
                    within(out, item);
                }
                out.push(']');
            }
            Json::Object(map) => {
                out.push('{');
                for (n, (key, item)) in map.iter().enumerate() {
                    out.push_str(if n > 0 { ", " } else { "" });
                    out.push_str(&format!("{key:?}{}", HashNotation::current().arrow()));
                    within(out, item);
                }
                out.push('}');
            }
            other => out.push_str(&other.to_string()),
        }
    }
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => {
            let mut out = String::new();
            within(&mut out, other);
            out
        }
    }
}
