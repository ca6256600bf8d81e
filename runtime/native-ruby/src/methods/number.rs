//! Methods of integers and floats: those that run a block, and which file has the others.

use super::{errors, float, integer, large};
use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;

pub(crate) const TOO_LARGE: ForRuby = ForRuby("a large integer");
pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of a number");
/// Integers that floats hold exactly.
pub(crate) const EXACT: u64 = 1 << 53;
/// Longer counts are left to Ruby.
pub(crate) const LONGEST: i64 = 1_000_000;

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

/// Integers from one to another by steps.
pub(crate) fn steps(from: i64, to: i64, by: i64) -> Result<Vec<i64>, ForRuby> {
    let far = to.checked_sub(from).and_then(|far| far.checked_div(by)).ok_or(TOO_LARGE)?;
    if far >= LONGEST {
        return Err(ForRuby("a long range"));
    }
    let forth = if by > 0 { from <= to } else { from >= to };
    Ok(if forth { (0..=far).map(|n| from + n * by).collect() } else { Vec::new() })
}
