//! The machine: what a compile has of it, and its entrances. The loop itself is [`crate::interp`].

use crate::annotation::Annotations;
use crate::budget;
use crate::calls::CallCounter;
use crate::cause::Cause;
use crate::coverage::Running;
use crate::error::{Eval, Flow};
use crate::frame::{Frame, PendingDefault};
use crate::frozen::FrozenTexts;
use crate::function::Callee;
use crate::host::Host;
use crate::learned::Learned;
pub use crate::loaded::ParamInfo;
use crate::loaded::{CalleeNumber, Linked, LoadedUnit, broken};
use crate::observer::Observer;
use crate::output::Texts;
use crate::pending::Pending;
use crate::scope::{Scope, ScopeSpec};
use crate::site::{Site, Spot};
use crate::symbol::Interner;
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::kept::KeptTypes;
use crate::types::{check_fault, print};
use crate::unit::reader::Unit;
use crate::unit::verify::Passed;
use crate::unit::{ChunkRef, UnitId};
use crate::value::{Str, Value};
use bumpalo::Bump;

/// One compile's machine. Lives as long as the compile; everything it makes lies in `arena`.
pub struct Vm<'c> {
    /// Where values live.
    pub arena: &'c Bump,
    /// The compile's names.
    pub symbols: Interner<'c>,
    /// The world.
    pub host: &'c dyn Host<'c>,
    /// Who is told of each call, where calls are counted.
    pub observer: Option<&'c dyn Observer>,
    /// Top scope: what `::` means and where named functions are closed over.
    pub top: &'c Scope<'c>,
    /// How many scopes there are.
    scopes: u32,
    /// Calls made, and their limits.
    pub calls: CallCounter,
    /// Texts that Ruby may not change.
    pub frozen: &'c FrozenTexts<'c>,
    pub(crate) code: LoadedCode<'c>,
    pub(crate) running: Running<'c>,
    pub(crate) registers: Vec<Value<'c>>,
    pub(crate) frames: Vec<Frame<'c>>,
    /// The scope whose body runs: what matches is its own.
    pub(crate) body: &'c Scope<'c>,
    pub(crate) pending: Pending<'c>,
    pub(crate) texts: Texts,
    /// Whether `step` or `reverse_each` has made a lazy sequence, which no resource takes: no value has one in it otherwise. What
    /// `tree_each` makes is of another kind to Puppet, and is passed over where there are no others.
    pub has_iterators: bool,
    /// What `annotate` has hung onto values.
    pub annotations: Annotations<'c>,
    /// What is kept of types.
    pub types: KeptTypes<'c>,
    /// The default value that is being evaluated.
    pub(crate) default_of: Option<PendingDefault<'c>>,
}

/// The code that a machine has loaded.
#[derive(Default)]
pub(crate) struct LoadedCode<'c> {
    units: Vec<&'c LoadedUnit<'c>>,
    /// What called names were found to mean.
    callees: Vec<Callee<'c>>,
}

impl<'c> LoadedCode<'c> {
    /// A loaded unit.
    pub fn unit(&self, id: UnitId) -> &'c LoadedUnit<'c> {
        self.units[id.0 as usize]
    }

    /// What a called name was found to mean.
    #[inline]
    pub fn callee(&self, number: CalleeNumber) -> Callee<'c> {
        self.callees[number.0 as usize]
    }

    /// Keeps what a called name was found to mean.
    pub fn keep_callee(&mut self, callee: Callee<'c>) -> CalleeNumber {
        self.callees.push(callee);
        CalleeNumber(self.callees.len() as u32 - 1)
    }
}

impl<'c> Vm<'c> {
    /// A machine over `arena` that asks `host`. Needs about 16 MiB of stack at full call depth.
    pub fn new(arena: &'c Bump, host: &'c dyn Host<'c>) -> Self {
        Vm::with_names(host, Interner::new(arena))
    }

    /// A machine over the arena of a table of names, which it goes on with. Where units come with what was learned of
    /// them, its base is their environment's.
    pub fn with_names(host: &'c dyn Host<'c>, symbols: Interner<'c>) -> Self {
        check_fault::forget();
        print::forget();
        let arena = symbols.arena();
        let spec = ScopeSpec {
            kind: crate::scope::ScopeKind::Top,
            names: &[],
            parent: None,
            declared_in: None,
            name: "",
            module: "",
        };
        let top = Scope::new(arena, 0, spec);
        Vm {
            arena,
            symbols,
            host,
            observer: None,
            top,
            scopes: 1,
            calls: CallCounter::default(),
            code: LoadedCode::default(),
            frozen: arena.alloc(FrozenTexts::new(arena)),
            running: Running::plainly(),
            registers: Vec::new(),
            frames: Vec::new(),
            body: top,
            pending: Pending::default(),
            texts: Texts::default(),
            has_iterators: false,
            annotations: Annotations::default(),
            types: KeptTypes::default(),
            default_of: None,
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
        let unit = Unit::open(words).map_err(|fault| broken(file, fault))?;
        let id = UnitId(self.code.units.len() as u32);
        let unit = (unit, passed);
        self.code.units.push(LoadedUnit::new(self.arena, self.frozen, id, unit, learned, file, module));
        Ok(id)
    }

    /// The words of a loaded unit, as a view.
    pub fn unit(&self, id: UnitId) -> Unit<'c> {
        self.code.unit(id).unit
    }

    /// The file a loaded unit came from.
    pub fn unit_file(&self, id: UnitId) -> Option<&'c str> {
        self.code.unit(id).file
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
        self.code.unit(at.unit).link(self.arena, &self.symbols, at.chunk)
    }

    /// Parameters of a chunk in order.
    ///
    /// # Errors
    /// When the chunk does not verify.
    pub fn params(&mut self, chunk: ChunkRef) -> Eval<'c, &'c [ParamInfo<'c>]> {
        Ok(self.link(chunk)?.params)
    }

    /// The place of a part of the innermost expression.
    pub fn site_of(&self, blame: crate::error::Blame) -> Site<'c> {
        self.frames.last().map_or(Site::NONE, |frame| frame.site_of(blame))
    }

    /// Where the innermost Puppet code being run stands (Ruby: the top of `PuppetStack`).
    pub fn site(&self) -> Site<'c> {
        self.frames.last().map_or(Site::NONE, Frame::site)
    }

    /// Where the innermost Puppet code stands, not looked up; none where no code is being run.
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
        if self.calls.count(self.frames.len()) { self.look() } else { Ok(()) }
    }

    /// Looks at all limits of calls, time and memory.
    #[cold]
    #[inline(never)]
    fn look(&mut self) -> Eval<'c, ()> {
        let looked = self.calls.look(self.frames.len());
        looked.map_err(|limit| Flow::caused(Cause::Limit(limit), limit.to_string()))?;
        budget::look(self.arena.allocated_bytes().saturating_sub(self.arena.chunk_capacity()));
        Ok(())
    }

    /// What Puppet's messages call the type of a value: inferred, generalised, printed.
    pub fn type_text(&mut self, value: Value<'c>) -> String {
        let ty = infer(self, value);
        print::print(generalize(self.arena, ty))
    }

    /// A string value in the arena.
    pub fn string(&self, text: &str) -> Value<'c> {
        Value::Str(Str::new(self.arena, text))
    }

    /// A string that Ruby may not change, of a text that lies in the arena already.
    pub fn frozen_string(&self, text: &'c str) -> Value<'c> {
        Value::Str(self.frozen.with(Str::wrap(self.arena, text)))
    }

    /// An array value in the arena.
    pub fn array(&self, items: &[Value<'c>]) -> Value<'c> {
        Value::array(self.arena, items)
    }
}
