//! `spec/instructions.md` is made from the instruction table; this fails when it lags behind.
//!
//! `UPDATE=1 cargo test -p bunraku-vm --test reference` writes it.
#![allow(clippy::disallowed_methods, reason = "a test reads and writes the page it is about")]

use bunraku_vm::isa::{Field, Op, OperandFormat};
use bunraku_vm::operand::{CollectorKind, QueryStep, Relation, ResourceForm, ResourceOperand};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# The instructions

Made from the table in `vm/src/isa.rs`; `UPDATE=1 cargo test -p bunraku-vm --test reference` makes it anew.

A unit's code is a sequence of 32-bit words, little-endian, read where they lie. The opcode is the lowest byte.

```text
           31      24 23      16 15       8 7        0
          ┌──────────┬──────────┬──────────┬──────────┐
  abc     │    c     │    b     │    a     │  opcode  │
          ├──────────┴──────────┼──────────┼──────────┤
  abx     │      x (16 bit)     │    a     │  opcode  │   asx: the same, x signed
          ├─────────────────────┴──────────┼──────────┤
  sx      │        x (24 bit, signed)      │  opcode  │
          └────────────────────────────────┴──────────┘
  abcw    as abc, and one whole word w behind it
```

`R` are the frame's registers, `S` the slots of the body's scope, `K` the unit's constants, `N` its names, `L` its
lists, `C` its chunks. Jumps count words from the end of the jumping instruction. The verifier checks each operand
for what it is before a chunk first runs.

| opcode | instruction | format | operands | meaning |
| ---: | --- | --- | --- | --- |
";

fn operand(name: &str, field: Field) -> String {
    let what = match field {
        Field::None => return String::new(),
        Field::Reg => "register",
        Field::Run(0) => "first of c registers",
        Field::Run(1) => "first of c+1 registers",
        Field::Run(_) => "first of a run of registers",
        Field::Pairs => "first of c register pairs",
        Field::Num => "number",
        Field::Slot => "slot",
        Field::Const => "constant",
        Field::Name => "name",
        Field::Chunk => "chunk",
        Field::List => "list",
        Field::Jump => "distance",
        Field::Int => "signed number",
        Field::Resource => "form of resources",
        Field::Collector => "kind of collector",
        Field::Relation => "relationship",
    };
    format!("{name}: {what}")
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (number, op) in Op::ALL.iter().enumerate() {
        let format = match op.format() {
            OperandFormat::Abc => "abc",
            OperandFormat::Abx => "abx",
            OperandFormat::Asx => "asx",
            OperandFormat::Sx => "sx",
            OperandFormat::Abcw => "abcw",
        };
        let operands: Vec<String> = op.fields().iter().map(|(name, field)| operand(name, *field)).collect();
        let meaning = op.meaning().replace('|', "\\|");
        let operands = operands.join(", ");
        let _ = writeln!(page, "| {number} | `{}` | {format} | {operands} | {meaning} |", op.name());
    }
    page
}

/// What stands behind the table: the numbers that mean something.
fn numbers() -> String {
    let words = |all: &[(u32, &str)]| {
        let all: Vec<String> = all.iter().map(|(word, text)| format!("{word} `{text}`")).collect();
        all.join(", ")
    };
    let forms: Vec<_> = ResourceForm::ALL.iter().map(|it| (it.word(), it.text())).collect();
    let kinds: Vec<_> = CollectorKind::ALL.iter().map(|it| (it.word(), it.text())).collect();
    let relations: Vec<_> = Relation::ALL.iter().map(|it| (it.word(), it.text())).collect();
    let steps: Vec<_> = QueryStep::ALL.iter().map(|it| (it.word(), it.text())).collect();
    let plain = ResourceOperand { form: ResourceForm::Regular, unnamed: false, unused: false };
    let flags = [
        (ResourceOperand { unnamed: true, ..plain }.word(), "unnamed"),
        (ResourceOperand { unused: true, ..plain }.word(), "unused"),
    ];
    format!(
        "\n## Numbers that mean something\n\n\
         - Form of resources: {}; added to it: {}.\n\
         - Kind of collector: {}.\n\
         - Relationship: {}.\n\
         - Steps of a query, in postfix; each is three words of the list, the step, a name, and a register counted from behind \
         that of the type: {}. Name and register of `and` and `or` mean nothing.\n",
        words(&forms),
        words(&flags),
        words(&kinds),
        words(&relations),
        words(&steps),
    )
}

#[test]
fn the_page_is_what_the_table_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/instructions.md");
    let page = page() + &numbers();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "spec/instructions.md lags behind the instruction table; UPDATE=1 writes it");
}
