//! A compile's values as data: what explanations, origins and the output of `puppet lookup` are written from.

use crate::data_file::data::Data;
use bunraku_vm::budget;
use bunraku_vm::format::to_interpolated;
use bunraku_vm::value::{Str, Value};
use std::collections::HashSet;
use std::convert::Infallible;

/// A value as data; what is no data is its text.
pub fn plain(value: Value<'_>) -> Data {
    with(value, &mut |other| Ok::<_, Infallible>(Data::Text(to_interpolated(other))))
        .unwrap_or_else(|never| match never {})
}

/// A value as data, where `other` says what stands for what is none.
///
/// # Errors
/// Those of `other`.
pub fn with<'c, E>(
    value: Value<'c>,
    other: &mut impl FnMut(Value<'c>) -> Result<Data, E>,
) -> Result<Data, E> {
    budget::within(1, || {
        Ok(match value {
            Value::Undef => Data::Null,
            Value::Bool(b) => Data::Bool(b),
            Value::Int(n) => Data::Int(n),
            Value::Float(f) => Data::Float(f),
            Value::Str(text) => Data::Text(text.as_str().to_owned()),
            Value::Array(items) => {
                Data::List(items.items().iter().map(|item| with(*item, other)).collect::<Result<_, E>>()?)
            }
            Value::Hash(hash) => {
                let mut pair = |(key, value): &(Value<'c>, Value<'c>)| {
                    Ok::<_, E>((with(*key, other)?, with(*value, other)?))
                };
                Data::Map(hash.entries().iter().map(&mut pair).collect::<Result<_, E>>()?)
            }
            value => other(value)?,
        })
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

/// The same of a value that Ruby writes as YAML, each list and map in full where it is met first; none of one that holds what is no plain
/// data to Ruby, or a text that `is_other` names. Of the texts `is_symbol` says which are symbols, written with their colon.
pub fn for_yaml<'c>(
    value: Value<'c>,
    is_symbol: &dyn Fn(Str<'c>) -> bool,
    is_other: &dyn Fn(&str) -> bool,
) -> Option<Data> {
    Met { objects: HashSet::new(), is_symbol, is_other }.data(value)
}

/// What has been met of a value.
struct Met<'f, 'c> {
    objects: HashSet<usize>,
    is_symbol: &'f dyn Fn(Str<'c>) -> bool,
    is_other: &'f dyn Fn(&str) -> bool,
}

impl<'c> Met<'_, 'c> {
    fn data(&mut self, value: Value<'c>) -> Option<Data> {
        budget::within(1, || {
            Some(match value {
                Value::Str(text) if (self.is_symbol)(text) => {
                    let name = text.strip_prefix(':').filter(|name| !name.is_empty())?;
                    Data::Symbol(name.to_owned())
                }
                Value::Str(text) if (self.is_other)(&text) => return None,
                Value::Str(text) => {
                    budget::room(text.len());
                    Data::Text(text.as_str().to_owned())
                }
                Value::Default => Data::Symbol("default".to_owned()),
                Value::Array(items) => self.object(items.address(), items.len(), |met| {
                    items.items().iter().map(|item| met.data(*item)).collect::<Option<_>>().map(Data::List)
                })?,
                Value::Hash(hash) => self.object(hash.address(), hash.len(), |met| {
                    let mut pair =
                        |(key, value): &(Value<'c>, Value<'c>)| Some((met.data(*key)?, met.data(*value)?));
                    hash.entries().iter().map(&mut pair).collect::<Option<_>>().map(Data::Map)
                })?,
                Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) => plain(value),
                _ => return None,
            })
        })
    }

    /// A list or map by where it lies.
    fn object(
        &mut self,
        address: usize,
        size: usize,
        data: impl FnOnce(&mut Self) -> Option<Data>,
    ) -> Option<Data> {
        let data = if self.objects.insert(address) { data(self)? } else { Data::Null };
        Some(Data::Object((address, size), Box::new(data)))
    }
}
