//! The log of a compile, and what is said in it once only.

use crate::state::arena::{Set, set};
use bumpalo::Bump;
use bunraku_vm::diagnostic::{Place, Severity};
use std::cell::{OnceCell, RefCell};

/// A log message.
#[derive(Clone, Debug)]
pub struct Log {
    /// Level.
    pub level: Severity,
    /// Text, its place included where Puppet includes it.
    pub message: String,
    /// Place, where known.
    pub place: Place,
    /// What has said it, as Puppet names it: `Scope(Class[Web])` where code has, none where Puppet itself has.
    pub source: Option<String>,
}

/// What has been logged.
pub(crate) struct Journal<'c> {
    /// The messages in order: whoever asked for the compile gets them.
    pub messages: RefCell<Vec<Log>>,
    /// What is said once only and has been.
    pub said_once: RefCell<Set<'c, &'c str>>,
    /// The level from which on messages are kept: the setting `log_level`.
    pub level: OnceCell<Severity>,
}

impl<'c> Journal<'c> {
    /// Nothing has been logged yet.
    pub fn new(arena: &'c Bump) -> Self {
        Journal { messages: RefCell::default(), said_once: set(arena), level: OnceCell::new() }
    }
}
