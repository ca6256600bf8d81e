//! Where the types of modules are: files under `lib/puppet/type` of the modules and of the environment, and what
//! `puppet generate types` wrote, which goes before them.

use super::modules::{List, Modules};
use super::{DoubtKind, Library, ResourceType, Steps, declared, read_generated};
use bunraku_files::memo::{Contract, FileMemo, Memo, MemoCell, NEVER, SessionFiles};
use bunraku_files::reads::{self, PathQuestion};
use bunraku_files::tree::Tree;
use bunraku_vm::archive::layout::Section;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FOLDER: &str = "lib/puppet/type";
const PROVIDERS: &str = "lib/puppet/provider";

/// Folders of modules with the types in them. Nothing is listed before a type is asked for.
pub struct Folders {
    tree: Arc<Tree>,
    modules: Modules,
    /// The environment's folder.
    environment: Option<PathBuf>,
    /// Files of types in Ruby by name.
    index: MemoCell<BTreeMap<String, PathBuf>>,
    /// Files of providers by the name of their type.
    providers: Memo<String, Vec<(String, PathBuf)>>,
    /// What loading a file does.
    steps: FileMemo<Arc<Steps>, 1>,
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
    holds: "the files of providers of resource types",
    key: "the type's name",
    bound: "the types that are used, and those that their files name",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const STEPS: Contract = Contract {
    holds: "what loading the files of resource types and their providers does",
    key: "path",
    bound: "the files of Ruby of the tree; of others, and for the next snapshot, 50,000",
    stale: "the file is another one, or its size or times differ",
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

/// What loading files does, as it was read for all snapshots of a session.
pub type SessionSteps = SessionFiles<Arc<Steps>, 1>;

impl Folders {
    /// Folders read through `tree`; `list` gives them, the environment's own last. `library` says whether Ruby's or Puppet's own
    /// library has a file that is required by a name.
    pub fn new(tree: Arc<Tree>, environment: Option<PathBuf>, list: List, library: fn(&str) -> bool) -> Self {
        let modules = Modules::new(tree.clone(), list);
        let (index, providers) = (MemoCell::new(&INDEX), Memo::new(&PROVIDED));
        let steps = FileMemo::new(&STEPS, Arc::default());
        Folders { tree, modules, environment, index, providers, steps, library }
    }

    /// The same, whose files need not be read again that other snapshots of a session have read.
    pub fn with_session(self, session: Arc<SessionSteps>) -> Self {
        Folders { steps: FileMemo::new(&STEPS, session), ..self }
    }

    /// The same with folders of modules that are no part of the tree.
    pub fn with_outside(self, outside: Vec<PathBuf>) -> Self {
        Folders { modules: self.modules.with_outside(outside), ..self }
    }

    fn index(&self) -> &BTreeMap<String, PathBuf> {
        self.index.get_or(|| {
            let mut all = BTreeMap::new();
            for folder in self.modules.all().iter().map(|path| path.join(FOLDER)) {
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
            Some(None) => self.modules.file_outside(&file),
            None => reads::unnoted(|| self.index().get(name).cloned()),
        }
    }

    /// The type of a name in lower case.
    pub fn find(&self, name: &str) -> Option<ResourceType> {
        let file = self.file(name)?;
        let known: Option<ResourceType> = self.tree.cold(&file, Section::Types);
        // What else it was made of may have changed, unless nobody looks.
        let holds = |ty: &ResourceType| {
            self.tree.is_frozen()
                || ty.requires.iter().all(|path| self.is_as_archived(path))
                    && self.providers_of(name).iter().map(|(place, _)| place).eq(&ty.providers)
                    && ty.providers.iter().all(|file| self.is_place_as_archived(file).1)
        };
        if let Some(mut ty) = known.filter(holds) {
            self.note_parts(&ty);
            // The modules that packages bring along are no part of an archive.
            ty.doubts.retain(|doubt| {
                doubt.kind != DoubtKind::Require
                    || self.modules.file_outside(&format!("lib/{}.rb", doubt.text)).is_none()
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
                self.tree.note_asked(PathQuestion::Content, &file);
            }
        }
        self.note_providers(&ty.name);
    }

    fn note_providers(&self, name: &str) {
        self.tree.note_provided((["lib/puppet/provider", "/"], name, ""));
    }

    /// The files of a type's providers below their modules' folders, each with where it lies.
    fn providers_of(&self, name: &str) -> &[(String, PathBuf)] {
        let listed = || self.modules.files_in(&format!("{PROVIDERS}/{name}"));
        reads::unnoted(|| self.providers.get_or(name, listed))
    }

    /// The file that a type requires, from the first module that has it.
    fn required(&self, path: &str) -> Option<PathBuf> {
        places(path).into_iter().find_map(|place| self.provided(&place))
    }

    fn provided(&self, place: &str) -> Option<PathBuf> {
        match self.tree.provided(place) {
            Some(Some(file)) => Some(file),
            Some(None) => self.modules.file_outside(place),
            None => reads::unnoted(|| self.modules.file(place)),
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

    fn steps_at(&self, path: &str) -> Option<Arc<Steps>> {
        let file = self.provided(&format!("{path}.rb"))?;
        let read = || self.read(&file).map(|text| Arc::new(Steps::of(&text))).ok_or(());
        self.steps.get((&self.tree, &file, 0), || None, |_| (), read).ok()
    }

    fn providers(&self, name: &str) -> Vec<String> {
        self.note_providers(name);
        self.providers_of(name).iter().map(|(place, _)| place.clone()).collect()
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
