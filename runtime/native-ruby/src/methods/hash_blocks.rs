//! Methods of hashes that run a block.

use super::array;
use super::array_made::to_h;
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use crate::value::entries::{UNKNOWN, all, get, merged, pairs};

/// Runs `each` for every entry until it says no. The block may change values and take entries away; a new key is an
/// error.
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
            Ok(())
        }
        V::Map(map) => {
            map.try_borrow()?.begin_walk();
            let mut walk = || -> Done<'c, ()> {
                let mut place = 0;
                loop {
                    let found = map.try_borrow()?.entry_from(place);
                    let Some(((key, value), next)) = found else { return Ok(()) };
                    if !each(run, key, value)? {
                        return Ok(());
                    }
                    place = next;
                }
            };
            let done = walk();
            map.try_borrow()?.end_walk();
            done
        }
        _ => Err(UNKNOWN.into()),
    }
}

/// Calls a method with a block.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    match (method, args) {
        (Method::EachPair, []) if run.space.has_extended() => {
            Err(ForRuby("a method of an extended hash").into())
        }
        (Method::Each | Method::EachPair, []) => {
            each(run, on, |run, key, value| run.each_pair(block, key, value).map(|()| true))?;
            Ok(on.clone())
        }
        (Method::EachKey | Method::EachValue, []) => {
            each(run, on, |run, key, value| {
                run.each_one(block, if method == Method::EachKey { key } else { value }).map(|()| true)
            })?;
            Ok(on.clone())
        }
        (Method::Fetch, [key]) => match get(on, key)? {
            Some(value) => Ok(value),
            None => run.yield_one(block, key.clone()),
        },
        (Method::Merge, others) => merge(run, on, others, block),
        (Method::FetchValues, keys) => {
            let mut values = Vec::new();
            for key in keys {
                values.push(match get(on, key)? {
                    Some(value) => value,
                    None => run.yield_one(block, key.clone())?,
                });
            }
            Ok(V::list(values))
        }
        (Method::Select | Method::Reject | Method::TransformValues | Method::TransformKeys, []) => {
            chosen(run, on, method, block)
        }
        (Method::ToH, []) => {
            let mut made = Vec::new();
            each(run, on, |run, key, value| {
                made.push(run.yield_two(block, key, value)?);
                Ok(true)
            })?;
            Ok(to_h(made)?)
        }
        _ => collection(run, on, method, args, block),
    }
}

/// A hash of the entries that a block chooses, or with other values or keys.
fn chosen<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, method: Method, block: &'c Block) -> Done<'c> {
    let mut out: Vec<(V<'c>, V<'c>)> = Vec::new();
    each(run, on, |run, key, value| {
        match method {
            // Ruby gives this block two values: one with a single parameter gets the key.
            Method::Select | Method::Reject => {
                let chosen = run.yield_two(block, key.clone(), value.clone())?.truthy();
                if chosen == (method == Method::Select) {
                    out.push((key, value));
                }
            }
            Method::TransformValues => {
                let value = run.yield_one(block, value)?;
                out.push((key, value));
            }
            _ => {
                let key = run.yield_one(block, key)?;
                out.push((key, value));
            }
        }
        Ok(true)
    })?;
    Ok(V::map(out)?)
}

/// What a hash has of all collections, as an array of pairs.
fn collection<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    use Method::{
        AllIs, Any, Count, DropWhile, EachCons, EachEntry, EachSlice, EachWithIndex, EachWithObject,
        FilterMap, Find, FindIndex, FlatMap, Grep, GroupBy, Inject, Map, Max, MaxBy, Min, MinBy, MinmaxBy,
        NoneIs, OneIs, Partition, ReverseEach, Sort, SortBy, Sum, TakeWhile, Uniq,
    };
    match method {
        Map | FlatMap | FilterMap | Find | FindIndex | Any | AllIs | NoneIs | OneIs | Count | SortBy
        | Sort | MaxBy | MinBy | MinmaxBy | Max | Min | EachWithIndex | EachWithObject | EachSlice
        | EachCons | EachEntry | Inject | GroupBy | Partition | ReverseEach | Sum | TakeWhile | DropWhile
        | Uniq | Grep => {
            let value = array::call(run, &pairs(on)?, method, args, Some(block))?;
            let itself = matches!(method, EachWithIndex | EachEntry | ReverseEach);
            Ok(if itself { on.clone() } else { value })
        }
        Method::FindAll => array::call(run, &pairs(on)?, Method::Select, args, Some(block)),
        _ => Err(UNKNOWN.into()),
    }
}

/// The value for a key that both hashes may have: then the block says it.
pub(crate) fn decided<'c>(
    run: &mut Run<'_, 'c>,
    key: &V<'c>,
    known: Option<V<'c>>,
    value: V<'c>,
    block: &'c Block,
) -> Done<'c> {
    match known {
        Some(known) => run.yield_many(block, vec![key.clone(), known, value]),
        None => Ok(value),
    }
}

fn merge<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, others: &[V<'c>], block: &'c Block) -> Done<'c> {
    let made = merged(on, &[])?;
    let V::Map(map) = &made else { return Err(UNKNOWN.into()) };
    for other in others {
        for (key, value) in all(other)? {
            let known = map.try_borrow()?.get(&key)?;
            let value = decided(run, &key, known, value, block)?;
            let set: OrRuby<()> = map.try_borrow_mut()?.set(key, value);
            set?;
        }
    }
    Ok(made)
}
