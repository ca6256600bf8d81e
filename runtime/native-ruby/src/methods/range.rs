//! Methods of ranges: of integers, of strings, open-ended ones.

use super::array;
use crate::budget;
use crate::eval::{Done, Run};
use crate::for_ruby::OrRuby;
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use crate::value::compare::{covers, equal};
use crate::value::ranges::{self, UNKNOWN, items, steps};

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
    match ranges::ends(on) {
        Some((V::Int(from), V::Int(to), open)) if by > 0 => {
            let to = if open { to.checked_sub(1).ok_or(UNKNOWN)? } else { to };
            Ok(steps(from, to, by)?.into_iter().map(V::Int).collect())
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
    let (from, to, open) = ranges::ends(on).ok_or(UNKNOWN)?;
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
        (Method::Cover, [value]) if ranges::ends(value).is_none() => V::Bool(covers(on, value)?),
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
