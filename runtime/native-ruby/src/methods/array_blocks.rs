//! Methods of arrays that run a block: for what it does, for what it gives, for what it chooses.

use super::array_items::{UNKNOWN, all, plain, sum};
use super::array_made;
use super::array_sorting as sorting;
use crate::eval::{Done, Run};
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare::case_equal;
use crate::value::{Enumerator, HashValue, V};
use std::rc::Rc;

/// Runs `each` for every item until it says no.
pub(crate) fn each<'r, 'e, 'c>(
    run: &'r mut Run<'e, 'c>,
    on: &V<'c>,
    mut each: impl FnMut(&mut Run<'e, 'c>, usize, V<'c>) -> Done<'c, bool>,
) -> Done<'c, ()> {
    match on {
        V::Array(items) => {
            for (at, item) in items.items().iter().enumerate() {
                if !each(run, at, V::from(*item))? {
                    break;
                }
            }
        }
        V::List(items) => {
            // The block may change the array: what comes next is what stands at the next place then.
            let mut at = 0;
            loop {
                let item = items.try_borrow()?.get(at).cloned();
                let Some(item) = item else { break };
                if !each(run, at, item)? {
                    break;
                }
                at += 1;
            }
        }
        _ => return Err(UNKNOWN.into()),
    }
    Ok(())
}

/// Calls a method of an array with a block.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    use Method::{
        AllIs, Any, Combination, Count, Cycle, DropWhile, Each, EachCons, EachEntry, EachIndex, EachSlice,
        EachWithIndex, EachWithObject, FilterMap, Find, FindIndex, FlatMap, Grep, GrepV, Index, Inject, Map,
        NoneIs, OneIs, Permutation, Product, Reject, ReverseEach, Select, TakeWhile, Zip,
    };
    match method {
        Each | EachEntry | EachWithIndex | EachIndex | ReverseEach | EachWithObject => {
            walk(run, on, method, args, block)
        }
        EachSlice | EachCons | Combination | Permutation | Product | Zip => {
            walk_parts(run, on, method, args, block)
        }
        Cycle => cycle(run, on, args, block),
        Map | FlatMap | FilterMap | Select | Reject | TakeWhile | DropWhile | Grep | GrepV => {
            collect(run, on, method, args, block)
        }
        Find | Index | FindIndex | Any | AllIs | NoneIs | OneIs | Count | Inject => {
            search(run, on, method, args, block)
        }
        _ => arrange(run, on, method, args, block),
    }
}

/// Runs the block for each item, for what it does.
fn walk<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, method: Method, args: &[V<'c>], block: &'c Block) -> Done<'c> {
    match (method, args) {
        (Method::Each | Method::EachEntry, []) => {
            each(run, on, |run, _, item| run.each_one(block, item).map(|()| true))?;
        }
        (Method::EachWithIndex, []) => {
            each(run, on, |run, at, item| run.each_two(block, item, V::Int(at as i64)).map(|()| true))?;
        }
        (Method::EachIndex, []) => {
            each(run, on, |run, at, _| run.each_one(block, V::Int(at as i64)).map(|()| true))?;
        }
        (Method::ReverseEach, []) => {
            for item in all(on)?.into_iter().rev() {
                run.each_one(block, item)?;
            }
        }
        (Method::EachWithObject, [object]) => {
            each(run, on, |run, _, item| run.yield_two(block, item, object.clone()).map(|_| true))?;
            return Ok(object.clone());
        }
        _ => return Err(UNKNOWN.into()),
    }
    Ok(on.clone())
}

/// The parts that `each_slice` and the like run a block for; none where it is no such method.
pub(crate) fn parts<'c>(
    items: Vec<V<'c>>,
    method: Method,
    args: &[V<'c>],
) -> Result<Vec<V<'c>>, crate::for_ruby::ForRuby> {
    let list = |items: &[V<'c>]| V::list(items.to_vec());
    Ok(match (method, args) {
        (Method::EachSlice, [V::Int(n)]) if *n > 0 => items.chunks(*n as usize).map(list).collect(),
        (Method::EachCons, [V::Int(n)]) if *n > 0 => items.windows(*n as usize).map(list).collect(),
        (Method::Combination, [V::Int(n)]) => array_made::combinations(&items, *n)?,
        (Method::Permutation, []) => array_made::permutations(&items, items.len() as i64)?,
        (Method::Permutation, [V::Int(n)]) => array_made::permutations(&items, *n)?,
        _ => return Err(UNKNOWN),
    })
}

fn walk_parts<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    let made = match method {
        Method::Product | Method::Zip => plain(on, method, args)?.items()?.ok_or(UNKNOWN)?,
        method => parts(all(on)?, method, args)?,
    };
    for part in made {
        run.yield_one(block, part)?;
    }
    Ok(match method {
        Method::Zip => V::Nil,
        Method::Combination | Method::Permutation | Method::Product => on.clone(),
        // Its value depends on Ruby's version, so nothing may look at it.
        _ => V::Void,
    })
}

fn cycle<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, args: &[V<'c>], block: &'c Block) -> Done<'c> {
    let rounds = match args {
        [] | [V::Nil] => i64::MAX,
        [V::Int(n)] => *n,
        _ => return Err(UNKNOWN.into()),
    };
    for _ in 0..rounds {
        let mut some = false;
        each(run, on, |run, _, item| {
            some = true;
            run.each_one(block, item).map(|()| true)
        })?;
        if !some {
            break;
        }
    }
    Ok(V::Nil)
}

/// An array of what the block gives, or of the items that it chooses.
fn collect<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    let mut out: Vec<V<'c>> = Vec::with_capacity(on.size().unwrap_or_default());
    match (method, args) {
        (Method::Map | Method::FlatMap | Method::FilterMap, []) => each(run, on, |run, _, item| {
            let value = run.yield_one(block, item)?;
            put_mapped(&mut out, method, value)?;
            Ok(true)
        })?,
        (Method::Select | Method::Reject, []) => each(run, on, |run, _, item| {
            if run.yield_one(block, item.clone())?.truthy() == (method == Method::Select) {
                out.push(item);
            }
            Ok(true)
        })?,
        (Method::TakeWhile, []) => each(run, on, |run, _, item| {
            let goes_on = run.yield_one(block, item.clone())?.truthy();
            if goes_on {
                out.push(item);
            }
            Ok(goes_on)
        })?,
        (Method::DropWhile, []) => each(run, on, |run, _, item| {
            if !out.is_empty() || !run.yield_one(block, item.clone())?.truthy() {
                out.push(item);
            }
            Ok(true)
        })?,
        (Method::Grep | Method::GrepV, [pattern]) => each(run, on, |run, _, item| {
            if case_equal(pattern, &item)? == (method == Method::Grep) {
                out.push(run.yield_one(block, item)?);
            }
            Ok(true)
        })?,
        _ => return Err(UNKNOWN.into()),
    }
    Ok(V::list(out))
}

/// Adds what a block has given to what `map`, `flat_map` or `filter_map` collects.
pub(crate) fn put_mapped<'c>(out: &mut Vec<V<'c>>, method: Method, value: V<'c>) -> Done<'c, ()> {
    match method {
        Method::FlatMap => match value.items()? {
            Some(items) => out.extend(items),
            None => out.push(value),
        },
        Method::FilterMap if !value.truthy() => {}
        _ => out.push(value),
    }
    Ok(())
}

/// One value: an item, a place, a number, what the block makes of all.
fn search<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    match (method, args) {
        (Method::Find | Method::Index | Method::FindIndex, []) => {
            let mut found = V::Nil;
            each(run, on, |run, at, item| {
                let is = run.yield_one(block, item.clone())?.truthy();
                if is {
                    found = if method == Method::Find { item } else { V::Int(at as i64) };
                }
                Ok(!is)
            })?;
            Ok(found)
        }
        (Method::Any | Method::AllIs | Method::NoneIs, []) => {
            let mut met = false;
            let wanted = method != Method::AllIs;
            each(run, on, |run, _, item| {
                met = run.yield_one(block, item)?.truthy() == wanted;
                Ok(!met)
            })?;
            Ok(V::Bool(met == (method == Method::Any)))
        }
        (Method::Count | Method::OneIs, []) => {
            let mut count = 0;
            each(run, on, |run, _, item| {
                count += i64::from(run.yield_one(block, item)?.truthy());
                Ok(method == Method::Count || count < 2)
            })?;
            Ok(if method == Method::Count { V::Int(count) } else { V::Bool(count == 1) })
        }
        (Method::Inject, start) if start.len() < 2 => {
            let mut value = start.first().cloned();
            each(run, on, |run, _, item| {
                value = Some(match value.take() {
                    Some(value) => run.yield_two(block, value, item)?,
                    None => item,
                });
                Ok(true)
            })?;
            Ok(value.unwrap_or(V::Nil))
        }
        _ => Err(UNKNOWN.into()),
    }
}

/// An item and what the block gives for it.
pub(crate) type Keyed<'c> = (V<'c>, V<'c>);

/// The items in another order, or sorted into groups, as the block says.
fn arrange<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    match (method, args) {
        (Method::Sort, []) => Ok(V::list(sorting::sort_with(run, all(on)?, block)?)),
        (Method::Min | Method::Max, []) => sorting::extreme_with(run, all(on)?, method, block),
        (Method::ToH, []) => {
            Ok(array_made::to_h(call(run, on, Method::Map, &[], block)?.items()?.ok_or(UNKNOWN)?)?)
        }
        (Method::Sum, start) if start.len() < 2 => {
            let items = call(run, on, Method::Map, &[], block)?.items()?.ok_or(UNKNOWN)?;
            Ok(sum(start.first().cloned().unwrap_or(V::Int(0)), &items)?)
        }
        (Method::ChunkWhile | Method::SliceWhen, []) => {
            let chunks = sorting::chunks(run, all(on)?, method, block)?;
            Ok(V::Enumerator(Rc::new(Enumerator { on: chunks, method: Method::Each, args: Vec::new() })))
        }
        (_, []) if sorting::is_by_key(method) => {
            let mut keyed: Vec<Keyed<'c>> = Vec::new();
            each(run, on, |run, _, item| {
                let key = run.yield_one(block, item.clone())?;
                keyed.push((key, item));
                Ok(true)
            })?;
            let keyed = if sorting::orders(method) { sorting::ranked(run, keyed)? } else { keyed };
            Ok(sorting::by_key(keyed, method)?)
        }
        (Method::Fetch, [V::Int(n)]) => {
            let items = all(on)?;
            let at = if *n < 0 { items.len() as i64 + n } else { *n };
            match usize::try_from(at).ok().and_then(|at| items.get(at)) {
                Some(item) => Ok(item.clone()),
                None => run.yield_one(block, V::Int(*n)),
            }
        }
        _ => Err(UNKNOWN.into()),
    }
}

/// Groups by the keys that a block has given.
pub(crate) fn group<'c>(keyed: Vec<Keyed<'c>>) -> crate::for_ruby::OrRuby<V<'c>> {
    let mut groups = HashValue::default();
    for (key, item) in keyed {
        match groups.get(&key)? {
            Some(V::List(group)) => group.try_borrow_mut()?.push(item),
            _ => groups.set(key, V::list(vec![item]))?,
        }
    }
    Ok(V::hash(groups))
}
