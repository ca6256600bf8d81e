//! Look-ups of code whose answers are told with where they came from.

use super::origin::Origin;
use crate::explain::{Explain, Explaining, Extent};
use crate::invocation::Invocation;
use crate::state::Lookups;
use bunraku_files::reads;
use bunraku_vm::error::Eval;
use bunraku_vm::host::Lookup;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// As [`Lookups::look_up`], with where each leaf of the value came from. It takes as long as a look-up that is explained.
    ///
    /// # Errors
    /// Those of the look-up.
    pub fn traced(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<(Value<'c>, Vec<Origin<'c>>)>> {
        let explaining = Explaining::begin(self.arena, Extent::All);
        self.state.explain.set(explaining.explain());
        let found = self.look_up(vm, scope, lookup);
        self.state.explain.set(Explain::default());
        Ok(found?.map(|value| (value, self.origins(explaining.explainer(), lookup.key, value))))
    }

    /// What the entries have that a value with these origins, the answer to a look-up of `key`, went before: for each such part the key
    /// that leads to it, its value and its place. Nothing where it can't be found out, for an entry that the look-up did not come to may
    /// fail.
    pub fn shadowed(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        key: &str,
        value: Value<'c>,
        origins: &[Origin<'c>],
    ) -> Vec<Origin<'c>> {
        let explaining = Explaining::begin(self.arena, Extent::All);
        let inv = Invocation {
            scope,
            overrides: None,
            defaults: None,
            global_only: false,
            is_old_function: false,
            level: None,
            old_scope: false,
            in_paths: false,
            explain: explaining.explain(),
        };
        let asked = reads::unnoted(|| self.ask_every(vm, &inv, self.arena.alloc_str(key)));
        match asked {
            Ok(()) => self.behind(explaining.explainer(), key, value, origins),
            Err(_) => Vec::new(),
        }
    }
}
