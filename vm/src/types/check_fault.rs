//! Faults that checks of types meet. A check answers yes or no, far down in values and types; what it meets there that
//! has no answer (an `Init` of a type without a constructor, a `Regexp` of no regular expression) is noted here, and
//! whoever has asked gets it as an error from [`raise`]. What is noted is the thread's, as what is counted: see
//! `budget.rs`.

use crate::error::{Eval, Flow};
use std::cell::{Cell, RefCell};

thread_local! {
    static ANY: Cell<bool> = const { Cell::new(false) };
    static FIRST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Notes a fault. Only the first counts: the check would have ended with it.
#[cold]
pub(super) fn note(message: impl FnOnce() -> String) {
    if !ANY.replace(true) {
        let message = message();
        FIRST.with(|first| first.replace(message));
    }
}

/// Forgets what is noted: a compile begins.
pub(crate) fn forget() {
    ANY.set(false);
}

/// What is noted, which is then forgotten.
#[inline]
pub fn take() -> Option<String> {
    if ANY.get() { taken() } else { None }
}

#[cold]
fn taken() -> Option<String> {
    ANY.set(false);
    Some(FIRST.with(RefCell::take))
}

/// Fails with what is noted.
///
/// # Errors
/// The fault that a check has met.
#[inline]
pub fn raise<'c>() -> Eval<'c, ()> {
    match take() {
        None => Ok(()),
        Some(message) => Err(Flow::raw(message)),
    }
}

/// Notes that a pattern is none: Puppet finds that out when it first needs it.
pub(super) fn note_regexp(source: &str) {
    if let Err(message) = crate::regex::check(source) {
        note(|| message);
    }
}
