//! What a look-up carries with it from the call that asked for it to the texts it interpolates.

use crate::explain::Explain;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Hash, Value};

/// What a variable is interpolated into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterpolatedInto {
    /// A path of an entry in a `hiera.yaml` of version 5: from Puppet 8 on an unknown variable in it is a warning.
    Path,
    /// Anything else.
    Value,
}

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
    /// What variables are interpolated into.
    pub interpolated_into: InterpolatedInto,
    /// Who explains the look-up.
    pub explain: Explain<'c>,
}

impl<'c> Invocation<'c> {
    /// The same without what the caller gives: what configurations and options are resolved with.
    pub(crate) fn without_given(&self) -> Invocation<'c> {
        Invocation { overrides: None, defaults: None, ..*self }
    }
}
