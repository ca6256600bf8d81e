//! What one compile keeps of Hiera, and the context that every look-up of it works in.
//!
//! A compile has one [`Hiera`]. Whoever looks something up takes [`Hiera::lookups`] and asks that; the methods of
//! [`Lookups`] stand in the files of their subjects. All that a compile keeps lies in one [`State`], which
//! [`Hiera::release`] replaces by an empty one: the arena of a compile drops nothing.

use crate::answered::Memos;
use crate::backend::context;
use crate::backend::data_source::Source;
use crate::data_file::cache::{DataFiles, Format};
use crate::explain::Explain;
use crate::invocation::{MAX_ASKED, MAX_NESTED};
use crate::key;
use crate::layer::Layer;
use crate::lookup_options as options;
use crate::surroundings::Surroundings;
use bumpalo::Bump;
use bunraku_files::tree::Tree;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::value::Value;
use hashbrown::HashMap;
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

/// A layer that has been asked for; none where nothing configures it.
pub(crate) type LayerRead<'c> = Option<Rc<Layer<'c>>>;

/// Hiera as one compile has it.
pub struct Hiera<'c> {
    arena: &'c Bump,
    tree: &'c Tree,
    files: &'c DataFiles,
    state: RefCell<State<'c>>,
}

/// What one compile keeps of Hiera. Nothing of it outlives the compile, and files are read once a compile: so what
/// follows from files alone is never stale, and what follows from variables says beside it how that is found out.
#[derive(Default)]
pub(crate) struct State<'c> {
    /// Keys being looked up, outermost first; at most [`MAX_NESTED`].
    pub stack: RefCell<Vec<&'c str>>,
    /// How many look-ups the outermost one has led to; at most [`MAX_ASKED`].
    pub asked: Cell<u32>,
    /// The global layer and the environment's, once asked for. Key: which of the two. Never stale: `hiera.yaml` is
    /// read once a compile. Test: `spec/hiera.md`.
    pub shared: RefCell<[Option<LayerRead<'c>>; 2]>,
    /// The layers of modules, once asked for. Key: the module's name; bound: the names of modules that keys begin
    /// with. Never stale, as above. Test: `spec/hiera-modules.md`.
    pub modules: RefCell<HashMap<String, LayerRead<'c>>>,
    /// `lookup_options`; see [`options::Known`].
    pub options: RefCell<options::Kept<'c>>,
    /// Data of files. Key: path and format; bound: the files that hierarchies name. Never stale: a file is read once
    /// a compile. Test: `tests/tests/hiera_repo.rs`.
    pub sources: RefCell<HashMap<(String, Format), Source<'c>>>,
    /// The contexts given out to backends, by identity, the newest last; bound: one a call of a backend.
    pub contexts: RefCell<Vec<context::Given<'c>>>,
    /// Variables that the configuration being resolved has asked for; none while none is being resolved.
    pub recorded: RefCell<Option<Vec<(String, Value<'c>)>>>,
    /// Who explains the look-ups that code asks for.
    pub explain: Cell<Explain<'c>>,
    /// The variable of `mapped_paths`, while its paths are being made.
    pub local: RefCell<Option<(String, Value<'c>)>>,
    /// Look-ups that have been answered; see there.
    pub memos: Memos<'c>,
}

/// The context of look-ups: what one compile keeps, and what there is around it.
pub struct Lookups<'h, 'c> {
    pub(crate) around: &'h dyn Surroundings<'c>,
    pub(crate) arena: &'c Bump,
    pub(crate) tree: &'c Tree,
    pub(crate) files: &'c DataFiles,
    pub(crate) state: Ref<'h, State<'c>>,
}

impl<'c> Hiera<'c> {
    /// Nothing read yet. Values go into `arena`; `tree` is where files are, `files` the data files that compiles of
    /// one session share.
    pub fn new(arena: &'c Bump, tree: &'c Tree, files: &'c DataFiles) -> Hiera<'c> {
        Hiera { arena, tree, files, state: RefCell::default() }
    }

    /// The context to look something up in, `around` being the compile.
    pub fn lookups<'h>(&'h self, around: &'h dyn Surroundings<'c>) -> Lookups<'h, 'c> {
        let Hiera { arena, tree, files, ref state } = *self;
        Lookups { around, arena, tree, files, state: state.borrow() }
    }

    /// Drops all that has been kept. No look-up may be under way.
    pub fn release(&self) {
        self.state.take();
    }
}

impl<'c> State<'c> {
    /// Runs `ask` unless `name` is being looked up already. What goes wrong inside is an error of look-ups.
    pub fn guarded<T>(&self, name: &'c str, ask: impl FnOnce() -> Eval<'c, T>) -> Eval<'c, T> {
        if self.stack.borrow().contains(&name) {
            let names = self.stack.borrow().join(", ");
            return Err(key::lookup_error(format!("Recursive lookup detected in [{names}]")));
        }
        if self.stack.borrow().len() >= MAX_NESTED {
            let outermost = self.stack.borrow().first().copied().unwrap_or_default();
            let message = format!("The look-up of '{outermost}' nests more than {MAX_NESTED} others");
            return Err(key::lookup_error(message));
        }
        self.asked.set(if self.stack.borrow().is_empty() { 0 } else { self.asked.get() + 1 });
        if self.asked.get() > MAX_ASKED {
            let outermost = self.stack.borrow().first().copied().unwrap_or_default();
            return Err(key::lookup_error(format!(
                "The look-up of '{outermost}' leads to more than {MAX_ASKED} others"
            )));
        }
        self.stack.borrow_mut().push(name);
        let result = ask();
        self.stack.borrow_mut().pop();
        result.map_err(|mut flow| {
            if let Flow::Fault(fault) = &mut *flow
                && fault.stage == Stage::Raw
                && fault.diagnostic.code.is_none()
                && !crate::is_plain_ruby(&fault.diagnostic.message)
            {
                fault.stage = Stage::Formed;
            }
            flow
        })
    }

    pub fn remember(&self, name: &str, root: &str, value: Value<'c>) {
        let is_local = self.local.borrow().as_ref().is_some_and(|(local, _)| local == root);
        if !is_local && let Some(all) = self.recorded.borrow_mut().as_mut() {
            all.push((name.to_owned(), value));
        }
    }

    /// Begins to note variables; gives what was being noted.
    pub fn record(&self) -> Option<Vec<(String, Value<'c>)>> {
        self.recorded.replace(Some(Vec::new()))
    }

    /// The variables noted since [`State::record`], whose answer goes back in place.
    pub fn recorded(&self, outer: Option<Vec<(String, Value<'c>)>>) -> Vec<(String, Value<'c>)> {
        self.recorded.replace(outer).unwrap_or_default()
    }

    pub fn local(&self, name: &str) -> Option<Value<'c>> {
        self.local.borrow().as_ref().filter(|(local, _)| local == name).map(|(_, value)| *value)
    }

    pub fn has_local(&self) -> bool {
        self.local.borrow().is_some()
    }

    pub fn with_local<T>(&self, name: &str, value: Value<'c>, run: impl FnOnce() -> T) -> T {
        let outer = self.local.replace(Some((name.to_owned(), value)));
        let result = run();
        self.local.replace(outer);
        result
    }
}
