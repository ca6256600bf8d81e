//! Where running code stands: a frame for each chunk that runs, and the default value under evaluation.

use crate::error::Blame;
use crate::loaded::{Linked, ParamInfo};
use crate::scope::Scope;
use crate::site::{LocatedChunk, Site, Spot};
use crate::unit::layout::unpack_place;

/// A running chunk, for whoever asks where the code stands.
pub(crate) struct Frame<'c> {
    pub linked: &'c Linked<'c>,
    /// Behind the instruction that runs.
    pub pc: u32,
}

impl<'c> Frame<'c> {
    /// The module the chunk belongs to.
    pub fn module(&self) -> &'c str {
        self.linked.unit.module
    }

    /// Where the running instruction stands.
    pub fn site(&self) -> Site<'c> {
        self.spot().site()
    }

    /// Where the running instruction stands, not looked up.
    pub fn spot(&self) -> Spot<'c> {
        Spot { code: &self.linked.code, pc: self.pc }
    }

    /// Whether the running instruction calls a function.
    pub fn calls(&self) -> bool {
        let position = self.linked.code.unit.position(&self.linked.code.chunk, self.pc);
        position.is_some_and(|position| matches!(position.label, "Function Call" | "Method call"))
    }

    /// Whether what runs is a file's own code, and no body of a definition in it.
    pub fn is_program(&self) -> bool {
        self.linked.unit.is_program(self.linked)
    }

    /// Where a part of it stands; the whole, where that part has no place.
    pub fn site_of(&self, blame: Blame) -> Site<'c> {
        let LocatedChunk { unit, chunk, file } = self.linked.code;
        let part = |n: usize| {
            let position = unit.position(&chunk, self.pc)?;
            position.parts.get(n).map(|word| unpack_place(*word))
        };
        let at = match blame {
            Blame::Whole => None,
            Blame::Left => part(0),
            Blame::Right => part(1),
            Blame::Key(n) => part(n + 1),
        };
        match at.filter(|at| at.0 != 0) {
            Some((line, column)) => Site { file, line, column },
            None => self.site(),
        }
    }
}

/// A default value under evaluation: it may use the parameters in front of its own only.
pub(crate) struct PendingDefault<'c> {
    /// The scope of the parameters.
    pub scope: &'c Scope<'c>,
    /// All parameters of the chunk.
    pub params: &'c [ParamInfo<'c>],
    /// The number of a parameter without value that it used all the same.
    pub illegal: Option<usize>,
}
