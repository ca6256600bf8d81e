//! What a method, a block or the body of a module runs in: where its locals lie, what `self` is, which block it was given. A lambda
//! keeps the one that it was made in.

use super::V;
use super::object::{Module, Nesting, Proc};
use crate::tree::{MethodBody, Program};
use std::rc::Rc;

/// The frame that code runs in.
#[derive(Clone)]
pub(crate) struct Frame<'c> {
    /// Where its locals begin among those of all frames.
    pub base: usize,
    /// Tells it from all others there have been.
    pub serial: u64,
    /// Which call a `return` leaves.
    pub returns: u64,
    pub program: &'c Program,
    pub this: V<'c>,
    pub nesting: Option<Rc<Nesting<'c>>>,
    /// The block that the method was given.
    pub block: Option<Rc<Proc<'c>>>,
    /// The method, and the class it was found in.
    pub method: Option<(Rc<Module<'c>>, &'c MethodBody)>,
}
