//! Where the types of modules are: files under `lib/puppet/type` of the modules and of the environment, and what
//! `puppet generate types` wrote, which goes before them.

use super::{DoubtKind, Library, ResourceType, declared, read_generated};
use bunraku_files::memo::{Contract, MemoCell, NEVER};
use bunraku_files::reads::{self, Asked};
use bunraku_files::tree::Tree;
use bunraku_vm::archive::layout::Section;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FOLDER: &str = "lib/puppet/type";
const PROVIDERS: &str = "lib/puppet/provider";

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
    /// Folders of providers by the name of their type.
    providers: MemoCell<BTreeMap<String, Vec<PathBuf>>>,
    /// Whether Ruby's or Puppet's own library has a file that is required by a name.
    library: fn(&str) -> bool,
}

const INDEX: Contract = Contract {
    holds: "the files of resource types in Ruby",
    key: "none",
    bound: "one index: the files below lib/puppet/type of all modules",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const PROVIDED: Contract = Contract {
    holds: "the folders of providers of resource types",
    key: "none",
    bound: "one index: the folders below lib/puppet/provider of all modules",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

impl Folders {
    /// Folders read through `tree`; `list` gives them, the environment's own last. `library` says whether Ruby's or Puppet's own
    /// library has a file that is required by a name.
    pub fn new(tree: Arc<Tree>, environment: Option<PathBuf>, list: List, library: fn(&str) -> bool) -> Self {
        let (index, providers) = (MemoCell::new(&INDEX), MemoCell::new(&PROVIDED));
        Folders { tree, list, environment, outside: Vec::new(), index, providers, library }
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
            self.tree.is_frozen()
                || ty.requires.iter().all(|path| self.is_as_archived(path))
                    && self
                        .providers_of(name)
                        .into_iter()
                        .map(|(file, _)| file)
                        .eq(ty.providers.iter().cloned())
                    && ty.providers.iter().all(|file| self.is_place_as_archived(file).1)
        };
        if let Some(mut ty) = known.filter(holds) {
            self.note_parts(&ty);
            // The modules that packages bring along are no part of an archive.
            ty.doubts.retain(|doubt| {
                doubt.kind != DoubtKind::Require || self.outside(&format!("lib/{}.rb", doubt.text)).is_none()
            });
            return Some(ty);
        }
        let source = match self.tree.read(&file) {
            Ok(source) => source,
            Err(error) => {
                return Some(ResourceType::unreadable(name, format!("its file can't be read: {error}")));
            }
        };
        Some(of_file(&file, name, &source, self))
    }

    /// Notes that what a type was made of has been read, for those who gather that.
    fn note_parts(&self, ty: &ResourceType) {
        if !reads::is_gathered() {
            return;
        }
        for path in &ty.requires {
            if let Some(file) = self.required(path) {
                self.tree.note_asked(Asked::Content, &file);
            }
        }
        self.note_providers(&ty.name);
    }

    fn note_providers(&self, name: &str) {
        self.tree.note_provided((["lib/puppet/provider", "/"], name, ""));
    }

    /// The files of a type's providers below their modules' folders, each with where it lies: of several modules with one
    /// of a name, the first has it.
    fn providers_of(&self, name: &str) -> Vec<(String, PathBuf)> {
        let mut found: Vec<(String, PathBuf)> = Vec::new();
        let folders = reads::unnoted(|| self.provider_folders().get(name).cloned()).unwrap_or_default();
        for folder in folders {
            for child in reads::unnoted(|| self.tree.list(&folder)) {
                let place = format!("{PROVIDERS}/{name}/{}", child.name);
                let is_new = || found.iter().all(|(known, _)| *known != place);
                if child.name.ends_with(".rb") && !child.is_folder && is_new() {
                    found.push((place, folder.join(&child.name)));
                }
            }
        }
        found
    }

    fn provider_folders(&self) -> &BTreeMap<String, Vec<PathBuf>> {
        self.providers.get_or(|| {
            let mut all: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
            for folder in (self.list)().iter().chain(&self.outside).map(|path| path.join(PROVIDERS)) {
                for child in self.tree.list(&folder).into_iter().filter(|child| child.is_folder) {
                    let path = folder.join(&child.name);
                    all.entry(child.name).or_default().push(path);
                }
            }
            all
        })
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
            let (is_there, holds) = self.is_place_as_archived(&place);
            if is_there || !holds {
                return holds;
            }
        }
        true
    }

    /// Whether there is a file at a path below a module's folder now, and whether that is as it was then.
    fn is_place_as_archived(&self, place: &str) -> (bool, bool) {
        let file = self.provided(place);
        (file.is_some(), self.tree.is_provided_as_archived(place, file.as_deref()))
    }

    /// Where a file lies, by its path below a module's folder: in the first module that has it.
    pub fn place(&self, below: &str) -> Option<PathBuf> {
        self.provided(below)
    }

    fn read(&self, file: &Path) -> Option<String> {
        Some(String::from_utf8_lossy(&self.tree.read(file).ok()?).into_owned())
    }

    /// Names of the types in Ruby, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index().keys().map(String::as_str)
    }
}

impl Library for Folders {
    fn text_at(&self, path: &str) -> Option<String> {
        self.read(&self.provided(&format!("{path}.rb"))?)
    }

    fn providers(&self, name: &str) -> Vec<(String, String)> {
        self.note_providers(name);
        let files = self.providers_of(name).into_iter();
        files.filter_map(|(place, file)| Some((place, self.read(&file)?))).collect()
    }

    fn is_known(&self, name: &str) -> bool {
        (self.library)(name)
    }
}

/// Where a file that a type requires may lie: what it requires by a path of its own folder's lies below `lib/puppet`.
pub fn places(path: &str) -> [String; 2] {
    [format!("lib/{path}.rb"), format!("lib/puppet/{path}.rb")]
}

/// The type that a file declares: in Ruby, or as `puppet generate types` writes it.
pub fn of_file(file: &Path, name: &str, source: &[u8], library: &dyn Library) -> ResourceType {
    if file.extension().is_some_and(|extension| extension == "pp") {
        let read = read_generated(name, &String::from_utf8_lossy(source));
        return read.unwrap_or_else(|why| ResourceType::unreadable(name, why));
    }
    declared(name, source, library)
}
