// The fingerprint of the compiler: a hash of all sources whose work lies in archives, and of the lock file, which says
// what other crates had a part in it. Used by the build script and by the test that holds it.

use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The sources that the fingerprint covers, from the workspace's root `root`: those of the package in `package` and of
/// all packages of the workspace that it depends on, and the lock file.
///
/// # Errors
/// When a manifest of a package can't be read.
fn sources(root: &Path, package: &str) -> io::Result<Vec<PathBuf>> {
    let workspace = std::fs::read_to_string(root.join("Cargo.toml"))?;
    let folder_of = |name: &str| {
        let line = workspace.lines().find(|line| line.starts_with(&format!("{name} = {{ path = ")))?;
        line.split('"').nth(1)
    };
    let mut packages = BTreeSet::new();
    let mut pending = vec![package.to_owned()];
    while let Some(folder) = pending.pop() {
        if !packages.insert(folder.clone()) {
            continue;
        }
        let manifest = std::fs::read_to_string(root.join(&folder).join("Cargo.toml"))?;
        let sections = manifest.split("\n[").filter(|section| {
            section.starts_with("dependencies]") || section.ends_with(".dependencies]")
        });
        let names = sections.flat_map(str::lines).filter_map(|line| line.split(['.', ' ', '=']).next());
        pending.extend(names.filter_map(folder_of).map(str::to_owned));
    }
    let mut files = vec![PathBuf::from("Cargo.lock")];
    for folder in packages {
        files.push(Path::new(&folder).join("Cargo.toml"));
        collect(root, &Path::new(&folder).join("src"), &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => collect(root, &path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The hash of some files below a root, their names included. A file that is not there counts as empty: outside of its
/// workspace a package has another lock file.
fn fingerprint(root: &Path, files: &[PathBuf]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for file in files {
        let content = std::fs::read(root.join(file)).unwrap_or_default();
        hash.update(file.to_string_lossy().as_bytes());
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    hash.finalize().into()
}
