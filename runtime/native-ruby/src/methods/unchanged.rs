//! Methods that change an array or a hash in place, called of one of Puppet's that they find nothing to change in. What they do
//! change is seen by others: that is Ruby's, unless the value has been lent.

use super::array_items;
use super::array_made::uniq;
use crate::eval::Run;
use crate::for_ruby::{CHANGE, ForRuby, OrRuby};
use crate::functions::copies::has_place;
use crate::method::Method;
use crate::tree::Block;
use crate::value::compare::equal;
use crate::value::{V, entries};

/// What such a method gives.
///
/// # Errors
/// That it may change something, or that the value is frozen, which Ruby tells all the same.
pub(super) fn call<'c>(
    run: &Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> OrRuby<V<'c>> {
    let gives = if block.is_none() { gives(on, method, args)? } else { None };
    match gives {
        Some(gives) if !has_place(&run.frozen(), on.to_value(run.vm)?) => Ok(gives),
        _ => Err(ForRuby(CHANGE)),
    }
}

/// What it gives where it changes nothing.
fn gives<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let is_nil = |value: &V<'c>| matches!(value, V::Nil);
    let is_hash = |value: &V<'c>| matches!(value, V::Hash(_) | V::Map(_));
    let (is_unchanged, gives) = match (on, method, args) {
        (V::Array(_), Method::CompactIn, []) => (!array_items::all(on)?.iter().any(is_nil), V::Nil),
        (V::Hash(_), Method::CompactIn, []) => {
            (!entries::all(on)?.iter().any(|(_, value)| is_nil(value)), V::Nil)
        }
        (V::Array(_), Method::FlattenIn, []) => {
            (array_items::all(on)?.iter().all(|item| item.size().is_none()), V::Nil)
        }
        (V::Array(items), Method::UniqIn, []) => (uniq(array_items::all(on)?)?.len() == items.size(), V::Nil),
        (V::Array(_), Method::Delete, [wanted]) => {
            let items = array_items::all(on)?;
            let has = items.iter().try_fold(false, |has, item| OrRuby::Ok(has || equal(item, wanted)?))?;
            (!has, V::Nil)
        }
        (V::Hash(_), Method::Delete, [key]) => (entries::get(on, key)?.is_none(), V::Nil),
        // With one of another kind it is an error.
        (V::Array(_), Method::Concat, others) => {
            let is_empty = |other: &V<'c>| !is_hash(other) && other.size() == Some(0);
            (others.iter().all(is_empty), on.clone())
        }
        (V::Hash(_), Method::MergeIn, others) => {
            (others.iter().all(|other| is_hash(other) && other.size() == Some(0)), on.clone())
        }
        _ => return Ok(None),
    };
    Ok(is_unchanged.then_some(gives))
}
