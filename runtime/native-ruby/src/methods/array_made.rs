//! Methods that make another array, or a hash, of an array, and run no block.

use super::array_items::{UNKNOWN, all, flatten, sort};
use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::compare::case_equal;
use crate::value::{HashValue, V};

/// Longer results are left to Ruby.
const LARGEST: usize = 1 << 20;
/// So many texts are compared with each other, each with each.
const FEW: usize = 16;

/// Calls a method that makes another array or a hash; none where it is no such method.
pub(crate) fn call<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (method, args) {
        (Method::Compact, []) => {
            V::list(all(on)?.into_iter().filter(|item| !matches!(item, V::Nil)).collect())
        }
        (Method::Flatten, depth) if depth.len() < 2 => {
            let deep = match depth {
                [] | [V::Nil] => usize::MAX,
                [V::Int(n)] => usize::try_from(*n).unwrap_or(usize::MAX),
                _ => return Err(UNKNOWN),
            };
            let mut out = Vec::new();
            flatten(&mut out, on, deep, 0)?;
            V::list(out)
        }
        (Method::Uniq, []) => V::list(uniq(all(on)?)?),
        (Method::Reverse, []) => V::list(all(on)?.into_iter().rev().collect()),
        (Method::Sort, []) => V::list(sort(all(on)?)?),
        (Method::Rotate, []) => V::list(rotated(all(on)?, 1)),
        (Method::Rotate, [V::Int(n)]) => V::list(rotated(all(on)?, *n)),
        (Method::Grep | Method::GrepV, [pattern]) => {
            let mut found = Vec::new();
            for item in all(on)? {
                if case_equal(pattern, &item)? == (method == Method::Grep) {
                    found.push(item);
                }
            }
            V::list(found)
        }
        (Method::Tally, []) => tally(all(on)?)?,
        (Method::ToH, []) => to_h(all(on)?)?,
        (Method::Transpose, []) => transposed(all(on)?)?,
        _ => return with_others(on, method, args),
    }))
}

/// Arrays made of this one and others.
fn with_others<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    use Method::{
        DifferenceOf, Intersection, IntersectionOf, Minus, Plus, Product, Times2, Union, UnionOf, Zip,
    };
    if let (Times2, [V::Int(n)]) = (method, args) {
        let n = usize::try_from(*n).map_err(|_| UNKNOWN)?;
        let items = all(on)?;
        sized(items.len().saturating_mul(n))?;
        return Ok(Some(V::list(items.iter().cycle().take(items.len() * n).cloned().collect())));
    }
    let is = match method {
        Plus | Minus | Intersection | Union => args.len() == 1,
        UnionOf | DifferenceOf | IntersectionOf | Product | Zip => true,
        Method::IntersectIs => args.len() == 1,
        _ => false,
    };
    if !is {
        return Ok(None);
    }
    let others = args.iter().map(|other| other.items()?.ok_or(UNKNOWN)).collect::<OrRuby<Vec<_>>>()?;
    let items = all(on)?;
    Ok(Some(match method {
        Plus => V::list(items.into_iter().chain(others.into_iter().flatten()).collect()),
        Union | UnionOf => V::list(uniq(items.into_iter().chain(others.into_iter().flatten()).collect())?),
        Product => V::list(product(items, &others)?),
        Zip => V::list(zipped(items, &others)),
        Minus | DifferenceOf => {
            let known = set(others.into_iter().flatten())?;
            V::list(filtered(items, &known, false)?)
        }
        method => {
            let mut items = items;
            for other in others {
                items = uniq(filtered(items, &set(other)?, true)?)?;
            }
            if method == Method::IntersectIs { V::Bool(!items.is_empty()) } else { V::list(items) }
        }
    }))
}

fn sized(size: usize) -> OrRuby<()> {
    if size > LARGEST { Err(ForRuby("a long array")) } else { Ok(()) }
}

fn set<'c>(items: impl IntoIterator<Item = V<'c>>) -> OrRuby<HashValue<'c>> {
    HashValue::of(items.into_iter().map(|item| (item, V::Nil)))
}

/// The items that are in a set, or those that are not.
fn filtered<'c>(items: Vec<V<'c>>, known: &HashValue<'c>, wanted: bool) -> OrRuby<Vec<V<'c>>> {
    let mut kept = Vec::new();
    for item in items {
        if known.get(&item)?.is_some() == wanted {
            kept.push(item);
        }
    }
    Ok(kept)
}

/// The first of each of those that are the same.
pub(crate) fn uniq<'c>(items: Vec<V<'c>>) -> OrRuby<Vec<V<'c>>> {
    if items.len() <= FEW && items.iter().all(|item| matches!(item, V::Str(_) | V::Made(_))) {
        return uniq_texts(items);
    }
    let mut seen = HashValue::default();
    let mut kept = Vec::new();
    for item in items {
        let count = seen.len();
        seen.set(item.clone(), V::Nil)?;
        if seen.len() > count {
            kept.push(item);
        }
    }
    Ok(kept)
}

/// The same of a few texts, which are compared where they are: a hash would copy each, as a key that nobody changes.
fn uniq_texts<'c>(items: Vec<V<'c>>) -> OrRuby<Vec<V<'c>>> {
    budget::spend(items.len() as u64)?;
    let mut kept: Vec<V<'c>> = Vec::with_capacity(items.len());
    for item in items {
        if !kept.iter().any(|known| known.text() == item.text()) {
            kept.push(item);
        }
    }
    Ok(kept)
}

pub(crate) fn rotated(mut items: Vec<V<'_>>, by: i64) -> Vec<V<'_>> {
    if !items.is_empty() {
        let by = by.rem_euclid(items.len() as i64) as usize;
        items.rotate_left(by);
    }
    items
}

fn tally<'c>(items: Vec<V<'c>>) -> OrRuby<V<'c>> {
    let mut counts = HashValue::default();
    for item in items {
        let count = match counts.get(&item)? {
            Some(V::Int(n)) => n + 1,
            _ => 1,
        };
        counts.set(item, V::Int(count))?;
    }
    Ok(V::hash(counts))
}

/// A hash of pairs.
pub(crate) fn to_h<'c>(pairs: Vec<V<'c>>) -> OrRuby<V<'c>> {
    let mut map = HashValue::default();
    for pair in pairs {
        let pair = pair.items()?.ok_or(UNKNOWN)?;
        let [key, value] = <[V<'c>; 2]>::try_from(pair).map_err(|_| ForRuby("a hash of other than pairs"))?;
        map.set(key, value)?;
    }
    Ok(V::hash(map))
}

fn transposed<'c>(rows: Vec<V<'c>>) -> OrRuby<V<'c>> {
    let rows = rows.iter().map(|row| row.items()?.ok_or(UNKNOWN)).collect::<OrRuby<Vec<_>>>()?;
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        return Err(UNKNOWN);
    }
    let column = |at: usize| V::list(rows.iter().map(|row| row[at].clone()).collect());
    Ok(V::list((0..width).map(column).collect()))
}

fn zipped<'c>(items: Vec<V<'c>>, others: &[Vec<V<'c>>]) -> Vec<V<'c>> {
    let row = |(at, item): (usize, V<'c>)| {
        let others = others.iter().map(|other| other.get(at).cloned().unwrap_or(V::Nil));
        V::list(std::iter::once(item).chain(others).collect())
    };
    items.into_iter().enumerate().map(row).collect()
}

/// Each item with each of the others.
fn product<'c>(items: Vec<V<'c>>, others: &[Vec<V<'c>>]) -> OrRuby<Vec<V<'c>>> {
    let mut rows: Vec<Vec<V<'c>>> = items.into_iter().map(|item| vec![item]).collect();
    for other in others {
        sized(rows.len().saturating_mul(other.len()))?;
        budget::spend((rows.len() * other.len()) as u64)?;
        let longer = |row: &Vec<V<'c>>| {
            let row = row.clone();
            other
                .iter()
                .map(move |item| row.iter().cloned().chain([item.clone()]).collect())
                .collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    Ok(rows.into_iter().map(V::list).collect())
}

/// All choices of so many items, in the order of their places.
pub(crate) fn combinations<'c>(items: &[V<'c>], count: i64) -> OrRuby<Vec<V<'c>>> {
    choices(items, count, |places, at| places.last().is_none_or(|last| at > *last))
}

/// All orders of so many of the items.
pub(crate) fn permutations<'c>(items: &[V<'c>], count: i64) -> OrRuby<Vec<V<'c>>> {
    choices(items, count, |places, at| !places.contains(&at))
}

fn choices<'c>(items: &[V<'c>], count: i64, may: fn(&[usize], usize) -> bool) -> OrRuby<Vec<V<'c>>> {
    let Ok(count) = usize::try_from(count) else { return Ok(Vec::new()) };
    if count > items.len() {
        return Ok(Vec::new());
    }
    let mut made: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let mut longer = Vec::new();
        for places in &made {
            budget::spend(1 + items.len() as u64)?;
            let more = (0..items.len()).filter(|at| may(places, *at));
            longer.extend(more.map(|at| places.iter().copied().chain([at]).collect::<Vec<_>>()));
            sized(longer.len())?;
        }
        made = longer;
    }
    Ok(made
        .into_iter()
        .map(|places| V::list(places.into_iter().map(|at| items[at].clone()).collect()))
        .collect())
}
