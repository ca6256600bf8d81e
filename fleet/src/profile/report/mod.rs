//! The forms that profiles are told in: tables as text ([`text`]), and a page with a flame graph and tables ([`html`]).

mod flame;
pub mod html;
pub mod text;

use std::time::Duration;

/// Milliseconds, as they are shown.
fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}

/// A part of a whole in hundredths; of nothing it is none.
fn percent(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() * 100.0 / whole.as_secs_f64() }
}
