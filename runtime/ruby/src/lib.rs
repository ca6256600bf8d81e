//! The Ruby that modules carry: functions of the 4.x and 3.x interfaces, data types, ERB templates, Hiera backends.
//!
//! It runs in a worker: a `ruby` process that is started when a compile first needs it and kept for those that follow,
//! each of which gets a process of its own, forked from it. [`process`] starts and ends workers, [`pipes`] and [`clock`]
//! see to it that nobody waits for one for ever; [`protocol`] has the tables of what passes between, [`wire`] writes and
//! reads values; [`talk`] is one request with all the questions that come back before its answer; [`answer`] answers
//! those; [`functions`], [`datatypes`], [`checkers`], [`template`] and [`resource_types`] are what a compile asks for,
//! [`reports`] what a server does, [`defaults`] what a scope is asked for.
//! What is needed of the compile is asked through the ports in [`world`]. The Ruby side is in `worker/`: our own words for
//! the parts of Puppet's Ruby that functions use. No Puppet need be installed, and none that is will be read.

mod answer;
mod blocks;
mod bytes;
mod changes;
mod checkers;
mod clock;
mod datatypes;
mod defaults;
mod failures;
mod functions;
mod pipes;
mod process;
pub mod protocol;
mod replayed;
mod reports;
mod resource_types;
mod sandbox;
mod shared;
mod signatures;
mod talk;
mod template;
mod types;
mod values;
mod wire;
pub mod world;

pub use checkers::CheckerError;
pub use datatypes::{DataTypeInterface, MadeFrom};
pub use functions::Numbered;
pub use process::Workers;
pub use resource_types::{Place, ResourceTypeTold};
pub use sandbox::Sandbox;

use bunraku_native_ruby::Asked;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Eval;
use bunraku_vm::value::{Object, Str};
use bunraku_vm::vm::Vm;
use datatypes::DataTypes;
use hashbrown::{HashMap, HashSet};
use signatures::Loaded;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use talk::Conversation;
use values::Values;
use world::RubyWorld;

/// How Ruby is run for a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSettings {
    /// The program: a path, or a name to be found on PATH.
    pub program: PathBuf,
    /// How long a function or template may run: `ruby_timeout`.
    pub timeout: Duration,
    /// How much address space a worker may take, in bytes: `ruby_memory`.
    pub memory: u64,
    /// What it may read, where the modules' Ruby is not trusted; none where it has all rights of this process.
    pub sandbox: Option<Sandbox>,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        WorkerSettings {
            program: "ruby".into(),
            timeout: Duration::from_secs(60),
            memory: 2 << 30,
            sandbox: None,
        }
    }
}

/// What a compile has of Ruby.
pub struct Ruby<'c> {
    workers: &'c Workers,
    settings: &'c WorkerSettings,
    conversation: Conversation<'c>,
    values: Values<'c>,
    /// Functions whose files have been loaded. Key: the name, and the module. Bound: the functions that the compile calls. Stale: never,
    /// for a compile sees each file once. Held by `tests/tests/ruby.rs`: the next compile sees nothing of this one.
    functions: RefCell<HashMap<String, Vec<Rc<Loaded<'c>>>>>,
    /// Functions that code of the compile has called, each as often as places of code name it. Key: the number that the machine keeps
    /// with the name. As above.
    numbered: RefCell<Vec<Rc<Numbered<'c>>>>,
    /// Functions of the 3.x interface whose files are regular ones. As above.
    regular: RefCell<HashSet<String>>,
    datatypes: DataTypes<'c>,
    /// The lambda that a block of Ruby has just been made.
    kept_block: Cell<Option<&'c Closure<'c>>>,
    /// Whether code in Ruby has had the registry of checkers in its hands.
    has_had_registry: Cell<bool>,
    /// What a function that Ruby runs from its begin has asked before, without Ruby, with the answers.
    replayed: RefCell<VecDeque<(Asked<'c>, Eval<'c>)>>,
}

/// Ruby of a compile, and the compile it runs for.
#[derive(Clone, Copy)]
pub struct Talk<'r, 'c> {
    ruby: &'r Ruby<'c>,
    world: &'r dyn RubyWorld<'c>,
}

impl<'c> Ruby<'c> {
    /// Nothing is started yet.
    pub fn new(workers: &'c Workers, settings: &'c WorkerSettings) -> Self {
        Ruby {
            workers,
            settings,
            conversation: Conversation::default(),
            values: Values::default(),
            functions: RefCell::default(),
            numbered: RefCell::default(),
            regular: RefCell::default(),
            datatypes: DataTypes::default(),
            kept_block: Cell::default(),
            has_had_registry: Cell::default(),
            replayed: RefCell::default(),
        }
    }

    /// This, for a compile.
    pub fn with<'r>(&'r self, world: &'r dyn RubyWorld<'c>) -> Talk<'r, 'c> {
        Talk { ruby: self, world }
    }

    /// Whether Ruby code is running.
    pub fn is_running(&self) -> bool {
        self.conversation.is_running()
    }

    /// Whether the compile has a worker.
    pub fn has_worker(&self) -> bool {
        self.conversation.has_worker()
    }

    /// Whether code in Ruby has given objects that the language has no form for.
    pub fn has_objects(&self) -> bool {
        !self.values.objects.borrow().is_empty()
    }

    /// Whether code in Ruby has had the registry of checkers in its hands: it may have put others in.
    pub fn has_had_registry(&self) -> bool {
        self.has_had_registry.get()
    }

    /// A string of bytes: what of it is no text is shown as such.
    pub fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c> {
        self.values.string_of_bytes(vm, bytes)
    }

    /// A symbol, class or module of Ruby's, as a value of the compile.
    pub fn named(&self, vm: &Vm<'c>, class: &str, text: &str) -> &'c Object<'c> {
        self.values.named(vm, class, text)
    }

    /// Gives the worker back and drops all that lies on the heap: the compile is over.
    pub fn release(&self) {
        // A part that is added has to be named here.
        let Ruby {
            workers,
            settings: _,
            conversation,
            values,
            functions,
            numbered,
            regular,
            datatypes,
            kept_block: _,
            has_had_registry: _,
            replayed,
        } = self;
        replayed.take();
        conversation.release(workers);
        values.release();
        functions.take();
        numbered.take();
        regular.take();
        datatypes.release();
    }
}

/// `path` as Ruby is told it.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What messages call a function and the like, with its file.
fn subject(what: &str, name: &str, file: &Path) -> String {
    format!("The {what} '{name}' ({})", text(file))
}
