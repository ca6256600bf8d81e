//! Methods of hashes, by what they do: [`super::hash_changes`] changes one in place, [`super::hash_blocks`] runs a block for
//! its entries; the others are here. What a hash has of all collections, it has as an array of pairs.

use super::{array, array_items, errors, hash_blocks, hash_changes};
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare::equal;
use crate::value::{HashValue, V};
use bunraku_vm::value::Value;

pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of a hash");

/// Calls a method of a hash.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if hash_changes::changes(method) {
        return hash_changes::call(run, on, method, args, block);
    }
    if let Some(block) = block {
        return hash_blocks::call(run, on, method, args, block);
    }
    match (method, args) {
        (Method::Element, [key]) => return element(run, on, key),
        (Method::Fetch, [key]) => return get(on, key)?.ok_or_else(|| errors::no_key(key)),
        _ => {}
    }
    if let Some(value) = told(on, method, args)? {
        return Ok(value);
    }
    if let Some(value) = remade(on, method, args)? {
        return Ok(value);
    }
    match is_of_collections(method) {
        true => array::call(run, &pairs(on)?, method, args, None),
        false => Err(UNKNOWN.into()),
    }
}

/// Methods without a block that a hash has as an array of pairs.
fn is_of_collections(method: Method) -> bool {
    use Method::{
        AllIs, Any, Count, Drop, FindIndex, First, Grep, GrepV, Inject, Max, Min, Minmax, NoneIs, OneIs,
        Sort, Sum, Take, Tally, Uniq, Zip,
    };
    matches!(
        method,
        AllIs
            | Any
            | Count
            | Drop
            | FindIndex
            | First
            | Grep
            | GrepV
            | Inject
            | Max
            | Min
            | Minmax
            | NoneIs
            | OneIs
            | Sort
            | Sum
            | Take
            | Tally
            | Uniq
            | Zip
    )
}

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

/// `[]`: the value at a key, or what the hash has, or its block makes, for all others.
pub(crate) fn element<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, key: &V<'c>) -> Done<'c> {
    if let Some(value) = get(on, key)? {
        return Ok(value);
    }
    let block = match on {
        V::Map(map) => map.try_borrow()?.default_block.clone(),
        _ => None,
    };
    if let (V::Hash(hash), Some(name)) = (on, key.text())
        && let value = run.vm.missing_key(*hash, run.vm.string(&name))
        && !value.is_undef()
    {
        return Ok(V::from(value));
    }
    match block {
        Some(block) => run.call_proc(&block, vec![on.clone(), key.clone()]),
        None => Ok(get_or_default(on, key)?.unwrap_or(V::Nil)),
    }
}

/// What is said of a hash, its keys and its values; none where it is no such method.
fn told<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (method, args) {
        (Method::Fetch, [key, other]) => get(on, key)?.unwrap_or_else(|| other.clone()),
        (Method::Dig, keys) if !keys.is_empty() => dig(on, keys)?,
        (Method::HasKey | Method::Include, [key]) => V::Bool(get(on, key)?.is_some()),
        (Method::HasValue, [wanted]) => V::Bool(key_of(on, wanted)?.is_some()),
        (Method::KeyOf, [wanted]) => key_of(on, wanted)?.unwrap_or(V::Nil),
        (Method::Keys, []) => V::list(all(on)?.into_iter().map(|(key, _)| key).collect()),
        (Method::Values, []) => V::list(all(on)?.into_iter().map(|(_, value)| value).collect()),
        (Method::Size | Method::Count, []) => V::Int(on.size().unwrap_or_default() as i64),
        (Method::Empty, []) => V::Bool(on.size() == Some(0)),
        (Method::Any, []) => V::Bool(on.size() != Some(0)),
        (Method::ToA, []) => pairs(on)?,
        (Method::ToH | Method::ToHash, []) => on.clone(),
        (Method::ValuesAt, keys) => {
            let one = |key| Ok(get_or_default(on, key)?.unwrap_or(V::Nil));
            V::list(keys.iter().map(one).collect::<OrRuby<_>>()?)
        }
        (Method::FetchValues, keys) => {
            let one = |key| get(on, key)?.ok_or(ForRuby("a key there is not"));
            V::list(keys.iter().map(one).collect::<OrRuby<_>>()?)
        }
        (Method::Assoc, [key]) => get(on, key)?.map_or(V::Nil, |value| V::pair(key.clone(), value)),
        (Method::StoreDefault, []) => match on {
            V::Map(map) => map.try_borrow()?.default.clone().unwrap_or(V::Nil),
            _ => V::Nil,
        },
        (Method::LessOrEqual, [other]) => V::Bool(is_within(on, other)?),
        (Method::GreaterOrEqual, [other]) => V::Bool(is_within(other, on)?),
        (Method::Less, [other]) => V::Bool(is_within(on, other)? && on.size() < other.size()),
        (Method::Greater, [other]) => V::Bool(is_within(other, on)? && other.size() < on.size()),
        _ => return Ok(None),
    }))
}

/// The first key that has a value.
fn key_of<'c>(on: &V<'c>, wanted: &V<'c>) -> OrRuby<Option<V<'c>>> {
    for (key, value) in all(on)? {
        if equal(&value, wanted)? {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// Whether another hash has all entries of one.
fn is_within<'c>(on: &V<'c>, other: &V<'c>) -> OrRuby<bool> {
    if !matches!(other, V::Hash(_) | V::Map(_)) {
        return Err(UNKNOWN);
    }
    same_entries(on, other, equal)
}

/// The value at a key, at a key of that, and so on.
pub(crate) fn dig<'c>(on: &V<'c>, keys: &[V<'c>]) -> OrRuby<V<'c>> {
    let mut value = on.clone();
    for key in keys {
        value = match &value {
            V::Nil => V::Nil,
            V::Hash(_) | V::Map(_) => get_or_default(&value, key)?.unwrap_or(V::Nil),
            V::Array(_) | V::List(_) if matches!(key, V::Int(_)) => {
                array_items::plain(&value, Method::Element, std::slice::from_ref(key))?
            }
            _ => return Err(UNKNOWN),
        };
    }
    Ok(value)
}

/// Another hash, or an array, made of the entries; none where it is no such method.
fn remade<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (method, args) {
        (Method::Merge, others) => merged(on, others)?,
        (Method::Invert, []) => V::map(all(on)?.into_iter().map(|(key, value)| (value, key)))?,
        (Method::Compact, []) if !has_default(on)? => {
            V::map(all(on)?.into_iter().filter(|(_, value)| !matches!(value, V::Nil)))?
        }
        (Method::Slice, keys) => {
            let mut kept = Vec::new();
            for key in keys {
                if let Some(value) = get(on, key)? {
                    kept.push((key.clone(), value));
                }
            }
            V::map(kept)?
        }
        (Method::Except, keys) => {
            let named = HashValue::of(keys.iter().map(|key| (key.clone(), V::Nil)))?;
            let mut kept = HashValue::default();
            for (key, value) in all(on)? {
                if named.get(&key)?.is_none() {
                    kept.set(key, value)?;
                }
            }
            V::hash(kept)
        }
        (Method::TransformKeys, [names @ (V::Hash(_) | V::Map(_))]) => {
            let mut made = HashValue::default();
            for (key, value) in all(on)? {
                made.set(get(names, &key)?.unwrap_or(key), value)?;
            }
            V::hash(made)
        }
        (Method::Flatten, []) => {
            V::list(all(on)?.into_iter().flat_map(|(key, value)| [key, value]).collect())
        }
        (Method::Flatten, [V::Int(_)]) => array_items::plain(&pairs(on)?, method, args)?,
        _ => return Ok(None),
    }))
}

fn has_default(on: &V<'_>) -> OrRuby<bool> {
    Ok(match on {
        V::Map(map) => map.try_borrow()?.default.is_some() || map.try_borrow()?.default_block.is_some(),
        _ => false,
    })
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
