//! Points in time and spans of it: nanoseconds in an `i128`, read and written in Puppet's formats.

pub mod calendar;
pub mod strftime;
pub mod strptime;
pub mod timespan;
pub mod timestamp;

use crate::error::{Eval, Flow};
use crate::format::float_to_s;
use crate::value::Value;

/// Nanoseconds in a second.
pub const SECOND: i128 = 1_000_000_000;

/// Seconds as a float.
pub fn to_f(nanoseconds: i128) -> f64 {
    // As Ruby's `fdiv`: exact parts first, so that no precision is lost on the way.
    nanoseconds as f64 / SECOND as f64
}

/// How far from nought nanoseconds may be, which is some 10^18 years. Puppet knows no bound.
const REACH: i128 = 1 << 116;

/// Nanoseconds that were computed, where a number could hold them.
///
/// # Errors
/// That they are beyond what a span or a point in time can be.
pub fn in_reach(nanoseconds: Option<i128>) -> Result<i128, String> {
    nanoseconds
        .filter(|n| n.unsigned_abs() <= REACH.unsigned_abs())
        .ok_or_else(|| "The result is further away than a Timespan or Timestamp reaches".to_owned())
}

/// A float without its fraction, as Ruby's `to_i`.
///
/// # Errors
/// Ruby's for what is no number or infinite, and that of [`in_reach`].
pub fn from_nanoseconds(nanoseconds: f64) -> Result<i128, String> {
    if !nanoseconds.is_finite() {
        return Err(float_to_s(nanoseconds));
    }
    in_reach(Some(nanoseconds as i128))
}

/// A number of seconds in nanoseconds, as Ruby's `(n * 1_000_000_000).to_i`; none for what is no number.
///
/// # Errors
/// Those of [`from_nanoseconds`].
pub(crate) fn of_seconds<'c>(value: Value<'c>) -> Eval<'c, Option<i128>> {
    match value {
        Value::Int(n) => Ok(Some(i128::from(n) * SECOND)),
        Value::Float(f) => from_nanoseconds(f * SECOND as f64).map(Some).map_err(Flow::raw),
        _ => Ok(None),
    }
}

/// The formats that a text is read with.
#[derive(Clone, Copy)]
pub enum TimeFormats<'f> {
    /// Puppet's own, the first that fits.
    Default,
    /// This one.
    One(&'f str),
    /// The first of these that fits.
    AnyOf(&'f [&'f str]),
}
