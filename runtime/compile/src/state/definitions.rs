//! The classes, defined types, nodes and functions that a compile knows.

use crate::state::arena::{List, Map, Set, list, map, set};
use bumpalo::Bump;
use bunraku_environment::modules::KeptFile;
use bunraku_ruby::world::FunctionSource;
use bunraku_vm::closure::Closure;
use bunraku_vm::unit::{ChunkRef, HostMatch};
use std::cell::{Cell, RefCell};

/// What has been defined so far.
pub(crate) struct Definitions<'c> {
    /// Classes, defined types and nodes by number.
    pub all: RefCell<List<'c, &'c Definition<'c>>>,
    pub classes: RefCell<Map<'c, &'c str, &'c Definition<'c>>>,
    pub defines: RefCell<Map<'c, &'c str, &'c Definition<'c>>>,
    /// Where each defined type was defined, as Puppet's loaders name the place.
    pub define_sites: RefCell<Map<'c, &'c str, &'c str>>,
    pub nodes: RefCell<List<'c, NodeDefinition<'c>>>,
    /// The first of each name.
    pub nodes_by_name: RefCell<Map<'c, &'c str, &'c Definition<'c>>>,
    /// Functions in the Puppet language; none for a name that has no file.
    pub functions: RefCell<Map<'c, &'c str, Option<&'c FunctionDefinition<'c>>>>,
    /// Where each of them was defined.
    pub function_sites: RefCell<Map<'c, &'c str, &'c str>>,
    /// The files of functions in Ruby.
    pub functions_in_ruby: RefCell<FunctionSources<'c>>,
    /// Paths of the manifests that the autoloader has loaded: not as `Path`s, which are hashed part by part.
    pub loaded: RefCell<Set<'c, &'c [u8]>>,
    /// The class that could not be loaded, and why, where code has met that which Ruby runs once more from its begin: it is
    /// told what was told then. The next who asks finds no such class.
    pub failed_for_ruby: Cell<Option<(&'c str, &'c str)>>,
    /// The top-level code of the main manifest's files.
    pub main_chunks: RefCell<List<'c, ChunkRef>>,
}

impl<'c> Definitions<'c> {
    /// Nothing has been defined yet.
    pub fn new(arena: &'c Bump) -> Self {
        Definitions {
            all: list(arena),
            classes: map(arena),
            defines: map(arena),
            define_sites: map(arena),
            nodes: list(arena),
            nodes_by_name: map(arena),
            functions: map(arena),
            function_sites: map(arena),
            functions_in_ruby: map(arena),
            loaded: set(arena),
            failed_for_ruby: Cell::new(None),
            main_chunks: list(arena),
        }
    }
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
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
pub struct Definition<'c> {
    /// Number: its place among all known.
    pub number: u32,
    /// What it is.
    pub kind: DefinitionKind,
    /// Name in lower case.
    pub name: &'c str,
    /// Its body; none for main and settings.
    pub chunk: Option<ChunkRef>,
    /// `inherits`, in lower case.
    pub parent: Option<&'c str>,
    /// Module its file lies in; empty for none.
    pub module: &'c str,
    /// Where it was defined.
    pub manifest: Manifest<'c>,
    /// Line of the definition.
    pub line: u32,
    /// Set once its code has collected with overrides: it may then override anything.
    pub overrides: Cell<bool>,
    /// Set once it has been noted that code gets at its body.
    pub is_noted: Cell<bool>,
}

impl<'c> Definition<'c> {
    /// A definition that no code makes: main, and the class of Puppet's settings.
    pub(crate) fn without_code(number: u32, kind: DefinitionKind, name: &'c str) -> Definition<'c> {
        Definition {
            number,
            kind,
            name,
            chunk: None,
            parent: None,
            module: "",
            manifest: Manifest::default(),
            line: 0,
            overrides: Cell::new(false),
            is_noted: Cell::new(false),
        }
    }
}

/// The file that something was defined in.
#[derive(Clone, Copy, Default)]
pub(crate) struct Manifest<'c> {
    /// Its path; none for code given as text.
    pub file: Option<&'c str>,
    /// What is kept of it, where it is one of the tree.
    pub kept: Option<&'c KeptFile>,
}

/// A function in the Puppet language.
pub(crate) struct FunctionDefinition<'c> {
    pub closure: &'c Closure<'c>,
    /// Where it was defined.
    pub manifest: Manifest<'c>,
    /// As of a [`Definition`].
    pub is_noted: Cell<bool>,
}

/// A node definition and one of the names it goes by.
#[derive(Clone, Copy)]
pub(crate) struct NodeDefinition<'c> {
    pub matching: HostMatch<'c>,
    pub definition: &'c Definition<'c>,
}

/// The files of functions in Ruby that were looked for before, none where there is none.
///
/// Key: the function's name and the module whose code asks. Bound: the names that the compile's code calls. Stale: never
/// within a compile, which sees each file once. Held by `tests/tests/functions.rs`.
type FunctionSources<'c> = Map<'c, (&'c str, &'c str), Option<FunctionSource<'c>>>;
