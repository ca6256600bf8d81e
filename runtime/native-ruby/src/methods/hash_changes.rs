//! Methods that change a hash: one that Ruby code has made.

use super::{hash_blocks, unchanged};
use crate::eval::{Done, Run};
use crate::for_ruby::OrRuby;
use crate::method::Method;
use crate::tree::Block;
use crate::value::entries::{UNKNOWN, all};
use crate::value::{HashValue, Shared, V, circle};
use std::rc::Rc;

/// Whether a method changes the hash it is called on.
pub(crate) fn changes(method: Method) -> bool {
    use Method::{
        Clear, CompactIn, Delete, DeleteIf, KeepIf, MergeIn, RejectIn, Replace, SelectIn, SetDefault,
        SetElement, Shift, TransformKeysIn, TransformValuesIn,
    };
    matches!(
        method,
        Clear
            | CompactIn
            | Delete
            | DeleteIf
            | KeepIf
            | MergeIn
            | RejectIn
            | Replace
            | SelectIn
            | SetDefault
            | SetElement
            | Shift
            | TransformKeysIn
            | TransformValuesIn
    )
}

/// Calls a method that changes a hash.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    let V::Map(map) = on else { return Ok(unchanged::call(run, on, method, args, block)?) };
    for arg in args {
        circle::refuse(arg, on)?;
    }
    // Nothing is done to one that is frozen.
    drop(map.try_borrow_mut()?);
    match block {
        Some(block) => with_block(run, on, map, method, args, block),
        None => Ok(plain(on, map, method, args)?),
    }
}

fn plain<'c>(on: &V<'c>, map: &Rc<Shared<HashValue<'c>>>, method: Method, args: &[V<'c>]) -> OrRuby<V<'c>> {
    match (method, args) {
        (Method::SetElement, [key, value]) => {
            map.try_borrow_mut()?.set(key.clone(), value.clone())?;
            return Ok(value.clone());
        }
        (Method::SetDefault, [value]) => {
            let mut map = map.try_borrow_mut()?;
            map.default = Some(value.clone()).filter(|value| !matches!(value, V::Nil));
            map.default_block = None;
            return Ok(value.clone());
        }
        (Method::Delete, [key]) => {
            let taken = map.try_borrow_mut()?.remove(key)?;
            return Ok(taken.map_or(V::Nil, |(_, value)| value));
        }
        (Method::Shift, []) => {
            let mut map = map.try_borrow_mut()?;
            return match map.first() {
                Some((key, value)) => {
                    map.remove(&key)?;
                    Ok(V::pair(key, value))
                }
                None if map.default.is_none() && map.default_block.is_none() => Ok(V::Nil),
                None => Err(UNKNOWN),
            };
        }
        (Method::MergeIn, others) => {
            for other in others {
                let entries = all(other)?;
                let mut map = map.try_borrow_mut()?;
                for (key, value) in entries {
                    map.set(key, value)?;
                }
            }
        }
        (Method::Clear, []) => map.try_borrow_mut()?.replace(Vec::new())?,
        (Method::Replace, [V::Hash(_)]) => {
            let entries = all(&args[0])?;
            map.try_borrow_mut()?.replace(entries)?;
        }
        (Method::CompactIn, []) => {
            let kept: Vec<_> = all(on)?.into_iter().filter(|(_, value)| !matches!(value, V::Nil)).collect();
            let mut map = map.try_borrow_mut()?;
            if kept.len() == map.len() {
                return Ok(V::Nil);
            }
            map.replace(kept)?;
        }
        _ => return Err(UNKNOWN),
    }
    Ok(on.clone())
}

fn with_block<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    map: &Rc<Shared<HashValue<'c>>>,
    method: Method,
    args: &[V<'c>],
    block: &'c Block,
) -> Done<'c> {
    match (method, args) {
        (Method::Delete, [key]) => {
            let taken = map.try_borrow_mut()?.remove(key)?;
            match taken {
                Some((_, value)) => Ok(value),
                None => run.yield_one(block, key.clone()),
            }
        }
        (Method::MergeIn, others) => {
            for other in others {
                for (key, value) in all(other)? {
                    let known = map.try_borrow()?.get(&key)?;
                    let value = hash_blocks::decided(run, &key, known, value, block)?;
                    circle::refuse(&value, on)?;
                    map.try_borrow_mut()?.set(key, value)?;
                }
            }
            Ok(on.clone())
        }
        (_, []) => {
            let by = match method {
                Method::DeleteIf | Method::RejectIn => Method::Reject,
                Method::KeepIf | Method::SelectIn => Method::Select,
                Method::TransformValuesIn => Method::TransformValues,
                Method::TransformKeysIn => Method::TransformKeys,
                _ => return Err(UNKNOWN.into()),
            };
            let made = hash_blocks::call(run, on, by, &[], block)?;
            circle::refuse(&made, on)?;
            let entries = all(&made)?;
            let mut map = map.try_borrow_mut()?;
            let changed = map.len() != entries.len();
            map.replace(entries)?;
            let tells = matches!(method, Method::RejectIn | Method::SelectIn);
            Ok(if tells && !changed { V::Nil } else { on.clone() })
        }
        _ => Err(UNKNOWN.into()),
    }
}
