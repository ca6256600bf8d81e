//! Methods that templates define, and global variables that they set: Puppet has them for all templates of the compile that
//! follow.
//!
//! As long as there is no worker, which may have templates of its own that define methods, one that follows calls them here.
//! The worker renders the other template first: so it gets a method when a template that names it is rendered there, and not
//! before.

use crate::erb::set_variables::Replay;
use crate::eval::rendered::Rendered;
use crate::value::object::Method;
use bunraku_vm::host::Erb;
use bunraku_vm::scope::Scope;
use std::cell::RefCell;

/// Templates that have been rendered natively and have defined methods, as far as Ruby has not rendered them again.
///
/// Bound: one for each template and each set of names, and one for each rendering that sets global variables. Stale: never; they
/// go with the compile.
#[derive(Default)]
pub(crate) struct DefinedByTemplates<'c>(RefCell<Vec<DefiningTemplate<'c>>>);

struct DefiningTemplate<'c> {
    /// Of its methods, and behind them of global variables.
    names: Vec<&'c str>,
    methods: Vec<Method<'c>>,
    /// What it is and where it was rendered; none of one that can't be rendered again.
    replay: Option<Replay<'c>>,
}

impl<'c> DefinedByTemplates<'c> {
    /// A template has been rendered and may have defined methods. One that has changed what is Puppet's can't be rendered
    /// again: Ruby does not get to know its methods, and a template that calls one there fails.
    pub fn note(&self, scope: &'c Scope<'c>, erb: &Erb<'_>, rendered: &Rendered<'c>) {
        if !rendered.defines() {
            return;
        }
        let (mut names, methods): (Vec<&'c str>, Vec<Method<'c>>) = rendered.defined.iter().cloned().unzip();
        names.extend(rendered.globals.iter().map(|(name, _)| *name));
        let replay = (!rendered.has_effects()).then(|| Replay::new(scope, erb));
        let mut all = self.0.borrow_mut();
        // What it defines takes the place of what others have: it moves to the end. A variable may be made of what it was before.
        let sets = !rendered.globals.is_empty();
        let is_same = |known: &DefiningTemplate<'c>| match &known.replay {
            Some(of) => of.is_of(erb),
            None => replay.is_none(),
        };
        all.retain(|known| sets || known.names != names || !is_same(known));
        all.push(DefiningTemplate { names, methods, replay });
    }

    /// The method of a name, as it was defined last.
    pub fn method(&self, name: &str) -> Option<Method<'c>> {
        let all = self.0.borrow();
        let in_order = all.iter().rev().flat_map(|known| known.names.iter().zip(&known.methods).rev());
        in_order.filter(|(known, _)| **known == name).map(|(_, method)| method.clone()).next()
    }

    /// Whether there is any.
    pub fn is_any(&self) -> bool {
        self.0.borrow().iter().any(|known| known.replay.is_some())
    }

    /// Takes the templates that Ruby has to render before one with this text, if it may call any of their methods: it names
    /// one, or computes names. Nobody knows that of a template without a text.
    pub fn take_replays(&self, text: Option<&str>) -> Vec<Replay<'c>> {
        let mut all = self.0.borrow_mut();
        let may_call = text.is_none_or(|text| {
            let known = all.iter().filter(|known| known.replay.is_some());
            let mut names = known.flat_map(|known| &known.names).chain(&["send", "method", "eval"]);
            names.any(|name| text.contains(name))
        });
        // Their methods may call those of the others.
        match may_call {
            true => std::mem::take(&mut *all).into_iter().filter_map(|known| known.replay).collect(),
            false => Vec::new(),
        }
    }

    /// Drops all that lies on the heap.
    pub fn release(&self) {
        self.0.take();
    }
}
