//! Which body runs: that of a class, defined type, node or manifest, of a function or of a template. What matches is its own, and where
//! nothing has, $0, $1 … are looked for where its variables are looked for, too. Source: `Puppet::Parser::Scope`, whose ephemeral scopes
//! these are.

use crate::matches::Match;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Str, Value};
use crate::vm::Vm;

/// A body that has been left for another one, and what was in force in the other one before.
pub(super) struct LeftBody<'c> {
    body: &'c Scope<'c>,
    entered: Option<&'c Match<'c>>,
}

impl<'c> Vm<'c> {
    /// Sets $0, $1 … for the code that follows, as a successful `=~` does.
    pub fn set_matches(&mut self, groups: &[Option<&str>]) {
        let arena = self.arena;
        let groups = arena.alloc_slice_fill_iter(groups.iter().map(|g| g.map(|g| &*arena.alloc_str(g))));
        self.body.matches.set(Some(arena.alloc(Match::behind(self.body.matches.get(), groups))));
    }

    /// Group `n` of the last match that is in force; `undef` where there is none.
    #[inline(never)]
    pub fn match_group(&self, n: usize) -> Value<'c> {
        let mut at = Some(self.body);
        while let Some(scope) = at {
            if let Some(last) = scope.matches.get() {
                return last.group(n).map_or(Value::Undef, |text| Value::Str(Str::wrap(self.arena, text)));
            }
            // A function's or template's body sees none but its own.
            at = scope.parent.filter(|_| scope.kind != ScopeKind::Local);
        }
        Value::Undef
    }

    /// How many matches of the body are in force, for [`Vm::drop_matches`].
    pub(super) fn count_matches(&self) -> usize {
        Match::count(self.body.matches.get())
    }

    /// Takes back those that were set since there were so many.
    pub(super) fn drop_matches(&mut self, count: usize) {
        self.body.matches.set(Match::first(self.body.matches.get(), count));
    }

    /// Goes on in the body of a scope. Gives what [`Vm::leave_body`] wants.
    #[inline]
    pub(super) fn enter_body(&mut self, body: &'c Scope<'c>) -> LeftBody<'c> {
        LeftBody { body: std::mem::replace(&mut self.body, body), entered: body.matches.get() }
    }

    /// Goes back to the body that was left. What has matched since is no longer in force.
    #[inline]
    pub(super) fn leave_body(&mut self, left: LeftBody<'c>) {
        self.body.matches.set(left.entered);
        self.body = left.body;
    }

    /// The same where what has matched stays in force, for who looks into the scope from within.
    pub(super) fn leave_open(&mut self, left: LeftBody<'c>) {
        self.body = left.body;
    }
}
