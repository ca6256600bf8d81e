//! Where things are: the repository, the cache of downloads and goldens, the fact files; and copies of folders.

use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent").to_path_buf()
}

/// Downloads and goldens, which are never committed.
pub fn cache() -> PathBuf {
    root().join(".cache").join("corpus")
}

/// The module path that [`crate::corpus::fetch`] lays out.
pub fn modules() -> PathBuf {
    cache().join("modules")
}

/// The committed lists and indexes of the corpus.
pub fn corpus_lists() -> PathBuf {
    root().join("tests").join("corpus")
}

/// The pages of the language specification.
pub fn spec() -> PathBuf {
    root().join("spec")
}

/// The target directory of the running build.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => root().join("target"),
    }
}

/// The folders of the workspace's crates, below [`root`]; panics where the manifest does not name them.
pub fn members() -> Vec<PathBuf> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest can be read");
    let line = manifest.lines().find(|line| line.starts_with("members = ")).expect("there are members");
    line.split('"').skip(1).step_by(2).map(PathBuf::from).collect()
}

/// Writes a file, with the folders that it lies in; panics where it can't, as only tests call it.
pub fn write(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("a folder can be made");
    std::fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// Writes files below a folder, by their names; panics likewise.
pub fn write_all(folder: &Path, files: &[(&str, &str)]) {
    files.iter().for_each(|(name, text)| write(&folder.join(name), text));
}

/// Copies a folder with all below it; panics where it can't, as only tests call it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("a folder can be read").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &to),
            false => _ = std::fs::copy(&path, &to).expect("a file can be copied"),
        }
    }
}
