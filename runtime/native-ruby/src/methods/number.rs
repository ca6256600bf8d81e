//! Methods of integers and floats: those that run a block, and which file has the others.

use super::integer::UNKNOWN;
use super::{errors, float, integer, large};
use crate::eval::{Done, Run};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use crate::value::large::{EXACT, TOO_LARGE};
use crate::value::ranges::steps;

/// Calls a method of a number.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if let Some(block) = block {
        for number in counted(on, method, args)? {
            run.each_one(block, number)?;
        }
        return Ok(on.clone());
    }
    let known = match (on, args) {
        (V::Int(_) | V::Big(_), [V::Int(0)]) if integer::is_division(method) => {
            return Err(errors::divided_by_zero());
        }
        (V::Int(n), [V::Float(_)]) if integer::is_float_operation(method) => {
            let n = if n.unsigned_abs() > EXACT { return Err(TOO_LARGE.into()) } else { *n as f64 };
            float::call(n, method, args)?
        }
        (V::Int(_), [V::Big(_)]) | (V::Big(_), _) => large::call(on, method, args)?,
        (V::Int(n), _) => large::instead(integer::call(*n, method, args), on, method, args)?,
        (V::Float(n), _) => float::call(*n, method, args)?,
        _ => None,
    };
    Ok(known.ok_or(UNKNOWN)?)
}

/// The numbers that `times`, `upto`, `downto` or `step` counts.
pub(crate) fn counted<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> Done<'c, Vec<V<'c>>> {
    let (from, to, by) = match (on, method, args) {
        (V::Int(n), Method::Times, []) => (0, n - 1, 1),
        (V::Int(n), Method::UpTo, [V::Int(to)]) => (*n, *to, 1),
        (V::Int(n), Method::DownTo, [V::Int(to)]) => (*n, *to, -1),
        (V::Int(n), Method::Step, [V::Int(to)]) => (*n, *to, 1),
        (V::Int(n), Method::Step, [V::Int(to), V::Int(by)]) if *by != 0 => (*n, *to, *by),
        _ => return Err(UNKNOWN.into()),
    };
    Ok(steps(from, to, by)?.into_iter().map(V::Int).collect())
}
