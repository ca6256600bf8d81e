//! A diff in two passes, so that nodes collect what the others export on the same side: the first pass gathers that, the second
//! compiles those nodes again that collect.

use crate::diff::{Found, Sides, one};
use crate::exported::Meetings;
use crate::pool;
use bunraku::{Compiler, ExportedMeeting};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many differences are kept from the first pass to the second; nodes with more are compiled again. So memory is bounded.
const KEPT: usize = 200_000;

/// The same as [`crate::diff::run`], with what the nodes of a side export themselves.
///
/// # Errors
/// When there are no threads to be had.
pub fn run(
    compiler: &Compiler,
    sides: &Sides<'_>,
    (names, threads): (&[String], usize),
    mut done: impl FnMut(&str, Found),
) -> Result<(), String> {
    let meetings = Meetings::default();
    let (mut kept, mut room) = (BTreeMap::new(), KEPT);
    let first = |name: &str| {
        let (found, exported) = one(compiler, sides, name, Some(&meetings));
        (found, exported.shared())
    };
    pool::run(names, threads, first, |name, (found, exports)| {
        for (meeting, exports) in meetings.0.iter().zip(exports) {
            exports.into_iter().for_each(|exports| meeting.take_in(name, exports));
        }
        let size = 1 + found.state.differences().len();
        if size <= room && !meetings.0.iter().any(|meeting| meeting.has_asked(name)) {
            room -= size;
            kept.insert(name.to_owned(), found);
        }
    })?;
    meetings.0.iter().for_each(ExportedMeeting::answer);
    let kept = Mutex::new(kept);
    let second = |name: &str| {
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        kept.unwrap_or_else(|| one(compiler, sides, name, Some(&meetings)).0)
    };
    pool::run(names, threads, second, |name, found| done(name, found))
}
