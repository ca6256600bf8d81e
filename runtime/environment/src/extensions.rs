//! Ruby by which modules extend the compiler: files that Puppet 3 and 4 looked for by themselves, since they bind values
//! for functions to be injected with, and files of extensions that register a checker of syntax.

use crate::snapshot::Snapshot;
use bunraku_files::tree::Tree;
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
pub fn find(environment: &Snapshot) -> Vec<(String, PathBuf)> {
    let tree = environment.tree();
    let mut found = Vec::new();
    for module in environment.modules.iter() {
        let bindings = module.path.join(BINDINGS).join(&module.name).join("default.rb");
        if tree.is_file(&bindings) {
            found.push((module.name.clone(), bindings));
        }
        for folder in FOLDERS {
            let files = files(tree, &module.path.join(folder), 0).into_iter();
            let registering = files.filter(|file| registers(tree, file));
            found.extend(registering.map(|file| (module.name.clone(), file)));
        }
    }
    found
}

/// Whether a file names the registry. It is read where it lies, as all Ruby is, even where an archive is frozen.
fn registers(tree: &Tree, file: &Path) -> bool {
    let text = tree.read(file).or_else(|_| tree.read_source(file));
    text.is_ok_and(|text| text.windows(REGISTRY.len()).any(|window| window == REGISTRY))
}

/// The Ruby files of a folder and of those below it, by name.
fn files(tree: &Tree, folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for child in tree.list(folder) {
        let path = folder.join(&child.name);
        if child.is_folder && depth < MAX_DEPTH {
            found.extend(files(tree, &path, depth + 1));
        } else if !child.is_folder && child.name.ends_with(".rb") {
            found.push(path);
        }
    }
    found
}
