//! What a compile tells of itself: how often what was done, and where the time went.

use crate::inputs::{Settings, Spent};
use crate::stats::Counter;
use bumpalo::Bump;
use std::cell::Cell;

/// What is told.
pub(crate) struct Accounts<'c> {
    /// Counts calls, where that is asked for.
    pub counter: Counter<'c>,
    pub spent: Cell<Spent>,
}

impl<'c> Accounts<'c> {
    /// Nothing has been done yet.
    pub fn new(arena: &'c Bump, settings: &Settings) -> Self {
        let counter = match settings.stats || settings.profile {
            true => Counter::new(arena, settings.profile),
            false => Counter::default(),
        };
        Accounts { counter, spent: Cell::default() }
    }
}
