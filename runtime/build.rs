//! The fingerprint of the compiler: a hash of all sources whose work lies in archives. An archive made by another
//! compiler is refused, whatever its version numbers say.

#![allow(clippy::disallowed_macros, reason = "how a build script speaks to cargo")]

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Folders and files whose code decides what an archive holds, from this crate's folder.
const SOURCES: &[&str] = &[
    "../compiler/src",
    "../vm/src/archive",
    "../vm/src/isa.rs",
    "../vm/src/unit",
    "src/archive",
    "src/erb",
    "hiera/src/data_file",
    "src/modules.rs",
    "src/resource_types",
];

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let content = std::fs::read(&file).expect("a source can be read");
        hash.update(file.to_string_lossy().as_bytes());
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    let text: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=BUNRAKU_FINGERPRINT={text}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return;
    }
    for entry in std::fs::read_dir(path).expect("a source folder can be read") {
        collect(&entry.expect("a source folder can be read").path(), files);
    }
}
