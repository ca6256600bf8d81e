//! What one compile keeps of Hiera, and the context that every look-up of it works in.
//!
//! A compile has one [`Hiera`]. Whoever looks something up takes [`Hiera::lookups`] and asks that; the methods of
//! [`Lookups`] stand in the files of their subjects. All that a compile keeps lies in one [`State`], which
//! [`Hiera::release`] replaces by an empty one: the arena of a compile drops nothing.

use crate::answered::AnsweredLookups;
use crate::backend::context_objects::ContextObjects;
use crate::backend::location_cache::LocationData;
use crate::configured_variables::ConfiguredVariables;
use crate::data_file::DataFormat;
use crate::data_file::cache::DataFiles;
use crate::explain::Explain;
use crate::layer::Layer;
use crate::lookup_options::table::ReadOptions;
use crate::surroundings::Surroundings;
use crate::under_way::UnderWay;
use bumpalo::Bump;
use bunraku_files::tree::Tree;
use hashbrown::{HashMap, HashSet};
use std::cell::{Cell, Ref, RefCell};
use std::path::PathBuf;
use std::rc::Rc;

/// A layer that has been looked for; none where nothing configures it.
pub(crate) type LayerRead<'c> = Option<Rc<Layer<'c>>>;

/// Hiera as one compile has it.
pub struct Hiera<'c> {
    arena: &'c Bump,
    tree: &'c Tree,
    files: &'c DataFiles,
    state: RefCell<State<'c>>,
}

/// What one compile keeps of Hiera. Nothing of it outlives the compile, which reads a file once: so what follows from
/// files alone is never stale. What follows from variables says where that is found out.
#[derive(Default)]
pub(crate) struct State<'c> {
    /// The look-ups that have not been answered yet.
    pub under_way: UnderWay<'c>,
    /// The global layer and the environment's, once looked for. Key: 0 or 1; never stale. Test: `spec/hiera.md`,
    /// "Layers".
    pub shared_layers: RefCell<[Option<LayerRead<'c>>; 2]>,
    /// The layers of modules, once looked for. Key: the module's name; bound: the first parts of keys; never stale.
    /// Test: `spec/hiera.md`, "Layers".
    pub module_layers: RefCell<HashMap<String, LayerRead<'c>>>,
    /// `lookup_options` of layers and modules.
    pub options: RefCell<ReadOptions<'c>>,
    /// Data of files that look-ups have read. Key: path and format; bound: the files that hierarchies name; never
    /// stale. Test: `tests/tests/hiera_repo.rs`.
    pub file_data: RefCell<HashMap<(String, DataFormat), LocationData<'c>>>,
    /// The contexts that backends have been given.
    pub context_objects: ContextObjects<'c>,
    /// The variables of the configuration being resolved.
    pub configured_variables: ConfiguredVariables<'c>,
    /// Who explains the look-ups that code asks for.
    pub explain: Cell<Explain<'c>>,
    /// Paths outside of the environment at which there is nothing, as far as it has been asked for answers that are kept. Key: the
    /// path; bound: what keys lead to; never stale, as a compile sees a file once. Test: `tests/tests/kept_answers.rs`.
    pub absent_outside: RefCell<HashSet<PathBuf>>,
    /// Look-ups that have been answered.
    pub answered: AnsweredLookups<'c>,
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
    /// one snapshot share.
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
