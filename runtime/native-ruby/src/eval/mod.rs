//! Runs lowered Ruby: renders templates, loads files, calls functions. Whenever something comes up that is not certain, it
//! stops, and Ruby does all of it from the begin. Nothing that a template does can be seen from outside until it is done;
//! what a function has asked of the compile by then is in its journal, from which Ruby is answered.

mod asking;
mod blocks;
mod constants;
mod context;
mod extending;
mod files;
mod frame;
mod globals;
mod handed;
mod invoke;
mod kernel;
mod modules;
mod objects;
mod params;
mod procs;
mod rare;
pub(crate) mod rendered;
mod rescue;
mod statements;
mod stop;
mod variables;

use crate::budget::{self, RenderBudget};
use crate::erb::templating::Templating;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::definition::{Dispatch, NewFunction, OldFunction};
use crate::functions::journal::Journal;
use crate::functions::rests::RestsOn;
use crate::functions::sealed_key::SealedKey;
use crate::space::Space;
use crate::tree::{Expr, MethodCall, Program};
use crate::value::object::{ErrorValue, Method, Module, Proc};
use crate::value::{Frame, Matched, V};
use crate::world::NativeWorld;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::PathBuf;
use std::rc::Rc;

pub(crate) use frame::Stack;
pub(crate) use handed::Waiting;
pub(crate) use kernel::UNDEFINED_VARIABLE;
pub(crate) use params::Arguments;
pub(crate) use rendered::Stopped;
pub use rendered::{Message, Rendered};
pub(crate) use stop::{Ending, Unwind};
use variables::Variables;

/// Most bytes that a rendering puts out.
const LARGEST: usize = 16 << 20;

pub(crate) type Done<'c, T = V<'c>> = Result<T, Unwind<'c>>;

/// One run: the rendering of a template, the loading of a file, the call of a function.
pub(crate) struct Run<'e, 'c> {
    pub engine: &'e Templating<'c>,
    pub world: &'e dyn NativeWorld<'c>,
    pub vm: &'e mut Vm<'c>,
    pub scope: &'c Scope<'c>,
    pub(crate) used: &'e RenderBudget,
    pub space: &'e Space<'c>,
    stack: Stack<'c>,
    pub frame: Frame<'c>,
    pub variables: Variables<'c>,
    out: String,
    /// How many templates are around this one.
    depth: usize,
    last: LastMatch<'c>,
    logs: Vec<Message>,
    /// Blocks that were handed on, the last of which [`Block::Passed`](crate::tree::Block::Passed) is.
    passed: Vec<Rc<Proc<'c>>>,
    /// Methods that are defined outside of all classes.
    outer_methods: Vec<(&'c str, Method<'c>)>,
    /// Global variables that the template has set.
    globals: Vec<(&'c str, V<'c>)>,
    /// What a function has asked of the compile; none for templates.
    pub journal: Option<Journal<'c>>,
    /// What it has looked at beyond what it was given, see [`RestsOn`].
    pub rests: RestsOn<'c>,
    /// The key of a look-up that it is called for, where it is found out whether it looks at that.
    pub key: Option<Box<SealedKey<'c>>>,
    /// Whether it gets copies of what functions of the compile give: it changes such a value.
    pub copies_answers: bool,
    /// What a template has called, as far as it notes that.
    pub noted: Journal<'c>,
    /// Whether a template has called something that may have effects.
    pub has_called: bool,
    /// Whether a template has rendered others.
    has_nested: bool,
    /// The file whose body runs, or the template; none for a text that is rendered.
    pub file: Option<PathBuf>,
    /// What `file` has given a template.
    file_text: Option<V<'c>>,
    /// The template that is rendered.
    rendered: Option<&'c Program>,
    /// The function that was called, where it is one of the 4.x interface.
    pub function: Option<Rc<NewFunction<'c>>>,
    /// The exception that is being rescued.
    rescuing: Option<Rc<ErrorValue<'c>>>,
    /// What is being defined.
    pub defining: Defining<'c>,
    /// What came up that is left to Ruby.
    left: LeftToRuby<'c>,
    /// How many calls of methods that code has defined are under way.
    calls: usize,
    /// Instance variables of modules that methods of theirs have set: they begin with that, so nobody needs them later.
    of_modules: Vec<(Rc<Module<'c>>, &'c str, V<'c>)>,
}

/// What the body of a module or of a function is defining.
#[derive(Default)]
pub(crate) struct Defining<'c> {
    /// The signature whose `dispatch` block runs.
    pub building: Option<Dispatch>,
    /// Signatures and types of the function.
    pub dispatches: Vec<Dispatch>,
    pub local_types: Vec<String>,
    /// Functions whose blocks use locals of the body of a frame, by its serial.
    pub around: Vec<(u64, Rc<OldFunction<'c>>)>,
    /// Whether `def` defines methods of the module itself, too; or these only; and whether they are private or protected.
    module_function: bool,
    defines_own: bool,
    hides: bool,
}

/// What came up that is left to Ruby, as far as it has a name.
#[derive(Default)]
struct LeftToRuby<'c> {
    /// The number of the [`Unsupported`](crate::tree::Unsupported) that was reached, and the program it is of.
    reason: Option<u32>,
    reason_program: Option<&'c Program>,
    /// What it is, and the line.
    unknown: Option<String>,
    failed_line: usize,
}

/// The groups of the last match.
pub(crate) enum LastMatch<'c> {
    Known(Option<Rc<Matched<'c>>>),
    /// Something has matched whose groups were not kept.
    Unknown,
}

/// What a run begins with.
pub(crate) struct Beginning<'e, 'c> {
    pub engine: &'e Templating<'c>,
    pub world: &'e dyn NativeWorld<'c>,
    pub vm: &'e mut Vm<'c>,
    pub scope: &'c Scope<'c>,
    pub program: &'c Program,
    pub this: V<'c>,
    pub journal: Option<Journal<'c>>,
}

/// Runs something within the budget of the thread.
pub(crate) fn run<'c, T>(begin: Beginning<'_, 'c>, work: impl FnOnce(&mut Run<'_, 'c>) -> T) -> T {
    let Beginning { engine, world, vm, scope, program, this, journal } = begin;
    budget::with(|used| {
        let depth = engine.depth();
        let serial = engine.space().next_serial();
        let frame = Frame {
            base: 0,
            serial,
            returns: serial,
            program,
            this,
            nesting: None,
            block: None,
            method: None,
        };
        let mut stack = engine.spare_stack.take();
        stack.locals.resize(program.slots, V::Nil);
        stack.alive.push(serial);
        stack.lasts.push(LastMatch::Known(None));
        let mut run = Run {
            engine,
            space: engine.space(),
            world,
            vm,
            scope,
            used,
            stack,
            frame,
            variables: Variables::new(program, engine),
            out: String::with_capacity(program.size + program.size / 4),
            depth,
            last: LastMatch::Known(None),
            logs: Vec::new(),
            passed: Vec::new(),
            outer_methods: Vec::new(),
            globals: Vec::new(),
            journal,
            rests: RestsOn::default(),
            key: None,
            copies_answers: false,
            noted: Journal::default(),
            has_called: false,
            has_nested: false,
            file: None,
            file_text: None,
            rendered: None,
            function: None,
            rescuing: None,
            defining: Defining::default(),
            left: LeftToRuby::default(),
            calls: 0,
            of_modules: Vec::new(),
        };
        if !used.is_within() {
            used.begin();
        }
        let result = used.within(|| work(&mut run));
        run.stack.locals.clear();
        run.stack.alive.clear();
        run.stack.lasts.clear();
        engine.spare_stack.set(run.stack);
        result
    })
}

/// Renders a template in a scope.
///
/// # Errors
/// Why Ruby has to do it.
pub(crate) fn render<'c>(
    engine: &Templating<'c>,
    world: &dyn NativeWorld<'c>,
    vm: &mut Vm<'c>,
    scope: &'c Scope<'c>,
    (program, file): (&'c Program, Option<&str>),
) -> Result<Rendered<'c>, Stopped<'c>> {
    let begin = Beginning { engine, world, vm, scope, program, this: V::Main, journal: None };
    run(begin, |run| {
        run.variables.of_file = file.is_some();
        run.file = file.map(PathBuf::from);
        run.rendered = Some(program);
        let changed = run.statement(&program.body).map_err(|stop| match stop.ending() {
            Ending::ForRuby(ask) => (ask, run.left.reason),
            Ending::Raised(_) | Ending::Flow(_) => (ForRuby("an error"), None),
        });
        let seedless = run.leaves_no_seed().map_err(|ask| (ask, None));
        let changed = changed.and(seedless);
        let changed = changed.and_then(|()| run.changed().map_err(|ask| (ask, None)));
        let calls = std::mem::take(&mut run.noted);
        match changed {
            Ok(changed) => Ok(Rendered {
                text: std::mem::take(&mut run.out),
                logs: std::mem::take(&mut run.logs),
                changed,
                defined: std::mem::take(&mut run.outer_methods),
                globals: std::mem::take(&mut run.globals),
                has_drawn: calls.has_drawn,
                called: run.has_called.then_some(calls),
            }),
            Err((ask, reason)) => Err(Stopped { ask, reason, calls }),
        }
    })
}

impl<'c> Run<'_, 'c> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, node: &'c Expr) -> Done<'c> {
        Ok(match node {
            Expr::Nil => V::Nil,
            Expr::Bool(b) => V::Bool(*b),
            Expr::Int(n) => V::Int(*n),
            Expr::Float(n) => V::Float(*n),
            Expr::String(text) => V::Str(text),
            Expr::Symbol(name) => V::Symbol(name),
            Expr::Class(class) => V::Class(*class),
            Expr::Scope => V::Scope,
            Expr::Local(slot) => self.local(*slot).clone(),
            Expr::Variable(number) => self.variable(*number)?,
            // Only these can go on for long, or deep; a loop counts each of its rounds.
            Expr::Call(call) => return self.counted_call(call),
            composed => return self.composed(composed),
        })
    }

    #[inline(never)]
    fn counted_call(&mut self, call: &'c MethodCall) -> Done<'c> {
        self.used.enter()?;
        let value = self.call(call);
        self.used.leave();
        if let Err(stop) = &value {
            self.raised_at(stop, call.line);
        }
        value
    }

    /// Takes note of the call that has raised an exception, if none within it has; 0 where the line is not known.
    #[cold]
    fn raised_at(&self, stop: &Unwind<'c>, line: usize) {
        if let Some(error) = stop.exception()
            && error.raised_at.get().is_none()
        {
            error.raised_at.set(Some((self.frame.program, line)));
        }
    }

    /// The value of an expression that has others in it.
    #[inline(never)]
    fn composed(&mut self, node: &'c Expr) -> Done<'c> {
        self.used.enter()?;
        let value = match node {
            Expr::Key(on, key) => self.at_key(on, key).inspect_err(|stop| self.raised_at(stop, 0)),
            Expr::Join(pieces) => self.joined(pieces),
            Expr::If(parts) => match self.truth(&parts.0) {
                Ok(true) => self.eval(&parts.1),
                Ok(false) => self.eval(&parts.2),
                Err(stop) => Err(stop),
            },
            Expr::Sequence(nodes) => self.sequence(nodes),
            Expr::Constant(path) => self.constant(path),
            node => self.common(node),
        };
        self.used.leave();
        value
    }

    /// The value of the last of some expressions.
    fn sequence(&mut self, nodes: &'c [Expr]) -> Done<'c> {
        let Some((last, nodes)) = nodes.split_last() else { return Ok(V::Nil) };
        for node in nodes {
            self.statement(node)?;
        }
        self.eval(last)
    }

    /// Expressions that are met often, but for calls and keys.
    #[inline(never)]
    fn common(&mut self, node: &'c Expr) -> Done<'c> {
        Ok(match node {
            Expr::Text(_) | Expr::Insert(_) => {
                self.statement(node)?;
                V::Void
            }
            Expr::SetLocal(slot, value) => {
                let value = self.eval(value)?;
                self.set_local(*slot, value.clone());
                value
            }
            Expr::SetVariable(number, value) => {
                let value = self.eval(value)?;
                self.set_variable(*number, value.clone())?;
                value
            }
            Expr::IsVariable(number) => {
                // One that was set to nil is defined, one that was never set is not.
                match self.is_variable_defined(*number)? {
                    true => V::Str("instance-variable"),
                    false => V::Nil,
                }
            }
            Expr::SetMany(targets, value) => {
                let value = self.eval(value)?;
                self.assign(targets, value.clone())?;
                value
            }
            Expr::And(pair) => match self.eval(&pair.0)? {
                left if left.truthy() => self.eval(&pair.1)?,
                left => left,
            },
            Expr::Or(pair) => match self.eval(&pair.0)? {
                left if left.truthy() => left,
                _ => self.eval(&pair.1)?,
            },
            Expr::Not(value) => V::Bool(!self.truth(value)?),
            Expr::Array(items) => V::list(self.values(items)?),
            Expr::Itself => self.frame.this.clone(),
            Expr::Unread(call, messages) => return self.unread(call, *messages),
            other => return self.rare(other),
        })
    }

    fn limit(&self) -> OrRuby<()> {
        if self.out.len() > LARGEST { Err(ForRuby("much text")) } else { Ok(()) }
    }

    /// Values of arguments or elements.
    fn values(&mut self, nodes: &'c [Expr]) -> Done<'c, Vec<V<'c>>> {
        if nodes.is_empty() {
            return Ok(Vec::new());
        }
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Expr::Splat(inner) => values.extend(self.eval(inner)?.spread()?),
                node => values.push(self.eval(node)?),
            }
        }
        Ok(values)
    }

    /// Notes a message, to be logged when all has gone well.
    pub(crate) fn log(&mut self, level: Severity, text: String, of_scope: bool) {
        self.logs.push(Message { level, text, of_scope, once: None });
    }

    /// Notes a warning that a compile gives once of something, to be logged when all has gone well.
    pub(crate) fn warn_once(&mut self, what: String, text: String) {
        self.logs.push(Message { level: Severity::Warning, text, of_scope: false, once: Some(what) });
    }

    /// Whether the template names groups of matches.
    pub(crate) fn names_groups(&self) -> bool {
        self.frame.program.groups
    }

    /// Remembers the groups of a match.
    pub(crate) fn set_last(&mut self, groups: Option<Rc<Matched<'c>>>) {
        self.last = LastMatch::Known(groups);
    }

    /// A text as a symbol.
    pub(crate) fn symbol(&self, text: &str) -> V<'c> {
        match self.vm.string(text) {
            Value::Str(name) => V::Symbol(name.as_str()),
            _ => V::Void,
        }
    }

    /// The last match, nil where the last attempt has found none.
    pub(crate) fn last_match(&self) -> OrRuby<V<'c>> {
        match &self.last {
            LastMatch::Known(groups) => Ok(groups.clone().map_or(V::Nil, V::Match)),
            LastMatch::Unknown => Err(ForRuby("groups of a match")),
        }
    }

    /// Something has matched whose groups are not kept.
    pub(crate) fn forget_last(&mut self) {
        self.last = LastMatch::Unknown;
    }
}
