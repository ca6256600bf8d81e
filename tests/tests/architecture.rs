//! ARCHITECTURE.md names crates, files and memos as they are: what it says of where things live can't fall behind.

use bunraku_tests::paths;
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
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
        ["compiler", "vm", "stdlib", "runtime", "fleet", "authority", "server", "cli"]
            .map(PathBuf::from)
            .into();
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
    // In the tables of what lives where, a name without its folder would be looked for in vain, and by nobody here.
    let (_, tables) = page.split_once("\n## Where things live\n").expect("the page has them");
    let (tables, _) = tables.split_once("\n## Memos\n").expect("they have an end");
    let bare = Regex::new("`[a-z0-9_]+\\.rs`").expect("it is an expression");
    let bare: Vec<&str> = bare.find_iter(tables).map(|found| found.as_str()).collect();
    assert!(bare.is_empty(), "without a folder: {bare:?}");
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

/// The crates of ours that a manifest's `[dependencies]` name, by their folders.
fn dependencies(member: &Path, folders: &BTreeMap<String, PathBuf>) -> BTreeSet<PathBuf> {
    let manifest = read(&member.join("Cargo.toml").display().to_string());
    let (_, section) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
    let (section, _) = section.split_once("\n[").unwrap_or((section, ""));
    let name = |line: &str| line.split(['.', ' ', '=']).next().and_then(|name| folders.get(name)).cloned();
    section.lines().filter_map(name).collect()
}

#[test]
fn crates_use_those_that_it_names() {
    let page = read("ARCHITECTURE.md");
    let members = paths::members();
    let name = Regex::new("(?m)^name = \"([^\"]+)\"").expect("it is an expression");
    let folders: BTreeMap<String, PathBuf> = members
        .iter()
        .map(|member| {
            let manifest = read(&member.join("Cargo.toml").display().to_string());
            (name.captures(&manifest).expect("a crate has a name")[1].to_owned(), member.clone())
        })
        .collect();
    let crates = |cell: &str| -> BTreeSet<PathBuf> {
        let named = cell.split('`').skip(1).step_by(2).map(PathBuf::from);
        named
            .map(|path| if members.contains(&path) { path } else { Path::new("runtime").join(path) })
            .collect()
    };
    let mut above = BTreeSet::new();
    let mut seen = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let member = PathBuf::from(cells[0].split('`').nth(1).expect("it begins with a name"));
        let [_, _, uses, _] = cells[..] else { continue };
        if !members.contains(&member) {
            continue;
        }
        let used = dependencies(&member, &folders);
        if uses.starts_with("all of the above") {
            assert!(used.is_subset(&above), "{}: {used:?}", member.display());
        } else {
            assert_eq!(crates(uses), used, "{}: what the page has, what the manifest has", member.display());
        }
        above.insert(member);
        seen += 1;
    }
    assert_eq!(seen, members.len(), "crates in the table");
}

/// Where files are read or written past `runtime/files`, which refuses what is no regular file, and why.
const PAST_FILES: [(&str, &str); 1] =
    [("runtime/ruby/src/clock.rs", "one of the kernel's own, of a process that we have started")];

#[test]
fn files_are_read_and_written_in_one_place() {
    let call =
        Regex::new(r"\bfs::(?:read|read_to_string|write)\(|\bFile::create\(").expect("it is an expression");
    let is_product = |file: &str| {
        let of_tests = file.contains("/tests/") || file.contains("/examples/") || file.ends_with("/tests.rs");
        let of_build = file.ends_with("/build.rs") || file == "runtime/environment/fingerprint.rs";
        !(file.starts_with("runtime/files/") || of_tests || of_build)
    };
    let tests = Regex::new(r"#\[cfg\((?:all\()?test").expect("it is an expression");
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|(file, _)| is_product(file))
        .filter(|(_, text)| {
            let end = tests.find(text).map_or(text.len(), |found| found.start());
            text[..end].lines().any(|line| !line.trim_start().starts_with("//") && call.is_match(line))
        })
        .map(|(file, _)| file)
        .collect();
    assert_eq!(found, PAST_FILES.map(|(file, _)| file));
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
