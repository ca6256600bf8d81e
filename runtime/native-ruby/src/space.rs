//! What the Ruby of a compile has defined so far: modules, classes, constants, functions; and which files have been loaded.
//!
//! A file is loaded when a function in it is first called, or when another file requires it. One that can't be run here
//! is Ruby's, and with it all files that require it.

use crate::functions::copies::add_places;
use crate::functions::definition::{NewFunction, OldFunction};
use crate::literals::Literals;
use crate::tree::Program;
use crate::value::V;
use crate::value::object::{Method, Module};
use bunraku_files::reads::Reads;
use bunraku_vm::value::Value;
use hashbrown::{HashMap, HashSet};
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How the loading of a file has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// It is being loaded.
    UnderWay,
    Done,
    /// It is Ruby's.
    Failed,
}

/// What the Ruby of a compile has defined.
#[derive(Default)]
pub(crate) struct Space<'c> {
    /// Constants by their names in full.
    constants: RefCell<HashMap<String, V<'c>>>,
    /// Whether one of them is named as Puppet's own module is.
    other_puppet: Cell<bool>,
    /// All modules and classes, which are cleared at the end.
    modules: RefCell<Vec<Rc<Module<'c>>>>,
    files: RefCell<HashMap<PathBuf, Load>>,
    /// Why files are Ruby's.
    failures: RefCell<HashMap<PathBuf, String>>,
    /// The function that a file ends in, by its name.
    made: RefCell<HashMap<PathBuf, String>>,
    loading: Cell<usize>,
    /// Folders that code has added to where `require` looks: those looked at first, and those looked at last.
    load_path: RefCell<[Vec<PathBuf>; 2]>,
    /// Functions of the 4.x interface.
    new_functions: RefCell<HashMap<String, Vec<Rc<NewFunction<'c>>>>>,
    old_functions: RefCell<HashMap<String, Rc<OldFunction<'c>>>>,
    /// Methods that required files have defined outside of all classes: all objects have them.
    outside: RefCell<HashMap<&'c str, Method<'c>>>,
    /// Those of them whose files are loaded and in order, with the programs that they stand in.
    ready: RefCell<HashMap<String, ReadyFunction<'c>>>,
    /// What contexts of look-ups keep, by their numbers: values by key, and what was made of files.
    contexts: RefCell<HashMap<i64, Rc<ContextCache<'c>>>>,
    /// Files with a function of the 3.x interface of another name than theirs, which Ruby would not find by itself.
    beside: RefCell<Vec<PathBuf>>,
    /// Files that code has required, and that no worker knows of.
    required: RefCell<Vec<String>>,
    /// The files that programs are of.
    programs: RefCell<Vec<(&'c Program, PathBuf)>>,
    /// What places in programs have come to.
    pub literals: Literals<'c>,
    /// Where the arrays and hashes of `$facts` and the like lie, which nothing may change: with how many of these there
    /// were when they were looked through. They are set before any code runs, and never again.
    frozen: RefCell<Option<(usize, Rc<HashSet<usize>>)>>,
    /// How many frames there have been, in all runs.
    serials: Cell<u64>,
    /// Whether code has extended any hash with a module.
    extended: Cell<bool>,
    /// How many `catch` are under way that take what the scope throws where it has no variable of a name.
    catching: Cell<usize>,
}

type ReadyFunction<'c> = (Rc<OldFunction<'c>>, &'c Program);

/// What the context of a look-up keeps.
#[derive(Default)]
pub(crate) struct ContextCache<'c> {
    pub values: RefCell<HashMap<String, V<'c>>>,
    pub files: RefCell<HashMap<String, CachedFile<'c>>>,
}

/// What was made of a file.
pub(crate) struct CachedFile<'c> {
    pub data: V<'c>,
    /// What was read for it.
    pub reads: Reads,
    /// Whether it is not the same for all that ask for it in a snapshot, see [`RestsOn`](crate::functions::rests::RestsOn).
    pub rests_on_more: bool,
}

impl<'c> Space<'c> {
    /// Where the arrays and hashes of values that nothing may change lie, these themselves included.
    pub fn frozen_of(&self, values: impl Iterator<Item = Value<'c>>) -> Rc<HashSet<usize>> {
        let values: Vec<_> = values.collect();
        if let Some((count, known)) = &*self.frozen.borrow()
            && *count == values.len()
        {
            return known.clone();
        }
        let mut places = HashSet::new();
        values.iter().for_each(|value| add_places(&mut places, *value));
        let places = Rc::new(places);
        self.frozen.replace(Some((values.len(), places.clone())));
        places
    }

    /// A number that no frame has had.
    pub fn next_serial(&self) -> u64 {
        self.serials.set(self.serials.get() + 1);
        self.serials.get()
    }

    /// The number of the frame that was made last.
    pub fn last_serial(&self) -> u64 {
        self.serials.get()
    }

    pub fn constant(&self, name: &str) -> Option<V<'c>> {
        self.constants.borrow().get(name).cloned()
    }

    /// Whether code has given the name of Puppet's own module to something else, somewhere.
    pub fn has_other_puppet(&self) -> bool {
        self.other_puppet.get()
    }

    pub fn set_constant(&self, name: String, value: V<'c>) {
        if name == "Puppet" || name.ends_with("::Puppet") {
            self.other_puppet.set(true);
        }
        self.constants.borrow_mut().insert(name, value);
        self.literals.forget_constants();
    }

    /// Takes note of a module that code defines.
    pub fn add(&self, module: &Rc<Module<'c>>) {
        self.modules.borrow_mut().push(module.clone());
    }

    /// Takes note that code has extended a hash.
    pub fn note_extended(&self) {
        self.extended.set(true);
    }

    /// Whether it has extended any: `each_pair` may be another method then.
    pub fn has_extended(&self) -> bool {
        self.extended.get()
    }

    /// Takes note of a method that a required file has defined outside of all classes; not where there is one of that name.
    pub fn define_outside(&self, name: &'c str, method: Method<'c>) -> bool {
        self.outside.borrow_mut().try_insert(name, method).is_ok()
    }

    /// The method of a name that has been defined so.
    pub fn defined_outside(&self, name: &str) -> Option<Method<'c>> {
        self.outside.borrow().get(name).cloned()
    }

    /// How the loading of a file has gone; none where nobody has begun it.
    pub fn load(&self, file: &Path) -> Option<Load> {
        self.files.borrow().get(file).copied()
    }

    /// Takes note of why a file is Ruby's.
    pub fn note_failure(&self, file: &Path, reason: String) {
        self.failures.borrow_mut().insert(file.to_owned(), reason);
    }

    /// Why a file is Ruby's.
    pub fn failure(&self, file: &Path) -> String {
        self.failures.borrow().get(file).cloned().unwrap_or_else(|| "its file".to_owned())
    }

    /// Adds a folder to where `require` looks: before all others, or after them.
    pub fn look_for_files_in(&self, folder: PathBuf, first: bool) {
        let [before, after] = &mut *self.load_path.borrow_mut();
        match first {
            true => before.insert(0, folder),
            false => after.push(folder),
        }
    }

    /// Those folders, in the order in which they are looked at.
    pub fn folders_of_files(&self, first: bool) -> Vec<PathBuf> {
        let [before, after] = &*self.load_path.borrow();
        if first { before.clone() } else { after.clone() }
    }

    pub fn note_load(&self, file: &Path, load: Load) {
        self.files.borrow_mut().insert(file.to_owned(), load);
    }

    /// Takes note of a file with a function of another name than its own.
    pub fn note_beside(&self, file: &Path) {
        self.beside.borrow_mut().push(file.to_owned());
    }

    /// Those files, each once.
    pub fn take_beside(&self) -> Vec<PathBuf> {
        self.beside.take()
    }

    /// Takes note of a file of Ruby's library that code has required.
    pub fn note_required_once(&self, file: &Path) {
        if self.load(file).is_none() {
            self.note_load(file, Load::Done);
            self.note_required(file);
        }
    }

    /// Takes note of a file that code has required.
    pub fn note_required(&self, file: &Path) {
        self.required.borrow_mut().extend(file.to_str().map(str::to_owned));
    }

    /// Takes note that a module has been put in front of a class of Ruby's library, which nothing without a worker uses.
    pub fn note_prepended(&self, class: &str, module: &str) {
        self.required.borrow_mut().push(format!("{class} {module}"));
    }

    /// Those files, in order.
    pub fn take_required(&self) -> Vec<String> {
        self.required.take()
    }

    /// Takes note of the file that a program is of.
    pub fn note_program(&self, program: &'c Program, file: &Path) {
        self.programs.borrow_mut().push((program, file.to_owned()));
    }

    /// The file that a program is of.
    pub fn file_of(&self, program: &'c Program) -> Option<PathBuf> {
        let programs = self.programs.borrow();
        programs.iter().find(|(known, _)| std::ptr::eq(*known, program)).map(|(_, file)| file.clone())
    }

    /// Does something that may throw what is caught here, which is what the scope throws or anything else.
    pub fn while_catching<T>(&self, of_scope: bool, work: impl FnOnce() -> T) -> T {
        let before = self.catching.get();
        self.catching.set(before + usize::from(of_scope));
        let result = work();
        self.catching.set(before);
        result
    }

    /// Whether what the scope throws, where it has no variable of a name, is caught.
    pub fn is_catching(&self) -> bool {
        self.catching.get() > 0
    }

    /// Takes note of what the body of a file has given.
    pub fn note_made(&self, file: &Path, made: &V<'c>) {
        let name = match made {
            V::Symbol(name) => (*name).to_owned(),
            V::Module(module) => module.name().to_owned(),
            _ => return,
        };
        self.made.borrow_mut().insert(file.to_owned(), name);
    }

    /// The function that a file ends in.
    pub fn made(&self, file: &Path) -> Option<String> {
        self.made.borrow().get(file).cloned()
    }

    /// Whether the body of a file runs.
    pub fn is_loading(&self) -> bool {
        self.loading.get() > 0
    }

    /// Does something as the loading of a file.
    pub fn while_loading<T>(&self, work: impl FnOnce() -> T) -> T {
        self.loading.set(self.loading.get() + 1);
        self.literals.forget_constants();
        let result = work();
        self.loading.set(self.loading.get() - 1);
        result
    }

    /// The function of the 4.x interface of a name that a module has.
    pub fn new_function(&self, name: &str, module: &str) -> Option<Rc<NewFunction<'c>>> {
        self.find_new_function(name, |function| function.owner == module)
    }

    /// The first of a name that is such a one.
    pub fn find_new_function(
        &self,
        name: &str,
        is: impl Fn(&NewFunction<'c>) -> bool,
    ) -> Option<Rc<NewFunction<'c>>> {
        self.new_functions.borrow().get(name)?.iter().find(|function| is(function)).cloned()
    }

    pub fn add_new_function(&self, function: NewFunction<'c>) {
        let mut all = self.new_functions.borrow_mut();
        let same_name = all.entry(function.name.clone()).or_default();
        same_name.retain(|other| other.owner != function.owner);
        same_name.push(Rc::new(function));
    }

    pub fn old_function(&self, name: &str) -> Option<Rc<OldFunction<'c>>> {
        self.old_functions.borrow().get(name).cloned()
    }

    /// A function of the 3.x interface that has been called before; none where it has been defined anew since.
    pub fn ready_old_function(&self, name: &str) -> Option<ReadyFunction<'c>> {
        self.ready.borrow().get(name).cloned()
    }

    /// Takes note of a function whose file is loaded and in order.
    pub fn note_ready(&self, function: &Rc<OldFunction<'c>>, program: &'c Program) {
        self.ready.borrow_mut().insert(function.name.clone(), (function.clone(), program));
    }

    pub fn add_old_function(&self, function: Rc<OldFunction<'c>>) {
        self.ready.borrow_mut().remove(&function.name);
        self.old_functions.borrow_mut().insert(function.name.clone(), function);
    }

    /// What the context of a number keeps.
    pub fn context(&self, number: i64) -> Rc<ContextCache<'c>> {
        self.contexts.borrow_mut().entry(number).or_default().clone()
    }

    /// Whether the context of a number keeps something under a key.
    pub fn context_keeps(&self, number: i64, key: &str) -> bool {
        let contexts = self.contexts.borrow();
        contexts.get(&number).is_some_and(|context| context.values.borrow().contains_key(key))
    }

    /// Drops all that lies on the heap: the compile is over.
    pub fn release(&self) {
        // A part that is added has to be named here.
        let Space {
            serials: _,
            other_puppet: _,
            frozen,
            beside,
            required,
            catching: _,
            extended: _,
            programs,
            literals,
            constants,
            modules,
            files,
            failures,
            made,
            loading: _,
            load_path,
            new_functions,
            old_functions,
            outside,
            ready,
            contexts,
        } = self;
        outside.take();
        modules.take().iter().for_each(|module| module.clear());
        beside.take();
        required.take();
        frozen.take();
        programs.take();
        literals.release();
        constants.take();
        files.take();
        failures.take();
        made.take();
        load_path.take();
        new_functions.take().values().flatten().for_each(|function| drop(function.object.variables.take()));
        old_functions.take();
        ready.take();
        contexts.take();
    }
}
