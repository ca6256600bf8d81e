//! Whatever parses also lowers to a unit whose chunks all verify: over every manifest and template of the corpus
//! where it has been fetched, and over the fixtures in any case.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test reads files and says what it saw"
)]

use bumpalo::Bump;
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, SourceKind, lower, parse};
use bunraku_vm::unit::reader::Unit;
use bunraku_vm::unit::{disassemble, verify};
use std::path::{Path, PathBuf};

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !entry.file_type().is_ok_and(|t| t.is_symlink()) {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "pp" || e == "epp") {
            into.push(path);
        }
    }
}

#[test]
fn what_parses_lowers_and_verifies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&root.join("fixtures"), &mut files);
    sources(&root.join(".cache/corpus"), &mut files);
    let (mut lowered, mut refused) = (0, 0);
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let kind =
            if file.extension().is_some_and(|e| e == "epp") { SourceKind::Epp } else { SourceKind::Manifest };
        let arena = Bump::new();
        let source = SourceFile { path: None, text: &text, kind };
        let Ok(parsed) = parse(&arena, &source, &ParseLimits::default()) else {
            refused += 1;
            continue;
        };
        let words = lower::lower(&parsed.program, &text, &LineIndex::new(&text), None)
            .unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        let unit = Unit::open(&words).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        for number in 0..unit.chunks() {
            let chunk = unit.chunk(number).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
            verify::verify(&unit, &chunk).unwrap_or_else(|fault| {
                let listing = disassemble::chunk(&unit, number).unwrap_or_default();
                panic!("{}: {fault}\n{listing}", file.display())
            });
        }
        for number in 0..unit.defs() {
            unit.def(number).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        }
        lowered += 1;
    }
    println!("{lowered} files lowered and verified, {refused} refused by the parser");
}
