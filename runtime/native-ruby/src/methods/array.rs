//! Methods of arrays, by what they do: [`super::list`] changes one in place, [`super::array_blocks`] runs a block for its
//! items, [`super::array_made`] makes another array, [`super::array_items`] gives items or what is told of them.

use super::{array_blocks, array_items, array_sorting, errors, list};
use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::libraries;
use crate::method::Method;
use crate::methods;
use crate::tree::Block;
use crate::value::V;

/// Calls a method of an array.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if method.changes_array() {
        return list::call(run, on, method, args, block);
    }
    let method = if method == Method::FindAll { Method::Select } else { method };
    if let Some(block) = block {
        return array_blocks::call(run, on, method, args, block);
    }
    match (method, args) {
        (Method::Fetch, [V::Int(at)]) => {
            let count = on.size().unwrap_or_default();
            match *at < count as i64 && *at >= -(count as i64) {
                true => Ok(array_items::plain(on, method, args)?),
                false => Err(errors::outside(*at, count)),
            }
        }
        (Method::Sort | Method::Max | Method::Min | Method::Minmax, []) if matches!(on, V::List(items) if items.try_borrow()?.iter().any(|item| matches!(item, V::Object(_)))) =>
        {
            let keyed = array_items::all(on)?.into_iter().map(|item| (item.clone(), item)).collect();
            let by = match method {
                Method::Sort => Method::SortBy,
                Method::Max => Method::MaxBy,
                Method::Min => Method::MinBy,
                _ => Method::MinmaxBy,
            };
            Ok(array_sorting::by_key(array_sorting::ranked(run, keyed)?, by)?)
        }
        (Method::Shuffle | Method::Sample, options) => {
            libraries::random_of_items(run, array_items::all(on)?, method, options)
        }
        (Method::Inject, [start @ .., V::Symbol(name)]) if start.len() < 2 => {
            inject(run, on, start.first().cloned(), name)
        }
        _ => Ok(array_items::plain(on, method, args)?),
    }
}

/// `inject(:+)`
fn inject<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, start: Option<V<'c>>, name: &str) -> Done<'c> {
    let method = Method::by_name(name).filter(|method| !method.is_function());
    let method = method.ok_or(ForRuby("a method by its name"))?;
    let mut value = start;
    for item in array_items::all(on)? {
        value = Some(match value {
            Some(value) => methods::call(run, value, method, &[item], None)?,
            None => item,
        });
    }
    Ok(value.unwrap_or(V::Nil))
}
