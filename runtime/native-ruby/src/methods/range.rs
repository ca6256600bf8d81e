//! Methods of ranges: of integers, of strings, open-ended ones.

use super::array;
use super::number::{self, LONGEST};
use super::succ::succ;
use crate::budget;
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare::{equal, order};
use crate::value::{V, range_ends};

const UNKNOWN: ForRuby = ForRuby("a method of a range");

/// The items of a range.
pub(crate) fn items<'c>(range: &V<'c>) -> OrRuby<Vec<V<'c>>> {
    let (from, to, open) = range_ends(range).ok_or(UNKNOWN)?;
    match (&from, &to) {
        (V::Int(from), V::Int(to)) => {
            let to = if open { to.checked_sub(1).ok_or(UNKNOWN)? } else { *to };
            Ok(number::steps(*from, to, 1)?.into_iter().map(V::Int).collect())
        }
        (from, to) => match (from.text(), to.text()) {
            (Some(from), Some(to)) => strings(&from, &to, open),
            _ => Err(ForRuby("a range of that kind")),
        },
    }
}

/// The strings from one to another.
pub(crate) fn strings<'c>(from: &str, to: &str, open: bool) -> OrRuby<Vec<V<'c>>> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if from.is_empty() || to.is_empty() || !from.is_ascii() || !to.is_ascii() {
        return Err(ForRuby("a range of such strings"));
    }
    // Ruby goes from one character to the next by its code.
    if let ([first], [last]) = (from.as_bytes(), to.as_bytes()) {
        let codes = *first..last + u8::from(!open);
        return Ok(codes.map(|b| V::made(char::from(b).to_string())).collect());
    }
    if is_number(from) && is_number(to) {
        return numbers(from, to, open);
    }
    let mut made = Vec::new();
    if from > to || (open && from == to) {
        return Ok(made);
    }
    let mut next = from.to_owned();
    loop {
        crate::budget::spend(1)?;
        made.push(V::made(next.clone()));
        if next == to || made.len() as i64 > LONGEST {
            break;
        }
        next = succ(&next)?;
        if (open && next == to) || next.len() > to.len() || next.is_empty() {
            break;
        }
    }
    Ok(made)
}

/// Strings of digits: as wide as the first one at least.
fn numbers<'c>(from: &str, to: &str, open: bool) -> OrRuby<Vec<V<'c>>> {
    let width = from.len();
    let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) else { return Err(UNKNOWN) };
    let numbers = number::steps(from, to - i64::from(open), 1)?;
    Ok(numbers.into_iter().map(|n| V::made(format!("{n:0width$}"))).collect())
}

/// Whether a value lies between the ends.
pub(crate) fn covers<'c>(range: &V<'c>, value: &V<'c>) -> OrRuby<bool> {
    let (from, to, open) = range_ends(range).ok_or(UNKNOWN)?;
    let kind = |value: &V<'c>| match value {
        V::Int(_) | V::Float(_) => Some(0),
        V::Str(_) | V::Made(_) => Some(1),
        V::Nil | V::Bool(_) | V::Symbol(_) | V::Array(_) | V::List(_) | V::Hash(_) | V::Map(_) => Some(2),
        _ => None,
    };
    let wanted = if matches!(from, V::Nil) { kind(&to) } else { kind(&from) };
    match (kind(value).ok_or(UNKNOWN)?, wanted.ok_or(UNKNOWN)?) {
        (_, 2) => return Err(UNKNOWN),
        (is, wanted) if is != wanted => return Ok(false),
        _ => {}
    }
    let behind = matches!(from, V::Nil) || order(&from, value)?.is_some_and(|order| order.is_le());
    let in_front = matches!(to, V::Nil)
        || order(value, &to)?.is_some_and(|order| if open { order.is_lt() } else { order.is_le() });
    Ok(behind && in_front)
}

/// Calls a method of a range.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if block.is_none()
        && let Some(value) = told(on, method, args)?
    {
        return Ok(value);
    }
    let list = match (method, args) {
        (Method::Step, [V::Int(by)]) => stepped(on, *by)?,
        (Method::Step, _) => return Err(UNKNOWN.into()),
        _ => items(on)?,
    };
    match (method, block) {
        (Method::Step, Some(block)) => {
            for item in list {
                run.each_one(block, item)?;
            }
            Ok(on.clone())
        }
        _ if !method.of_all_collections() => Err(UNKNOWN.into()),
        _ => {
            let value = array::call(run, &V::list(list), method, args, block)?;
            Ok(
                if matches!(
                    method,
                    Method::Each | Method::EachEntry | Method::EachWithIndex | Method::ReverseEach
                ) {
                    on.clone()
                } else {
                    value
                },
            )
        }
    }
}

/// Every so many of the integers or strings of a range.
pub(crate) fn stepped<'c>(on: &V<'c>, by: i64) -> OrRuby<Vec<V<'c>>> {
    match range_ends(on) {
        Some((V::Int(from), V::Int(to), open)) if by > 0 => {
            let to = if open { to.checked_sub(1).ok_or(UNKNOWN)? } else { to };
            Ok(number::steps(from, to, by)?.into_iter().map(V::Int).collect())
        }
        Some((from, to, _)) if by > 0 && from.text().is_some() && to.text().is_some() => {
            Ok(items(on)?.into_iter().step_by(by as usize).collect())
        }
        _ => Err(UNKNOWN),
    }
}

/// So many of the first addresses of a range.
fn first_addresses<'c>(from: &V<'c>, to: &V<'c>, most: usize, open: bool) -> OrRuby<Vec<V<'c>>> {
    let (V::Address(from), V::Address(to)) = (from, to) else { return Err(UNKNOWN) };
    if from.v6 != to.v6 {
        return Err(UNKNOWN);
    }
    let mut found = Vec::new();
    let mut next = Some(**from);
    while let Some(address) = next.filter(|_| found.len() < most) {
        budget::spend(1)?;
        if address.number() > to.number() || open && address.number() == to.number() {
            break;
        }
        found.push(V::address(address));
        next = address.next();
    }
    Ok(found)
}

/// What is told of the ends alone.
fn told<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let (from, to, open) = range_ends(on).ok_or(UNKNOWN)?;
    let count = match (&from, &to) {
        (V::Int(from), V::Int(to)) => to.checked_sub(*from).map(|far| (far + i64::from(!open)).max(0)),
        _ => None,
    };
    Ok(Some(match (method, args) {
        (Method::BeginOf, []) => from,
        (Method::First, []) if !matches!(from, V::Nil) => from,
        (Method::First, [V::Int(most @ 0..)]) if matches!((&from, &to), (V::Address(_), V::Address(_))) => {
            V::list(first_addresses(&from, &to, *most as usize, open)?)
        }
        (Method::EndOf, []) => to,
        (Method::Last, []) if !matches!(to, V::Nil) => to,
        (Method::ExcludeEnd, []) => V::Bool(open),
        (Method::Count | Method::Size, []) => V::Int(count.ok_or(UNKNOWN)?),
        (Method::Min, []) => match count.ok_or(UNKNOWN)? {
            0 => V::Nil,
            _ => from,
        },
        (Method::Max, []) => match (count.ok_or(UNKNOWN)?, to) {
            (0, _) => V::Nil,
            (_, V::Int(to)) => V::Int(to - i64::from(open)),
            _ => return Err(UNKNOWN),
        },
        (Method::Cover, [value]) if range_ends(value).is_none() => V::Bool(covers(on, value)?),
        (Method::Include, [value]) => match (&from, &to) {
            (V::Int(_) | V::Float(_) | V::Nil, V::Int(_) | V::Float(_) | V::Nil) => {
                V::Bool(covers(on, value)?)
            }
            _ => {
                let mut found = false;
                for item in items(on)? {
                    found |= equal(&item, value)?;
                }
                V::Bool(found)
            }
        },
        (Method::Dup, []) => on.clone(),
        _ => return Ok(None),
    }))
}
