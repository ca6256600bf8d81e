//! The machine: what a compile has of it, and its entrances. The loop itself is [`crate::interp`].

use crate::budget::{self, Limit};
use crate::cause::Cause;
use crate::error::{Eval, Flow};
use crate::function::Native;
use crate::host::{Host, Site, Spot};
use crate::interp::{Frame, Pending};
use crate::learned::Learned;
use crate::loaded::{Linked, LoadedUnit};
use crate::observer::Observer;
use crate::scope::{Scope, ScopeSpec};
use crate::symbol::{Interner, Symbol};
use crate::types::{Signature, Type};
use crate::unit::reader::Unit;
use crate::unit::verify::Passed;
use crate::unit::{ChunkRef, UnitId};
use crate::value::{Str, Value};
use bumpalo::Bump;
use hashbrown::HashMap;
use std::fmt::Display;

/// One compile's machine. Lives as long as the compile; everything it makes lies in `arena`.
pub struct Vm<'c> {
    /// Where values live.
    pub arena: &'c Bump,
    /// The compile's names.
    pub symbols: Interner<'c>,
    /// The world.
    pub host: &'c dyn Host<'c>,
    /// Top scope: what `::` means and where named functions are closed over.
    pub top: &'c Scope<'c>,
    pub(crate) units: Vec<&'c LoadedUnit<'c>>,
    pub(crate) registers: Vec<Value<'c>>,
    pub(crate) frames: Vec<Frame<'c>>,
    /// Groups of the open match scopes, innermost last.
    pub(crate) matches: Vec<&'c [Option<&'c str>]>,
    /// Match scopes below this one belong to a caller and are not seen.
    pub(crate) matches_floor: usize,
    pub(crate) pending: Pending<'c>,
    /// What `annotate` has hung onto values.
    pub(crate) annotations: Vec<crate::annotation::Annotated<'c>>,
    /// Where strings are put together before they go to the arena.
    pub(crate) scratch: String,
    /// Where constructors put their signatures when only these are asked for.
    pub(crate) constructor: Option<Vec<crate::types::new::Parameters<'c>>>,
    /// Output of the templates being rendered, innermost last.
    pub(crate) output: Vec<crate::interp::Output>,
    /// Signatures of the native functions called so far, and those of their argument mismatches.
    pub(crate) signatures: HashMap<*const Native, Signatures<'c>>,
    /// Types of texts that the program itself asks for.
    pub(crate) constant_types: Vec<(&'static str, &'c Type<'c>)>,
    /// The default value that is being evaluated.
    pub(crate) default_of: Option<PendingDefault<'c>>,
    /// Whether types have come from elsewhere than the files that are looked into for their names: nothing that was
    /// learned of types holds then.
    pub own_types: bool,
    /// How many definitions of types are being evaluated, each for the one before.
    pub resolving: u32,
    scopes: u32,
    /// How deep calls may nest.
    pub max_depth: usize,
    /// How many bodies may be run in all: what ends a loop that would go on for ever.
    pub max_calls: u64,
    /// Who is told of each call, where calls are counted.
    pub observer: Option<&'c dyn Observer>,
    calls: u64,
    /// How many of them before time and memory are looked at again.
    next_look: u64,
}

type Signatures<'c> = std::rc::Rc<(Vec<Signature<'c>>, Vec<Signature<'c>>)>;

/// A default value under evaluation: it may use the parameters in front of its own only.
pub(crate) struct PendingDefault<'c> {
    pub scope: &'c Scope<'c>,
    pub params: &'c [ParamInfo<'c>],
    /// The number of a parameter without value that it used all the same.
    pub illegal: Option<usize>,
}

/// A parameter of a chunk as the runtime needs it to bind class and defined-type parameters.
#[derive(Clone, Copy, Debug)]
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

/// Calls may nest this deep by default; a frame of the loop takes a few kilobytes of stack.
pub const MAX_DEPTH: usize = 1000;

/// This many bodies may be run by default: some minutes' worth.
pub const MAX_CALLS: u64 = 2_000_000_000;

/// Bodies run between two looks at time and memory.
const LOOK_EVERY: u64 = 1024;

impl<'c> Vm<'c> {
    /// A machine over `arena` that asks `host`. Needs about 16 MiB of stack at full call depth.
    pub fn new(arena: &'c Bump, host: &'c dyn Host<'c>) -> Self {
        Vm::with_names(host, Interner::new(arena))
    }

    /// The same over the arena of a table of names. Where units come with what was learned of them, its base is their
    /// environment's.
    pub fn with_names(host: &'c dyn Host<'c>, symbols: Interner<'c>) -> Self {
        crate::types::forget();
        let arena = symbols.arena();
        let spec = ScopeSpec {
            kind: crate::scope::ScopeKind::Top,
            names: &[],
            parent: None,
            declared_in: None,
            name: "",
            module: "",
        };
        Vm {
            arena,
            symbols,
            host,
            top: Scope::new(arena, 0, spec),
            units: Vec::new(),
            registers: Vec::new(),
            frames: Vec::new(),
            matches: Vec::new(),
            matches_floor: 0,
            pending: Pending::default(),
            scratch: String::new(),
            annotations: Vec::new(),
            constructor: None,
            output: Vec::new(),
            signatures: HashMap::new(),
            constant_types: Vec::new(),
            default_of: None,
            own_types: false,
            resolving: 0,
            scopes: 1,
            max_depth: MAX_DEPTH,
            max_calls: MAX_CALLS,
            calls: 0,
            next_look: 0,
            observer: None,
        }
    }

    /// Loads a unit (words as [`crate::unit::layout`] draws them). `file` is its path as Puppet prints it,
    /// `module` the module it belongs to (empty for none); `passed` is kept with the words, so that no chunk of
    /// theirs is verified twice; so is `learned`, if the words and all that they name stay as they are.
    ///
    /// # Errors
    /// When the words are no unit.
    pub fn load(
        &mut self,
        words: &'c [u32],
        passed: &'c Passed,
        learned: Option<&'c Learned>,
        file: Option<&'c str>,
        module: &'c str,
    ) -> Eval<'c, UnitId> {
        let unit = Unit::open(words).map_err(|fault| crate::loaded::broken(file, fault))?;
        let id = UnitId(self.units.len() as u32);
        self.units.push(LoadedUnit::new(self.arena, id, unit, passed, learned, file, module));
        Ok(id)
    }

    /// The words of a loaded unit, as a view.
    pub fn unit(&self, id: UnitId) -> Unit<'c> {
        self.units[id.0 as usize].unit
    }

    /// The file a loaded unit came from.
    pub fn unit_file(&self, id: UnitId) -> Option<&'c str> {
        self.units[id.0 as usize].file
    }

    /// The module a loaded unit belongs to; empty for none.
    pub fn unit_module(&self, id: UnitId) -> &'c str {
        self.units[id.0 as usize].module
    }

    /// A new scope with a number of its own.
    pub fn new_scope(&mut self, spec: ScopeSpec<'c>) -> &'c Scope<'c> {
        self.scopes += 1;
        Scope::new(self.arena, self.scopes - 1, spec)
    }

    /// A scope for the body of `chunk`: its shape gives the names (`spec.names` is not looked at).
    ///
    /// # Errors
    /// When the chunk does not verify.
    pub fn body_scope(&mut self, chunk: ChunkRef, spec: ScopeSpec<'c>) -> Eval<'c, &'c Scope<'c>> {
        let names = self.link(chunk)?.shape;
        Ok(self.new_scope(ScopeSpec { names, ..spec }))
    }

    /// The chunk, verified and linked on first need.
    pub(crate) fn link(&self, at: ChunkRef) -> Eval<'c, &'c Linked<'c>> {
        self.units[at.unit.0 as usize].link(self.arena, &self.symbols, at.chunk)
    }

    /// Parameters of a chunk in order.
    ///
    /// # Errors
    /// When the chunk does not verify.
    pub fn params(&mut self, chunk: ChunkRef) -> Eval<'c, &'c [ParamInfo<'c>]> {
        Ok(self.link(chunk)?.params)
    }

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
        let Some(number) = linked.chunk.param(n).default_chunk else { return Ok(Value::Undef) };
        let literal = kept.get().unwrap_or_else(|| linked.unit.literal(self.arena, number));
        kept.set(Some(literal));
        if let Some(value) = literal {
            return Ok(value.again(self.arena));
        }
        let outer = self.default_of.replace(PendingDefault { scope, params: linked.params, illegal: None });
        let result = self.run(ChunkRef { unit: chunk.unit, chunk: number }, scope);
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

    /// Runs the body of a class, defined type, node or manifest: as [`Vm::run`], but the match scopes of the
    /// code that led here are not seen. `groups` are the $0, $1 … it starts with, none if empty.
    ///
    /// # Errors
    /// As [`Vm::run`].
    pub fn run_body(&mut self, chunk: ChunkRef, scope: &'c Scope<'c>, groups: &[Option<&str>]) -> Eval<'c> {
        let floor = std::mem::replace(&mut self.matches_floor, self.matches.len());
        if !groups.is_empty() {
            self.set_matches(groups);
        }
        let result = self.run(chunk, scope);
        self.matches.truncate(self.matches_floor);
        self.matches_floor = floor;
        result
    }

    /// Sets $0, $1 … for the code that follows, as a successful `=~` does.
    pub fn set_matches(&mut self, groups: &[Option<&str>]) {
        let arena = self.arena;
        let groups = arena.alloc_slice_fill_iter(groups.iter().map(|g| g.map(|g| &*arena.alloc_str(g))));
        self.matches.push(groups);
    }

    /// The place of a part of the innermost expression.
    pub fn site_of(&self, blame: crate::error::Blame) -> Site<'c> {
        self.frames.last().map_or(Site::NONE, |frame| frame.site_of(blame))
    }

    /// Where the innermost Puppet code being run stands (Ruby: the top of `PuppetStack`).
    pub fn site(&self) -> Site<'c> {
        self.frames.last().map_or(Site::NONE, Frame::site)
    }

    /// The same, not looked up; none where no code is being run.
    pub fn spot(&self) -> Option<Spot<'c>> {
        self.frames.last().map(Frame::spot)
    }

    /// The module whose code is being run; empty for none.
    pub fn module(&self) -> &'c str {
        self.frames.last().map_or("", Frame::module)
    }

    /// Where each body that is being run stands, innermost first.
    pub fn stack(&self) -> Vec<Site<'c>> {
        self.frames.iter().rev().map(Frame::site).collect()
    }

    /// The function calls that led here, innermost first, and the main program, without a line, where it was what
    /// began (Ruby: `Puppet::Pops::PuppetStack.stacktrace`).
    pub fn call_stack(&self) -> Vec<Site<'c>> {
        let mut sites: Vec<_> =
            self.frames.iter().rev().filter(|frame| frame.calls()).map(Frame::site).collect();
        if let Some(outermost) = self.frames.first().filter(|frame| frame.is_program()) {
            sites.push(Site { line: 0, column: 0, ..outermost.site() });
        }
        sites
    }

    /// Counts a body about to run; the fault where there are too many, within each other or in all.
    pub(crate) fn count_call(&mut self) -> Eval<'c, ()> {
        self.calls += 1;
        if self.frames.len() < self.max_depth && self.calls <= self.next_look {
            return Ok(());
        }
        self.look()
    }

    /// Looks at all limits of calls, time and memory.
    #[cold]
    #[inline(never)]
    fn look(&mut self) -> Eval<'c, ()> {
        if self.frames.len() >= self.max_depth || self.calls > self.max_calls {
            return Err(self.too_many_calls());
        }
        self.next_look = (self.calls + LOOK_EVERY).min(self.max_calls);
        budget::look(self.arena.allocated_bytes().saturating_sub(self.arena.chunk_capacity()));
        Ok(())
    }

    fn too_many_calls(&self) -> Box<Flow<'c>> {
        let limit = if self.calls > self.max_calls {
            Limit::Calls(self.max_calls)
        } else {
            Limit::CallDepth(self.max_depth)
        };
        Flow::caused(Cause::Limit(limit), limit.to_string())
    }

    /// What Puppet's messages call the type of a value: inferred, generalised, printed.
    pub fn type_text(&mut self, value: Value<'c>) -> String {
        let ty = crate::types::infer(self, value);
        crate::types::print(crate::types::generalize(self.arena, ty))
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
