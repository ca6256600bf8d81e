//! Methods of integers of 64 bits. [`super::large`] has those of more.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::V;
use crate::value::compare::order;
use crate::value::large::{EXACT, TOO_LARGE};

pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of a number");

/// Whether the method, with a float as its argument, is that of floats.
pub(crate) fn is_float_operation(method: Method) -> bool {
    use Method::{Divide, Divmod, Fdiv, Minus, Modulo, ModuloOf, Plus, Power, Times2};
    matches!(method, Plus | Minus | Times2 | Divide | Modulo | ModuloOf | Power | Divmod | Fdiv)
}

/// Whether the method divides an integer by its argument.
pub(crate) fn is_division(method: Method) -> bool {
    use Method::{Div, Divide, Divmod, Modulo, ModuloOf};
    matches!(method, Div | Divide | Divmod | Modulo | ModuloOf)
}

/// Calls a method of an integer; none where it is not known.
pub(crate) fn call<'c>(n: i64, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let found = match args {
        [] => alone(n, method)?,
        [V::Int(m)] => with_integer(n, *m, method)?,
        [V::Int(m), V::Int(modulus)] if method == Method::Pow => Some(power_modulo(n, *m, *modulus)?),
        _ => None,
    };
    match (found, args) {
        (None, [other]) => compared(&V::Int(n), method, other),
        (found, _) => Ok(found),
    }
}

fn checked<'c>(value: Option<i64>) -> OrRuby<V<'c>> {
    value.map(V::Int).ok_or(TOO_LARGE)
}

/// Methods without arguments.
fn alone<'c>(n: i64, method: Method) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match method {
        Method::ToI | Method::Round | Method::Floor | Method::Ceil | Method::Truncate | Method::Ord => {
            V::Int(n)
        }
        Method::UnaryPlus => V::Int(n),
        // Its encoding is ASCII's, or none: what that shows in is a byte here.
        Method::Chr => match u8::try_from(n) {
            Ok(byte @ (b' '..=b'~' | b'\n' | b'\t' | b'\r')) => V::made(char::from(byte).to_string()),
            Ok(byte) => V::bytes(vec![byte]),
            Err(_) => return Ok(None),
        },
        Method::ToF if n.unsigned_abs() <= EXACT => V::Float(n as f64),
        Method::Abs | Method::Magnitude => checked(n.checked_abs())?,
        Method::Negate => checked(n.checked_neg())?,
        Method::BitNot => V::Int(!n),
        Method::Zero => V::Bool(n == 0),
        Method::NonZero => {
            if n == 0 {
                V::Nil
            } else {
                V::Int(n)
            }
        }
        Method::Positive => V::Bool(n > 0),
        Method::Negative => V::Bool(n < 0),
        Method::Even => V::Bool(n % 2 == 0),
        Method::Odd => V::Bool(n % 2 != 0),
        Method::IntegerIs | Method::FiniteIs => V::Bool(true),
        Method::InfiniteIs => V::Nil,
        Method::Succ => checked(n.checked_add(1))?,
        Method::Pred => checked(n.checked_sub(1))?,
        Method::Size => V::Int(8),
        Method::BitLength => V::Int(i64::from(64 - (if n < 0 { !n } else { n }).leading_zeros())),
        Method::Digits => digits(n, 10)?,
        _ => return Ok(None),
    }))
}

/// Methods with an integer as their argument.
fn with_integer<'c>(n: i64, m: i64, method: Method) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match method {
        Method::Plus => checked(n.checked_add(m))?,
        Method::Minus => checked(n.checked_sub(m))?,
        Method::Times2 => checked(n.checked_mul(m))?,
        Method::Divide | Method::Div => checked(floor_div(n, m))?,
        Method::Modulo | Method::ModuloOf => checked(modulo(n, m))?,
        Method::Remainder => checked(n.checked_rem(m))?,
        Method::Divmod => V::pair(checked(floor_div(n, m))?, checked(modulo(n, m))?),
        Method::Fdiv if n.unsigned_abs() <= EXACT && m.unsigned_abs() <= EXACT => {
            V::Float(n as f64 / m as f64)
        }
        Method::Power | Method::Pow => {
            let exponent = u32::try_from(m).map_err(|_| TOO_LARGE)?;
            checked(n.checked_pow(exponent))?
        }
        Method::Append if (0..63).contains(&m) => checked(n.checked_mul(1 << m))?,
        Method::ShiftRight if (0..63).contains(&m) => V::Int(n >> m),
        Method::Intersection => V::Int(n & m),
        Method::Union => V::Int(n | m),
        Method::BitXor => V::Int(n ^ m),
        Method::AllBitsIs => V::Bool(n & m == m),
        Method::AnyBitsIs => V::Bool(n & m != 0),
        Method::NoBitsIs => V::Bool(n & m == 0),
        Method::Element if m >= 0 => V::Int((n >> m.min(63)) & 1),
        Method::Gcd => checked(i64::try_from(gcd(n.unsigned_abs(), m.unsigned_abs())).ok())?,
        Method::Lcm => checked(lcm(n, m))?,
        Method::ToS if (2..=36).contains(&m) => V::made(in_base(n, m as u64)),
        Method::Digits if m >= 2 => digits(n, m)?,
        Method::Round | Method::Floor | Method::Ceil | Method::Truncate => checked(rounded(n, m, method))?,
        _ => return Ok(None),
    }))
}

/// How a number compares with another value.
pub(crate) fn compared<'c>(n: &V<'c>, method: Method, other: &V<'c>) -> OrRuby<Option<V<'c>>> {
    if method == Method::Compare && !matches!(other, V::Int(_) | V::Float(_)) {
        return match other {
            V::Other(_) | V::Void | V::Scope => Err(UNKNOWN),
            _ => Ok(Some(V::Nil)),
        };
    }
    if !matches!(
        method,
        Method::Compare | Method::Less | Method::LessOrEqual | Method::Greater | Method::GreaterOrEqual
    ) {
        return Ok(None);
    }
    if !matches!(other, V::Int(_) | V::Float(_)) {
        return Err(UNKNOWN);
    }
    let found = order(n, other)?;
    Ok(Some(match method {
        Method::Compare => found.map_or(V::Nil, |found| V::Int(found as i64)),
        Method::Less => V::Bool(found.is_some_and(|found| found.is_lt())),
        Method::LessOrEqual => V::Bool(found.is_some_and(|found| found.is_le())),
        Method::Greater => V::Bool(found.is_some_and(|found| found.is_gt())),
        _ => V::Bool(found.is_some_and(|found| found.is_ge())),
    }))
}

fn floor_div(n: i64, m: i64) -> Option<i64> {
    let quotient = n.checked_div(m)?;
    Some(if n % m != 0 && (n < 0) != (m < 0) { quotient - 1 } else { quotient })
}

fn modulo(n: i64, m: i64) -> Option<i64> {
    let rest = n.checked_rem(m)?;
    Some(if rest != 0 && (rest < 0) != (m < 0) { rest + m } else { rest })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn lcm(n: i64, m: i64) -> Option<i64> {
    let divisor = gcd(n.unsigned_abs(), m.unsigned_abs()).max(1);
    let product = (n.unsigned_abs() / divisor).checked_mul(m.unsigned_abs())?;
    i64::try_from(product).ok()
}

fn power_modulo<'c>(n: i64, exponent: i64, modulus: i64) -> OrRuby<V<'c>> {
    if exponent < 0 || modulus <= 0 {
        return Err(UNKNOWN);
    }
    let modulus = i128::from(modulus);
    let (mut base, mut exponent, mut result) = (i128::from(n).rem_euclid(modulus), exponent, 1 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    checked(i64::try_from(result).ok())
}

/// In the digits of a base.
fn in_base(n: i64, base: u64) -> String {
    let mut rest = n.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit((rest % base) as u32, base as u32));
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        digits.push('-');
    }
    digits.into_iter().rev().collect()
}

/// The digits, those of the ones first.
fn digits<'c>(n: i64, base: i64) -> OrRuby<V<'c>> {
    let mut rest = u64::try_from(n).map_err(|_| UNKNOWN)?;
    let mut digits = Vec::new();
    loop {
        digits.push(V::Int((rest % base as u64) as i64));
        rest /= base as u64;
        if rest == 0 {
            return Ok(V::list(digits));
        }
    }
}

/// To tens, hundreds and so on: as many as `places` is below 0. A half goes away from 0.
fn rounded(n: i64, places: i64, method: Method) -> Option<i64> {
    if places >= 0 {
        return Some(n);
    }
    let unit = 10i64.checked_pow(u32::try_from(-places).ok()?)?;
    let rest = n.rem_euclid(unit);
    let down = n.checked_sub(rest)?;
    let goes_up = match method {
        Method::Floor => false,
        Method::Ceil => rest > 0,
        Method::Truncate => n < 0 && rest > 0,
        _ => rest > unit / 2 || (rest == unit / 2 && n > 0),
    };
    if goes_up { down.checked_add(unit) } else { Some(down) }
}
