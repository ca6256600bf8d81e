//! Things that can be called with arguments: lambdas, and functions written in Puppet.

use crate::scope::Scope;
use crate::unit::ChunkRef;
use std::cell::Cell;

/// A chunk and the scope it was written in.
pub struct Closure<'c> {
    /// Code, parameters, positions.
    pub chunk: ChunkRef,
    /// What its free variables mean.
    pub scope: &'c Scope<'c>,
    /// Name of the function; none for a lambda.
    pub name: Option<&'c str>,
    /// Scopes of calls that are over and that nothing refers to any more, linked by their `next`: the next call
    /// takes one, so that a lambda called 100,000 times needs one scope and not 100,000.
    spare: Cell<Option<&'c Scope<'c>>>,
}

impl<'c> Closure<'c> {
    /// A closure over `scope`.
    pub fn new(chunk: ChunkRef, scope: &'c Scope<'c>, name: Option<&'c str>) -> Self {
        Closure { chunk, scope, name, spare: Cell::new(None) }
    }

    /// A scope of an earlier call, every slot unassigned.
    pub(crate) fn take_spare(&self) -> Option<&'c Scope<'c>> {
        let scope = self.spare.get()?;
        self.spare.set(scope.next.take());
        Some(scope)
    }

    /// Keeps the scope of a call that is over, if nothing can refer to it.
    pub(crate) fn give_back(&self, scope: &'c Scope<'c>) {
        if scope.clear() {
            scope.next.set(self.spare.replace(Some(scope)));
        }
    }
}
