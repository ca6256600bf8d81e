//! Items in another order, or sorted into groups, as a block says.

use super::array_blocks::{Keyed, group};
use super::array_items::UNKNOWN;
use crate::eval::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare::{self, must_order as order};
use crate::value::{HashValue, V};
use std::cmp::Ordering;

/// Whether a method goes by what its block gives for each item, once it has been run for all.
pub(crate) fn is_by_key(method: Method) -> bool {
    use Method::{GroupBy, MaxBy, MinBy, MinmaxBy, Partition, SortBy, Uniq};
    matches!(method, GroupBy | MaxBy | MinBy | MinmaxBy | Partition | SortBy | Uniq)
}

/// Whether it goes by the order of the keys.
pub(crate) fn orders(method: Method) -> bool {
    matches!(method, Method::MaxBy | Method::MinBy | Method::MinmaxBy | Method::SortBy)
}

/// Items whose keys are objects that code defines, with the places of these in the order that their `<=>` says in place of
/// the keys; as they are where no key is one.
pub(crate) fn ranked<'c>(run: &mut Run<'_, 'c>, keyed: Vec<Keyed<'c>>) -> Done<'c, Vec<Keyed<'c>>> {
    if !keyed.iter().any(|(key, _)| matches!(key, V::Object(_))) {
        return Ok(keyed);
    }
    let places: Vec<usize> = (0..keyed.len()).collect();
    let mut order = |a: &usize, b: &usize| run.order(&keyed[*a].0, &keyed[*b].0);
    let sorted = compare::sort::<_, Unwind<'c>>(places, &mut order, &|_, _| Ok(true))?;
    let mut ranks = vec![0; keyed.len()];
    for pair in sorted.windows(2) {
        ranks[pair[1]] = ranks[pair[0]] + i64::from(order(&pair[0], &pair[1])?.is_ne());
    }
    Ok(keyed.into_iter().zip(ranks).map(|((_, item), rank)| (V::Int(rank), item)).collect())
}

/// What such a method makes of the items with their keys.
pub(crate) fn by_key<'c>(keyed: Vec<Keyed<'c>>, method: Method) -> OrRuby<V<'c>> {
    Ok(match method {
        Method::GroupBy => group(keyed)?,
        Method::Partition => {
            let (chosen, other): (Vec<_>, Vec<_>) = keyed.into_iter().partition(|(key, _)| key.truthy());
            let items = |pairs: Vec<Keyed<'c>>| V::list(pairs.into_iter().map(|(_, item)| item).collect());
            V::pair(items(chosen), items(other))
        }
        Method::Uniq => {
            let mut seen = HashValue::default();
            let mut kept = Vec::new();
            for (key, item) in keyed {
                let count = seen.len();
                seen.set(key, V::Nil)?;
                if seen.len() > count {
                    kept.push(item);
                }
            }
            V::list(kept)
        }
        Method::SortBy => {
            let mut by_key = |a: &Keyed<'c>, b: &Keyed<'c>| order(&a.0, &b.0);
            let same = |a: &Keyed<'c>, b: &Keyed<'c>| compare::is_eql(&a.1, &b.1);
            let pairs = compare::sort::<_, ForRuby>(keyed, &mut by_key, &same)?;
            V::list(pairs.into_iter().map(|(_, item)| item).collect())
        }
        Method::MinmaxBy => V::pair(extreme(keyed.clone(), Method::MinBy)?, extreme(keyed, Method::MaxBy)?),
        method => extreme(keyed, method)?,
    })
}

/// The item with the largest or the smallest key: of several the first.
fn extreme<'c>(pairs: Vec<Keyed<'c>>, method: Method) -> OrRuby<V<'c>> {
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

/// The largest or the smallest item by what a block says of two.
pub(crate) fn extreme_with<'c>(
    run: &mut Run<'_, 'c>,
    items: Vec<V<'c>>,
    method: Method,
    block: &'c Block,
) -> Done<'c> {
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else { return Ok(V::Nil) };
    for item in items {
        let value = run.yield_two(block, item.clone(), best.clone())?;
        let order = order_of(&value)?;
        if if method == Method::Max { order.is_gt() } else { order.is_lt() } {
            best = item;
        }
    }
    Ok(best)
}

/// The items in chunks: a new one begins where the block says so of two neighbours.
pub(crate) fn chunks<'c>(
    run: &mut Run<'_, 'c>,
    items: Vec<V<'c>>,
    method: Method,
    block: &'c Block,
) -> Done<'c> {
    let mut chunks: Vec<Vec<V<'c>>> = Vec::new();
    for item in items {
        let goes_on = match chunks.last().and_then(|chunk| chunk.last()) {
            None => false,
            Some(before) => {
                let says = run.yield_two(block, before.clone(), item.clone())?.truthy();
                says == (method == Method::ChunkWhile)
            }
        };
        match chunks.last_mut().filter(|_| goes_on) {
            Some(chunk) => chunk.push(item),
            None => chunks.push(vec![item]),
        }
    }
    Ok(V::list(chunks.into_iter().map(V::list).collect()))
}

/// `sort_by!` and `sort!` with a block.
pub(crate) fn sorted_in_place<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    block: &'c Block,
) -> Done<'c, Vec<V<'c>>> {
    let by = if method == Method::SortByIn { Method::SortBy } else { Method::Sort };
    let made = super::array_blocks::call(run, on, by, &[], block)?;
    Ok(made.items()?.ok_or(UNKNOWN)?)
}

/// Most items that are sorted by a block: each is compared with each.
const MOST_BY_BLOCK: usize = 40;

/// Sorts by what a block says of two items. Where that is no total order the result depends on Ruby's algorithm, and is
/// left to it.
pub(crate) fn sort_with<'c>(
    run: &mut Run<'_, 'c>,
    items: Vec<V<'c>>,
    block: &'c Block,
) -> Done<'c, Vec<V<'c>>> {
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

/// The order that a block's integer stands for.
fn order_of(value: &V<'_>) -> OrRuby<Ordering> {
    match value {
        V::Int(n) => Ok(n.cmp(&0)),
        _ => Err(ForRuby("an order that is no integer")),
    }
}
