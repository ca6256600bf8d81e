//! Look-ups of code whose answers are told with where they came from: [`Lookups::traced`] at once, [`Lookups::noted`] such that it can be
//! told later, which costs little.

use super::origin::{LinesRead, Origin};
use crate::answered::{Asked, SeenVariable};
use crate::data_file::hash_of;
use crate::explain::{Explain, Explaining, Extent, GivenValue};
use crate::invocation::{InterpolatedInto, Invocation};
use crate::key::is_plain;
use crate::state::Lookups;
use bunraku_files::reads::{self, Touch};
use bunraku_vm::error::Eval;
use bunraku_vm::host::Lookup;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The answer to a look-up, with what is needed to tell later where it came from.
#[derive(Clone)]
pub struct Noted<'c> {
    /// What was looked up.
    pub key: &'c str,
    /// The answer.
    pub value: Value<'c>,
    /// What entries gave for the key, in the order in which they were asked.
    given: Vec<GivenValue<'c>>,
    /// Where it was asked.
    scope: &'c Scope<'c>,
    /// The variables that it was made from, and what they were.
    seen: &'c [SeenVariable<'c>],
}

/// A look-up with nothing given.
fn bare<'c>(scope: &'c Scope<'c>, explain: Explain<'c>) -> Invocation<'c> {
    Invocation {
        scope,
        overrides: None,
        defaults: None,
        global_only: false,
        is_old_function: false,
        level: None,
        old_scope: false,
        interpolated_into: InterpolatedInto::Value,
        explain,
    }
}

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
        let mut lines = LinesRead::default();
        Ok(found?.map(|value| {
            let given = explaining.explainer().given_for(lookup.key);
            (value, self.origins(&given, &mut lines, lookup.key, value))
        }))
    }

    /// As [`Lookups::look_up`] of a key without more, with what is needed to tell later where the value came from. The look-up does what it
    /// does anyway; only an answer that there is already, with a value, is not taken as it is.
    ///
    /// # Errors
    /// Those of the look-up.
    pub fn noted(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, key: &str) -> Eval<'c, Option<Noted<'c>>> {
        debug_assert!(is_plain(key), "names of parameters are plain keys");
        let explaining = Explaining::begin(self.arena, Extent::Given);
        let inv = bare(scope, explaining.explain());
        let answered = &self.state.answered;
        let hash = hash_of(key);
        reads::note(|| Touch::of_key(hash));
        let known = answered.get(Asked { hash, key, merge: "" }, |seen| self.is_unchanged(vm, &inv, seen));
        if matches!(known, Some(None)) || matches!(self.quick_answer(vm, &inv, hash, key), Some(None)) {
            return Ok(None);
        }
        let key = &*self.arena.alloc_str(key);
        answered.begin();
        let found = self.find(vm, &inv, key, None);
        let seen = answered.seen(self.arena);
        answered.end(self.arena, Asked { hash, key, merge: "" }, found.as_ref().ok().copied());
        let given = || explaining.explainer().given();
        Ok(found?.map(|value| Noted { key, value, given: given(), scope, seen }))
    }

    /// Where each leaf of a value came from that was looked up.
    pub fn origins_of(&self, noted: &Noted<'c>, lines: &mut LinesRead) -> Vec<Origin<'c>> {
        self.origins(&noted.given, lines, noted.key, noted.value)
    }

    /// What the entries have that a value with these origins, the answer to a look-up, went before: for each such part the key
    /// that leads to it, its value and its place. All entries are asked. Nothing where it can't be found out: an entry that the look-up did
    /// not come to may fail, and where a variable that it was made from has another value now, the entries are others.
    pub fn shadowed(
        &self,
        vm: &mut Vm<'c>,
        noted: &Noted<'c>,
        origins: &[Origin<'c>],
        lines: &mut LinesRead,
    ) -> Vec<Origin<'c>> {
        let explaining = Explaining::begin(self.arena, Extent::Given);
        let inv = bare(noted.scope, explaining.explain());
        let holds = noted.seen.iter().all(|seen| self.is_unchanged(vm, &inv, seen));
        let asked = holds.then(|| reads::unnoted(|| self.ask_every(vm, &inv, noted.key)));
        match asked {
            Some(Ok(())) => {
                let given = explaining.explainer().given();
                self.behind(&given, lines, noted.key, (noted.value, origins))
            }
            Some(Err(_)) | None => Vec::new(),
        }
    }
}
