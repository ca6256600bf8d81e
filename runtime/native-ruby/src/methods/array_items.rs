//! Methods of arrays that take no block and change nothing: items by their places, what is told of all items, what is
//! made of them.

use crate::budget;
use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use crate::method::Method;
use crate::value::V;
use crate::value::compare::{self, case_equal, must_order as order};
use crate::value::text;
use std::rc::Rc;

pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of an array");
/// Longest array whose items are all compared with each other; longer ones are left to Ruby.
pub(crate) const LONGEST: usize = 2000;

/// The number of items.
fn size(on: &V<'_>) -> usize {
    on.size().unwrap_or_default()
}

/// The item at a place. Nothing else is copied.
fn item<'c>(on: &V<'c>, at: usize) -> OrRuby<Option<V<'c>>> {
    Ok(match on {
        V::Array(items) => items.items().get(at).copied().map(V::from),
        V::List(items) => items.try_borrow().map_err(|_| BUSY)?.get(at).cloned(),
        _ => None,
    })
}

pub(crate) fn all<'c>(on: &V<'c>) -> OrRuby<Vec<V<'c>>> {
    on.items()?.ok_or(UNKNOWN)
}

/// An index: a negative one counts from the end.
fn place(n: i64, count: usize) -> Option<usize> {
    usize::try_from(if n < 0 { count as i64 + n } else { n }).ok()
}

/// Calls a method that takes no block and changes nothing.
pub(crate) fn plain<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    use Method::{Compact, Flatten, Grep, Intersection, Minus, Plus, Reverse, Sort, ToH, Union, Uniq, Zip};
    use Method::{
        Dig, Drop, Element, Empty, Fetch, First, Freeze, Last, Size, Slice, Take, ToA, ToAry, ValuesAt,
    };
    match method {
        ToA | ToAry | Freeze | Empty | Size | First | Last | Element | Slice | Take | Drop | Fetch | Dig
        | ValuesAt => items(on, method, args),
        Plus | Minus | Intersection | Union | Compact | Flatten | Uniq | Reverse | Sort | Grep | Zip
        | ToH => made(on, method, args),
        _ => told(on, method, args),
    }
}

/// Items, or parts, by their places.
fn items<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let count = size(on);
    let at = |n: i64| -> OrRuby<V<'c>> {
        Ok(match place(n, count) {
            Some(at) => item(on, at)?.unwrap_or(V::Nil),
            None => V::Nil,
        })
    };
    Ok(match (method, args) {
        (Method::ToA | Method::ToAry | Method::Freeze, []) => on.clone(),
        (Method::Empty, []) => V::Bool(count == 0),
        (Method::Size, []) => V::Int(count as i64),
        (Method::First, []) => at(0)?,
        (Method::Last, []) => at(-1)?,
        (Method::Element, [V::Int(n)]) => at(*n)?,
        (Method::Element | Method::Slice, [V::Int(n), V::Int(len)]) => slice(on, *n, *len)?,
        (Method::Element | Method::Slice, [V::Range(from, to, open)]) => {
            let Some(start) = place(*from, count) else { return Ok(V::Nil) };
            let end = if *to < 0 { count as i64 + to } else { *to };
            let len = end - start as i64 + i64::from(!*open);
            slice(on, start as i64, len.max(0))?
        }
        (Method::First | Method::Take, [V::Int(n)]) if *n >= 0 => slice(on, 0, *n)?,
        (Method::Drop, [V::Int(n)]) if *n >= 0 => V::list(all(on)?.into_iter().skip(*n as usize).collect()),
        (Method::Last, [V::Int(n)]) if *n >= 0 => {
            V::list(all(on)?.into_iter().skip(count.saturating_sub(*n as usize)).collect())
        }
        (Method::Fetch, [V::Int(n), rest @ ..]) => match (place(*n, count).filter(|at| *at < count), rest) {
            (Some(at), _) => item(on, at)?.unwrap_or(V::Nil),
            (None, [other]) => other.clone(),
            _ => return Err(UNKNOWN),
        },
        (Method::Dig, [V::Int(n)]) => at(*n)?,
        (Method::ValuesAt, places) => {
            let one = |place: &V<'c>| match place {
                V::Int(n) => at(*n),
                _ => Err(UNKNOWN),
            };
            V::list(places.iter().map(one).collect::<OrRuby<_>>()?)
        }
        _ => return Err(UNKNOWN),
    })
}

/// What is said of all items: a text, a place, a number, whether something holds.
fn told<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::Count, []) => V::Int(size(on) as i64),
        (Method::Join, []) => V::made(join(on, "")?),
        (Method::Join, [V::Nil]) => V::made(join(on, "")?),
        (Method::Join, [separator]) => V::made(join(on, separator.text().ok_or(UNKNOWN)?)?),
        (Method::Times2, [separator]) if separator.text().is_some() => {
            V::made(join(on, separator.text().unwrap_or_default())?)
        }
        (Method::Include, [other]) => V::Bool(find(on, other)?.is_some()),
        (Method::Index | Method::FindIndex, [other]) => {
            find(on, other)?.map_or(V::Nil, |at| V::Int(at as i64))
        }
        (Method::Count, [other]) => {
            let mut count = 0;
            for item in all(on)? {
                count += i64::from(compare::equal(&item, other)?);
            }
            V::Int(count)
        }
        (Method::Max | Method::Min, []) => extreme(on, method)?,
        (Method::Compare, [other @ (V::Array(_) | V::List(_))]) => V::Int(order(on, other)? as i64),
        (Method::Sum, []) => {
            let mut sum = 0i64;
            for item in all(on)? {
                let V::Int(n) = item else { return Err(ForRuby("a sum of other than integers")) };
                sum = sum.checked_add(n).ok_or(UNKNOWN)?;
            }
            V::Int(sum)
        }
        (Method::Any | Method::AllIs | Method::NoneIs, []) => {
            let items = all(on)?;
            let mut items = items.iter();
            V::Bool(match method {
                Method::Any => items.any(V::truthy),
                Method::AllIs => items.all(V::truthy),
                _ => !items.any(V::truthy),
            })
        }
        _ => return Err(UNKNOWN),
    })
}

/// The largest or the smallest item.
fn extreme<'c>(on: &V<'c>, method: Method) -> OrRuby<V<'c>> {
    let mut items = all(on)?.into_iter();
    let Some(mut best) = items.next() else { return Ok(V::Nil) };
    for item in items {
        let order = order(&item, &best)?;
        if order.is_eq() && !compare::is_eql(&item, &best)? {
            return Err(UNKNOWN);
        }
        if if method == Method::Max { order.is_gt() } else { order.is_lt() } {
            best = item;
        }
    }
    Ok(best)
}

/// Another array, or a hash, made of the items.
fn made<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::Plus, [other]) => {
            V::list(all(on)?.into_iter().chain(other.items()?.ok_or(UNKNOWN)?).collect())
        }
        (Method::Minus | Method::Intersection | Method::Union, [other]) => {
            let other = other.items()?.ok_or(UNKNOWN)?;
            combine(all(on)?, other, method)?
        }
        (Method::Compact, []) => {
            V::list(all(on)?.into_iter().filter(|item| !matches!(item, V::Nil)).collect())
        }
        (Method::Flatten, []) => {
            let mut out = Vec::new();
            flatten(&mut out, on, usize::MAX, 0)?;
            V::list(out)
        }
        (Method::Flatten, [V::Int(depth)]) if *depth >= 0 => {
            let mut out = Vec::new();
            flatten(&mut out, on, *depth as usize, 0)?;
            V::list(out)
        }
        (Method::Uniq, []) => V::list(uniq(all(on)?)?),
        (Method::Reverse, []) => V::list(all(on)?.into_iter().rev().collect()),
        (Method::Sort, []) => V::list(sort(all(on)?)?),
        (Method::Grep, [pattern]) => {
            let mut found = Vec::new();
            for item in all(on)? {
                if case_equal(pattern, &item)? {
                    found.push(item);
                }
            }
            V::list(found)
        }
        (Method::Zip, [other]) => {
            let mut other = other.items()?.ok_or(UNKNOWN)?.into_iter();
            V::list(all(on)?.into_iter().map(|item| V::pair(item, other.next().unwrap_or(V::Nil))).collect())
        }
        (Method::ToH, []) => {
            let mut map = crate::value::HashValue::default();
            for pair in all(on)? {
                let pair: [V<'c>; 2] = pair
                    .items()?
                    .ok_or(UNKNOWN)?
                    .try_into()
                    .map_err(|_| ForRuby("a hash of other than pairs"))?;
                let [key, value] = pair;
                map.set(key, value)?;
            }
            V::Map(Rc::new(std::cell::RefCell::new(map)))
        }
        _ => return Err(UNKNOWN),
    })
}

fn slice<'c>(on: &V<'c>, start: i64, len: i64) -> OrRuby<V<'c>> {
    let count = size(on);
    match place(start, count) {
        Some(start) if start <= count && len >= 0 => {
            Ok(V::list(all(on)?.into_iter().skip(start).take(len as usize).collect()))
        }
        _ => Ok(V::Nil),
    }
}

fn find<'c>(on: &V<'c>, wanted: &V<'c>) -> OrRuby<Option<usize>> {
    for at in 0..size(on) {
        if let Some(item) = item(on, at)?
            && compare::equal(&item, wanted)?
        {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// `join`: arrays within are joined too.
fn join(on: &V<'_>, separator: &str) -> OrRuby<String> {
    fn put(out: &mut String, on: &V<'_>, separator: &str, first: &mut bool, depth: usize) -> OrRuby<()> {
        if depth > 60 {
            return Err(UNKNOWN);
        }
        for at in 0..size(on) {
            budget::spend(1)?;
            let Some(item) = item(on, at)? else { continue };
            if matches!(item, V::Array(_) | V::List(_)) {
                // Ruby puts a separator for it.
                if size(&item) == 0 {
                    return Err(ForRuby("an empty array joined"));
                }
                put(out, &item, separator, first, depth + 1)?;
                continue;
            }
            if !std::mem::take(first) {
                out.push_str(separator);
            }
            text::put(out, &item)?;
            if out.len() > 16 << 20 {
                return Err(UNKNOWN);
            }
        }
        Ok(())
    }
    let mut out = String::new();
    put(&mut out, on, separator, &mut true, 0)?;
    Ok(out)
}

pub(crate) fn flatten<'c>(out: &mut Vec<V<'c>>, on: &V<'c>, deep: usize, depth: usize) -> OrRuby<()> {
    if depth > 60 {
        return Err(UNKNOWN);
    }
    for item in all(on)? {
        budget::spend(1)?;
        match item {
            V::Array(_) | V::List(_) if deep > 0 => flatten(out, &item, deep.saturating_sub(1), depth + 1)?,
            V::Other(_) => return Err(UNKNOWN),
            item => out.push(item),
        }
    }
    Ok(())
}

pub(crate) fn uniq<'c>(items: Vec<V<'c>>) -> OrRuby<Vec<V<'c>>> {
    if items.len() > LONGEST {
        return Err(ForRuby("a long array"));
    }
    let mut kept: Vec<V<'c>> = Vec::new();
    for item in items {
        if !has(&kept, &item)? {
            kept.push(item);
        }
    }
    Ok(kept)
}

pub(crate) fn has<'c>(items: &[V<'c>], wanted: &V<'c>) -> OrRuby<bool> {
    for item in items {
        if compare::is_same_key(item, wanted)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn combine<'c>(left: Vec<V<'c>>, right: Vec<V<'c>>, method: Method) -> OrRuby<V<'c>> {
    if left.len() + right.len() > LONGEST {
        return Err(ForRuby("a long array"));
    }
    if method == Method::Union {
        return Ok(V::list(uniq(left.into_iter().chain(right).collect())?));
    }
    let wanted = method == Method::Intersection;
    let mut kept = Vec::new();
    for item in left {
        if has(&right, &item)? == wanted {
            kept.push(item);
        }
    }
    Ok(V::list(if wanted { uniq(kept)? } else { kept }))
}

pub(crate) fn sort(items: Vec<V<'_>>) -> OrRuby<Vec<V<'_>>> {
    compare::sort(items, &mut order, &|a: &V<'_>, b: &V<'_>| compare::is_eql(a, b))
}
