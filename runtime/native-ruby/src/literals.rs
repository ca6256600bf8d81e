//! What a place in a program comes to each time it is reached: regular expressions whose source is plain, constants. Made or
//! looked for once in a compile.

use crate::tree::Expr;
use crate::value::object::Nesting;
use crate::value::{Regexp, V};
use hashbrown::HashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What has been made or found, by the place that it stands at. Programs stay where they are for as long as the compile runs.
#[derive(Default)]
pub(crate) struct Literals<'c> {
    regexps: RefCell<HashMap<usize, Rc<Regexp>>>,
    /// By the place and the module that the code stands in, which is kept with it: no other can come to lie there. Emptied whenever a file is
    /// loaded, which may define others, and when there are [`MOST`].
    constants: RefCell<HashMap<(usize, usize), Constant<'c>>>,
}

/// What a constant is, seen from a module.
type Constant<'c> = (V<'c>, Option<Rc<Nesting<'c>>>);

/// How many constants are kept.
const MOST: usize = 1024;

fn nesting_of(nesting: Option<&Rc<Nesting<'_>>>) -> usize {
    nesting.map_or(0, |nesting| Rc::as_ptr(nesting).addr())
}

impl<'c> Literals<'c> {
    pub fn regexp(&self, node: &'c Expr) -> Option<Rc<Regexp>> {
        self.regexps.borrow().get(&std::ptr::from_ref(node).addr()).cloned()
    }

    pub fn keep_regexp(&self, node: &'c Expr, regexp: &Rc<Regexp>) {
        self.regexps.borrow_mut().insert(std::ptr::from_ref(node).addr(), regexp.clone());
    }

    pub fn constant(&self, path: &'c str, nesting: Option<&Rc<Nesting<'c>>>) -> Option<V<'c>> {
        let constants = self.constants.borrow();
        constants.get(&(path.as_ptr().addr(), nesting_of(nesting))).map(|(value, _)| value.clone())
    }

    /// Keeps what a constant is, seen from a module.
    pub fn keep_constant(&self, path: &'c str, nesting: Option<&Rc<Nesting<'c>>>, value: &V<'c>) {
        let mut constants = self.constants.borrow_mut();
        if constants.len() == MOST {
            constants.clear();
        }
        let key = (path.as_ptr().addr(), nesting_of(nesting));
        constants.insert(key, (value.clone(), nesting.cloned()));
    }

    /// Constants may be others from here on.
    pub fn forget_constants(&self) {
        self.constants.borrow_mut().clear();
    }

    /// Drops all of it.
    pub fn release(&self) {
        self.regexps.take();
        self.constants.take();
    }
}
