//! Methods of hashes.

use super::array;
use crate::eval::{Done, Run};
use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare;
use crate::value::{HashValue, V};
use bunraku_vm::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

const UNKNOWN: ForRuby = ForRuby("a method of a hash");

/// Calls a method of a hash.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if let Some(block) = block {
        return with_block(run, on, method, args, block);
    }
    if matches!(method, Method::SetElement | Method::MergeIn | Method::Delete) {
        return Ok(change(on, method, args)?);
    }
    match plain(on, method, args)? {
        Some(value) => Ok(value),
        // What a hash has of all collections, it has as an array of pairs.
        None => array::call(run, &pairs(on)?, method, args, None),
    }
}

fn all<'c>(on: &V<'c>) -> OrRuby<Vec<(V<'c>, V<'c>)>> {
    on.entries()?.ok_or(UNKNOWN)
}

fn pairs<'c>(on: &V<'c>) -> OrRuby<V<'c>> {
    Ok(V::list(all(on)?.into_iter().map(|(key, value)| V::pair(key, value)).collect()))
}

fn made<'c>(entries: Vec<(V<'c>, V<'c>)>) -> OrRuby<V<'c>> {
    let mut map = HashValue::default();
    for (key, value) in entries {
        map.set(key, value)?;
    }
    Ok(V::Map(Rc::new(RefCell::new(map))))
}

/// The value at a key.
pub(crate) fn get<'c>(on: &V<'c>, key: &V<'c>) -> OrRuby<Option<V<'c>>> {
    match on {
        V::Hash(hash) => {
            if let Some(text) = key.text() {
                return Ok(hash.get_str(text).map(V::from));
            }
            match key {
                V::Int(n) => Ok(hash.get(Value::Int(*n)).map(V::from)),
                V::Bool(b) => Ok(hash.get(Value::Bool(*b)).map(V::from)),
                V::Nil => Ok(hash.get(Value::Undef).map(V::from)),
                V::Symbol("default") => Ok(hash.get(Value::Default).map(V::from)),
                V::Symbol(_) => Ok(None),
                _ => Err(ForRuby("a key of such a kind")),
            }
        }
        V::Map(map) => map.try_borrow().map_err(|_| BUSY)?.get(key),
        _ => Err(UNKNOWN),
    }
}

/// Calls a method that takes no block and changes nothing; none where an array of pairs has it.
fn plain<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    use Method::{Compact, Drop, Except, First, Flatten, Invert, Max, Merge, Min, Slice, Sort, Take, Zip};
    match method {
        Sort | First | Min | Max | Zip | Take | Drop => Ok(None),
        Merge | Invert | Compact | Slice | Except | Flatten => remade(on, method, args).map(Some),
        _ => told(on, method, args).map(Some),
    }
}

/// What is said of a hash, its keys and its values.
fn told<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::Element, [key]) => get(on, key)?.unwrap_or(V::Nil),
        (Method::Fetch, [key]) => get(on, key)?.ok_or(ForRuby("a key there is not"))?,
        (Method::Fetch, [key, other]) => get(on, key)?.unwrap_or_else(|| other.clone()),
        (Method::Dig, keys) if !keys.is_empty() => dig(on, keys)?,
        (Method::HasKey | Method::Include, [key]) => V::Bool(get(on, key)?.is_some()),
        (Method::HasValue, [wanted]) => {
            let mut found = false;
            for (_, value) in all(on)? {
                found |= compare::equal(&value, wanted)?;
            }
            V::Bool(found)
        }
        (Method::KeyOf, [wanted]) => {
            for (key, value) in all(on)? {
                if compare::equal(&value, wanted)? {
                    return Ok(key);
                }
            }
            V::Nil
        }
        (Method::Keys, []) => V::list(all(on)?.into_iter().map(|(key, _)| key).collect()),
        (Method::Values, []) => V::list(all(on)?.into_iter().map(|(_, value)| value).collect()),
        (Method::Size | Method::Count, []) => V::Int(on.size().unwrap_or_default() as i64),
        (Method::Empty, []) => V::Bool(on.size() == Some(0)),
        (Method::Any, []) => V::Bool(on.size() != Some(0)),
        (Method::ToA, []) => pairs(on)?,
        (Method::ToH | Method::Freeze, []) => on.clone(),
        (Method::ValuesAt, keys) => {
            let one = |key| Ok(get(on, key)?.unwrap_or(V::Nil));
            V::list(keys.iter().map(one).collect::<OrRuby<_>>()?)
        }
        _ => return Err(UNKNOWN),
    })
}

/// The value at a key, at a key of that, and so on.
fn dig<'c>(on: &V<'c>, keys: &[V<'c>]) -> OrRuby<V<'c>> {
    let mut value = on.clone();
    for key in keys {
        value = match (&value, key) {
            (V::Nil, _) => V::Nil,
            (V::Hash(_) | V::Map(_), key) => get(&value, key)?.unwrap_or(V::Nil),
            (V::Array(_) | V::List(_), V::Int(n)) if *n >= 0 => {
                value.items()?.and_then(|items| items.get(*n as usize).cloned()).unwrap_or(V::Nil)
            }
            _ => return Err(UNKNOWN),
        };
    }
    Ok(value)
}

/// Another hash, or an array, made of the entries.
fn remade<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::Merge, others) => {
            let mut entries = all(on)?;
            for other in others {
                entries.extend(other.entries()?.ok_or(UNKNOWN)?);
            }
            made(entries)?
        }
        (Method::Invert, []) => made(all(on)?.into_iter().map(|(key, value)| (value, key)).collect())?,
        (Method::Compact, []) => {
            made(all(on)?.into_iter().filter(|(_, value)| !matches!(value, V::Nil)).collect())?
        }
        (Method::Slice | Method::Except, keys) => {
            let mut kept = Vec::new();
            if method == Method::Slice {
                for key in keys {
                    if let Some(value) = get(on, key)? {
                        kept.push((key.clone(), value));
                    }
                }
            } else {
                for (key, value) in all(on)? {
                    let mut named = false;
                    for other in keys {
                        named |= compare::is_same_key(&key, other)?;
                    }
                    if !named {
                        kept.push((key, value));
                    }
                }
            }
            made(kept)?
        }
        (Method::Flatten, []) => {
            V::list(all(on)?.into_iter().flat_map(|(key, value)| [key, value]).collect())
        }
        _ => return Err(UNKNOWN),
    })
}

/// Changes a hash that the template has made.
fn change<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let V::Map(map) = on else { return Err(ForRuby("a change of what is Puppet's")) };
    if args.iter().any(|arg| matches!(arg, V::Map(other) if Rc::ptr_eq(other, map))) {
        return Err(ForRuby("a hash in itself"));
    }
    for arg in args {
        holds_nothing_made_of_maps(arg, map)?;
    }
    let mut entries = map.try_borrow_mut().map_err(|_| BUSY)?;
    match (method, args) {
        (Method::SetElement, [key, value]) => {
            entries.set(key.clone(), value.clone())?;
            Ok(value.clone())
        }
        (Method::MergeIn, others) => {
            for other in others {
                for (key, value) in other.entries()?.ok_or(UNKNOWN)? {
                    entries.set(key, value)?;
                }
            }
            Ok(on.clone())
        }
        (Method::Delete, [key]) => Ok(match entries.find(key)? {
            Some(place) => entries.entries.remove(place).1,
            None => V::Nil,
        }),
        _ => Err(UNKNOWN),
    }
}

/// Refuses a value that holds the hash it is to be put into: a circle of counted references is never freed.
fn holds_nothing_made_of_maps<'c>(value: &V<'c>, map: &Rc<RefCell<HashValue<'c>>>) -> OrRuby<()> {
    fn within<'c>(value: &V<'c>, map: &Rc<RefCell<HashValue<'c>>>, left: &mut usize) -> OrRuby<()> {
        *left = left.checked_sub(1).ok_or(ForRuby("a large value"))?;
        match value {
            V::Map(other) if Rc::ptr_eq(other, map) => Err(ForRuby("a hash in itself")),
            V::Map(other) => {
                let other = other.try_borrow().map_err(|_| BUSY)?;
                other.entries.iter().try_for_each(|(_, item)| within(item, map, left))
            }
            V::List(items) => {
                let items = items.try_borrow().map_err(|_| BUSY)?;
                items.iter().try_for_each(|item| within(item, map, left))
            }
            _ => Ok(()),
        }
    }
    within(value, map, &mut 2000)
}

/// Runs `each` for every entry until it says no. A change of the hash meanwhile is an error.
fn each<'r, 'e, 'c>(
    run: &'r mut Run<'e, 'c>,
    on: &V<'c>,
    mut each: impl FnMut(&mut Run<'e, 'c>, V<'c>, V<'c>) -> Done<'c, bool>,
) -> Done<'c, ()> {
    match on {
        V::Hash(hash) => {
            for (key, value) in hash.entries() {
                if !each(run, V::from(*key), V::from(*value))? {
                    break;
                }
            }
        }
        V::Map(map) => {
            let map = map.try_borrow().map_err(|_| BUSY)?;
            for (key, value) in &map.entries {
                if !each(run, key.clone(), value.clone())? {
                    break;
                }
            }
        }
        _ => return Err(UNKNOWN.into()),
    }
    Ok(())
}

fn with_block<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    let mut out: Vec<(V<'c>, V<'c>)> = Vec::new();
    match (method, args) {
        (Method::Each | Method::EachPair, []) => {
            each(run, on, |run, key, value| run.each_pair(block, key, value).map(|()| true))?;
            return Ok(on.clone());
        }
        (Method::EachKey | Method::EachValue, []) => {
            each(run, on, |run, key, value| {
                run.each_one(block, if method == Method::EachKey { key } else { value }).map(|()| true)
            })?;
            return Ok(on.clone());
        }
        // Ruby gives these blocks two values: a block with one parameter gets the key.
        (Method::Select | Method::Reject, []) => each(run, on, |run, key, value| {
            let chosen = run.yield_two(block, key.clone(), value.clone())?.truthy();
            if chosen == (method == Method::Select) {
                out.push((key, value));
            }
            Ok(true)
        })?,
        (Method::TransformValues, []) => each(run, on, |run, key, value| {
            let value = run.yield_one(block, value)?;
            out.push((key, value));
            Ok(true)
        })?,
        (
            Method::Map
            | Method::MapWithIndex
            | Method::FlatMap
            | Method::Find
            | Method::Any
            | Method::AllIs
            | Method::NoneIs
            | Method::SortBy
            | Method::Sort
            | Method::MaxBy
            | Method::MinBy
            | Method::EachWithIndex
            | Method::EachWithObject
            | Method::Inject
            | Method::GroupBy
            | Method::Partition
            | Method::Count
            | Method::ToH,
            _,
        ) => {
            let value = array::call(run, &pairs(on)?, method, args, Some(block))?;
            // `each_with_index` gives the hash itself.
            return Ok(if method == Method::EachWithIndex { on.clone() } else { value });
        }
        _ => return Err(UNKNOWN.into()),
    }
    Ok(made(out)?)
}
