//! Which modules have what below `lib`: a file that is required, or the providers of a type, may lie in any of them. Folders
//! are listed once, so that nobody asks every module for every file.

use bunraku_files::memo::{Contract, Memo, MemoCell, NEVER};
use bunraku_files::tree::Tree;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders of modules, in the order in which they are asked.
pub type List = Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

const LIB: &str = "lib";

/// The modules, with those of their folders that have been looked for. Nothing is listed before something is asked for.
pub(super) struct Modules {
    tree: Arc<Tree>,
    list: List,
    /// Folders of modules that are no part of the tree: those that packages bring along. They come last.
    outside: Vec<PathBuf>,
    all: MemoCell<Vec<PathBuf>>,
    inner: Memo<String, BTreeMap<String, Vec<PathBuf>>>,
}

const ALL: Contract = Contract {
    holds: "the folders of modules, for what is looked for in all of them",
    key: "none",
    bound: "the modules",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const INNER: Contract = Contract {
    holds: "which modules have which folders in a folder below lib",
    key: "the folder's path below a module's",
    bound: "the folders below lib",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

impl Modules {
    pub fn new(tree: Arc<Tree>, list: List) -> Self {
        Modules { tree, list, outside: Vec::new(), all: MemoCell::new(&ALL), inner: Memo::new(&INNER) }
    }

    pub fn with_outside(self, outside: Vec<PathBuf>) -> Self {
        Modules { outside, ..self }
    }

    /// All of them, those outside of the tree last.
    pub fn all(&self) -> &[PathBuf] {
        self.all.get_or(|| (self.list)().into_iter().chain(self.outside.iter().cloned()).collect())
    }

    /// Those that have a folder, by its path from a module's on.
    pub fn having(&self, folder: &str) -> &[PathBuf] {
        let (mut modules, mut parent) = (self.all(), 0..0);
        for name in folder.split('/') {
            let inner = self.inner_of(&folder[parent.clone()], modules);
            modules = inner.get(name).map_or(&[], Vec::as_slice);
            if modules.is_empty() {
                break;
            }
            parent.end += usize::from(parent.end > 0) + name.len();
        }
        modules
    }

    /// The folders in a folder that some modules have, each with those of them that have it.
    fn inner_of(&self, parent: &str, modules: &[PathBuf]) -> &BTreeMap<String, Vec<PathBuf>> {
        self.inner.get_or(parent, || {
            // What else a module has changes more often than its code.
            if parent.is_empty() {
                let has = |module: &&PathBuf| self.tree.is_dir(&module.join(LIB));
                return BTreeMap::from([(LIB.to_owned(), modules.iter().filter(has).cloned().collect())]);
            }
            let mut all: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
            for module in modules {
                let children = self.tree.list(&module.join(parent)).into_iter();
                for child in children.filter(|child| child.is_folder) {
                    all.entry(child.name).or_default().push(module.clone());
                }
            }
            all
        })
    }

    /// The file at a path from a module's folder on, of the first that has it.
    pub fn file(&self, place: &str) -> Option<PathBuf> {
        let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut files = self.having(folder).iter().map(|module| module.join(place));
        files.find(|file| self.tree.is_file(file))
    }

    /// The same of those outside of the tree.
    pub fn file_outside(&self, place: &str) -> Option<PathBuf> {
        self.outside.iter().map(|folder| folder.join(place)).find(|file| self.tree.is_file(file))
    }

    /// The Ruby files in a folder, each by its path from a module's folder on with where it lies: of several modules with one of a
    /// name, the first has it.
    pub fn files_in(&self, folder: &str) -> Vec<(String, PathBuf)> {
        let mut found: Vec<(String, PathBuf)> = Vec::new();
        for module in self.having(folder) {
            let path: &Path = &module.join(folder);
            for child in self.tree.list(path) {
                let place = format!("{folder}/{}", child.name);
                let is_new = || found.iter().all(|(known, _)| *known != place);
                if child.name.ends_with(".rb") && !child.is_folder && is_new() {
                    found.push((place, path.join(&child.name)));
                }
            }
        }
        found
    }
}
