//! Lazy sequences: what `step`, `reverse_each` and `tree_each` yield and iteration functions consume.

use crate::types::Type;
use crate::value::Value;

/// A sequence that is computed as it is consumed.
pub struct Iter<'c> {
    /// Type of the elements.
    pub element: &'c Type<'c>,
    /// Where the elements come from.
    pub source: Source<'c>,
}

/// Kinds of sequence.
pub enum Source<'c> {
    /// The items of an array, from `start`, each `step`-th.
    Items {
        /// The items.
        items: &'c [Value<'c>],
        /// Distance between two that are taken.
        step: usize,
        /// Whether taken from the back.
        reverse: bool,
    },
    /// An integer range.
    Range {
        /// First.
        from: i64,
        /// Last, included.
        to: i64,
        /// Distance; negative to count down.
        step: i64,
    },
    /// Each `step`-th element of another sequence.
    Stepped(&'c Iter<'c>, usize),
    /// Another sequence from its end to its start.
    Reversed(&'c Iter<'c>),
}
// STUBS
use crate::{error::*, vm::Vm};
pub fn collect<'c>(_: &mut Vm<'c>, _: &'c Iter<'c>) -> Eval<'c, Vec<Value<'c>>> {
    todo!()
}
pub fn of_type<'c>(_: &mut Vm<'c>, _: &'c Type<'c>) -> Eval<'c, Option<Vec<Value<'c>>>> {
    todo!()
}
