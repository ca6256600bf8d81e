//! Any change to an archive, its checksums made to fit: opened, inspected, compiled from. `cargo fuzz run archive`
//!
//! The input is taken eight bytes at a time: a place in the archive, and the word that is put there.
#![no_main]

use bunraku_environment::archive;
use bunraku_environment::archive::build::{self, Options};
use bunraku_environment::archive::inspect::inspect;
use bunraku_compile::job::{Job, Session};
use bunraku_vm::archive::writer::seal_all;
use libfuzzer_sys::fuzz_target;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/control-repo");
    let options = Options { directory: Some(fixture), embed: true, ..Options::default() };
    build::bytes(&options, Path::new("none"), &|_| ()).expect("the fixture builds").0
});

fuzz_target!(|input: &[u8]| {
    let mut bytes = GOOD.clone();
    for change in input.chunks_exact(8) {
        let at =
            u32::from_le_bytes([change[0], change[1], change[2], change[3]]) as usize % (bytes.len() / 4) * 4;
        bytes[at..at + 4].copy_from_slice(&change[4..]);
    }
    seal_all(&mut bytes);
    let path = PathBuf::from("fuzzed.bnr");
    let Ok(opened) = archive::from_bytes(&path, &bytes) else { return };
    let _ = inspect(&opened);
    let session = Session::default();
    session.add_archive(opened);
    let job = Job {
        archive: Some(path),
        frozen: true,
        node: Some("web01.example.com".to_owned()),
        ..Job::default()
    };
    if let Err(diagnostic) = session.run(&job).result {
        assert!(!diagnostic.message.contains("Internal error"), "{diagnostic}");
    }
});
