//! A function as its file defines it, for either interface.

use super::rests::Methods;
use crate::tree::Program;
use crate::value::V;
use crate::value::object::{FoundMethod, Object, Proc};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// A function of the 4.x interface.
pub(crate) struct NewFunction<'c> {
    pub name: String,
    /// What it is called as: an instance of the class that its methods are in.
    pub object: Rc<Object<'c>>,
    /// The module of Puppet code that it belongs to.
    pub owner: String,
    pub program: &'c Program,
    pub dispatches: Vec<Dispatch>,
    /// The method of each of these, with the class or module it was found in.
    pub methods: Vec<FoundMethod<'c>>,
    /// A `call` of its own.
    pub own_call: Option<FoundMethod<'c>>,
    /// Types that it names for itself, each `Name = Type`.
    pub local_types: Vec<String>,
    /// Whether a call has changed in place what it was given or has looked up.
    pub changes: Cell<bool>,
    /// Whether a call has looked at the key of its look-up, and did not only ask hashes for it.
    pub looks_at_key: Cell<bool>,
    /// What the methods of its file do, once asked for.
    pub(super) methods_do: OnceCell<Methods>,
}

impl NewFunction<'_> {
    /// What the methods of its file do.
    pub fn methods_do(&self) -> Methods {
        *self.methods_do.get_or_init(|| Methods::of(self.program))
    }

    /// Name and module of the function that runs; neither where it is none of the 4.x interface.
    pub fn asking(function: Option<&Rc<Self>>) -> (Option<&str>, &str) {
        function.map_or((None, ""), |function| (Some(&function.name), &function.owner))
    }
}

/// One signature of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dispatch {
    /// The method that is called.
    pub method: String,
    /// Whether that tells what is wrong with the arguments.
    pub tells_mismatch: bool,
    pub params: Vec<Param>,
    /// Type of the block, its name, whether it may be missing.
    pub block: Option<(String, String, bool)>,
    pub returns: Option<String>,
    /// What the method is given, where that is not just the arguments.
    pub weaving: Vec<Knot>,
    pub woven: bool,
}

/// A parameter of a signature.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub ty: String,
    pub name: String,
    pub often: Often,
}

/// How often a parameter is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Often {
    Once,
    Optional,
    Any,
    AtLeastOnce,
}

/// What stands in one place of what a method is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knot {
    Scope,
    Argument(usize),
    /// The arguments from there on.
    Rest(usize),
}

/// A function of the 3.x interface.
pub(crate) struct OldFunction<'c> {
    pub name: String,
    pub body: Rc<Proc<'c>>,
    /// The locals around its block as the body has left them that it is defined in, where the block uses any.
    pub around: OnceCell<Vec<V<'c>>>,
    pub rvalue: bool,
    pub arity: i64,
}

impl Dispatch {
    /// Adds a parameter; none where that is not allowed there.
    pub fn add(&mut self, ty: String, name: String, often: Often) -> Option<()> {
        let last = self.params.last().map(|param| param.often);
        let allowed = match (last, often) {
            (Some(Often::Any | Often::AtLeastOnce), _) => false,
            (Some(Often::Optional), Often::Once | Often::AtLeastOnce) => false,
            _ => self.block.is_none(),
        };
        let place = self.params.len();
        self.weaving.push(match often {
            Often::Once | Often::Optional => Knot::Argument(place),
            Often::Any | Often::AtLeastOnce => Knot::Rest(place),
        });
        self.params.push(Param { ty, name, often });
        allowed.then_some(())
    }
}
