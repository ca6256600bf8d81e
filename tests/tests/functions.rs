//! The pages made from the functions' own tables: the reference, and the lists of what the pages cover.
//!
//! `UPDATE=1` writes them anew.

use bunraku_stdlib::module::{self, Api};
use bunraku_tests::{paths, spec};
use bunraku_vm::function::{Arity, Dispatch, Native};
use std::fmt::Write;

/// The types of the language, by name.
const TYPES: &[&str] = &[
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Data",
    "Default",
    "Deferred",
    "Enum",
    "Error",
    "Float",
    "Hash",
    "Init",
    "Integer",
    "Iterable",
    "Iterator",
    "NotUndef",
    "Numeric",
    "Object",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "RichData",
    "Runtime",
    "Scalar",
    "ScalarData",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "String",
    "Struct",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Type",
    "TypeAlias",
    "TypeReference",
    "TypeSet",
    "URI",
    "Undef",
    "Variant",
];

/// The functions Puppet comes with, by name.
const FUNCTIONS: &str = "\
    abs alert all annotate any assert_type binary_file break call camelcase capitalize ceiling chomp \
    chop compare contain convert_to create_resources crit debug defined dig digest downcase each \
    emerg empty epp err eyaml_lookup_key fail file filter find_file find_template flatten floor \
    fqdn_rand generate get getvar group_by hiera hiera_array hiera_hash hiera_include hocon_data \
    import include index info inline_epp inline_template join json_data keys length lest lookup \
    lstrip map match max md5 min module_directory new next notice partition realize reduce regsubst \
    require return reverse_each round rstrip scanf sha1 sha256 shellquote size slice sort split \
    sprintf step strftime strip tag tagged template then tree_each type unique unwrap upcase values \
    versioncmp warning with yaml_data";

fn natives() -> Vec<&'static Native> {
    let mut all: Vec<_> = bunraku_stdlib::all().collect();
    all.sort_by_key(|native| native.name);
    all
}

fn signature(name: &str, dispatch: &Dispatch) -> String {
    let mut params: Vec<String> = Vec::new();
    for param in dispatch.params {
        let (star, mark) = match param.arity {
            Arity::Required => ("", ""),
            Arity::Optional => ("", "?"),
            Arity::Repeated => ("*", ""),
            Arity::RequiredRepeated => ("+", ""),
        };
        params.push(format!("{} {star}{}{mark}", param.ty, param.name));
    }
    if let Some(block) = dispatch.block {
        params.push(format!("{} &{}{}", block.ty, block.name, if block.optional { "?" } else { "" }));
    }
    let returns = dispatch.returns.map(|ty| format!(" >> {ty}")).unwrap_or_default();
    format!("{name}({}){returns}", params.join(", "))
}

fn reference() -> String {
    let mut out = String::from(
        "# The functions\n\nMade from the functions' own tables (`UPDATE=1 cargo test -p bunraku-tests --test \
         functions`). `?` may be left out,\n`*` occurs any number of times, `+` at least once, `&` is the lambda.\n",
    );
    for native in natives() {
        let _ = write!(out, "\n## {}\n\n{}\n\n```text\n", native.name, native.doc.trim());
        for ty in native.local_types {
            let _ = writeln!(out, "type {ty}");
        }
        for dispatch in native.dispatches {
            let _ = writeln!(out, "{}", signature(native.name, dispatch));
        }
        out += "```\n";
    }
    out
}

/// Whether a word stands in a program on its own.
fn names(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    code.match_indices(word).any(|(at, _)| {
        !code[..at].ends_with(part)
            && !code[..at].ends_with("::")
            && !code[at + word.len()..].starts_with(part)
    })
}

/// The generated part of the coverage page, and what has no case.
fn coverage() -> (String, Vec<&'static str>) {
    let pages = spec::pages(&[]).expect("the pages can be read");
    let mut missing = Vec::new();
    let mut out = String::from("\n");
    let functions: Vec<&'static str> = FUNCTIONS.split_whitespace().collect();
    for (kind, list) in [("function", functions.as_slice()), ("type", TYPES)] {
        let _ = write!(out, "| {kind} | cases | pages |\n| --- | --- | --- |\n");
        for name in list {
            let mut count = 0;
            let mut on = Vec::new();
            for page in &pages {
                let cases = page.cases.iter().filter(|case| names(&case.code, name)).count();
                if cases > 0 {
                    count += cases;
                    on.push(page.path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
                }
            }
            if count == 0 {
                missing.push(*name);
            }
            let _ = writeln!(out, "| `{name}` | {count} | {} |", on.join(", "));
        }
        out.push('\n');
    }
    (out, missing)
}

/// Functions of puppetlabs-stdlib 8.5 and 9.7, as `NAME` for the 3.x interface and `NAME *` for the 4.x.
const STDLIB: [(&str, &str); 2] =
    [("8.5.0", include_str!("../stdlib/8.5.0.txt")), ("9.7.0", include_str!("../stdlib/9.7.0.txt"))];

/// Which functions of puppetlabs-stdlib have a native twin, and which are left to Ruby.
fn twins() -> String {
    let mut out = String::from("## Functions of puppetlabs-stdlib\n");
    for (version, list) in STDLIB {
        let (mut native, mut ruby) = (Vec::new(), Vec::new());
        for line in list.lines() {
            let (name, api) = match line.strip_suffix(" *") {
                Some(name) => (name, Api::New),
                None => (line, Api::Old),
            };
            let has = |line: String| list.lines().any(|other| other == line);
            // What the language comes with hides a module's function of the same name, the new interface the old.
            if bunraku_stdlib::has(name) || (api == Api::Old && has(format!("{name} *"))) {
                continue;
            }
            let mut twins = module::twins_of(name, "stdlib", api);
            let is_native = module::was_compared("stdlib", name, version)
                && twins.any(|twin| !twin.shim || has(format!("stdlib::{name} *")));
            if is_native { native.push(name) } else { ruby.push(name) }
        }
        for (what, names) in [("native", &mut native), ("in Ruby", &mut ruby)] {
            names.sort_unstable();
            names.dedup();
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = write!(out, "\n{version}, {what} ({}): {}\n", names.len(), names.join(", "));
        }
    }
    out
}

fn same(file: &str, text: String) {
    let path = paths::spec().join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the page is writable");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(page == text, "{file} is out of date: UPDATE=1 writes it");
}

#[test]
fn the_reference_is_that_of_today() {
    same("function-reference.md", reference());
}

#[test]
fn every_function_of_puppet_is_there() {
    let natives = natives();
    let missing: Vec<_> = FUNCTIONS
        .split_whitespace()
        // A statement of the language, which its checks refuse.
        .filter(|name| *name != "import")
        .filter(|name| !natives.iter().any(|native| native.name == *name))
        .collect();
    assert!(missing.is_empty(), "not there: {}", missing.join(", "));
}

#[test]
fn every_function_has_words_and_signatures() {
    for native in natives() {
        assert!(!native.doc.trim().is_empty(), "{} has no documentation", native.name);
        assert!(!native.dispatches.is_empty(), "{} has no signature", native.name);
    }
}

#[test]
fn every_function_and_type_has_a_case() {
    const START: &str = "<!-- generated from here -->\n";
    let page = std::fs::read_to_string(paths::spec().join("COVERAGE.md")).expect("the page is there");
    let written = page.split(START).next().unwrap_or_default();
    let (lists, missing) = coverage();
    same("COVERAGE.md", format!("{written}{START}{lists}{}", twins()));
    assert!(missing.is_empty(), "without a case in spec/: {}", missing.join(", "));
}
