//! Fixtures and helpers of the benches.

pub mod cases;
pub mod cold;
pub mod puppet;
pub mod results;
pub mod scale;
pub mod warm;

use std::path::{Path, PathBuf};

fn manifests(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            manifests(&path, into);
        } else if path.extension().is_some_and(|e| e == "pp") {
            into.push(path);
        }
    }
}

/// The manifests of the corpus where it has been fetched, else those of the fixture.
pub fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    manifests(&root.join(".cache/corpus/modules"), &mut files);
    if files.is_empty() {
        manifests(&root.join("fixtures"), &mut files);
    }
    files.sort();
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}
