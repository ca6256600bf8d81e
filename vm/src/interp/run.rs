//! Runs bodies: of classes and files, of types, and of defaults of parameters.

use crate::error::{Eval, Flow};
use crate::frame::PendingDefault;
use crate::loaded::LoadedUnit;
use crate::scope::Scope;
use crate::types::ty::Type;
use crate::unit::ChunkRef;
use crate::value::Value;
use crate::vm::Vm;
use std::fmt::Display;

impl<'c> Vm<'c> {
    /// The declared type of the n-th parameter; `Any` where none is declared. Evaluated once a compile.
    ///
    /// # Errors
    /// Those of evaluating the type expression.
    pub fn param_type(&mut self, chunk: ChunkRef, n: usize) -> Eval<'c, &'c Type<'c>> {
        let linked = self.link(chunk)?;
        self.linked_param_type(linked, n)
    }
    /// Evaluates the default of the n-th parameter in `scope` (a scope of that chunk's shape); `undef` where there
    /// is none. `subject` is what messages call the thing with the parameter: `Class[Foo]`.
    ///
    /// # Errors
    /// Those of evaluating it.
    pub fn param_default(
        &mut self,
        chunk: ChunkRef,
        n: usize,
        scope: &'c Scope<'c>,
        subject: &dyn Display,
    ) -> Eval<'c> {
        let linked = self.link(chunk)?;
        let kept = &linked.literals[n];
        if let Some(Some(value)) = kept.get() {
            return Ok(value.again(self.arena));
        }
        let Some(number) = linked.code.chunk.param(n).default_chunk else { return Ok(Value::Undef) };
        let literal = kept.get().unwrap_or_else(|| linked.unit.literal(self.arena, number));
        if kept.replace(Some(literal)).is_none() && literal.is_some() {
            self.note_unrun(linked.unit, number);
        }
        if let Some(value) = literal {
            return Ok(value.again(self.arena));
        }
        let outer = self.default_of.replace(PendingDefault { scope, params: linked.params, illegal: None });
        let left = self.enter_body(scope.body());
        let result = self.run(ChunkRef { unit: chunk.unit, chunk: number }, scope);
        self.leave_body(left);
        let own = std::mem::replace(&mut self.default_of, outer);
        match own.and_then(|own| own.illegal) {
            Some(used) if used < n => {
                let name = linked.params[used].name;
                Err(Flow::raw(format!("{subject}: expects a value for parameter ${name}")))
            }
            Some(used) => {
                let (own, used) = (linked.params[n].name, linked.params[used].name);
                Err(Flow::raw(format!(
                    "{subject}: default expression for ${own} tries to illegally access not yet evaluated ${used}"
                )))
            }
            None => result,
        }
    }
    /// Runs a body in a scope made for it; parameters are already set.
    ///
    /// # Errors
    /// Those of evaluating it; `break`, `next` and `return` come out as they are.
    pub fn run(&mut self, chunk: ChunkRef, scope: &'c Scope<'c>) -> Eval<'c> {
        let linked = self.link(chunk)?;
        self.execute(linked, scope)
    }
    /// Runs the body of a class, defined type, node or manifest: as [`Vm::run`], but what matches is the scope's own, and stays in
    /// force for who looks into the scope from within. `groups` are the $0, $1 … it starts with, none if empty; a body that starts
    /// with some leaves nothing in force.
    ///
    /// # Errors
    /// As [`Vm::run`].
    pub fn run_body(&mut self, chunk: ChunkRef, scope: &'c Scope<'c>, groups: &[Option<&str>]) -> Eval<'c> {
        let left = self.enter_body(scope.as_body());
        if !groups.is_empty() {
            self.set_matches(groups);
        }
        let result = self.run(chunk, scope);
        match groups.is_empty() {
            true => self.leave_open(left),
            false => self.leave_body(left),
        }
        result
    }

    /// Runs a chunk that has one value for the whole compile, if it has not been run.
    #[inline(never)]
    pub(super) fn once(&mut self, unit: &'c LoadedUnit<'c>, number: u32) -> Eval<'c> {
        let linked = unit.link(self.arena, &self.symbols, number)?;
        if let Some(value) = linked.once.get() {
            return Ok(value);
        }
        let value = self.execute(linked, self.top)?;
        linked.once.set(Some(value));
        Ok(value)
    }
}
