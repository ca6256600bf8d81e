//! Integers of more than 64 bits as values: which these are, and how they compare.

use super::V;
use crate::for_ruby::{ForRuby, OrRuby};
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use std::rc::Rc;

pub(crate) const TOO_LARGE: ForRuby = ForRuby("a large integer");
/// Two numbers that are not compared here.
pub(crate) const LARGE: ForRuby = ForRuby("a large number");
/// Integers up to this one, whatever their sign, are floats exactly.
pub(crate) const EXACT: u64 = 1 << 53;
/// Larger ones are Ruby's.
pub(crate) const MOST_BITS: u64 = 4096;

/// The integer as a value: as small as it can be.
///
/// # Errors
/// When it is too large.
pub(crate) fn value<'c>(number: BigInt) -> OrRuby<V<'c>> {
    match number.to_i64() {
        Some(small) => Ok(V::Int(small)),
        None if number.bits() <= MOST_BITS => Ok(V::Big(Rc::new(number))),
        None => Err(TOO_LARGE),
    }
}

/// The value as an integer; none of any other.
pub(crate) fn of(value: &V<'_>) -> Option<BigInt> {
    match value {
        V::Int(n) => Some(BigInt::from(*n)),
        V::Big(n) => Some((**n).clone()),
        _ => None,
    }
}

/// The integer that digits say.
///
/// # Errors
/// When it is too large.
pub(crate) fn of_digits<'c>(digits: &str, base: u32, negative: bool) -> OrRuby<V<'c>> {
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    if digits.len() as u64 > MOST_BITS {
        return Err(TOO_LARGE);
    }
    let number = BigInt::parse_bytes(digits.as_bytes(), base).ok_or(TOO_LARGE)?;
    value(if negative { -number } else { number })
}

/// Whether two integers, one of them large, are equal; how they compare.
pub(crate) fn order(a: &V<'_>, b: &V<'_>) -> OrRuby<std::cmp::Ordering> {
    match (of(a), of(b)) {
        (Some(a), Some(b)) => Ok(a.cmp(&b)),
        _ => Err(LARGE),
    }
}
