//! Methods that change an array. Only one that the template has made: what comes from Puppet is seen by others.

use super::array_blocks;
use super::array_items::{UNKNOWN, flatten, sort, uniq};
use crate::eval::{Done, Run};
use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use std::cell::RefCell;
use std::rc::Rc;

/// Changes an array.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    let V::List(list) = on else { return Err(ForRuby("a change of what is Puppet's").into()) };
    for arg in args {
        if reaches(arg, list)? {
            return Err(ForRuby("an array in itself").into());
        }
    }
    if let Some(block) = block {
        return with_block(run, on, method, args, block);
    }
    let mut items = list.try_borrow_mut().map_err(|_| BUSY)?;
    if items.len() > 1 << 20 {
        return Err(ForRuby("a long array").into());
    }
    match (method, args) {
        (Method::Append, [_]) | (Method::Push, _) => items.extend_from_slice(args),
        (Method::Concat, [other]) => {
            let other = match other {
                V::List(other) if Rc::ptr_eq(other, list) => return Err(BUSY.into()),
                other => other.items()?.ok_or(UNKNOWN)?,
            };
            items.extend(other);
        }
        (Method::Unshift, _) => {
            items.splice(0..0, args.iter().cloned());
        }
        (Method::Pop, []) => return Ok(items.pop().unwrap_or(V::Nil)),
        (Method::Shift, []) => {
            return Ok(if items.is_empty() { V::Nil } else { items.remove(0) });
        }
        (Method::SetElement, [V::Int(n), value]) => {
            let count = items.len();
            match usize::try_from(*n) {
                Ok(at) if at < count => items[at] = value.clone(),
                Ok(at) if at == count => items.push(value.clone()),
                _ => return Err(UNKNOWN.into()),
            }
            return Ok(value.clone());
        }
        (Method::CompactIn | Method::UniqIn | Method::FlattenIn | Method::SortIn, []) => {
            return Ok(arrange(on, &mut items, method)?);
        }
        _ => return Err(UNKNOWN.into()),
    }
    Ok(on.clone())
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
    let by = match method {
        Method::MapIn => Method::Map,
        Method::DeleteIf => Method::Reject,
        _ => return Err(UNKNOWN.into()),
    };
    let made = array_blocks::call(run, on, by, args, block)?;
    let made = made.items()?.ok_or(UNKNOWN)?;
    *list.try_borrow_mut().map_err(|_| BUSY)? = made;
    Ok(on.clone())
}

/// Takes items out, or puts them into another order. Gives the array; nil where nothing changes, as Ruby does.
fn arrange<'c>(on: &V<'c>, items: &mut Vec<V<'c>>, method: Method) -> OrRuby<V<'c>> {
    let before = items.len();
    let mut now = std::mem::take(items);
    match method {
        Method::CompactIn => now.retain(|item| !matches!(item, V::Nil)),
        Method::UniqIn => now = uniq(now)?,
        Method::SortIn => now = sort(now)?,
        _ => {
            let nested = V::list(now);
            now = Vec::new();
            flatten(&mut now, &nested, usize::MAX, 0)?;
        }
    }
    let changed = before != now.len();
    *items = now;
    if method == Method::FlattenIn {
        return Ok(V::Void);
    }
    Ok(if changed || method == Method::SortIn { on.clone() } else { V::Nil })
}

/// Whether a value holds `list`. Put into it, that would make a circle of counted references, which is never freed.
pub(crate) fn reaches<'c>(value: &V<'c>, list: &Rc<RefCell<Vec<V<'c>>>>) -> OrRuby<bool> {
    fn within<'c>(value: &V<'c>, list: &Rc<RefCell<Vec<V<'c>>>>, left: &mut usize) -> OrRuby<bool> {
        *left = left.checked_sub(1).ok_or(ForRuby("a large value"))?;
        match value {
            V::List(other) => {
                if Rc::ptr_eq(other, list) {
                    return Ok(true);
                }
                for item in other.try_borrow().map_err(|_| BUSY)?.iter() {
                    if within(item, list, left)? {
                        return Ok(true);
                    }
                }
            }
            V::Map(map) => {
                for (_, item) in &map.try_borrow().map_err(|_| BUSY)?.entries {
                    if within(item, list, left)? {
                        return Ok(true);
                    }
                }
            }
            _ => {}
        }
        Ok(false)
    }
    within(value, list, &mut 2000)
}
