//! Source beside its disassembly: each file of `golden/` holds a program, a ruled line, and the code made of it.
//!
//! `UPDATE=1 cargo test -p bunraku-compiler --test golden` writes the code anew; a new case is a file with a program.
//! Names that begin with `epp` are templates.
#![allow(clippy::disallowed_methods, reason = "a test reads and writes its cases")]

use bumpalo::Bump;
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, SourceKind, lower, parse};
use bunraku_vm::unit::reader::Unit;
use bunraku_vm::unit::{disassemble, verify};
use std::path::Path;

const RULE: &str = "---------------- code\n";

fn code(text: &str, kind: SourceKind) -> String {
    let arena = Bump::new();
    let source = SourceFile { path: None, text, kind };
    let parsed = match parse(&arena, &source, &ParseLimits::default()) {
        Ok(parsed) => parsed,
        Err(faults) => panic!("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    };
    let words = lower::lower(&parsed.program, text, &LineIndex::new(text), None).expect("it lowers");
    let unit = Unit::open(&words).expect("it opens");
    for number in 0..unit.chunks() {
        verify::verify(&unit, &unit.chunk(number).expect("the chunk is there")).expect("it verifies");
    }
    let mut listing = disassemble::unit(&unit).expect("it disassembles");
    for number in 0..unit.defs() {
        let def = unit.def(number).expect("the definition is there");
        listing.push_str(&format!("\n{:?} {} is C{}, line {}\n", def.kind, def.name, def.chunk, def.line));
    }
    listing
}

#[test]
fn code_is_as_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = std::env::var_os("UPDATE").is_some();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut differ = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the case can be read");
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (source, want) = text.split_once(RULE).unwrap_or((&text, ""));
        let kind = if name.starts_with("epp") { SourceKind::Epp } else { SourceKind::Manifest };
        let got = code(source, kind);
        if update {
            std::fs::write(&file, format!("{source}{RULE}{got}")).expect("the case can be written");
        } else if got != want {
            differ.push(format!("{name}\nwanted:\n{want}\ngot:\n{got}"));
        }
    }
    assert!(differ.is_empty(), "{} cases differ:\n{}", differ.len(), differ.join("\n"));
}

/// However long a chain is, its code takes no more registers than that of a short one.
#[test]
fn chains_take_few_registers() {
    let links = 2_000;
    for (text, most) in [
        ("$x = [1]".to_owned() + &" + [1]".repeat(links), 5),
        ("$x = true".to_owned() + &" or true".repeat(links), 3),
        ("A['a']".to_owned() + &" -> A['b']".repeat(links), 8),
        ("if $a == 1 { } ".to_owned() + &"elsif $a == 1 { } ".repeat(links), 8),
    ] {
        let code = code(&text, SourceKind::Manifest);
        let head = code.lines().find(|line| line.contains("registers")).expect("it says so");
        let registers = head.split(' ').rev().nth(1).and_then(|number| number.parse::<u32>().ok());
        assert!(registers.is_some_and(|registers| registers <= most), "{head} for {}", &text[..20]);
    }
}
