//! Any bytes as a template: decoded, parsed, checked, dumped. `cargo fuzz run template`
#![no_main]

use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, check};
use bunraku_compiler::dump::{Notation, nested};
use bunraku_compiler::{ParseLimits, SourceFile, parse, relative_names, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = source::decode(None, bytes) else { return };
    let arena = Bump::new();
    let file = SourceFile::epp(text);
    if let Ok(parsed) = parse(&arena, &file, &ParseLimits::default()) {
        check(&parsed.program, &file, &CheckOptions::default());
        Notation::of(&parsed.program).pretty();
        nested(&parsed.program);
        relative_names(&parsed.program);
    }
});
