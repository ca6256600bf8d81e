//! Methods of integers and floats.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use crate::value::compare::must_order as order;
use std::cmp::Ordering;

/// Longer ranges are left to Ruby.
const LONGEST: i64 = 10_000;

/// The integers of a range.
pub(crate) fn range<'c>(from: i64, to: i64, open: bool) -> OrRuby<Vec<V<'c>>> {
    let end = if open { to } else { to.checked_add(1).ok_or(TOO_LARGE)? };
    if end.saturating_sub(from) > LONGEST {
        return Err(ForRuby("a long range"));
    }
    Ok((from..end).map(V::Int).collect())
}

const TOO_LARGE: ForRuby = ForRuby("a large integer");

/// Calls a method of a number.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if let (Some(block), V::Int(n)) = (block, on) {
        let numbers = match (method, args) {
            (Method::Times, []) => range(0, *n, true)?,
            (Method::UpTo, [V::Int(to)]) => range(*n, *to, false)?,
            (Method::DownTo, [V::Int(to)]) => {
                let mut numbers = range(*to, *n, false)?;
                numbers.reverse();
                numbers
            }
            _ => return Err(ForRuby("a method of a number").into()),
        };
        for number in numbers {
            run.each_one(block, number)?;
        }
        return Ok(on.clone());
    }
    if block.is_some() {
        return Err(ForRuby("a method of a number").into());
    }
    let known = match on {
        V::Int(n) => integer(*n, method, args)?,
        V::Float(n) => float(*n, method, args)?,
        _ => None,
    };
    if let Some(value) = known {
        return Ok(value);
    }
    let is = |test: fn(Ordering) -> bool, other: &V<'c>| Ok(V::Bool(test(order(on, other)?)));
    match (method, args) {
        (Method::Less, [other]) => is(Ordering::is_lt, other),
        (Method::LessOrEqual, [other]) => is(Ordering::is_le, other),
        (Method::Greater, [other]) => is(Ordering::is_gt, other),
        (Method::GreaterOrEqual, [other]) => is(Ordering::is_ge, other),
        (Method::Compare, [other]) => Ok(V::Int(order(on, other)? as i64)),
        (Method::Between, [low, high]) => Ok(V::Bool(order(on, low)?.is_ge() && order(on, high)?.is_le())),
        _ => Err(ForRuby("a method of a number").into()),
    }
}

fn integer<'c>(n: i64, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let checked = |value: Option<i64>| value.map(V::Int).ok_or(TOO_LARGE);
    Ok(Some(match (method, args) {
        (Method::Plus, [V::Int(m)]) => checked(n.checked_add(*m))?,
        (Method::Minus, [V::Int(m)]) => checked(n.checked_sub(*m))?,
        (Method::Times2, [V::Int(m)]) => checked(n.checked_mul(*m))?,
        (Method::Divide, [V::Int(m)]) if *m != 0 => checked(floor_div(n, *m))?,
        (Method::Modulo, [V::Int(m)]) if *m != 0 => {
            checked(floor_div(n, *m).and_then(|q| q.checked_mul(*m)).and_then(|p| n.checked_sub(p)))?
        }
        (Method::Append, [V::Int(m)]) if (0..63).contains(m) => checked(n.checked_mul(1 << m))?,
        (Method::Power, [V::Int(m)]) => {
            let exponent = u32::try_from(*m).map_err(|_| TOO_LARGE)?;
            checked(n.checked_pow(exponent))?
        }
        (Method::Plus | Method::Minus | Method::Times2 | Method::Divide, [V::Float(_)]) => {
            if n.unsigned_abs() > 1 << 53 {
                return Err(TOO_LARGE);
            }
            return float(n as f64, method, args);
        }
        (Method::ToI | Method::Round | Method::Floor | Method::Ceil | Method::Truncate, []) => V::Int(n),
        (Method::ToF, []) if n.unsigned_abs() <= 1 << 53 => V::Float(n as f64),
        (Method::Abs, []) => checked(n.checked_abs())?,
        (Method::Zero, []) => V::Bool(n == 0),
        (Method::Positive, []) => V::Bool(n > 0),
        (Method::Even, []) => V::Bool(n % 2 == 0),
        (Method::Odd, []) => V::Bool(n % 2 != 0),
        (Method::Succ, []) => checked(n.checked_add(1))?,
        (Method::Pred, []) => checked(n.checked_sub(1))?,
        (Method::ToS, [V::Int(base)]) => V::made(match base {
            2 if n >= 0 => format!("{n:b}"),
            8 if n >= 0 => format!("{n:o}"),
            16 if n >= 0 => format!("{n:x}"),
            10 => n.to_string(),
            _ => return Err(ForRuby("digits of another base")),
        }),
        _ => return Ok(None),
    }))
}

fn floor_div(n: i64, m: i64) -> Option<i64> {
    let quotient = n.checked_div(m)?;
    Some(if n % m != 0 && (n < 0) != (m < 0) { quotient - 1 } else { quotient })
}

fn float<'c>(n: f64, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let other = match args {
        [V::Float(m)] => Some(*m),
        [V::Int(m)] if m.unsigned_abs() <= 1 << 53 => Some(*m as f64),
        _ => None,
    };
    // Larger floats don't tell neighbouring integers apart.
    let whole = |n: f64| {
        if n.abs() < 9e15 { Ok(V::Int(n as i64)) } else { Err(TOO_LARGE) }
    };
    Ok(Some(match (method, other) {
        (Method::Plus, Some(m)) => V::Float(n + m),
        (Method::Minus, Some(m)) => V::Float(n - m),
        (Method::Times2, Some(m)) => V::Float(n * m),
        (Method::Divide, Some(m)) => V::Float(n / m),
        (Method::ToF, None) if args.is_empty() => V::Float(n),
        (Method::ToI | Method::Truncate, None) if args.is_empty() => whole(n.trunc())?,
        (Method::Floor, None) if args.is_empty() => whole(n.floor())?,
        (Method::Ceil, None) if args.is_empty() => whole(n.ceil())?,
        // Ruby, too, rounds half away from zero.
        (Method::Round, None) if args.is_empty() => whole(n.round())?,
        (Method::Abs, None) if args.is_empty() => V::Float(n.abs()),
        (Method::Zero, None) if args.is_empty() => V::Bool(n == 0.0),
        _ => return Ok(None),
    }))
}
