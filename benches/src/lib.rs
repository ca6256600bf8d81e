//! Fixtures and helpers of the benches.

pub mod agents;
pub mod callgrind;
pub mod calls;
pub mod calls_plain;
pub mod cases;
pub mod cold;
pub mod diff;
pub mod engines;
pub mod fleet;
pub mod puppet;
pub mod results;
pub mod scale;
pub mod target;
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

/// The modules of the corpus where it has been fetched, else those of the fixture.
pub fn modules() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpus = root.join(".cache/corpus/modules");
    if corpus.is_dir() { corpus } else { root.join("fixtures/control-repo/modules") }
}

/// Their manifests.
pub fn sources() -> Vec<String> {
    let mut files = Vec::new();
    manifests(&modules(), &mut files);
    files.sort();
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}
