//! Tells the crate the fingerprint of the compiler it is part of. An archive made by another compiler is refused,
//! whatever its version numbers say.

#![allow(clippy::disallowed_macros, reason = "how a build script speaks to cargo")]

include!("fingerprint.rs");

fn main() {
    let root = Path::new("../..");
    if !root.join("compiler/Cargo.toml").is_file() {
        // As published: packages name each other by their exact version, which says what all of their sources are.
        let lock = lock_file().map(|file| std::fs::read(file).unwrap_or_default()).unwrap_or_default();
        let version = std::env::var("CARGO_PKG_VERSION").expect("Cargo says what is built");
        tell(&of_version(&version, &lock));
        return;
    }
    let files = sources(root, "runtime/environment").expect("the workspace's manifests can be read");
    for file in &files {
        println!("cargo::rerun-if-changed={}", root.join(file).display());
    }
    // A file may come. The root is not watched: everything lies below it, what is built included, and Cargo would find a change
    // each time that it is asked.
    let folders = files.iter().filter_map(|file| file.parent()).filter(|folder| *folder != Path::new(""));
    for folder in folders.collect::<BTreeSet<_>>() {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
    }
    tell(&fingerprint(root, &files));
}

fn tell(fingerprint: &[u8; 32]) {
    let text: String = fingerprint.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=BUNRAKU_FINGERPRINT={text}");
}

/// The lock file of whoever builds this package, if it lies above the folder that is built into.
fn lock_file() -> Option<PathBuf> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR")?);
    out.ancestors().map(|folder| folder.join("Cargo.lock")).find(|file| file.is_file())
}

/// The fingerprint of a published version, built with the crates of a lock file.
fn of_version(version: &str, lock: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(version);
    hash.update(lock);
    hash.finalize().into()
}
