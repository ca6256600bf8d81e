//! The machine: what a compile has of it, and its entrances. The loop itself is `interp`.

use crate::closure::Closure;
use crate::error::Eval;
use crate::function::Native;
use crate::host::{Host, Site};
use crate::scope::{Scope, ScopeSpec};
use crate::symbol::{Interner, Symbol};
use crate::types::Type;
use crate::unit::{ChunkRef, UnitId};
use crate::value::{Str, Value};
use bumpalo::Bump;
use std::collections::HashSet;

/// One compile's machine. Lives as long as the compile; everything it makes lies in `arena`.
pub struct Vm<'c> {
    /// Where values live.
    pub arena: &'c Bump,
    /// The compile's names.
    pub symbols: Interner<'c>,
    /// The world.
    pub host: &'c dyn Host<'c>,
    /// Keys of the warnings that are given once a run.
    pub warned: HashSet<Box<str>>,
}

/// A parameter of a chunk as the runtime needs it to bind class and defined-type parameters.
#[derive(Clone, Copy)]
pub struct ParamInfo<'c> {
    /// Name.
    pub name: &'c str,
    /// Name as a symbol.
    pub symbol: Symbol,
    /// Slot of the chunk's scope that holds it.
    pub slot: u32,
    /// Whether a type is declared.
    pub typed: bool,
    /// Whether there is a default.
    pub has_default: bool,
    /// Whether written with `*`.
    pub captures_rest: bool,
}

impl<'c> Vm<'c> {
    /// A machine over `arena` that asks `host`.
    pub fn new(arena: &'c Bump, host: &'c dyn Host<'c>) -> Self {
        Vm { arena, symbols: Interner::new(arena), host, warned: HashSet::new() }
    }

    /// Loads a unit (bytes as [`crate::unit`] describes them). `file` is its path as Puppet prints it, `module`
    /// the module it belongs to (empty for none).
    ///
    /// # Errors
    /// When the words are no unit.
    pub fn load(&mut self, words: &'c [u32], file: Option<&'c str>, module: &'c str) -> Eval<'c, UnitId> {
        let _ = (words, file, module);
        todo!()
    }

    /// A new scope with a number of its own.
    pub fn new_scope(&mut self, spec: ScopeSpec<'c>) -> &'c Scope<'c> {
        let _ = spec;
        todo!()
    }

    /// A scope for the body of `chunk`: its shape gives the names.
    pub fn body_scope(&mut self, chunk: ChunkRef, spec: ScopeSpec<'c>) -> Eval<'c, &'c Scope<'c>> {
        let _ = (chunk, spec);
        todo!()
    }

    /// Parameters of a chunk in order.
    pub fn params(&mut self, chunk: ChunkRef) -> Eval<'c, &'c [ParamInfo<'c>]> {
        let _ = chunk;
        todo!()
    }

    /// The declared type of the n-th parameter; `Any` where none is declared. Evaluated once a compile.
    pub fn param_type(&mut self, chunk: ChunkRef, n: usize) -> Eval<'c, &'c Type<'c>> {
        let _ = (chunk, n);
        todo!()
    }

    /// Evaluates the default of the n-th parameter in `scope` (a scope of that chunk's shape).
    pub fn param_default(&mut self, chunk: ChunkRef, n: usize, scope: &'c Scope<'c>) -> Eval<'c> {
        let _ = (chunk, n, scope);
        todo!()
    }

    /// Runs a body in a scope made for it; parameters are already set.
    pub fn run(&mut self, chunk: ChunkRef, scope: &'c Scope<'c>) -> Eval<'c> {
        let _ = (chunk, scope);
        todo!()
    }

    /// Calls a lambda or Puppet function with arguments by position: types checked, defaults filled in.
    pub fn call(&mut self, closure: &'c Closure<'c>, args: &[Value<'c>]) -> Eval<'c> {
        let _ = (closure, args);
        todo!()
    }

    /// How many arguments a closure takes: least, and most (none for unbounded).
    pub fn arity(&mut self, closure: &'c Closure<'c>) -> Eval<'c, (usize, Option<usize>)> {
        let _ = closure;
        todo!()
    }

    /// Calls a function by name as an expression in `scope` would.
    pub fn call_function(
        &mut self,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        let _ = (name, args, block, scope);
        todo!()
    }

    /// Calls a native function: picks its signature, checks types.
    pub fn call_native(
        &mut self,
        native: &'static Native,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        let _ = (native, args, block, scope);
        todo!()
    }

    /// Evaluates an EPP chunk with named parameters; the text.
    pub fn render(
        &mut self,
        template: ChunkRef,
        parameters: Option<crate::value::Hash<'c>>,
        scope: &'c Scope<'c>,
        name: &str,
    ) -> Eval<'c> {
        let _ = (template, parameters, scope, name);
        todo!()
    }

    /// Sets $0, $1 … for the code that follows, as a successful `=~` does.
    pub fn set_matches(&mut self, groups: &[Option<&str>]) {
        let _ = groups;
        todo!()
    }

    /// Where the innermost Puppet code being run stands (Ruby: the top of `PuppetStack`).
    pub fn site(&self) -> Site<'c> {
        todo!()
    }

    /// The stack of call sites, innermost first.
    pub fn stack(&self) -> Vec<Site<'c>> {
        todo!()
    }

    /// A string value in the arena.
    pub fn string(&self, text: &str) -> Value<'c> {
        Value::Str(Str::new(self.arena, text))
    }

    /// An array value in the arena.
    pub fn array(&self, items: &[Value<'c>]) -> Value<'c> {
        Value::array(self.arena, items)
    }
}
