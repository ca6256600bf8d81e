//! Methods that templates define: Puppet has them for all templates of the compile that follow.
//!
//! Here a method is known to its own template only. One that calls another template's is left to Ruby, which renders that
//! other one first: so the worker gets a method when a template that names it is rendered there, and not before.

use crate::erb::set_variables::Replay;
use crate::eval::Rendered;
use bunraku_vm::host::Erb;
use bunraku_vm::scope::Scope;
use std::cell::RefCell;

/// Templates that have been rendered natively and have defined methods, as far as Ruby has not rendered them again.
///
/// Bound: one for each template and each set of names. Stale: never; they go with the compile.
#[derive(Default)]
pub(crate) struct DefinedByTemplates<'c>(RefCell<Vec<DefiningTemplate<'c>>>);

struct DefiningTemplate<'c> {
    names: Vec<&'c str>,
    replay: Replay<'c>,
}

impl<'c> DefinedByTemplates<'c> {
    /// A template has been rendered and may have defined methods. One that has changed what is Puppet's can't be rendered
    /// again: Ruby does not get to know its methods, and a template that calls one there fails.
    pub fn note(&self, scope: &'c Scope<'c>, erb: &Erb<'_>, rendered: &Rendered<'c>) {
        let names = &rendered.defined;
        if names.is_empty() || rendered.has_effects() {
            return;
        }
        let mut all = self.0.borrow_mut();
        // What it defines takes the place of what others have: it moves to the end.
        all.retain(|known| known.names != *names || !known.replay.is_of(erb));
        all.push(DefiningTemplate { names: names.clone(), replay: Replay::new(scope, erb) });
    }

    /// Whether there is any.
    pub fn is_any(&self) -> bool {
        !self.0.borrow().is_empty()
    }

    /// Takes the templates that Ruby has to render before one with this text, if it may call any of their methods: it names
    /// one, or computes names. Nobody knows that of a template without a text.
    pub fn take_replays(&self, text: Option<&str>) -> Vec<Replay<'c>> {
        let mut all = self.0.borrow_mut();
        let may_call = text.is_none_or(|text| {
            let mut names = all.iter().flat_map(|known| &known.names).chain(&["send", "method", "eval"]);
            names.any(|name| text.contains(name))
        });
        // Their methods may call those of the others.
        match may_call {
            true => std::mem::take(&mut *all).into_iter().map(|known| known.replay).collect(),
            false => Vec::new(),
        }
    }

    /// Drops all that lies on the heap.
    pub fn release(&self) {
        self.0.take();
    }
}
