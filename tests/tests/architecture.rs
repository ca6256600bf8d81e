//! ARCHITECTURE.md names crates, files and memos as they are: what it says of where things live can't fall behind.

use bunraku_tests::paths;
use regex_lite::Regex;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The Rust sources of the product, by path.
fn sources() -> Vec<(String, String)> {
    let mut pending: Vec<PathBuf> =
        ["compiler", "vm", "stdlib", "runtime", "fleet", "authority", "cli"].map(PathBuf::from).into();
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("folders can be read").flatten() {
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.to_string_lossy().into_owned();
                let text = read(&name);
                found.push((name, text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_files_it_names_are_there() {
    let page = read("ARCHITECTURE.md");
    let paths = Regex::new(
        r"`((?:compiler|vm|stdlib|runtime|fleet|authority|server|cli|tests|spec|fixtures|benches)/[A-Za-z0-9_./-]*)`",
    );
    let missing: BTreeSet<&str> = paths
        .expect("it is an expression")
        .captures_iter(&page)
        .filter_map(|found| found.get(1).map(|path| path.as_str()))
        .filter(|path| !root().join(path).exists())
        .collect();
    assert!(missing.is_empty(), "not there: {missing:#?}");
}

#[test]
fn its_crates_are_the_workspaces() {
    let page = read("ARCHITECTURE.md");
    let members = paths::members();
    assert!(members.len() > 10, "{members:?}");
    for member in members {
        let member = member.display();
        assert!(page.contains(&format!("\n| `{member}` | ")), "no line for the crate {member}");
    }
}

#[test]
fn its_memos_are_those_that_are_declared() {
    let field = |text: &str, name: &str| {
        let value =
            Regex::new(&format!(r#"(?s)\b{name}: (?:"([^"]*)"|NEVER)"#)).expect("it is an expression");
        let found = value.captures(text).unwrap_or_else(|| panic!("no {name}: {text}"));
        found.get(1).map_or("never: the snapshot is immutable", |text| text.as_str()).to_owned()
    };
    let declared =
        Regex::new(r"(?s)\nconst [A-Z_]+: Contract = Contract \{(.*?)\n\};").expect("it is an expression");
    let mut table = String::from(
        "| holds | key | bound | stale | test | declared in |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    let mut count = 0;
    for (file, text) in sources() {
        for found in declared.captures_iter(&text) {
            let fields = ["holds", "key", "bound", "stale", "test"].map(|name| field(&found[1], name));
            let (test_file, test) =
                fields[4].split_once(": ").unwrap_or_else(|| panic!("{file}: {}", fields[4]));
            assert!(
                read(test_file).contains(&format!("fn {test}(")),
                "{file}: no test {test} in {test_file}"
            );
            let _ = writeln!(table, "| {} | `{file}` |", fields.join(" | "));
            count += 1;
        }
    }
    assert!(count > 10, "{count} memos");
    let page = read("ARCHITECTURE.md");
    let (begin, end) = ("<!-- memos -->\n", "<!-- end of memos -->");
    let (before, rest) = page.split_once(begin).expect("the page has a place for them");
    let (now, after) = rest.split_once(end).expect("the place has an end");
    if std::env::var_os("UPDATE").is_some() {
        let new = format!("{before}{begin}{table}{end}{after}");
        std::fs::write(root().join("ARCHITECTURE.md"), new).expect("the page can be written");
    } else {
        assert_eq!(now, table, "run it with UPDATE=1");
    }
}
