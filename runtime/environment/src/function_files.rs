//! Where functions in Ruby are: which modules of an environment, and the environment itself, have a file for a name.
//! On the disk all are looked up when a compile first asks, for a module path may have hundreds of folders to look in; a frozen archive
//! is asked for each name.

use crate::modules::Modules;
use bunraku_files::memo::{Contract, Memo, MemoCell, NEVER};
use bunraku_files::reads;
use bunraku_stdlib::module::Api;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name that code of the environment itself goes by where a module's is asked for.
pub const ENVIRONMENT: &str = "environment";

/// A file that a function is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionFile {
    /// The file.
    pub path: PathBuf,
    /// The module it lies in, or [`ENVIRONMENT`].
    pub owner: String,
    /// The interface it is written for.
    pub api: Api,
}

/// The files of functions in Ruby whose names have no `::`. Those with one lie in the module they name.
pub struct FunctionFiles {
    /// All of a tree on the disk, by name: modules in their order, the environment's own last.
    all: MemoCell<BTreeMap<String, Vec<FunctionFile>>>,
    /// Those that a frozen archive was asked for, which has an index of its own.
    asked_for: Memo<String, Vec<FunctionFile>>,
}

const ALL: Contract = Contract {
    holds: "where functions in Ruby are, of a tree on the disk",
    key: "none",
    bound: "one index: the files below the folders of functions of all modules",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const ASKED_FOR: Contract = Contract {
    holds: "where functions in Ruby are, of a frozen archive",
    key: "name",
    bound: "the functions of all modules: names of none are not kept",
    stale: NEVER,
    test: "runtime/compile/tests/archive.rs: an_archive_has_the_files_of_functions_that_a_tree_has",
};

impl Default for FunctionFiles {
    fn default() -> Self {
        FunctionFiles { all: MemoCell::new(&ALL), asked_for: Memo::new(&ASKED_FOR) }
    }
}

impl FunctionFiles {
    /// The files for a name, of modules in their order, the environment's own last; its folder is `directory`.
    pub fn of(&self, name: &str, (modules, directory): (&Modules, Option<&Path>)) -> &[FunctionFile] {
        if modules.tree().frozen_info().is_none() {
            return self.all.get_or(|| all(modules, directory)).get(name).map_or(&[], Vec::as_slice);
        }
        if let Some(known) = self.asked_for.get(name) {
            return known;
        }
        let (found, reads) = reads::gather(|| archived(name, modules, directory));
        if found.is_empty() {
            return &[];
        }
        self.asked_for.keep(name.to_owned(), (found, reads))
    }
}

/// Looks into all folders of the module path, and into an environment's own.
fn all(modules: &Modules, directory: Option<&Path>) -> BTreeMap<String, Vec<FunctionFile>> {
    let mut all: BTreeMap<String, Vec<FunctionFile>> = BTreeMap::new();
    let own = directory.map(|directory| (ENVIRONMENT.to_owned(), directory.to_owned()));
    for (owner, root) in modules.all_folders().chain(own) {
        for api in [Api::New, Api::Old].into_iter().filter(|api| is_seen(modules, (&owner, &root), *api)) {
            let folder = root.join(api.folder());
            for child in modules.tree().list(&folder) {
                if let Some(name) = child.name.strip_suffix(".rb")
                    && !child.is_folder
                {
                    let file = FunctionFile { path: folder.join(&child.name), owner: owner.clone(), api };
                    all.entry(name.to_owned()).or_default().push(file);
                }
            }
        }
    }
    all
}

/// Asks a frozen archive for the files of one name.
fn archived(name: &str, modules: &Modules, directory: Option<&Path>) -> Vec<FunctionFile> {
    let tree = modules.tree();
    let folder_of = |provider: &str| {
        let (parent, owner) = provider.rsplit_once('/')?;
        let folder = modules.path().iter().find(|folder| tree.name_of(folder) == parent)?;
        Some((owner.to_owned(), folder.join(owner)))
    };
    let environment = |provider: &str| {
        let directory = directory.filter(|directory| tree.name_of(directory) == provider)?;
        Some((ENVIRONMENT.to_owned(), directory.to_owned()))
    };
    let mut files = Vec::new();
    for api in [Api::New, Api::Old] {
        let below = api.file(name);
        for provider in tree.providers(&below).unwrap_or_default() {
            let found = folder_of(provider).or_else(|| environment(provider));
            let found = found.filter(|(owner, root)| is_seen(modules, (owner, root), api));
            files.extend(found.map(|(owner, root)| FunctionFile { path: root.join(&below), owner, api }));
        }
    }
    files
}

/// Whether functions of an interface are seen in a folder of the module path: those of the older one in all, the others in modules.
fn is_seen(modules: &Modules, (owner, root): (&str, &Path), api: Api) -> bool {
    let is_module = || modules.get(owner).is_some_and(|module| module.path == root);
    api == Api::Old || owner == ENVIRONMENT || is_module()
}
