//! `spec/ruby-protocol.md` is made from the tables of the protocol; this fails when it lags behind.
//!
//! `UPDATE=1 cargo test -p bunraku-ruby --test reference` writes it.
#![allow(clippy::disallowed_methods, reason = "a test reads and writes the page it is about")]

use bunraku_ruby::protocol::{ProtocolRow, ProtocolTable, QuestionFlag, TABLES};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# The protocol with a Ruby worker

Made from the tables in `runtime/ruby/src/protocol.rs`; `UPDATE=1 cargo test -p bunraku-ruby --test reference` makes it
anew. The Rust side takes its enums from there, the Ruby side (`runtime/ruby/src/worker/`) its constants.

A message goes over one of two pipes, in turns. Numbers are little-endian.

```text
┌──────────────┬──────────────┬──────────────┬────────┬──────────────┐
│ length: word │ number: word │ about: word  │ kind   │ what it says │
└──────────────┴──────────────┴──────────────┴────────┴──────────────┘
                                             └─ length bytes ────────┘
```

`number` counts the messages of both sides, from one compile to the next. `about` is the number of the message that is
answered, 0 for none. A message with another number, or about another than the one that stands, ends the worker.

A `size` is a byte, or 255 and a word behind it. A `text` is a size and so many bytes of UTF-8. A `value` is a byte of
the last table and what its row says. QuestionArguments are one array; `number` is a size by which the other side knows something.

The answer to a question is an array or a value that is made for it, and that nobody will know again, or, where it says
`own`, a value that code has.

What is in none of the tables is an error on either side, and so are more or fewer arguments than a row has.
";

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn line(table: &ProtocolTable, row: &ProtocolRow) -> String {
    let byte = match table.name {
        "Message" => format!("`{}`", char::from(row.byte)),
        _ => row.byte.to_string(),
    };
    let arguments = row.arguments.join(", ");
    let mut line = format!("| {byte} | `{}` | {} |", row.name.to_lowercase(), cell(&arguments));
    if has_answers(table) {
        let answer = match row.marks.contains(&QuestionFlag::Own) {
            true => format!("{} (own)", row.answer),
            false => row.answer.to_owned(),
        };
        let _ = write!(line, " {} |", cell(&answer));
    }
    let keeps = if row.marks.contains(&QuestionFlag::Keeps) { " Variables stay what they are." } else { "" };
    let _ = writeln!(line, " {}{keeps} |", cell(row.meaning));
    line
}

fn has_answers(table: &ProtocolTable) -> bool {
    table.rows.iter().any(|row| !row.answer.is_empty())
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for table in TABLES {
        let _ = writeln!(page, "\n## {}\n\n{}\n", table.name, table.about);
        page.push_str(match has_answers(&table) {
            true => "| byte | name | arguments | answer | meaning |\n| ---: | --- | --- | --- | --- |\n",
            false => "| byte | name | behind it | meaning |\n| ---: | --- | --- | --- |\n",
        });
        table.rows.iter().for_each(|row| page.push_str(&line(&table, row)));
    }
    page
}

#[test]
fn the_page_is_what_the_tables_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/ruby-protocol.md");
    let page = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "spec/ruby-protocol.md lags behind the tables; UPDATE=1 writes it");
}
