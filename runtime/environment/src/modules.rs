//! The module path: which modules there are, what they depend on, where a name's file lies. A module is looked for
//! when it is asked for, so that opening an environment does not depend on how many there are.
//! Source: puppet-specifications, "Autoloading"; `Puppet::Module` for what counts as a module.

use crate::metadata::{Consequence, Metadata, MetadataFault};
use crate::units::Outcome;
use bunraku_files::archive::Info;
use bunraku_files::memo::{Contract, Memo, MemoCell, NEVER};
use bunraku_files::paths;
use bunraku_files::reads::{self, PathQuestion, Reads, Touch};
use bunraku_files::tree::Tree;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::compat::Compat;
use bunraku_vm::host::Strict;
use bunraku_vm::learned::Learned;
use bunraku_vm::symbol::GrowingBase;
use elsa::sync::FrozenMap;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What says what a module is.
pub(crate) const METADATA_FILE: &str = "metadata.json";

/// A module.
pub struct Module {
    /// Name: its folder's.
    pub name: String,
    /// Its folder, as found on the module path.
    pub path: PathBuf,
    metadata: MemoCell<Metadata>,
    is_faulty: MemoCell<bool>,
}

/// All modules of a module path, those of earlier folders first.
pub struct Modules {
    tree: Arc<Tree>,
    path: Vec<PathBuf>,
    /// The main manifest beside them, a file or a folder.
    main: Option<PathBuf>,
    /// The version as which metadata is read.
    compat: Compat,
    /// Whether modules are there whose metadata is no JSON.
    strict: Strict,
    /// Modules that were asked for, whatever their metadata says; none for names that no folder has.
    known: Memo<String, Option<Module>>,
    /// Names in the order of the path.
    names: MemoCell<Vec<String>>,
    /// What [`manifests`] has found.
    manifests: Memo<String, Box<[PathBuf]>>,
    /// Files that compiles have loaded.
    files: Memo<String, KeptFile>,
    /// What the names of these files are numbered by.
    symbols: Arc<GrowingBase>,
}

const MODULES: Contract = Contract {
    holds: "modules, and names of none",
    key: "name",
    bound: "the names of modules in the code and data that are used",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

/// The name that Puppet's loaders have for the environment itself.
const ENVIRONMENT: &str = "environment";

const MODULE_NAMES: Contract = Contract {
    holds: "the names of all modules in the order of the path",
    key: "none",
    bound: "one list",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const METADATA: Contract = Contract {
    holds: "what a module's metadata.json says",
    key: "none, one for each module",
    bound: "the modules",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const FAULTY: Contract = Contract {
    holds: "whether something is wrong with a module's metadata.json",
    key: "none, one for each module",
    bound: "the modules",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const MANIFESTS: Contract = Contract {
    holds: "the manifests that may define a class or defined type",
    key: "its name",
    bound: "the names of classes and types in the code and data that are used",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const FILES: Contract = Contract {
    holds: "manifests and templates as compiles load them, with what was learned of their types and names",
    key: "path",
    bound: "the manifests and templates of the tree",
    stale: NEVER,
    test: "runtime/compile/tests/learned.rs: nothing_learned_shows",
};

/// A manifest or template of the tree: what every compile that loads it would find out again.
#[derive(Default)]
pub struct KeptFile {
    /// Its path, as messages and the catalog have it.
    pub path: String,
    /// The module it lies in; empty for none.
    pub module: String,
    /// Its path from the module path on, for a module's manifest.
    pub in_module: Option<String>,
    /// Its unit, by how it is checked.
    pub units: [OnceLock<Outcome>; 3],
    /// What compiles have learned of it, likewise.
    pub learned: [Learned; 3],
    /// The question that whoever loads it asks of it: made once.
    outline: OnceLock<Touch>,
    /// What was read besides for what is learned of a chunk: the files of the aliases that its parameters' types name.
    pub learned_from: [FrozenMap<u32, Box<Reads>>; 3],
}

impl KeptFile {
    /// Its unit, for files that are checked in one of the ways; `compile` makes it.
    pub fn unit(&self, tree: &Tree, way: usize, compile: impl FnOnce() -> Outcome) -> &Outcome {
        reads::note(|| self.outline(tree));
        self.units[way].get_or_init(|| reads::unnoted(compile))
    }

    /// The question that whoever loads it asks of it.
    pub fn outline(&self, tree: &Tree) -> Touch {
        *self.outline.get_or_init(|| tree.question(PathQuestion::Outline, Path::new(&self.path)))
    }
}

impl Modules {
    /// The folders of a module path, on the disk. Folders that aren't there count as empty, as in Puppet.
    pub fn read(path: &[PathBuf]) -> Modules {
        Modules::of(Arc::default(), path.to_vec(), (Compat::default(), Strict::Off))
    }

    /// The folders of a module path, in a tree, by the rules of a version and the setting `strict`.
    pub fn of(tree: Arc<Tree>, path: Vec<PathBuf>, (compat, strict): (Compat, Strict)) -> Modules {
        Modules {
            tree,
            path,
            main: None,
            compat,
            strict,
            known: Memo::new(&MODULES),
            names: MemoCell::new(&MODULE_NAMES),
            manifests: Memo::new(&MANIFESTS),
            files: Memo::new(&FILES),
            symbols: Arc::default(),
        }
    }

    /// The same beside a main manifest, a file or a folder, which is no module's even where the module path leads to it.
    pub fn beside(self, main: Option<&Path>) -> Modules {
        Modules { main: main.map(Path::to_owned), ..self }
    }

    /// The same, whose names are numbered by a base that others have, too.
    pub fn numbered_by(self, symbols: Arc<GrowingBase>) -> Modules {
        Modules { symbols, ..self }
    }

    /// The folders.
    pub fn path(&self) -> &[PathBuf] {
        &self.path
    }

    /// The tree that it reads.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// The module of a name, where its metadata lets it be one.
    pub fn get(&self, name: &str) -> Option<&Module> {
        self.folder(name).filter(|module| match self.consequence(module) {
            None | Some(Consequence::Told(_)) => true,
            Some(Consequence::Absent(_) | Consequence::Fatal(_)) => false,
        })
    }

    /// The folder of a name on the module path, whatever its metadata says.
    fn folder(&self, name: &str) -> Option<&Module> {
        let find = || {
            let folders = is_module_name(name).then_some(&self.path).into_iter().flatten();
            let path = folders.map(|folder| folder.join(name)).find(|path| self.tree.is_dir(path))?;
            let (metadata, is_faulty) = (MemoCell::new(&METADATA), MemoCell::new(&FAULTY));
            Some(Module { name: name.to_owned(), path, metadata, is_faulty })
        };
        self.known.get_or(name, find).as_ref()
    }

    /// All modules in Puppet's order: that of the path, those of one folder by name.
    pub fn iter(&self) -> impl Iterator<Item = &Module> {
        self.names().filter_map(|name| self.get(name))
    }

    /// The same with those that are none because of their metadata.
    pub fn folders(&self) -> impl Iterator<Item = &Module> {
        self.names().filter_map(|name| self.folder(name))
    }

    /// All folders on the path with their names, modules or not: those with other names and those behind another of their
    /// name, too. Where Puppet looks for resource types and functions of the older interface, it looks into all of them.
    pub fn all_folders(&self) -> impl Iterator<Item = (String, PathBuf)> {
        self.path.iter().flat_map(|folder| {
            let children = self.tree.list(folder).into_iter();
            let seen = children.filter(|child| child.is_folder && !child.name.starts_with('.'));
            seen.map(|child| (child.name.clone(), folder.join(child.name)))
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.names.get_or(|| {
            let children = self.path.iter().flat_map(|folder| self.tree.list(folder));
            let named = children
                .filter(|child| child.is_folder && is_module_name(&child.name))
                .map(|child| child.name);
            let mut seen = HashSet::new();
            named.filter(|name| seen.insert(name.clone())).collect()
        });
        names.iter().map(String::as_str)
    }

    /// What follows from what is wrong with the metadata of modules, in their order.
    pub fn faults(&self) -> Vec<Consequence> {
        // Who asks this of all modules has not asked for each by name, nor for what else their metadata says.
        self.path.iter().for_each(|folder| self.tree.note_asked(PathQuestion::Fault, folder));
        reads::unnoted(|| self.faulty().filter_map(|module| self.consequence(module)).collect())
    }

    /// The modules whose metadata something is wrong with. A frozen archive has their names, so that the others' need not be
    /// read.
    pub(crate) fn faulty(&self) -> impl Iterator<Item = &Module> {
        let known = self.tree.frozen_info().map(|info| info.faulty.iter().map(String::as_str));
        let all = known.is_none().then(|| self.names());
        let names = known.into_iter().flatten().chain(all.into_iter().flatten());
        names.filter_map(|name| self.folder(name)).filter(|module| self.fault(&module.name).is_some())
    }

    /// Whether there is a module of the name that Puppet's loaders have for the environment itself.
    pub fn has_one_called_environment(&self) -> bool {
        // A frozen archive says so in the list that every compile reads: nothing else of it has to be looked at.
        let listed =
            self.tree.frozen_info().is_none_or(|info| info.faulty.iter().any(|name| name == ENVIRONMENT));
        if !listed {
            self.path
                .iter()
                .for_each(|folder| self.tree.note_asked(PathQuestion::Kind, &folder.join(ENVIRONMENT)));
        }
        listed && self.get(ENVIRONMENT).is_some()
    }

    /// The modules that every compile asks for: see [`Info::faulty`](bunraku_files::archive::Info::faulty).
    pub(crate) fn asked_for(&self) -> impl Iterator<Item = &Module> {
        let taken = self.get(ENVIRONMENT).filter(|module| self.fault(&module.name).is_none());
        self.faulty().chain(taken)
    }

    /// What is wrong with the metadata of the module of a name.
    pub fn fault(&self, name: &str) -> Option<&MetadataFault> {
        let module = self.folder(name)?;
        let fault = || reads::unnoted(|| self.metadata(module).fault.as_ref());
        let is_faulty = module.is_faulty.get_or(|| {
            self.tree.note_asked(PathQuestion::Fault, &module.path.join(METADATA_FILE));
            // A frozen archive has their names.
            let listed = |info: &Info| info.faulty.iter().any(|known| known == name);
            self.tree.frozen_info().is_none_or(listed) && fault().is_some()
        });
        is_faulty.then(fault).flatten()
    }

    fn consequence(&self, module: &Module) -> Option<Consequence> {
        Some(self.fault(&module.name)?.consequence(&module.name, self.strict))
    }

    /// Whether a module's metadata is no JSON: whether such a module is there depends on the setting `strict`.
    pub fn is_without_json(&self, module: &Module) -> bool {
        matches!(self.fault(&module.name), Some(MetadataFault::Unparsable(_)))
    }

    /// The module a file lies in, by its path; none of a main manifest, whatever the module path.
    pub fn containing(&self, file: &Path) -> Option<&Module> {
        if self.main.as_deref().is_some_and(|main| file.starts_with(main)) {
            return None;
        }
        self.path.iter().find_map(|folder| {
            let below = paths::below(folder, file)?;
            let module = self.get(below.split('/').next()?)?;
            paths::below(&module.path, file).is_some().then_some(module)
        })
    }

    /// A manifest's path from the module path on (`apache/manifests/vhost.pp`), and its module.
    pub fn place(&self, file: &Path) -> Option<(String, &Module)> {
        let module = self.containing(file)?;
        let rest = paths::below(&module.path, file)?;
        Some((format!("{}/{rest}", module.name), module))
    }

    /// What is kept of a manifest or template; none for one outside of the tree.
    pub fn kept_file(&self, file: &Path) -> Option<&KeptFile> {
        let path = file.to_str()?;
        if let Some(known) = self.files.get(path) {
            return Some(known);
        }
        self.tree.holds(file).then(|| {
            let kept = reads::gather(|| {
                let place = self.place(file);
                let module = place.as_ref().map_or_else(String::new, |(_, module)| module.name.clone());
                let in_module = place.map(|(path, _)| path);
                KeptFile { path: path.to_owned(), module, in_module, ..KeptFile::default() }
            });
            self.files.keep(path.to_owned(), kept)
        })
    }

    /// The numbers that the names of [`Modules::kept_file`]s have.
    pub fn symbols(&self) -> &GrowingBase {
        &self.symbols
    }

    fn metadata<'m>(&self, module: &'m Module) -> &'m Metadata {
        let read = || {
            let file = module.path.join(METADATA_FILE);
            self.tree.cold(&file, Section::Metadata).unwrap_or_else(|| match self.tree.read(&file) {
                Ok(content) => Metadata::of(&content, self.compat),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Metadata::default(),
                Err(error) => Metadata::with_fault(MetadataFault::Unusable(error.to_string())),
            })
        };
        module.metadata.get_or(read)
    }

    /// The version of a module, as its metadata.json says.
    pub fn version(&self, name: &str) -> Option<&str> {
        self.metadata(self.get(name)?).version.as_deref()
    }

    /// Who gives a module's data, as its metadata.json says.
    pub fn data_provider(&self, name: &str) -> Option<&str> {
        self.metadata(self.get(name)?).data_provider.as_deref()
    }

    /// Names of the modules that a module's metadata.json lists as dependencies; none if it lists none at all.
    pub fn dependencies(&self, of: &str) -> &[String] {
        let module = self.get(of);
        module.and_then(|module| self.metadata(module).dependencies.as_deref()).unwrap_or_default()
    }

    /// All modules in the order in which code of module `from` (empty for none) looks through them for a name that says
    /// no module: those it depends on come first. It sees the others, too.
    pub fn from<'m>(&'m self, from: &str) -> impl Iterator<Item = &'m Module> {
        let listed = self.dependencies(from);
        let others = self.iter().filter(|module| !listed.contains(&module.name));
        listed.iter().filter_map(|name| self.get(name)).chain(others)
    }
}

/// Letters, digits and `_`, a lower-case letter first.
fn is_module_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Manifests that may define the class or defined type `name`, in the order Puppet reads them: the module's
/// `init.pp` comes before all others; for `a::b::c` then the file of that name, that of `a::b`.
pub fn manifests<'m>(modules: &'m Modules, name: &str) -> &'m [PathBuf] {
    modules.manifests.get_or(name, || search(modules, name).into())
}

fn search(modules: &Modules, name: &str) -> Vec<PathBuf> {
    let segments: Vec<&str> = name.split("::").collect();
    let Some(module) = segments.first().and_then(|first| modules.get(first)) else { return Vec::new() };
    let folder = module.path.join("manifests");
    let specific = (2..=segments.len())
        .rev()
        .map(|count| folder.join(segments[1..count].join("/")).with_extension("pp"));
    std::iter::once(folder.join("init.pp"))
        .chain(specific)
        .filter(|file| modules.tree.is_file(file))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_words_are_modules() {
        assert!(is_module_name("apache2_x"));
        assert!(!is_module_name("Apache"));
        assert!(!is_module_name("apache-2"));
        assert!(!is_module_name("_x"));
    }
}
