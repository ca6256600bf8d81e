//! Tells the crate the fingerprint of the compiler it is part of. An archive made by another compiler is refused,
//! whatever its version numbers say.

#![allow(clippy::disallowed_macros, reason = "how a build script speaks to cargo")]

include!("fingerprint.rs");

fn main() {
    let root = Path::new("../..");
    let files = sources(root, "runtime/environment").expect("the workspace's manifests can be read");
    for file in &files {
        println!("cargo::rerun-if-changed={}", root.join(file).display());
    }
    // A file may come.
    for folder in files.iter().filter_map(|file| file.parent()).collect::<BTreeSet<_>>() {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
    }
    let text: String = fingerprint(root, &files).iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=BUNRAKU_FINGERPRINT={text}");
}
