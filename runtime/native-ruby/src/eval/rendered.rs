//! What a rendering gives, or why it was given up.

use crate::for_ruby::ForRuby;
use crate::functions::copies::Changes;
use crate::functions::journal::Journal;
use crate::value::V;
use crate::value::object::Method;
use bunraku_vm::diagnostic::Severity;

/// A message that waits for the end of a rendering.
pub struct Message {
    /// Its level.
    pub level: Severity,
    /// The text.
    pub text: String,
    /// Whether a function of the scope has said it, rather than Puppet's own module.
    pub of_scope: bool,
    /// What it is said once of in a compile; none for what is said each time.
    pub once: Option<String>,
}

/// What a rendering gives: the text, what is to be logged, and what of the scope's variables has been changed in place.
pub struct Rendered<'c> {
    /// What it puts out.
    pub text: String,
    /// Messages, in order.
    pub logs: Vec<Message>,
    /// Arrays and hashes that have been changed in place, each with what it has become.
    pub changed: Changes<'c>,
    /// Methods that it has defined.
    pub(crate) defined: Vec<(&'c str, Method<'c>)>,
    /// Global variables that it has set.
    pub(crate) globals: Vec<(&'c str, V<'c>)>,
    /// Whether it has drawn a random number that nobody has seeded: rendered again, it gives another text.
    pub(crate) has_drawn: bool,
    /// What it has called, where that may have had effects: it can't be rendered again.
    pub(crate) called: Option<Journal<'c>>,
}

impl Rendered<'_> {
    /// Whether more is to be done than to take its text.
    pub(crate) fn has_effects(&self) -> bool {
        !self.logs.is_empty() || !self.changed.is_empty()
    }

    /// Whether other templates have more than before.
    pub(crate) fn defines(&self) -> bool {
        !self.defined.is_empty() || !self.globals.is_empty()
    }
}

/// Why a rendering was given up: for a value, or for what the template has under a number.
pub(crate) struct Stopped<'c> {
    pub ask: ForRuby,
    pub reason: Option<u32>,
    /// What it has called by then.
    pub calls: Journal<'c>,
}
