//! Entries of hashes, of the compile's and of those that Ruby code has made.

use super::{HashValue, V};
use crate::for_ruby::{ForRuby, OrRuby};
use bunraku_vm::value::Value;

pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of a hash");

/// All entries.
pub(crate) fn all<'c>(on: &V<'c>) -> OrRuby<Vec<(V<'c>, V<'c>)>> {
    on.entries()?.ok_or(UNKNOWN)
}

/// The entries as an array of pairs.
pub(crate) fn pairs<'c>(on: &V<'c>) -> OrRuby<V<'c>> {
    Ok(V::list(all(on)?.into_iter().map(|(key, value)| V::pair(key, value)).collect()))
}

/// The value at a key.
pub(crate) fn get<'c>(on: &V<'c>, key: &V<'c>) -> OrRuby<Option<V<'c>>> {
    match on {
        V::Hash(hash) => {
            if let Some(text) = key.text() {
                return Ok(hash.get_str(&text).map(V::from));
            }
            match key {
                V::Int(n) => Ok(hash.get(Value::Int(*n)).map(V::from)),
                V::Bool(b) => Ok(hash.get(Value::Bool(*b)).map(V::from)),
                V::Nil => Ok(hash.get(Value::Undef).map(V::from)),
                V::Symbol("default") => Ok(hash.get(Value::Default).map(V::from)),
                V::Symbol(_) => Ok(None),
                V::Array(items) => Ok(hash.get(Value::Array(*items)).map(V::from)),
                V::Hash(key) => Ok(hash.get(Value::Hash(*key)).map(V::from)),
                V::Other(key @ Value::Type(_)) => Ok(hash.get(*key).map(V::from)),
                _ => Err(ForRuby("a key of such a kind")),
            }
        }
        V::Map(map) => map.try_borrow()?.get(key),
        _ => Err(UNKNOWN),
    }
}

/// The value at a key, or what the hash has for all others.
pub(crate) fn get_or_default<'c>(on: &V<'c>, key: &V<'c>) -> OrRuby<Option<V<'c>>> {
    match (get(on, key)?, on) {
        (None, V::Map(map)) => {
            let map = map.try_borrow()?;
            match map.default_block {
                None => Ok(map.default.clone()),
                Some(_) => Err(ForRuby("a block for keys that are not there")),
            }
        }
        (found, _) => Ok(found),
    }
}

/// Whether two hashes have the same entries.
pub(crate) fn same_entries<'c>(
    a: &V<'c>,
    b: &V<'c>,
    mut same: impl FnMut(&V<'c>, &V<'c>) -> OrRuby<bool>,
) -> OrRuby<bool> {
    for (key, value) in all(a)? {
        match get(b, &key)? {
            Some(other) if same(&value, &other)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// A copy with the same default, and the entries of others.
pub(crate) fn merged<'c>(on: &V<'c>, others: &[V<'c>]) -> OrRuby<V<'c>> {
    let mut made = HashValue::of(all(on)?)?;
    if let V::Map(map) = on {
        made.default = map.try_borrow()?.default.clone();
        made.default_block = map.try_borrow()?.default_block.clone();
    }
    for other in others {
        for (key, value) in all(other)? {
            made.set(key, value)?;
        }
    }
    Ok(V::hash(made))
}
