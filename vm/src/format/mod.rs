//! Values as text: what interpolation yields, Ruby's own notations, `sprintf`, and `String.new`'s formats.

mod collection;
pub mod convert;
pub(crate) mod float;
mod formats;
mod indent;
pub mod inspect;
pub(crate) mod interpolate;
pub mod ruby_hashes;
pub(crate) mod scalar;
mod spec;
pub mod sprintf;
pub mod visible;

pub use float::float_to_s;
pub use inspect::{inspect, to_ruby_s};
pub use interpolate::{interpolate, to_interpolated};
pub use scalar::capitalize;
pub use sprintf::sprintf;
