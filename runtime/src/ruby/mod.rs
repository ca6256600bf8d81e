//! The Ruby that modules carry: functions of the 4.x and 3.x interfaces, ERB templates, Hiera backends.
//!
//! It runs in a worker: a `ruby` process that is started when a compile first needs it and kept for those that follow,
//! each of which gets a process of its own, forked from it. [`process`] starts and ends workers, [`pipes`] and [`clock`]
//! see to it that nobody waits for one for ever; [`wire`] is the form of what passes between;
//! [`talk`] is one question with all the questions that come back before its answer; [`answer`] answers those;
//! [`functions`], [`datatypes`], [`syntax`] and [`template`] are what a compile asks for. The Ruby side is in `worker/`: our own words for the
//! parts of Puppet's Ruby that functions use. No Puppet need be installed, and none that is will be read.

mod answer;
mod blocks;
mod bytes;
mod clock;
mod datatypes;
mod functions;
mod pipes;
mod process;
mod resource_types;
mod shared;
mod syntax;
mod talk;
mod template;
mod types;
mod wire;

pub use process::Workers;
pub(crate) use talk::UNCAUGHT;

use crate::compile::Compile;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Flow;
use bunraku_vm::host::ObjectClass;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::Type;
use bunraku_vm::value::Object;
use process::Worker;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// How Ruby is run for a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The program: a path, or a name to be found on PATH.
    pub program: PathBuf,
    /// How long a function or template may run: `ruby_timeout`.
    pub timeout: Duration,
    /// How much address space a worker may take, in bytes: `ruby_memory`.
    pub memory: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { program: "ruby".into(), timeout: Duration::from_secs(60), memory: 2 << 30 }
    }
}

/// What a compile has of Ruby.
pub struct Ruby<'c> {
    workers: &'c Workers,
    settings: &'c Settings,
    worker: RefCell<Option<Worker>>,
    handles: RefCell<Vec<Handle<'c>>>,
    scopes: RefCell<Vec<&'c Scope<'c>>>,
    scope_numbers: RefCell<HashMap<u32, u32>>,
    /// Why there is no worker any more, where Ruby ran when it ended.
    fault: RefCell<Option<Flow<'c>>>,
    /// Flows that pass through Ruby; what Ruby hands back names its place here.
    flows: RefCell<Vec<Flow<'c>>>,
    functions: RefCell<HashMap<String, Rc<functions::Loaded<'c>>>>,
    /// Ruby files by function name, none where there is none.
    files: RefCell<HashMap<(&'c str, &'c str), Option<functions::Found<'c>>>>,
    /// What runs in Ruby now, innermost last, for messages.
    subjects: RefCell<Vec<String>>,
    /// Arrays and hashes that the worker knows.
    shared: RefCell<shared::Shared<'c>>,
    /// Strings of bytes that are no text in Ruby, by where they lie.
    bytes: RefCell<HashMap<usize, &'c [u8]>>,
    objects: RefCell<HashMap<u32, &'c Object<'c>>>,
    /// Files of data types, by the type's name.
    datatypes: RefCell<HashMap<String, PathBuf>>,
    /// The lambda that a block of Ruby has just been made.
    kept_block: Cell<Option<&'c Closure<'c>>>,
    /// Whether code in Ruby has had the registry of checkers in its hands.
    plugins: Cell<bool>,
    /// Object types that have a class in the worker, and how it makes instances.
    types: RefCell<HashMap<String, &'c Type<'c>>>,
    classes: RefCell<HashMap<String, ObjectClass<'c>>>,
}

/// A value that Ruby knows by number.
#[derive(Clone, Copy)]
enum Handle<'c> {
    Type(&'c Type<'c>),
    Closure(&'c Closure<'c>),
    Object(&'c Object<'c>),
}

impl<'c> Ruby<'c> {
    /// Nothing is started yet.
    pub fn new(workers: &'c Workers, settings: &'c Settings) -> Self {
        Ruby {
            workers,
            settings,
            worker: RefCell::default(),
            handles: RefCell::default(),
            scopes: RefCell::default(),
            scope_numbers: RefCell::default(),
            fault: RefCell::default(),
            flows: RefCell::default(),
            functions: RefCell::default(),
            files: RefCell::default(),
            subjects: RefCell::default(),
            shared: RefCell::default(),
            bytes: RefCell::default(),
            objects: RefCell::default(),
            datatypes: RefCell::default(),
            kept_block: Cell::default(),
            plugins: Cell::default(),
            types: RefCell::default(),
            classes: RefCell::default(),
        }
    }

    /// Whether Ruby code is running.
    pub(crate) fn is_running(&self) -> bool {
        !self.subjects.borrow().is_empty()
    }

    /// Whether the compile has a worker.
    pub(crate) fn has_worker(&self) -> bool {
        self.worker.borrow().is_some()
    }

    /// Gives the worker back and drops all that lies on the heap.
    pub fn release(&self) {
        if let Some(mut worker) = self.worker.take() {
            // A limit was reached within Ruby: the worker waits for an answer that nobody will give.
            worker.spoilt |= self.is_running();
            self.workers.give_back(worker);
        }
        self.handles.take();
        self.scopes.take();
        self.scope_numbers.take();
        self.fault.take();
        self.flows.take();
        self.functions.take();
        self.files.take();
        self.subjects.take();
        self.share_nothing();
        self.bytes.take();
        self.objects.take();
        self.datatypes.take();
        self.plugins.take();
        self.types.take();
        self.classes.take();
    }

    fn handle(&self, handle: Handle<'c>) -> u32 {
        let mut all = self.handles.borrow_mut();
        all.push(handle);
        (all.len() - 1) as u32
    }

    /// The number of a scope; top scope's is 0.
    fn scope_number(&self, scope: &'c Scope<'c>) -> u32 {
        *self.scope_numbers.borrow_mut().entry(scope.id).or_insert_with(|| {
            let mut all = self.scopes.borrow_mut();
            all.push(scope);
            (all.len() - 1) as u32
        })
    }
}

impl<'c> Compile<'c> {
    /// The folders that Ruby of this environment is loaded from: each module's `lib`, the environment's own.
    pub(crate) fn ruby_folders(&self) -> Vec<PathBuf> {
        let modules = self.environment.modules.iter().map(|module| module.path.join("lib"));
        let own = self.environment.directory.iter().map(|directory| directory.join("lib"));
        own.chain(modules).filter(|folder| folder.is_dir()).collect()
    }
}

/// An error of Ruby code: told apart from the compile's own by its code, for Hiera leaves it as it is.
fn raised<'c>(message: String) -> Box<Flow<'c>> {
    let mut flow = Flow::raw(message);
    if let Flow::Fault(fault) = &mut *flow {
        fault.diagnostic.code = Some("RUNTIME_ERROR");
    }
    flow
}

/// `path` as Ruby is told it.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
