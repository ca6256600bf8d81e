//! Arrays and hashes that would hold themselves.

use super::{Shared, V};
use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use std::rc::Rc;

/// Refuses to put `value` into `holder` where it holds that, or is it: a circle of counted references is never freed.
pub(crate) fn refuse<'c>(value: &V<'c>, holder: &V<'c>) -> OrRuby<()> {
    match (address(holder), value) {
        (Some(holder), V::List(_) | V::Map(_)) => within(value, holder, 0),
        _ => Ok(()),
    }
}

/// Where an object lies that other values may hold.
fn address(value: &V<'_>) -> Option<usize> {
    match value {
        V::List(list) => Some(place(list)),
        V::Map(map) => Some(place(map)),
        _ => None,
    }
}

fn place<T>(object: &Rc<Shared<T>>) -> usize {
    Rc::as_ptr(object).cast::<u8>() as usize
}

fn within(value: &V<'_>, holder: usize, depth: usize) -> OrRuby<()> {
    if depth > 60 {
        return Err(ForRuby("a deep value"));
    }
    if address(value) == Some(holder) {
        return Err(ForRuby("a value in itself"));
    }
    match value {
        V::List(items) => {
            let items = items.try_borrow()?;
            budget::spend(1 + items.len() as u64 / 8)?;
            items.iter().try_for_each(|item| within(item, holder, depth + 1))
        }
        V::Map(map) => {
            let map = map.try_borrow()?;
            budget::spend(1 + map.len() as u64 / 8)?;
            map.iter().try_for_each(|(key, item)| {
                within(key, holder, depth + 1)?;
                within(item, holder, depth + 1)
            })
        }
        _ => Ok(()),
    }
}
