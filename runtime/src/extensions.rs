//! Ruby by which modules extend the compiler: files that Puppet 3 and 4 looked for by themselves, since they bind values
//! for functions to be injected with, and files of extensions that register a checker of syntax.

use crate::environment::Environment;
use std::path::{Path, PathBuf};

/// Where bindings of a module lie: in `MODULE/default.rb` below it.
const BINDINGS: &str = "lib/puppet/bindings";
/// Where extensions lie, by the two names that there have been.
const FOLDERS: [&str; 2] = ["lib/puppetx", "lib/puppet_x"];
/// What a file that registers a checker has in it: the registry's name begins like this in every version.
const REGISTRY: &[u8] = b"SYNTAX_CHECKERS";
/// Folders below each other.
const MAX_DEPTH: usize = 16;

/// The files, each with its module's name; modules in their order, bindings first.
pub fn find(environment: &Environment) -> Vec<(String, PathBuf)> {
    let tree = environment.tree();
    let mut found = Vec::new();
    for module in environment.modules.iter() {
        let folder = module.path.join(BINDINGS);
        tree.watch(folder.clone());
        let bindings = folder.join(&module.name).join("default.rb");
        if tree.is_file(&bindings) {
            found.push((module.name.clone(), bindings));
        }
        for folder in FOLDERS {
            let folder = module.path.join(folder);
            tree.watch(folder.clone());
            for file in files(environment, &folder, 0) {
                let registers = tree
                    .read(&file)
                    .is_ok_and(|text| text.windows(REGISTRY.len()).any(|window| window == REGISTRY));
                if registers {
                    found.push((module.name.clone(), file));
                }
            }
        }
    }
    found
}

/// The Ruby files of a folder and of those below it, by name.
fn files(environment: &Environment, folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for child in environment.tree().list(folder) {
        let path = folder.join(&child.name);
        if child.is_folder && depth < MAX_DEPTH {
            found.extend(files(environment, &path, depth + 1));
        } else if !child.is_folder && child.name.ends_with(".rb") {
            found.push(path);
        }
    }
    found
}
