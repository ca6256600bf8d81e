//! `spec/archive.md` is made from the tables of the format; this fails when it lags behind.
//!
//! `UPDATE=1 cargo test -p bunraku-vm --test archive_reference` writes it.
#![allow(clippy::disallowed_methods, reason = "a test reads and writes the page it is about")]

use bunraku_vm::archive::cold;
use bunraku_vm::archive::layout::{
    ALIGN, BLOCK, DEFINITION, DEFINITION_WORDS, ENTRY, ENTRY_WORDS, HEADER, LITERAL, LITERAL_WORDS, PART,
    PART_WORDS, PROVIDED, PROVIDED_WORDS, Section, SectionForm, VERSION,
};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# The archive

Made from the tables in `vm/src/archive/layout.rs`; `UPDATE=1 cargo test -p bunraku-vm --test archive_reference` makes it
anew.

An archive holds what compiles of one environment, or of one module path, would otherwise parse or look for. It is
written once by `bunraku build` and mapped by each process that uses it; all of them share the same pages. Numbers are
little-endian, a word is 32 bits, nothing is a pointer.

";

const READING: &str = "
## How it is read

- **Opening** reads the header: magic, version, length, the compiler's fingerprint, the section table, under one
  checksum; and the few bytes of section Info. It costs the same for every archive.
- **Looking up** a path begins in Places, a power of two slots of two words, at the lower bits of its hash and goes on to the next slot
  until the second word is the upper half of its hash and the entry the path's, or the first word is 0, which stands in what is free; looking up a name is a binary search in sorted records. What lies in a folder follows its path, and what
  lies deeper is skipped by a search.
- **Every read** takes the checksum of each block it touches, the first time that the block is touched. Blocks that are
  not touched are not read from the disk.
- **A unit** is run where it lies: see `instructions.md` and `vm/src/unit/layout.rs`. Its chunks are verified before
  they first run, whatever their checksums say.
- **A template** is read when it is first rendered: see `runtime/native-ruby/src/encoded/`. Indices, nesting and counts are checked
  while it is read. The compiler's fingerprint covers what lowers templates, so that no other version's are read.
- **Cold parts** are bincode with fixed-width numbers, decoded by one module.
- **Whatever is wrong** is one error that names the archive. One made by another version or another compiler says how
  to build it again.

## Paths

The first segment of a path names a root: `e` is the environment's folder; `m0`, `m1`, … are folders of the module path
that lie outside of it, in its order. Where the roots lie is said when the archive is used; nothing in it depends on
where it was built, nor on when, nor on how many threads built it. In messages about a file, a NUL character stands
for its path.

## What is compared

An archive has the size and SHA-256 of every file of its tree. A compile takes a reached file from the archive if the
file on the disk has the same size and content; a process compares the content once, and what the disk says of it after that. What
has been found unchanged is noted beside the archive, for the processes that follow. With `--frozen` no source is looked
at. Times are not in the archive, since the same tree is to give the same bytes.
";

fn records(page: &mut String, title: &str, words: usize, table: &[(usize, usize, &str)]) {
    let covered: usize = table.iter().map(|(_, count, _)| count).sum();
    assert_eq!(covered, words, "the words of {title} are all told");
    let _ = writeln!(page, "\n### {title}\n\n{words} words each.\n\n| word | meaning |\n| ---: | --- |");
    for (first, count, meaning) in table {
        let range = if *count == 1 { first.to_string() } else { format!("{first}–{}", first + count - 1) };
        let _ = writeln!(page, "| {range} | {meaning} |");
    }
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    // The drawing stands where the code says what it draws.
    let layout = include_str!("../src/archive/layout.rs");
    let drawn = layout.split("//! ```text\n").nth(1).and_then(|rest| rest.split("//! ```").next());
    page.push_str("```text\n");
    for line in drawn.expect("the layout is drawn").lines() {
        let line = line.trim_start_matches("//!");
        let _ = writeln!(page, "{}", line.strip_prefix(' ').unwrap_or(line));
    }
    let _ = writeln!(
        page,
        "```\n\nFormat version {VERSION}. Sections and parts begin at multiples of {ALIGN} bytes; a block has {BLOCK}; a cold"
    );
    let _ = writeln!(page, "part may claim {} MiB when it is decoded.", cold::LIMIT >> 20);
    let _ =
        writeln!(page, "\n## Header\n\n| offset | bytes | field | meaning |\n| ---: | ---: | --- | --- |");
    for (name, offset, bytes, meaning) in HEADER {
        let _ = writeln!(page, "| {offset} | {bytes} | {name} | {meaning} |");
    }
    let _ =
        writeln!(page, "\n## Sections\n\n| number | section | form | holds |\n| ---: | --- | --- | --- |");
    for (number, section) in Section::ALL.into_iter().enumerate() {
        let (form, holds) = section.about();
        let form = match form {
            SectionForm::Records(words) => format!("records of {words} words"),
            SectionForm::Words => "words".to_owned(),
            SectionForm::Bytes => "bytes".to_owned(),
            SectionForm::Cold => "bincode".to_owned(),
        };
        let _ = writeln!(page, "| {number} | {section} | {form} | {holds} |");
    }
    records(&mut page, "Entries", ENTRY_WORDS, ENTRY);
    records(&mut page, "Parts", PART_WORDS, PART);
    records(&mut page, "Definitions", DEFINITION_WORDS, DEFINITION);
    records(&mut page, "Provided", PROVIDED_WORDS, PROVIDED);
    records(&mut page, "Literals", LITERAL_WORDS, LITERAL);
    page.push_str(READING);
    page
}

#[test]
fn the_page_is_what_the_tables_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/archive.md");
    let page = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "spec/archive.md lags behind the tables of the format; UPDATE=1 writes it");
}
