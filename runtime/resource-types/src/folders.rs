//! Where the types of modules are: files under `lib/puppet/type` of the modules and of the environment, and what
//! `puppet generate types` wrote, which goes before them.

use super::{Library, ResourceType, declared, read_generated};
use bunraku_files::memo::{Contract, MemoCell, NEVER};
use bunraku_files::reads;
use bunraku_files::tree::Tree;
use bunraku_vm::archive::layout::Section;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FOLDER: &str = "lib/puppet/type";

/// Folders of modules, in the order in which they are asked.
pub type List = Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

/// Folders of modules with the types in them. Nothing is listed before a type is asked for.
pub struct Folders {
    tree: Arc<Tree>,
    list: List,
    /// The environment's folder.
    environment: Option<PathBuf>,
    /// Folders of modules that are no part of the tree: those that packages bring along. They come last.
    outside: Vec<PathBuf>,
    /// Files of types in Ruby by name.
    index: MemoCell<BTreeMap<String, PathBuf>>,
}

const INDEX: Contract = Contract {
    holds: "the files of resource types in Ruby",
    key: "none",
    bound: "one index: the files below lib/puppet/type of all modules",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

impl Folders {
    /// Folders read through `tree`; `list` gives them, the environment's own last.
    pub fn new(tree: Arc<Tree>, environment: Option<PathBuf>, list: List) -> Self {
        Folders { tree, list, environment, outside: Vec::new(), index: MemoCell::new(&INDEX) }
    }

    /// The same with folders of modules that are no part of the tree.
    pub fn with_outside(self, outside: Vec<PathBuf>) -> Self {
        Folders { outside, ..self }
    }

    fn index(&self) -> &BTreeMap<String, PathBuf> {
        self.index.get_or(|| {
            let mut all = BTreeMap::new();
            for folder in (self.list)().iter().chain(&self.outside).map(|path| path.join(FOLDER)) {
                for child in self.tree.list(&folder) {
                    if let Some(stem) = child.name.strip_suffix(".rb").map(str::to_lowercase) {
                        all.entry(stem).or_insert_with(|| folder.join(&child.name));
                    }
                }
            }
            all
        })
    }

    /// The file of a type, by its name in lower case.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let generated = self.environment.as_ref().map(|folder| folder.join(".resource_types"));
        if let Some(folder) = generated {
            let file = folder.join(name).with_extension("pp");
            if self.tree.is_file(&file) {
                return Some(file);
            }
        }
        let file = format!("{FOLDER}/{name}.rb");
        match self.tree.provided(&file) {
            Some(Some(file)) => Some(file),
            Some(None) => self.outside(&file),
            None => reads::unnoted(|| self.index().get(name).cloned()),
        }
    }

    /// The file at a path of the first module outside of the tree that has it.
    fn outside(&self, path: &str) -> Option<PathBuf> {
        self.outside.iter().map(|folder| folder.join(path)).find(|file| self.tree.is_file(file))
    }

    /// The type of a name in lower case.
    pub fn find(&self, name: &str) -> Option<ResourceType> {
        let file = self.file(name)?;
        let known: Option<ResourceType> = self.tree.cold(&file, Section::Types);
        // What else it was made of may have changed, unless nobody looks.
        let holds = |ty: &ResourceType| {
            self.tree.is_frozen() || ty.requires.iter().all(|path| self.is_as_archived(path))
        };
        if let Some(ty) = known.filter(holds) {
            return Some(ty);
        }
        let source = match self.tree.read(&file) {
            Ok(source) => source,
            Err(error) => {
                return Some(ResourceType::unreadable(name, format!("its file can't be read: {error}")));
            }
        };
        Some(of_file(&file, name, &source, &|path| self.library(path)))
    }

    /// The file that a type requires, from the first module that has it.
    fn required(&self, path: &str) -> Option<PathBuf> {
        places(path).into_iter().find_map(|place| self.provided(&place))
    }

    fn provided(&self, place: &str) -> Option<PathBuf> {
        match self.tree.provided(place) {
            Some(Some(file)) => Some(file),
            Some(None) => self.outside(place),
            None => reads::unnoted(|| {
                let mut files = (self.list)().into_iter().map(|folder| folder.join(place));
                files.find(|file| self.tree.is_file(file)).or_else(|| self.outside(place))
            }),
        }
    }

    /// Whether what a type requires is what it was when the archive was built: the same file, or none.
    fn is_as_archived(&self, path: &str) -> bool {
        for place in places(path) {
            let file = self.provided(&place);
            if !self.tree.is_provided_as_archived(&place, file.as_deref()) {
                return false;
            }
            if file.is_some() {
                break;
            }
        }
        true
    }

    /// The text of a file that a type requires.
    fn library(&self, path: &str) -> Option<String> {
        let file = self.required(path)?;
        Some(String::from_utf8_lossy(&self.tree.read(&file).ok()?).into_owned())
    }

    /// Names of the types in Ruby, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index().keys().map(String::as_str)
    }
}

/// Where a file that a type requires may lie: what it requires by a path of its own folder's lies below `lib/puppet`.
pub fn places(path: &str) -> [String; 2] {
    [format!("lib/{path}.rb"), format!("lib/puppet/{path}.rb")]
}

/// The type that a file declares: in Ruby, or as `puppet generate types` writes it.
pub fn of_file(file: &Path, name: &str, source: &[u8], library: &Library<'_>) -> ResourceType {
    if file.extension().is_some_and(|extension| extension == "pp") {
        let read = read_generated(name, &String::from_utf8_lossy(source));
        return read.unwrap_or_else(|why| ResourceType::unreadable(name, why));
    }
    declared(name, source, library)
}
