//! Methods of floats.

use super::integer::compared;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::V;
use crate::value::large::{EXACT, TOO_LARGE};

/// Calls a method of a float; none where it is not known.
pub(crate) fn call<'c>(n: f64, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let found = match args {
        [] => alone(n, method)?,
        [V::Int(digits)]
            if matches!(method, Method::Round | Method::Floor | Method::Ceil | Method::Truncate) =>
        {
            Some(to_digits(n, *digits, method)?)
        }
        [V::Float(m)] => operation(n, *m, method)?,
        [V::Int(m)] if m.unsigned_abs() <= EXACT => operation(n, *m as f64, method)?,
        _ => None,
    };
    match (found, args) {
        (None, [other]) => compared(&V::Float(n), method, other),
        (found, _) => Ok(found),
    }
}

/// A float without a fraction as an integer.
fn whole<'c>(n: f64) -> OrRuby<V<'c>> {
    if n.abs() < 9e18 { Ok(V::Int(n as i64)) } else { Err(TOO_LARGE) }
}

fn alone<'c>(n: f64, method: Method) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match method {
        Method::ToF | Method::UnaryPlus => V::Float(n),
        Method::ToI | Method::Truncate => whole(n.trunc())?,
        Method::Floor => whole(n.floor())?,
        Method::Ceil => whole(n.ceil())?,
        // Ruby, too, rounds half away from zero.
        Method::Round => whole(n.round())?,
        Method::Abs | Method::Magnitude => V::Float(n.abs()),
        Method::Negate => V::Float(-n),
        Method::Zero => V::Bool(n == 0.0),
        Method::NonZero => {
            if n == 0.0 {
                V::Nil
            } else {
                V::Float(n)
            }
        }
        Method::Positive => V::Bool(n > 0.0),
        Method::Negative => V::Bool(n < 0.0),
        Method::IntegerIs => V::Bool(false),
        Method::NanIs => V::Bool(n.is_nan()),
        Method::FiniteIs => V::Bool(n.is_finite()),
        Method::InfiniteIs if n.is_infinite() => V::Int(if n > 0.0 { 1 } else { -1 }),
        Method::InfiniteIs => V::Nil,
        _ => return Ok(None),
    }))
}

fn operation<'c>(n: f64, m: f64, method: Method) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match method {
        Method::Plus => V::Float(n + m),
        Method::Minus => V::Float(n - m),
        Method::Times2 => V::Float(n * m),
        Method::Divide | Method::Fdiv => V::Float(n / m),
        Method::Modulo | Method::ModuloOf if m != 0.0 => V::Float(modulo(n, m)),
        Method::Divmod if m != 0.0 => {
            V::pair(whole(((n - modulo(n, m)) / m).round())?, V::Float(modulo(n, m)))
        }
        Method::Div if m != 0.0 => whole((n / m).floor())?,
        Method::Power if n >= 0.0 => V::Float(n.powf(m)),
        _ => return Ok(None),
    }))
}

/// The rest of a division, with the sign of the divisor.
fn modulo(n: f64, m: f64) -> f64 {
    if m.is_infinite() && n.is_finite() && (n == 0.0 || (n < 0.0) == (m < 0.0)) {
        return n;
    }
    let rest = n % m;
    if m * rest < 0.0 { rest + m } else { rest }
}

/// `round`, `floor`, `ceil` or `truncate` to decimal places, by the steps that Ruby takes.
fn to_digits<'c>(n: f64, digits: i64, method: Method) -> OrRuby<V<'c>> {
    if !n.is_finite() {
        return Err(ForRuby("what is no number"));
    }
    if digits <= 0 {
        let V::Int(whole) = whole(n.trunc())? else { return Err(TOO_LARGE) };
        if digits == 0 {
            return alone(n, method)?.ok_or(TOO_LARGE);
        }
        return match method {
            Method::Round | Method::Truncate => {
                super::integer::call(whole, method, &[V::Int(digits)])?.ok_or(TOO_LARGE)
            }
            _ => Err(ForRuby("tens of a float")),
        };
    }
    if n == 0.0 || digits >= enough(n) {
        return Ok(V::Float(n));
    }
    if digits > 14 {
        return Err(ForRuby("many decimal places"));
    }
    let unit = 10f64.powi(digits as i32);
    Ok(V::Float(match method {
        Method::Round => half_up(n, unit) / unit,
        Method::Floor => floor(n, unit),
        Method::Ceil => ceil(n, unit),
        _ if n > 0.0 => floor(n, unit),
        _ => ceil(n, unit),
    }))
}

/// From how many places on a float has no more.
fn enough(n: f64) -> i64 {
    let exponent = i64::from(exponent(n));
    17 - if exponent > 0 { exponent / 4 } else { exponent / 3 - 1 }
}

/// The exponent of a float as `0.1… × 2^e`.
fn exponent(n: f64) -> i32 {
    let bits = ((n.to_bits() >> 52) & 0x7ff) as i32;
    if bits == 0 { -1022 } else { bits - 1022 }
}

fn half_up(n: f64, unit: f64) -> f64 {
    let rounded = (n * unit).round();
    if n > 0.0 && (rounded + 0.5) / unit <= n {
        rounded + 1.0
    } else if n <= 0.0 && (rounded - 0.5) / unit >= n {
        rounded - 1.0
    } else {
        rounded
    }
}

fn floor(n: f64, unit: f64) -> f64 {
    let below = (n * unit).floor();
    let above = (below + 1.0) / unit;
    if above > n { below / unit } else { above }
}

fn ceil(n: f64, unit: f64) -> f64 {
    let above = (n * unit).ceil();
    let below = (above - 1.0) / unit;
    if below < n { above / unit } else { below }
}
