//! Methods of arrays, by what they do: [`super::list`] changes one in place, [`super::array_blocks`] runs a block for its
//! items, [`super::array_items`] gives items, what is told of them, or what is made of them.

use super::{array_blocks, array_items, list};
use crate::eval::{Done, Run};
use crate::method::Method;
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
    if let Some(block) = block {
        return array_blocks::call(run, on, method, args, block);
    }
    Ok(array_items::plain(on, method, args)?)
}
