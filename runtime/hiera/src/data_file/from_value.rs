//! A compile's values as data: what explanations, origins and the output of `puppet lookup` are written from.

use crate::data_file::data::Data;
use bunraku_vm::budget;
use bunraku_vm::format::to_interpolated;
use bunraku_vm::value::Value;

/// A value as data; what is no data is its text.
pub fn plain(value: Value<'_>) -> Data {
    budget::within(1, || match value {
        Value::Undef => Data::Null,
        Value::Bool(b) => Data::Bool(b),
        Value::Int(n) => Data::Int(n),
        Value::Float(f) => Data::Float(f),
        Value::Str(text) => Data::Text(text.as_str().to_owned()),
        Value::Array(items) => Data::List(items.items().iter().map(|item| plain(*item)).collect()),
        Value::Hash(hash) => Data::Map(hash.entries().iter().map(|(k, v)| (plain(*k), plain(*v))).collect()),
        other => Data::Text(to_interpolated(other)),
    })
}

/// The same, in which each list and map says which object it is: YAML gives those that stand in several places a name.
pub fn with_objects(value: Value<'_>) -> Data {
    let object = |address, data| Data::Object(address, Box::new(data));
    budget::within(1, || match value {
        Value::Array(items) if !items.items().is_empty() => object(
            (items.address(), items.items().len()),
            Data::List(items.items().iter().map(|item| with_objects(*item)).collect()),
        ),
        Value::Hash(hash) if !hash.is_empty() => {
            let pairs = hash.entries().iter().map(|(key, value)| (with_objects(*key), with_objects(*value)));
            object((hash.address(), hash.len()), Data::Map(pairs.collect()))
        }
        other => plain(other),
    })
}
