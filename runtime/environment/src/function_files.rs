//! Where functions in Ruby are: which modules of an environment, and the environment itself, have a file for a name.
//! Looked up once, when a compile first asks, for a module path may have hundreds of folders to look in.

use crate::modules::Modules;
use bunraku_files::tree::Tree;
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

/// The files of all functions in Ruby whose names have no `::`. Those with one lie in the module they name.
#[derive(Debug, Default)]
pub struct FunctionFiles {
    /// By name: modules in their order, the environment's own last.
    by_name: BTreeMap<String, Vec<FunctionFile>>,
}

impl FunctionFiles {
    /// Looks into all folders of the module path, and into an environment's own.
    pub fn find(modules: &Modules, directory: Option<&Path>) -> FunctionFiles {
        let mut files = FunctionFiles::default();
        let own = directory.map(|directory| (ENVIRONMENT.to_owned(), directory.to_owned()));
        for (owner, root) in modules.all_folders().chain(own) {
            let is_module = || modules.get(&owner).is_some_and(|module| module.path == root);
            let sees_new = owner == ENVIRONMENT || is_module();
            for api in [Api::New, Api::Old].into_iter().filter(|api| sees_new || *api == Api::Old) {
                files.add(modules.tree(), &owner, &root.join(api.folder()), api);
            }
        }
        files
    }

    fn add(&mut self, tree: &Tree, owner: &str, folder: &Path, api: Api) {
        for child in tree.list(folder) {
            if let Some(name) = child.name.strip_suffix(".rb")
                && !child.is_folder
            {
                let file = FunctionFile { path: folder.join(&child.name), owner: owner.to_owned(), api };
                self.by_name.entry(name.to_owned()).or_default().push(file);
            }
        }
    }

    /// The files for a name, modules in their order, the environment's own last.
    pub fn of(&self, name: &str) -> &[FunctionFile] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// All files, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FunctionFile)> {
        self.by_name.iter().flat_map(|(name, files)| files.iter().map(move |file| (name.as_str(), file)))
    }
}
