//! Methods of integers of more than 64 bits, and those that make such integers of smaller ones.

use super::integer::UNKNOWN;
use crate::for_ruby::OrRuby;
use crate::method::Method;
use crate::value::V;
use crate::value::large::{MOST_BITS, TOO_LARGE, of, value};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

/// Calls a method of an integer, where it, its argument or the result is large; none where it is not known.
pub(crate) fn call<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let Some(n) = of(on) else { return Ok(None) };
    match args {
        [] => alone(n, method),
        [V::Int(base @ 2..=36)] if method == Method::ToS => Ok(Some(V::made(n.to_str_radix(*base as u32)))),
        [_] if method == Method::ToS => Ok(None),
        [other] => match of(other) {
            Some(other) => with_integer(n, other, method),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

fn alone<'c>(n: BigInt, method: Method) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match method {
        Method::ToI | Method::Round | Method::Floor | Method::Ceil | Method::Truncate | Method::Ord => {
            value(n)?
        }
        Method::UnaryPlus | Method::Itself => value(n)?,
        Method::ToS | Method::Inspect => V::made(n.to_string()),
        Method::Abs | Method::Magnitude => value(n.abs())?,
        Method::Negate => value(-n)?,
        Method::BitNot => value(!n)?,
        Method::Zero => V::Bool(n.is_zero()),
        Method::Positive => V::Bool(n.is_positive()),
        Method::Negative => V::Bool(n.is_negative()),
        Method::Even => V::Bool(n.is_even()),
        Method::Odd => V::Bool(n.is_odd()),
        Method::IntegerIs | Method::FiniteIs => V::Bool(true),
        Method::InfiniteIs => V::Nil,
        Method::Succ => value(n + 1)?,
        Method::Pred => value(n - 1)?,
        Method::BitLength if !n.is_negative() => V::Int(n.bits() as i64),
        _ => return Ok(None),
    }))
}

fn with_integer<'c>(n: BigInt, m: BigInt, method: Method) -> OrRuby<Option<V<'c>>> {
    let bits = || m.to_u64().filter(|bits| *bits <= MOST_BITS);
    Ok(Some(match method {
        Method::Plus => value(n + m)?,
        Method::Minus => value(n - m)?,
        Method::Times2 => value(n * m)?,
        Method::Divide | Method::Div if !m.is_zero() => value(n.div_floor(&m))?,
        Method::Modulo | Method::ModuloOf if !m.is_zero() => value(n.mod_floor(&m))?,
        Method::Divmod if !m.is_zero() => {
            let (quotient, rest) = n.div_mod_floor(&m);
            V::pair(value(quotient)?, value(rest)?)
        }
        Method::Power | Method::Pow => {
            let exponent = m.to_u32().filter(|exponent| n.bits() * u64::from(*exponent) <= MOST_BITS);
            value(n.pow(exponent.ok_or(TOO_LARGE)?))?
        }
        Method::Append => value(n << bits().ok_or(TOO_LARGE)?)?,
        Method::ShiftRight => value(n >> bits().ok_or(TOO_LARGE)?)?,
        Method::Intersection => value(n & m)?,
        Method::Union => value(n | m)?,
        Method::BitXor => value(n ^ m)?,
        Method::Element => V::Int(((n >> bits().ok_or(TOO_LARGE)?) & BigInt::from(1)).to_i64().unwrap_or(0)),
        Method::Gcd => value(n.gcd(&m))?,
        Method::Lcm => value(n.lcm(&m))?,
        Method::Compare => V::Int(n.cmp(&m) as i64),
        Method::Less => V::Bool(n < m),
        Method::LessOrEqual => V::Bool(n <= m),
        Method::Greater => V::Bool(n > m),
        Method::GreaterOrEqual => V::Bool(n >= m),
        Method::Equal | Method::CaseEqual | Method::Eql => V::Bool(n == m),
        _ => return Ok(None),
    }))
}

/// The integer of a method that is no integer of 64 bits, whatever has been tried before.
pub(crate) fn instead<'c>(
    tried: OrRuby<Option<V<'c>>>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
) -> OrRuby<Option<V<'c>>> {
    match tried {
        // Shifted to the left an integer grows.
        Ok(None) if method == Method::Append => call(on, method, args),
        Err(why) if why.0 == TOO_LARGE.0 => match call(on, method, args)? {
            None => Err(UNKNOWN),
            known => Ok(known),
        },
        tried => tried,
    }
}
