//! Methods of arrays that take no block and change nothing: items by their places, what is told of all items, what is
//! made of them.

use super::{array_made, pack, string_parts};
use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::compare::{self, case_equal, must_order as order};
use crate::value::entries::get_or_default;
use crate::value::{V, text};
use bunraku_vm::value::Value;

pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of an array");

/// The number of items.
fn size(on: &V<'_>) -> usize {
    on.size().unwrap_or_default()
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
    if let Some(value) = items(on, method, args)? {
        return Ok(value);
    }
    if let Some(value) = array_made::call(on, method, args)? {
        return Ok(value);
    }
    told(on, method, args)
}

/// Items, or parts, by their places; none where it is no such method.
fn items<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let count = size(on);
    let at = |n: i64| -> OrRuby<V<'c>> {
        Ok(match place(n, count) {
            Some(at) => on.item(at)?.unwrap_or(V::Nil),
            None => V::Nil,
        })
    };
    Ok(Some(match (method, args) {
        (Method::ToA | Method::ToAry, []) => on.clone(),
        // Another array of the same items.
        (Method::Entries, []) => V::list(all(on)?),
        (Method::Empty, []) => V::Bool(count == 0),
        (Method::Size, []) => V::Int(count as i64),
        (Method::First, []) => at(0)?,
        (Method::Last, []) => at(-1)?,
        (Method::Element | Method::Slice | Method::At, [V::Int(n)]) => at(*n)?,
        (Method::Element | Method::Slice, [V::Int(n), V::Int(len)]) => slice(on, *n, *len)?,
        (Method::Element | Method::Slice, [range @ (V::Range(..) | V::Span(_))]) => {
            match string_parts::span(range, count as i64)?.flatten() {
                Some((start, len)) => slice(on, start, len)?,
                None => V::Nil,
            }
        }
        (Method::First | Method::Take, [V::Int(n)]) if *n >= 0 => slice(on, 0, *n)?,
        (Method::Drop, [V::Int(n)]) if *n >= 0 => V::list(all(on)?.into_iter().skip(*n as usize).collect()),
        (Method::Last, [V::Int(n)]) if *n >= 0 => {
            V::list(all(on)?.into_iter().skip(count.saturating_sub(*n as usize)).collect())
        }
        (Method::Fetch, [V::Int(n), rest @ ..]) if rest.len() < 2 => {
            match (place(*n, count).filter(|at| *at < count), rest) {
                (Some(at), _) => on.item(at)?.unwrap_or(V::Nil),
                (None, [other]) => other.clone(),
                _ => return Err(UNKNOWN),
            }
        }
        (Method::Dig, [_, ..]) => dig(on, args)?,
        (Method::ValuesAt, places) => {
            let one = |place: &V<'c>| match place {
                V::Int(n) => at(*n),
                _ => Err(UNKNOWN),
            };
            V::list(places.iter().map(one).collect::<OrRuby<_>>()?)
        }
        _ => return Ok(None),
    }))
}

/// The value at a key, at a key of that, and so on.
pub(crate) fn dig<'c>(on: &V<'c>, keys: &[V<'c>]) -> OrRuby<V<'c>> {
    let mut value = on.clone();
    for key in keys {
        value = match &value {
            V::Nil => V::Nil,
            V::Hash(_) | V::Map(_) => get_or_default(&value, key)?.unwrap_or(V::Nil),
            V::Array(_) | V::List(_) if matches!(key, V::Int(_)) => {
                plain(&value, Method::Element, std::slice::from_ref(key))?
            }
            _ => return Err(UNKNOWN),
        };
    }
    Ok(value)
}

/// What is said of all items: a text, a place, a number, whether something holds.
fn told<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    Ok(match (method, args) {
        (Method::Count, []) => V::Int(size(on) as i64),
        (Method::Pack, [format]) => pack::pack(&on.items()?.unwrap_or_default(), format)?,
        (Method::Join, [] | [V::Nil]) => V::made(join(on, "")?),
        (Method::Join, [separator]) => V::made(join(on, &separator.text().ok_or(UNKNOWN)?)?),
        (Method::Times2, [separator]) if separator.text().is_some() => {
            V::made(join(on, &separator.text().unwrap_or_default())?)
        }
        (Method::Include, [other]) => V::Bool(find(on, other)?.is_some()),
        (Method::Index | Method::FindIndex, [other]) => {
            find(on, other)?.map_or(V::Nil, |at| V::Int(at as i64))
        }
        (Method::Rindex, [other]) => {
            for (at, item) in all(on)?.iter().enumerate().rev() {
                if compare::equal(item, other)? {
                    return Ok(V::Int(at as i64));
                }
            }
            V::Nil
        }
        (Method::Count, [other]) => {
            let mut count = 0;
            for item in all(on)? {
                count += i64::from(compare::equal(&item, other)?);
            }
            V::Int(count)
        }
        (Method::Max | Method::Min, []) => extreme(on, method)?,
        (Method::Max | Method::Min, [V::Int(n)]) if *n >= 0 => {
            let mut items = sort(all(on)?)?;
            if method == Method::Max {
                items.reverse();
            }
            items.truncate(*n as usize);
            V::list(items)
        }
        (Method::Minmax, []) => V::pair(extreme(on, Method::Min)?, extreme(on, Method::Max)?),
        (Method::Compare, [other @ (V::Array(_) | V::List(_))]) => {
            compare::order(on, other)?.map_or(V::Nil, |order| V::Int(order as i64))
        }
        (Method::Sum, []) => sum(V::Int(0), &all(on)?)?,
        (Method::Sum, [start]) => sum(start.clone(), &all(on)?)?,
        (Method::Assoc | Method::Rassoc, [key]) => {
            let at = usize::from(method == Method::Rassoc);
            for pair in all(on)? {
                if let Some(items) = pair.items()?
                    && let Some(item) = items.get(at)
                    && compare::equal(item, key)?
                {
                    return Ok(pair);
                }
            }
            V::Nil
        }
        (Method::Any | Method::AllIs | Method::NoneIs | Method::OneIs, pattern) if pattern.len() < 2 => {
            V::Bool(holds(&all(on)?, method, pattern.first())?)
        }
        _ => return Err(UNKNOWN),
    })
}

/// Whether any, all, none or one of the items is true, or is what a pattern stands for.
fn holds<'c>(items: &[V<'c>], method: Method, pattern: Option<&V<'c>>) -> OrRuby<bool> {
    let mut count = 0;
    for item in items {
        let is = match pattern {
            Some(pattern) => case_equal(pattern, item)?,
            None => item.truthy(),
        };
        count += usize::from(is);
        // The others are not asked.
        match (method, is) {
            (Method::Any, true) => return Ok(true),
            (Method::AllIs, false) | (Method::NoneIs, true) => return Ok(false),
            (Method::OneIs, true) if count > 1 => return Ok(false),
            _ => {}
        }
    }
    Ok(match method {
        Method::Any => false,
        Method::OneIs => count == 1,
        _ => true,
    })
}

const OTHER_SUM: ForRuby = ForRuby("a sum of that kind");

/// `sum`: of integers, of floats by the steps that Ruby takes, of strings or arrays from a first one on.
pub(crate) fn sum<'c>(start: V<'c>, items: &[V<'c>]) -> OrRuby<V<'c>> {
    if let Some(text) = start.text() {
        let mut out = text.to_string();
        for item in items {
            out.push_str(&item.text().ok_or(OTHER_SUM)?);
            super::string_patterns::sized(out.len())?;
        }
        return Ok(V::made(out));
    }
    if let Some(mut list) = start.items()? {
        for item in items {
            list.extend(item.items()?.ok_or(OTHER_SUM)?);
        }
        return Ok(V::list(list));
    }
    let whole = items.iter().take_while(|item| matches!(item, V::Int(_))).count();
    let mut sum = start;
    if let V::Int(start) = sum {
        let mut total = start;
        for item in &items[..whole] {
            let V::Int(n) = item else { return Err(OTHER_SUM) };
            total = total.checked_add(*n).ok_or(OTHER_SUM)?;
        }
        sum = V::Int(total);
        if whole == items.len() {
            return Ok(sum);
        }
        return sum_floats(&sum, &items[whole..]);
    }
    sum_floats(&sum, items)
}

/// A sum of floats, with what each step loses added in the end.
fn sum_floats<'c>(start: &V<'c>, items: &[V<'c>]) -> OrRuby<V<'c>> {
    let float = |value: &V<'c>| match value {
        V::Float(n) if n.is_finite() => Ok(*n),
        V::Int(n) if n.unsigned_abs() < 1 << 53 => Ok(*n as f64),
        _ => Err(OTHER_SUM),
    };
    let (mut sum, mut lost) = (float(start)?, 0.0);
    for item in items {
        let item = float(item)?;
        let next = sum + item;
        lost += if sum.abs() >= item.abs() { (sum - next) + item } else { (item - next) + sum };
        sum = next;
    }
    Ok(V::Float(sum + lost))
}

/// The largest or the smallest item: of several the first.
fn extreme<'c>(on: &V<'c>, method: Method) -> OrRuby<V<'c>> {
    let mut items = all(on)?.into_iter();
    let Some(mut best) = items.next() else { return Ok(V::Nil) };
    for item in items {
        let order = order(&item, &best)?;
        if if method == Method::Max { order.is_gt() } else { order.is_lt() } {
            best = item;
        }
    }
    Ok(best)
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
    if let (V::Array(items), Some(wanted)) = (on, wanted.text()) {
        // What is no text is equal to none, but for values of Puppet's own, which are asked below.
        let is = |item: &Value<'c>| matches!(item, Value::Str(text) if *text.as_str() == *wanted);
        let items = items.items();
        budget::spend(items.len() as u64)?;
        match items.iter().position(|item| is(item) || !is_of_ruby(item)) {
            None => return Ok(None),
            Some(at) if is(&items[at]) => return Ok(Some(at)),
            Some(_) => {}
        }
    }
    for at in 0..size(on) {
        if let Some(item) = on.item(at)?
            && compare::equal(&item, wanted)?
        {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Values of the compile that no text is equal to, unless they are texts.
fn is_of_ruby(item: &Value<'_>) -> bool {
    matches!(
        item,
        Value::Undef
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::Array(_)
            | Value::Hash(_)
    )
}

/// `join`: arrays within are joined too.
fn join(on: &V<'_>, separator: &str) -> OrRuby<String> {
    let mut out = String::new();
    put_joined(&mut out, on, separator, 0)?;
    Ok(out)
}

fn put_joined(out: &mut String, on: &V<'_>, separator: &str, depth: usize) -> OrRuby<()> {
    if depth > 60 {
        return Err(UNKNOWN);
    }
    for at in 0..size(on) {
        budget::spend(1)?;
        let Some(item) = on.item(at)? else { continue };
        if at > 0 {
            out.push_str(separator);
        }
        match item {
            V::Array(_) | V::List(_) => put_joined(out, &item, separator, depth + 1)?,
            item => text::put(out, &item)?,
        }
        super::string_patterns::sized(out.len())?;
    }
    Ok(())
}

pub(crate) fn flatten<'c>(out: &mut Vec<V<'c>>, on: &V<'c>, deep: usize, depth: usize) -> OrRuby<()> {
    if depth > 60 {
        return Err(UNKNOWN);
    }
    for item in all(on)? {
        budget::spend(1)?;
        match item {
            V::Array(_) | V::List(_) if deep > 0 => flatten(out, &item, deep.saturating_sub(1), depth + 1)?,
            V::Other(Value::Object(_) | Value::Closure(_) | Value::Iterator(_)) => return Err(UNKNOWN),
            item => out.push(item),
        }
    }
    Ok(())
}

pub(crate) fn sort(mut items: Vec<V<'_>>) -> OrRuby<Vec<V<'_>>> {
    // What is sorted most is texts, of which no comparison fails.
    if items.iter().all(|item| matches!(item, V::Str(_) | V::Made(_))) {
        let count = items.len() as u64;
        budget::spend(count * u64::from(count.checked_ilog2().unwrap_or_default() + 1))?;
        items.sort_by(compare::order_texts);
        return Ok(items);
    }
    compare::sort(items, &mut order, &|a: &V<'_>, b: &V<'_>| compare::is_eql(a, b))
}
