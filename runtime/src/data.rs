//! JSON and values: facts and node terms in, rich data out.

use crate::catalog::rich::{self, Style};
use bumpalo::Bump;
use bunraku_vm::format::convert;
use bunraku_vm::value::{HashBuilder, Value};
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
        Json::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| value(arena, item)).collect();
            Value::array(arena, &items)
        }
        Json::Object(map) => object(arena, map),
    }
}

/// A JSON object as a hash.
pub fn object<'c>(arena: &'c Bump, map: &Map<String, Json>) -> Value<'c> {
    let mut builder = HashBuilder::new(arena);
    for (key, item) in map {
        builder.insert_str(key, value(arena, item));
    }
    Value::Hash(builder.finish())
}

/// A value as rich data (JSON) and as `%p` prints it.
pub fn describe<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> (String, String) {
    let mut json = String::new();
    rich::value(&mut json, value, Style::Plain);
    (json, convert::repr(vm, value))
}
