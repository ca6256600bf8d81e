//! Variables that a template sets.
//!
//! One may hold what only Ruby knows (symbols), so it stays here, where later templates find it; should a worker ask for it,
//! Ruby renders that template again, for what it sets. What a template changes in place is in [`crate::functions::copies`].

use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::V;
use crate::world::WorkerState;
use bunraku_vm::host::Erb;
use bunraku_vm::scope::Scope;
use bunraku_vm::symbol::Symbol;
use bunraku_vm::vm::Vm;
use std::cell::{Cell, RefCell};

/// A variable that a template has set.
struct SetVariable<'c> {
    scope: u32,
    name: String,
    value: V<'c>,
}

/// A template to be rendered in Ruby, should a worker need what it sets or defines.
pub struct Replay<'c> {
    /// The scope it was rendered in.
    pub scope: &'c Scope<'c>,
    /// What it is.
    pub template: ReplayOf,
}

/// What is rendered again.
pub enum ReplayOf {
    /// A file, by the name it was asked for and its path.
    File {
        /// What messages call it.
        name: String,
        /// Where it lies.
        file: String,
    },
    /// A template given as text.
    Text(String),
}

impl<'c> Replay<'c> {
    pub(crate) fn new(scope: &'c Scope<'c>, erb: &Erb<'_>) -> Self {
        let template = match erb {
            Erb::File { name, file } => ReplayOf::File { name: (*name).to_owned(), file: (*file).to_owned() },
            Erb::Text(text) => ReplayOf::Text((*text).to_owned()),
        };
        Replay { scope, template }
    }

    /// Whether it is of a template.
    pub(crate) fn is_of(&self, erb: &Erb<'_>) -> bool {
        match (&self.template, erb) {
            (ReplayOf::File { file: own, .. }, Erb::File { file, .. }) => own == file,
            (ReplayOf::Text(own), Erb::Text(text)) => own == text,
            _ => false,
        }
    }
}

/// Variables that templates of the compile have set, and those templates.
#[derive(Default)]
pub(crate) struct SetByTemplates<'c> {
    all: RefCell<Vec<SetVariable<'c>>>,
    /// Names of arrays, hashes and strings that Ruby has by now: what it changes in place is not told.
    of_ruby: RefCell<Vec<String>>,
    replays: RefCell<Vec<Replay<'c>>>,
    /// How many of them renderings have set that are over.
    settled: Cell<usize>,
    /// Whether the rendering under way has set one, or seen one, which it may change.
    used: Cell<bool>,
}

impl<'c> SetByTemplates<'c> {
    /// A rendering begins, or goes on after others that it has called for: it has set none.
    pub fn begin(&self) {
        self.used.set(false);
        self.settled.set(self.count());
    }

    /// Whether the rendering under way has set a variable, or read one that a template has set.
    pub fn was_used(&self) -> bool {
        self.used.get()
    }

    /// Whether a scope sees any variable that a template has set.
    pub fn any_seen_from(&self, scope: &'c Scope<'c>) -> bool {
        let all = self.all.borrow();
        let mut chain = std::iter::successors(Some(scope), |scope| scope.parent);
        !self.of_ruby.borrow().is_empty()
            || !all.is_empty() && chain.any(|scope| all.iter().any(|set| set.scope == scope.id))
    }

    /// How many variables there are.
    pub fn count(&self) -> usize {
        self.all.borrow().len()
    }

    /// Whether a worker that asks for variables, as a scope sees them, has to be given what templates have set: for some
    /// names, or for all variables.
    pub fn are_among(&self, scope: &'c Scope<'c>, names: Option<&[&str]>) -> bool {
        match names {
            None => self.any_seen_from(scope),
            Some(names) => names.iter().any(|name| self.has_name(simple_name(name))),
        }
    }

    /// Whether templates have set a variable of a simple name, whatever the scope.
    fn has_name(&self, name: &str) -> bool {
        self.all.borrow().iter().any(|set| set.name == name)
    }

    /// Drops those that the rendering under way has set: it has failed.
    pub fn take_back(&self) {
        self.all.borrow_mut().truncate(self.settled.get());
    }

    /// Keeps the template for [`take_replays`](Self::take_replays): rendering it has set variables.
    pub fn note(&self, scope: &'c Scope<'c>, erb: &Erb<'_>) {
        self.replays.borrow_mut().push(Replay::new(scope, erb));
    }

    /// Takes the templates that Ruby has to render again. It sets their variables anew, so they are dropped here.
    pub fn take_replays(&self) -> Vec<Replay<'c>> {
        let is_one =
            |value: &V<'c>| matches!(value, V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Symbol(_));
        let given = self.all.borrow_mut().drain(..).filter(|set| !is_one(&set.value)).collect::<Vec<_>>();
        self.of_ruby.borrow_mut().extend(given.into_iter().map(|set| set.name));
        self.replays.take()
    }

    /// Drops all that lies on the heap.
    pub fn release(&self) {
        self.all.take();
        self.of_ruby.take();
        self.replays.take();
    }

    fn own(&self, scope: &Scope<'c>, name: &str, first: usize) -> Option<V<'c>> {
        let all = self.all.borrow();
        all.iter()
            .take(first)
            .find(|set| set.scope == scope.id && set.name == name)
            .map(|set| set.value.clone())
    }

    /// The variable as a template sees it from a scope, if it is among the `first` that templates have set. `symbol` is
    /// the name's, if it has one.
    pub(crate) fn find(
        &self,
        symbol: Option<Symbol>,
        scope: &'c Scope<'c>,
        name: &str,
        first: usize,
    ) -> OrRuby<Option<V<'c>>> {
        let simple = simple_name(name);
        if self.of_ruby.borrow().iter().any(|given| given == simple) {
            return Err(ForRuby("a variable that Ruby may have changed in place"));
        }
        if !self.has_name(simple) {
            return Ok(None);
        }
        if simple.len() < name.len() {
            return Err(ForRuby("a variable of a class that a template has set"));
        }
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(value) = self.own(scope, name, first) {
                self.used.set(true);
                return Ok(Some(value));
            }
            if symbol.is_some_and(|symbol| scope.own(symbol).is_some()) {
                return Ok(None);
            }
            at = scope.parent;
        }
        Ok(None)
    }

    /// Sets a variable for the templates that follow. Only a name that no Puppet code uses, nor a worker has asked for: any
    /// other is left to Ruby.
    pub(crate) fn set(
        &self,
        vm: &Vm<'c>,
        scope: &'c Scope<'c>,
        (name, value): (&str, V<'c>),
        worker: WorkerState,
    ) -> OrRuby<()> {
        let mut bytes = name.bytes();
        let word = bytes.next().is_some_and(|b| b == b'_' || b.is_ascii_lowercase())
            && bytes.all(|b| b == b'_' || b.is_ascii_alphanumeric());
        if !word || vm.symbols.get(name).is_some() || worker == WorkerState::Ended {
            return Err(ForRuby("a variable to be set"));
        }
        if self.own(scope, name, usize::MAX).is_some() {
            return Err(ForRuby("a variable to be set again"));
        }
        let set = SetVariable { scope: scope.id, name: name.to_owned(), value };
        self.all.borrow_mut().push(set);
        self.used.set(true);
        Ok(())
    }
}

/// What a qualified name ends with.
fn simple_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
