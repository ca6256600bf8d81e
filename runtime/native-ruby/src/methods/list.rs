//! Methods that change an array. Only one that Ruby code has made: what comes from Puppet is seen by others.

use super::array_items::{UNKNOWN, flatten, sort};
use super::array_made::{rotated, uniq};
use super::{array_blocks, array_sorting, string_parts, unchanged};
use crate::eval::{Done, Run};
use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use crate::libraries;
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare;
use crate::value::{Shared, V, circle};
use std::rc::Rc;

/// Longer arrays are left to Ruby.
const LONGEST: usize = 1 << 20;

/// Calls a method that changes an array.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    let V::List(list) = on else { return Ok(unchanged::call(run, on, method, args, block)?) };
    for arg in args {
        circle::refuse(arg, on)?;
    }
    // Nothing is done to one that is frozen, or being run through, not even a part.
    if list.try_borrow_mut()?.len() > LONGEST {
        return Err(ForRuby("a long array").into());
    }
    match block {
        Some(block) => with_block(run, on, method, args, block),
        None => match method {
            Method::SetElement => Ok(set(list, args)?),
            Method::ShuffleIn => {
                let items = list.try_borrow()?.clone();
                let shuffled = libraries::random_of_items(run, items, Method::Shuffle, args)?;
                *list.try_borrow_mut()? = shuffled.items()?.ok_or(UNKNOWN)?;
                Ok(on.clone())
            }
            _ => Ok(plain(on, list, method, args)?),
        },
    }
}

fn plain<'c>(on: &V<'c>, list: &Rc<Shared<Vec<V<'c>>>>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    match (method, args) {
        (Method::Append, [_]) | (Method::Push, _) => list.try_borrow_mut()?.extend_from_slice(args),
        (Method::Concat, others) => {
            for other in others {
                let other = match other {
                    V::List(other) if Rc::ptr_eq(other, list) => return Err(BUSY),
                    other => other.items()?.ok_or(UNKNOWN)?,
                };
                list.try_borrow_mut()?.extend(other);
            }
        }
        (Method::Unshift | Method::Prepend, _) => {
            list.try_borrow_mut()?.splice(0..0, args.iter().cloned());
        }
        (Method::Insert, [V::Int(at), values @ ..]) => {
            let mut items = list.try_borrow_mut()?;
            let at = if *at < 0 { items.len() as i64 + at + 1 } else { *at };
            let at = usize::try_from(at).ok().filter(|at| *at <= items.len()).ok_or(UNKNOWN)?;
            items.splice(at..at, values.iter().cloned());
        }
        (Method::Replace, [other]) => {
            let other = other.items()?.ok_or(UNKNOWN)?;
            *list.try_borrow_mut()? = other;
        }
        (Method::Clear, []) => list.try_borrow_mut()?.clear(),
        (Method::Fill, [value]) => list.try_borrow_mut()?.fill(value.clone()),
        (Method::ReverseIn, []) => list.try_borrow_mut()?.reverse(),
        (Method::RotateIn, by) => {
            let by = match by {
                [] => 1,
                [V::Int(n)] => *n,
                _ => return Err(UNKNOWN),
            };
            let mut items = list.try_borrow_mut()?;
            let now = rotated(std::mem::take(&mut *items), by);
            *items = now;
        }
        (Method::CompactIn | Method::UniqIn | Method::FlattenIn | Method::SortIn, []) => {
            return arrange(on, list, method);
        }
        _ => return taken(list, method, args),
    }
    Ok(on.clone())
}

/// Takes items out and gives them.
fn taken<'c>(list: &Rc<Shared<Vec<V<'c>>>>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    if let (Method::Delete, [wanted]) = (method, args) {
        return deleted(list, wanted).map(|found| found.unwrap_or(V::Nil));
    }
    let mut items = list.try_borrow_mut()?;
    let count = items.len();
    let place = |at: i64| usize::try_from(if at < 0 { count as i64 + at } else { at }).ok();
    Ok(match (method, args) {
        (Method::Pop, []) => items.pop().unwrap_or(V::Nil),
        (Method::Shift, []) if count == 0 => V::Nil,
        (Method::Shift, []) => items.remove(0),
        (Method::Pop, [V::Int(n)]) if *n >= 0 => V::list(items.split_off(count.saturating_sub(*n as usize))),
        (Method::Shift, [V::Int(n)]) if *n >= 0 => V::list(items.drain(..count.min(*n as usize)).collect()),
        (Method::DeleteAt | Method::SliceIn, [V::Int(at)]) => match place(*at).filter(|at| *at < count) {
            Some(at) => items.remove(at),
            None => V::Nil,
        },
        (Method::SliceIn, [V::Int(at), V::Int(len)]) => {
            match place(*at).filter(|at| *at <= count && *len >= 0) {
                Some(at) => V::list(items.drain(at..count.min(at.saturating_add(*len as usize))).collect()),
                None => V::Nil,
            }
        }
        (Method::SliceIn, [range]) => match string_parts::span(range, count as i64)?.ok_or(UNKNOWN)? {
            Some((at, len)) => V::list(items.drain(at as usize..(at + len) as usize).collect()),
            None => V::Nil,
        },
        _ => return Err(UNKNOWN),
    })
}

/// Takes out what is equal to a value, and gives the last of it.
fn deleted<'c>(list: &Rc<Shared<Vec<V<'c>>>>, wanted: &V<'c>) -> OrRuby<Option<V<'c>>> {
    let mut kept = Vec::new();
    let mut last = None;
    for item in list.try_borrow()?.iter() {
        match compare::equal(item, wanted)? {
            true => last = Some(item.clone()),
            false => kept.push(item.clone()),
        }
    }
    *list.try_borrow_mut()? = kept;
    Ok(last)
}

/// `[]=`: at a place, or for a part.
fn set<'c>(list: &Rc<Shared<Vec<V<'c>>>>, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let mut items = list.try_borrow_mut()?;
    let count = items.len() as i64;
    let (at, len, value) = match args {
        [V::Int(at), value] => {
            let at = if *at < 0 { count + at } else { *at };
            let at = usize::try_from(at).ok().filter(|at| *at < LONGEST).ok_or(UNKNOWN)?;
            if at >= items.len() {
                items.resize(at + 1, V::Nil);
            }
            items[at] = value.clone();
            return Ok(value.clone());
        }
        [V::Int(at), V::Int(len), value] if *len >= 0 => {
            (if *at < 0 { count + at } else { *at }, (*len).min(count), value)
        }
        [range @ (V::Range(..) | V::Span(_)), value] => {
            let (at, len) = string_parts::span(range, count)?.flatten().ok_or(UNKNOWN)?;
            (at, len, value)
        }
        _ => return Err(UNKNOWN),
    };
    let at = usize::try_from(at).ok().filter(|at| *at <= items.len()).ok_or(UNKNOWN)?;
    let end = items.len().min(at + len as usize);
    let new = match value {
        V::List(same) if Rc::ptr_eq(same, list) => return Err(BUSY),
        value => value.items()?.unwrap_or_else(|| vec![value.clone()]),
    };
    items.splice(at..end, new);
    Ok(value.clone())
}

/// Changes an array by a method with a block.
fn with_block<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    let V::List(list) = on else { return Err(UNKNOWN.into()) };
    if let (Method::Delete, [wanted]) = (method, args) {
        return match deleted(list, wanted)? {
            Some(found) => Ok(found),
            None => run.yield_one(block, wanted.clone()),
        };
    }
    let before = list.borrow().len();
    let made = match method {
        Method::SortIn | Method::SortByIn => array_sorting::sorted_in_place(run, on, method, block)?,
        _ => {
            let by = match method {
                Method::MapIn => Method::Map,
                Method::DeleteIf | Method::RejectIn => Method::Reject,
                Method::SelectIn | Method::KeepIf => Method::Select,
                Method::UniqIn => Method::Uniq,
                _ => return Err(UNKNOWN.into()),
            };
            array_blocks::call(run, on, by, args, block)?.items()?.ok_or(UNKNOWN)?
        }
    };
    let tells = matches!(method, Method::RejectIn | Method::SelectIn | Method::UniqIn);
    let changed = made.len() != before;
    *list.try_borrow_mut()? = made;
    Ok(if tells && !changed { V::Nil } else { on.clone() })
}

/// Takes items out, or puts them into another order. Gives the array; nil where nothing changes, as Ruby does.
fn arrange<'c>(on: &V<'c>, list: &Rc<Shared<Vec<V<'c>>>>, method: Method) -> OrRuby<V<'c>> {
    let before = list.try_borrow()?.clone();
    let mut changed = true;
    let now = match method {
        Method::SortIn => sort(before)?,
        Method::FlattenIn => {
            changed = before.iter().any(|item| matches!(item, V::Array(_) | V::List(_)));
            let mut out = Vec::new();
            flatten(&mut out, on, usize::MAX, 0)?;
            out
        }
        method => {
            let count = before.len();
            let now = match method {
                Method::UniqIn => uniq(before)?,
                _ => before.into_iter().filter(|item| !matches!(item, V::Nil)).collect(),
            };
            changed = now.len() != count;
            now
        }
    };
    *list.try_borrow_mut()? = now;
    Ok(if changed { on.clone() } else { V::Nil })
}
