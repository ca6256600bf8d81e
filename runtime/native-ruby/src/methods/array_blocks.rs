//! Methods of arrays that take a block.

use super::array_items::{LONGEST, UNKNOWN, all, has, plain};
use super::common::order_of;
use crate::eval::{Done, Run};
use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare::{self, must_order as order};
use crate::value::{HashValue, V};
use std::cell::RefCell;
use std::rc::Rc;

/// Runs `each` for every item until it says no. A change of the array meanwhile is an error.
fn each<'r, 'e, 'c>(
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
            // Borrowed all the while: a change fails with `BUSY`.
            let items = items.try_borrow().map_err(|_| BUSY)?;
            for (at, item) in items.iter().enumerate() {
                if !each(run, at, item.clone())? {
                    break;
                }
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
        AllIs, Any, Count, Each, EachIndex, EachSlice, EachWithIndex, EachWithObject, Find, FindIndex,
        FlatMap, GroupBy, Index, Inject, Map, MapWithIndex, MaxBy, MinBy, NoneIs, Partition, Reject,
        ReverseEach, Select, Sort, SortBy, TakeWhile, ToH, Uniq,
    };
    match method {
        Each | EachWithIndex | EachIndex | ReverseEach | EachSlice | EachWithObject => {
            walk(run, on, method, args, block)
        }
        Map | MapWithIndex | FlatMap | Select | Reject | TakeWhile => collect(run, on, method, args, block),
        Find | Index | FindIndex | Any | AllIs | NoneIs | Count | Inject => {
            search(run, on, method, args, block)
        }
        Partition | Uniq | SortBy | MaxBy | MinBy | Sort | GroupBy | ToH if args.is_empty() => {
            arrange(run, on, method, block)
        }
        _ => Err(UNKNOWN.into()),
    }
}

/// Runs the block for each item, for what it does.
fn walk<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, method: Method, args: &[V<'c>], block: &'c Block) -> Done<'c> {
    match (method, args) {
        (Method::Each, []) => {
            each(run, on, |run, _, item| run.each_one(block, item).map(|()| true))?;
            Ok(on.clone())
        }
        (Method::EachWithIndex, []) => {
            each(run, on, |run, at, item| run.each_two(block, item, V::Int(at as i64)).map(|()| true))?;
            Ok(on.clone())
        }
        (Method::EachIndex, []) => {
            each(run, on, |run, at, _| run.each_one(block, V::Int(at as i64)).map(|()| true))?;
            Ok(on.clone())
        }
        (Method::ReverseEach, []) => {
            for item in all(on)?.into_iter().rev() {
                run.each_one(block, item)?;
            }
            Ok(on.clone())
        }
        (Method::EachSlice, [V::Int(n)]) if *n > 0 => {
            for slice in all(on)?.chunks(*n as usize) {
                run.yield_one(block, V::list(slice.to_vec()))?;
            }
            // Its value depends on Ruby's version, so nothing may look at it.
            Ok(V::Void)
        }
        (Method::EachWithObject, [object]) => {
            each(run, on, |run, _, item| run.yield_two(block, item, object.clone()).map(|_| true))?;
            Ok(object.clone())
        }
        _ => Err(UNKNOWN.into()),
    }
}

/// An array of what the block gives, or of the items that it chooses.
fn collect<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    let mut out: Vec<V<'c>> = Vec::new();
    match (method, args) {
        (Method::Map, []) => each(run, on, |run, _, item| {
            out.push(run.yield_one(block, item)?);
            Ok(true)
        })?,
        (Method::MapWithIndex, []) => each(run, on, |run, at, item| {
            out.push(run.yield_two(block, item, V::Int(at as i64))?);
            Ok(true)
        })?,
        (Method::FlatMap, []) => each(run, on, |run, _, item| {
            let value = run.yield_one(block, item)?;
            match value.items()? {
                Some(items) => out.extend(items),
                None => out.push(value),
            }
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
        _ => return Err(UNKNOWN.into()),
    }
    Ok(V::list(out))
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
        (Method::Find, []) => {
            let mut found = V::Nil;
            each(run, on, |run, _, item| {
                let is = run.yield_one(block, item.clone())?.truthy();
                if is {
                    found = item;
                }
                Ok(!is)
            })?;
            Ok(found)
        }
        (Method::Index | Method::FindIndex, []) => {
            let mut found = V::Nil;
            each(run, on, |run, at, item| {
                let is = run.yield_one(block, item)?.truthy();
                if is {
                    found = V::Int(at as i64);
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
        (Method::Count, []) => {
            let mut count = 0;
            each(run, on, |run, _, item| {
                count += i64::from(run.yield_one(block, item)?.truthy());
                Ok(true)
            })?;
            Ok(V::Int(count))
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

/// The items in another order, or sorted into groups, as the block says.
fn arrange<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, method: Method, block: &'c Block) -> Done<'c> {
    match method {
        Method::Partition => partition(run, on, block),
        Method::Uniq => uniq(run, on, block),
        Method::SortBy | Method::MaxBy | Method::MinBy => by_key(run, on, method, block),
        Method::Sort => Ok(V::list(sort_with(run, all(on)?, block)?)),
        Method::GroupBy => group(run, on, block),
        Method::ToH => {
            let mapped = call(run, on, Method::Map, &[], block)?;
            Ok(plain(&mapped, Method::ToH, &[])?)
        }
        _ => Err(UNKNOWN.into()),
    }
}

fn partition<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, block: &'c Block) -> Done<'c> {
    let (mut chosen, mut other) = (Vec::new(), Vec::new());
    each(run, on, |run, _, item| {
        let side = if run.yield_one(block, item.clone())?.truthy() { &mut chosen } else { &mut other };
        side.push(item);
        Ok(true)
    })?;
    Ok(V::pair(V::list(chosen), V::list(other)))
}

fn uniq<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, block: &'c Block) -> Done<'c> {
    let (mut keys, mut out) = (Vec::new(), Vec::new());
    each(run, on, |run, _, item| {
        let key = run.yield_one(block, item.clone())?;
        if keys.len() > LONGEST {
            return Err(UNKNOWN.into());
        }
        if !has(&keys, &key)? {
            keys.push(key);
            out.push(item);
        }
        Ok(true)
    })?;
    Ok(V::list(out))
}

/// An item and what the block gives for it.
type Keyed<'c> = (V<'c>, V<'c>);

fn by_key<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, method: Method, block: &'c Block) -> Done<'c> {
    let mut pairs: Vec<Keyed<'c>> = Vec::new();
    each(run, on, |run, _, item| {
        let key = run.yield_one(block, item.clone())?;
        pairs.push((key, item));
        Ok(true)
    })?;
    if method != Method::SortBy {
        return Ok(extreme(pairs, method)?);
    }
    let mut by_key = |a: &Keyed<'c>, b: &Keyed<'c>| order(&a.0, &b.0);
    let same = |a: &Keyed<'c>, b: &Keyed<'c>| compare::is_eql(&a.1, &b.1);
    let pairs = compare::sort::<_, ForRuby>(pairs, &mut by_key, &same)?;
    Ok(V::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

fn group<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, block: &'c Block) -> Done<'c> {
    let mut groups = HashValue::default();
    each(run, on, |run, _, item| {
        let key = run.yield_one(block, item.clone())?;
        match groups.get(&key)? {
            Some(V::List(group)) => group.borrow_mut().push(item),
            _ => groups.set(key, V::list(vec![item]))?,
        }
        Ok(true)
    })?;
    Ok(V::Map(Rc::new(RefCell::new(groups))))
}

fn extreme<'c>(pairs: Vec<(V<'c>, V<'c>)>, method: Method) -> OrRuby<V<'c>> {
    let mut pairs = pairs.into_iter();
    let Some(mut best) = pairs.next() else { return Ok(V::Nil) };
    for pair in pairs {
        let order = order(&pair.0, &best.0)?;
        if if method == Method::MaxBy { order.is_gt() } else { order.is_lt() } {
            best = pair;
        }
    }
    Ok(best.1)
}

/// Most items that are sorted by a block: each is compared with each.
const MOST_BY_BLOCK: usize = 40;

/// Sorts by what a block says of two items. Where that is no total order the result depends on Ruby's algorithm, and is
/// left to it.
fn sort_with<'c>(run: &mut Run<'_, 'c>, items: Vec<V<'c>>, block: &'c Block) -> Done<'c, Vec<V<'c>>> {
    if items.len() > MOST_BY_BLOCK {
        return Err(ForRuby("many items sorted by a block").into());
    }
    let mut ranked = Vec::with_capacity(items.len());
    for (n, a) in items.iter().enumerate() {
        let mut rank = 0;
        for (m, b) in items.iter().enumerate().filter(|(m, _)| *m != n) {
            let value = run.yield_two(block, a.clone(), b.clone())?;
            match order_of(&value)? {
                std::cmp::Ordering::Greater => rank += 1,
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal if compare::is_eql(a, b)? => rank += usize::from(n > m),
                std::cmp::Ordering::Equal => {
                    return Err(ForRuby("an order of values that are equal in it").into());
                }
            }
        }
        ranked.push((rank, a.clone()));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    // No two items have the same rank if and only if it is a total order.
    match ranked.iter().enumerate().all(|(n, (rank, _))| n == *rank) {
        true => Ok(ranked.into_iter().map(|(_, item)| item).collect()),
        false => Err(ForRuby("a block that says no order").into()),
    }
}
