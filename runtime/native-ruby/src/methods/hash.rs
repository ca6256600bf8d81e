//! Methods of hashes, by what they do: [`super::hash_changes`] changes one in place, [`super::hash_blocks`] runs a block for
//! its entries; the others are here. What a hash has of all collections, it has as an array of pairs.

use super::{array, array_items, errors, hash_blocks, hash_changes};
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare::equal;
use crate::value::entries::{UNKNOWN, all, get, get_or_default, merged, pairs, same_entries};
use crate::value::{HashValue, V};

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
        (Method::Dig, keys) if !keys.is_empty() => array_items::dig(on, keys)?,
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
