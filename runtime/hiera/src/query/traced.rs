//! Look-ups of code whose answers are told with where they came from.

use super::origin::Origin;
use crate::explain::{Explain, Explaining, Extent};
use crate::state::Lookups;
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
}
