//! What a look-up carries with it from the call that asked for it to the texts it interpolates.

use crate::explain::Explain;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Hash, Value};

/// What a look-up carries with it.
#[derive(Clone, Copy)]
pub struct Invocation<'c> {
    /// Where variables are seen from.
    pub scope: &'c Scope<'c>,
    /// Values that go before all others.
    pub overrides: Option<Hash<'c>>,
    /// Values that come after all others.
    pub defaults: Option<Hash<'c>>,
    /// Whether only the global layer is asked.
    pub global_only: bool,
    /// Whether one of the old functions asks: `hiera`, `hiera_array`, `hiera_hash`, `hiera_include`.
    pub is_old_function: bool,
    /// The levels before all others that one of the old functions asks for.
    pub level: Option<Value<'c>>,
    /// Whether variables are seen as a version 3 configuration sees them.
    pub old_scope: bool,
    /// Whether what is resolved are the paths of an entry: from 8 on an unknown variable in them is a warning.
    pub in_paths: bool,
    /// Who explains the look-up.
    pub explain: Explain<'c>,
}

impl<'c> Invocation<'c> {
    /// The same without what the caller gives: what configurations and options are resolved with.
    pub(crate) fn without_given(&self) -> Invocation<'c> {
        Invocation { overrides: None, defaults: None, ..*self }
    }
}
