//! Points in time and spans of it: nanoseconds in an `i128`, read and written in Puppet's formats.

pub mod calendar;
pub mod strftime;
pub mod strptime;
pub mod timespan;
pub mod timestamp;

/// Nanoseconds in a second.
pub const SECOND: i128 = 1_000_000_000;

/// Seconds as a float.
pub fn to_f(nanoseconds: i128) -> f64 {
    // As Ruby's `fdiv`: exact parts first, so that no precision is lost on the way.
    nanoseconds as f64 / SECOND as f64
}

/// A number of seconds in nanoseconds, as Ruby's `(n * 1_000_000_000).to_i`.
pub fn from_f(seconds: f64) -> i128 {
    (seconds * SECOND as f64) as i128
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
