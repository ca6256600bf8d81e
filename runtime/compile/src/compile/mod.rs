//! One compile: the phases in Puppet's order, and the state they share. Its parts: [`phases`] is that order, and
//! evaluates defined types; [`load`] finds definitions; [`classes`] and [`declare`] put resources into the catalog;
//! [`params`] binds parameters; [`collect`], [`exported`], [`overrides`] and [`defaults`] change what is there; [`relations`] and
//! [`finish`] complete the catalog; [`cycles`] looks for dependency cycles where asked; [`host`] is what running code sees of all that.

mod classes;
mod collect;
mod cycles;
mod declare;
mod defaults;
mod erb;
mod exported;
mod faults;
mod finish;
mod hiera;
mod host;
mod load;
mod overrides;
mod params;
mod phases;
mod query;
mod relations;
mod ruby;
mod ruby_functions;
mod settings;
mod sound;
mod syntax;
mod variables;

pub use phases::{Code, Finished, Inputs, Node, Spent};

use crate::functions::Functions;
use crate::hiera::Hiera;
use crate::ruby::Ruby;
use crate::settings::Given;
use crate::stats::Counter;
use bumpalo::Bump;
use bunraku_catalog::Catalog;
use bunraku_catalog::tags::{Marks, Words};
use bunraku_compiler::check::Strict as CheckStrict;
use bunraku_environment::snapshot::Snapshot;
use bunraku_environment::units::{Kept, Units};
use bunraku_files::tree::{Standing, Tree};
use bunraku_stores::Store;
use bunraku_vm::budget::Limits;
use bunraku_vm::calls::{MAX_CALLS, MAX_DEPTH};
use bunraku_vm::cause::Cause;
use bunraku_vm::closure::Closure;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::{ModuleFolder, Strict};
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::{Alias, LastingType};
use bunraku_vm::unit::{ChunkRef, DefKind};
use bunraku_vm::vm::Vm;
use hashbrown::{HashMap, HashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A type of the language: the alias, what it was defined as, the chunk of its right side.
type KnownAlias<'c> = (&'c Alias<'c>, DefKind, AliasBody<'c>);

/// What an alias stands for.
#[derive(Clone, Copy)]
enum AliasBody<'c> {
    /// The expression of its definition.
    Chunk(ChunkRef),
    /// What an earlier compile has made of that.
    Lasting(&'c LastingType),
}

/// A log message.
#[derive(Clone, Debug)]
pub struct Log {
    /// Level.
    pub level: Severity,
    /// Text, its place included where Puppet includes it.
    pub message: String,
    /// Place, where known.
    pub place: Place,
}

/// Settings of a compile, by Puppet's names where Puppet has them, with Puppet 8's defaults; and its limits.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `strict`
    pub strict: Strict,
    /// `strict_variables`
    pub strict_variables: bool,
    /// Whether native twins stand in for functions of puppetlabs-stdlib and its like: `native_stdlib`.
    pub native_stdlib: bool,
    /// Whether ERB templates are rendered without Ruby where that is possible: `native_templates`.
    pub native_templates: bool,
    /// Whether dependency cycles are errors.
    pub check_cycles: bool,
    /// Whether calls are counted.
    pub stats: bool,
    /// Whether they are told apart by what is around them.
    pub profile: bool,
    /// How deep calls may nest: `max_depth`.
    pub max_depth: usize,
    /// How many bodies of functions, lambdas, classes and defined types may be run: `max_calls`.
    pub max_calls: u64,
    /// What else is limited: `max_nesting`, `max_steps`, `max_memory`, `timeout`.
    pub limits: Limits,
    /// What a program that code runs may print, and how long it may take: `exec_output`, `exec_timeout`.
    pub exec: bunraku_process::Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            strict: Strict::Error,
            strict_variables: true,
            native_stdlib: true,
            native_templates: true,
            check_cycles: false,
            stats: false,
            profile: false,
            max_depth: MAX_DEPTH,
            max_calls: MAX_CALLS,
            limits: Limits { clock, ..Limits::default() },
            exec: bunraku_process::Limits::default(),
        }
    }
}

/// The time since a moment of this process.
fn clock() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownKind {
    /// The code outside all definitions.
    Main,
    /// A class.
    Class,
    /// A defined type.
    Define,
    /// A node.
    Node,
}

/// A class, defined type or node the compile knows. Its number is what parameters and resources remember as
/// their source.
pub struct Known<'c> {
    /// Number: its place among all known.
    pub number: u32,
    /// What it is.
    pub kind: KnownKind,
    /// Name in lower case.
    pub name: &'c str,
    /// Its body; none for main and settings.
    pub chunk: Option<ChunkRef>,
    /// `inherits`, in lower case.
    pub parent: Option<&'c str>,
    /// Module its file lies in; empty for none.
    pub module: &'c str,
    /// File it was defined in.
    pub file: Option<&'c str>,
    /// Line of the definition.
    pub line: u32,
    /// Set once its code has collected with overrides: it may then override anything.
    pub overrides: Cell<bool>,
}

/// A relationship of an arrow, to be entered in the catalog at the end.
pub(crate) struct Relationship<'c> {
    source: relations::Operand<'c>,
    target: relations::Operand<'c>,
    notify: bool,
}

/// One compile's state. The machine reaches it as its host, through shared references: hence the cells.
pub struct Compile<'c> {
    pub(crate) arena: &'c Bump,
    pub(crate) environment: &'c Snapshot,
    pub(crate) kept: &'c Kept,
    natives: &'c Functions,
    pub(crate) settings: Settings,
    pub(crate) given: &'c Given,
    store: Option<&'c dyn Store>,
    /// Resources of the store, by node, type and title.
    taken_in: RefCell<HashMap<ResourceId, (String, String, String)>>,
    pub(crate) hiera: Hiera<'c>,
    ruby: Ruby<'c>,
    pub(crate) counter: Counter<'c>,
    check: CheckStrict,
    node_name: &'c str,
    logs: RefCell<Vec<Log>>,
    pub(crate) catalog: RefCell<Catalog<'c>>,
    /// What the tags of the catalog are numbers of.
    pub(crate) words: Words<'c>,
    known: RefCell<Vec<&'c Known<'c>>>,
    classes: RefCell<HashMap<&'c str, &'c Known<'c>>>,
    defines: RefCell<HashMap<&'c str, &'c Known<'c>>>,
    nodes: RefCell<Vec<load::NodeDefinition<'c>>>,
    /// The first of each name.
    nodes_by_name: RefCell<HashMap<&'c str, &'c Known<'c>>>,
    functions: RefCell<HashMap<&'c str, Option<&'c Closure<'c>>>>,
    /// Where each function was defined, as Puppet's loader names the place.
    function_sites: RefCell<HashMap<&'c str, &'c str>>,
    /// The same of defined types.
    define_sites: RefCell<HashMap<&'c str, &'c str>>,
    /// Type aliases by name in lower case, with the chunk of what they stand for; none for a name that has no file.
    aliases: RefCell<HashMap<&'c str, Option<KnownAlias<'c>>>>,
    /// Templates given as text that have been compiled, with the module they were compiled for.
    inline_templates: RefCell<HashMap<String, (&'c str, ChunkRef)>>,
    /// Types of type sets that have not been looked at yet, by the set's name in lower case.
    set_types: RefCell<HashMap<&'c str, Vec<(&'c str, KnownAlias<'c>)>>>,
    alias_sites: RefCell<HashMap<&'c str, &'c str>>,
    /// Whether files are being loaded because a type of theirs is looked for.
    seeks_type: Cell<bool>,
    /// Chunks whose parameters' types are known to be in order, and have not been evaluated.
    taken_on_trust: RefCell<Vec<ChunkRef>>,
    /// Aliases that are being resolved.
    resolving: RefCell<HashSet<&'c str>>,
    /// Paths of loaded manifests: not as `Path`s, which are hashed part by part.
    loaded: RefCell<HashSet<std::ffi::OsString>>,
    templates: RefCell<HashMap<String, ChunkRef>>,
    erb: crate::erb::Engine<'c>,
    found_functions: ruby_functions::FoundFunctions<'c>,
    main_chunks: RefCell<Vec<ChunkRef>>,
    class_scopes: RefCell<HashMap<&'c str, &'c Scope<'c>>>,
    node_scope: Cell<Option<&'c Scope<'c>>>,
    type_names: RefCell<HashMap<&'c str, Rc<declare::TypeName<'c>>>>,
    /// Resource defaults, by type.
    defaults: RefCell<HashMap<&'c str, Vec<defaults::OfScope<'c>>>>,
    overrides: RefCell<HashMap<String, Vec<overrides::Override<'c>>>>,
    override_order: RefCell<Vec<String>>,
    collectors: RefCell<Vec<collect::Collector<'c>>>,
    relationships: RefCell<Vec<Relationship<'c>>>,
    /// The references that arrows have entered, by address and length: their resources are there.
    entered: RefCell<HashSet<(usize, usize)>>,
    warned: RefCell<HashSet<String>>,
    marks: RefCell<Marks>,
    /// Where files of modules are, by folder and by name as code gives it; EPP templates by name. Of a frozen tree.
    found_files: RefCell<HashMap<(ModuleFolder, &'c str), Option<String>>>,
    named_templates: RefCell<HashMap<&'c str, ChunkRef>>,
    pub(crate) spent: Cell<Spent>,
}

impl<'c> Compile<'c> {
    /// The tree that files are read from.
    pub(crate) fn tree(&self) -> &'c Tree {
        self.environment.modules.tree()
    }

    /// The scopes of all classes that have been evaluated, in no order.
    pub(crate) fn scopes_of_classes(&self) -> Vec<&'c Scope<'c>> {
        self.class_scopes.borrow().values().copied().collect()
    }

    /// Says, once, of a file that the archive does not have as it is now.
    pub(crate) fn note_standing(&self, path: &std::path::Path) {
        let what = match self.tree().standing(path) {
            Standing::Apart | Standing::Same => return,
            Standing::Changed => "has changed since the archive was built",
            Standing::New => "is not in the archive",
        };
        let message = format!("{} {what}; it was compiled anew", path.display());
        if self.warned.borrow_mut().insert(message.clone()) {
            self.logs.borrow_mut().push(Log { level: Severity::Notice, message, place: Place::default() });
        }
    }

    /// The units of the environment's files.
    fn units(&self) -> &'c Units {
        &self.environment.units
    }

    /// Copies text into the compile's arena.
    pub(crate) fn text(&self, text: &str) -> &'c str {
        self.arena.alloc_str(text)
    }

    /// Joins texts in the compile's arena.
    fn joined(&self, parts: &[&str]) -> &'c str {
        let length = parts.iter().map(|part| part.len()).sum();
        let mut text = bumpalo::collections::String::with_capacity_in(length, self.arena);
        parts.iter().for_each(|part| text.push_str(part));
        text.into_bump_str()
    }

    /// The class, defined type or node whose code runs in `scope`.
    fn source_of(&self, scope: &'c Scope<'c>) -> u32 {
        scope.container().source.get().unwrap_or(0)
    }

    fn known(&self, number: u32) -> &'c Known<'c> {
        self.known.borrow()[number as usize]
    }

    fn add_known(&self, make: impl FnOnce(u32) -> Known<'c>) -> &'c Known<'c> {
        let mut all = self.known.borrow_mut();
        let known = &*self.arena.alloc(make(all.len() as u32));
        all.push(known);
        known
    }

    /// The class, defined type or node whose code runs in `scope`, if it is known.
    pub(crate) fn known_of(&self, scope: &'c Scope<'c>) -> Option<&'c Known<'c>> {
        scope.container().source.get().map(|number| self.known(number))
    }

    /// Name of the node.
    pub(crate) fn node_name(&self) -> &'c str {
        self.node_name
    }

    /// The resource whose body runs in `scope`: main's at top level.
    pub(crate) fn resource_of(&self, scope: &'c Scope<'c>) -> Option<ResourceId> {
        scope.container().resource.get()
    }

    /// Whether this is asked for the first time in the compile.
    pub(crate) fn first_time(&self, what: String) -> bool {
        self.warned.borrow_mut().insert(what)
    }

    pub(crate) fn warn_once(&self, message: String) {
        if self.warned.borrow_mut().insert(message.clone()) {
            self.logs.borrow_mut().push(Log { level: Severity::Warning, message, place: Place::default() });
        }
    }

    /// An error of the catalog that names the place it belongs to itself: no evaluation error is put around it.
    fn placed_error(&self, message: String, file: Option<&str>, line: u32) -> Box<Flow<'c>> {
        let place = Place {
            file: file.filter(|f| !f.is_empty()).map(Into::into),
            line: (line != 0).then_some(line),
            column: None,
        };
        Flow::formed(Diagnostic::error(message).at(place))
    }
}

/// Puppet's `(file: F, line: L)`; empty where neither is known.
pub(crate) fn location(file: Option<&str>, line: u32) -> String {
    match (file.filter(|f| !f.is_empty()), line) {
        (Some(file), 0) => format!("(file: {file})"),
        (Some(file), line) => format!("(file: {file}, line: {line})"),
        (None, 0) => String::new(),
        (None, line) => format!("(line: {line})"),
    }
}

/// What Puppet says of a `break` outside of iterations.
const BREAK_IS_ILLEGAL: &str = "break() from context where this is illegal";

/// Runs `evaluate` and turns what must not leave a body (`break`, `next`, `return` at the wrong place) into Puppet's
/// error; `return` and `next` end a body where `body` says so.
fn contain<'c>(vm: &mut Vm<'c>, body: bool, evaluate: impl FnOnce(&mut Vm<'c>) -> Eval<'c>) -> Eval<'c> {
    use bunraku_vm::value::Value;
    let flow = match evaluate(vm) {
        Ok(value) => return Ok(value),
        Err(flow) => flow,
    };
    let (word, place) = match *flow {
        Flow::Fault(_) => return Err(flow),
        Flow::Return(..) | Flow::Next(..) if body => return Ok(Value::Undef),
        Flow::Break(place) => ("break", place),
        Flow::Next(_, place) => ("next", place),
        Flow::Return(_, place) => ("return", place),
    };
    let mut place = Place { column: None, ..place };
    // Puppet's call stack says so of code given as text.
    place.file.get_or_insert_with(|| "unknown".into());
    let cause = if word == "break" { Cause::IllegalBreak } else { Cause::Other };
    let message = format!("{word}() from context where this is illegal");
    Err(Flow::formed(Diagnostic::error(message).at(place).because(cause)))
}
