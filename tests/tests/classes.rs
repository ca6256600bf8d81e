//! The classes of manifests as consoles are told of them, beside what Puppet's own service of such information tells.

use bunraku::{Class, ClassOptions, ClassParameter, ClassReader, Compat, Data, Strict};
use bunraku_tests::oracle::{self, Oracle};
use bunraku_tests::paths;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Types of parameters; what no parameter could be of is told by what Puppet makes of the file.
const TYPES: &[&str] = &[
    "Any",
    "Array[Data]",
    "Array[1, 2]",
    "Array[1]",
    "Array[String, 1, 2]",
    "Binary",
    "Boolean[true]",
    "Callable[0, 0]",
    "Callable[String, Optional[Integer], 1, 2]",
    "Callable[Callable]",
    "Class",
    "Class['foo::bar']",
    "Cron",
    "Deferred",
    "Enum['b', 'a', 'b']",
    "Enum[a, true]",
    "Error",
    "File",
    "File['/a']",
    "Float[0.5]",
    "Float[default, 1]",
    "Foo::Bar",
    "Foo::Bar['a',  'b']",
    "Hash[String, Any, 1, default]",
    "Hash[default, 3]",
    "Host",
    "Init[Integer]",
    "Integer[-1, 0x1F]",
    "Integer[017]",
    "Integer[5, 1]",
    "Integer[1 + 1]",
    "Iterable[String]",
    "NotUndef['x']",
    "Numeric",
    "Object",
    "Optional['x']",
    "Optional[Foo]",
    "Package",
    "Pattern[/a\\/b/, 'c', Pattern[/d/]]",
    "Pcore",
    "Regexp[/a/]",
    "Resource['foo::bar', 'x']",
    "Resource[File]",
    "RichData",
    "Runtime['ruby', 'X']",
    "SemVer['1.0.0 - 2.0.0']",
    "Sensitive[Array[Foo]]",
    "String[0, 10]",
    "String[$x]",
    "Struct[{a => String, Optional['b'] => Foo, NotUndef[c] => Any}]",
    "Struct[{}]",
    "Target",
    "Timespan['1-00:00:00']",
    "Timespan['x']",
    "Timestamp['2020-01-01']",
    "Tuple[String, Foo, 1, 3]",
    "Type[Integer]",
    "TypeSet",
    "URI",
    "Undef",
    "Variant[Integer, Variant[String, Integer]]",
    "Variant[Foo, Foo]",
    "Yumrepo",
    "[String]",
    "Array[[String]]",
    "Foo[Array[1, 2]]",
];

/// Defaults, and what stands behind the line that they are on.
const DEFAULTS: &[(&str, &str)] = &[
    ("'a'", ""),
    ("\"a\\tb\\\"\"", ""),
    ("\"a${x}b${y[1]}\"", ""),
    ("\"${x}\"", ""),
    ("run", ""),
    ("a::b", ""),
    ("true", ""),
    ("false", ""),
    ("undef", ""),
    ("default", ""),
    ("-1", ""),
    ("0x1F", ""),
    ("1.5e3", ""),
    ("/a\\/b/", ""),
    ("[1, [undef, 'b'], {a => undef, 'b' => 2, a => 3}]", ""),
    ("{1 => 2}", ""),
    ("[/a/]", ""),
    ("['ü', (1)]", ""),
    ("('a')", ""),
    ("(1 + 2) * 3", ""),
    ("!$x", ""),
    ("[*$x]", ""),
    ("$x ? { 1 => 2, default => [3] }", ""),
    ("$x ? 1 => (2)", ""),
    ("if $x { 1 } else { 2 }", ""),
    ("if $x == 1 { 5 }", ""),
    ("if $x {} elsif $y { 1 } else { }", ""),
    ("if $x { 1; 2 } else { 3; 4 }", ""),
    ("unless $x { 1 } else { 2 }", ""),
    ("case $x { 1, 2: { 1 2 } default: {} }", ""),
    ("$x.foo", ""),
    ("$x.foo(1) |$a, $b = 2| { 2 }", ""),
    ("foo(1, a => 2) |$y| { 1 }", ""),
    ("$x[1, 2 => 3]['b']", ""),
    ("Foo[1]", ""),
    ("[type, function, a => (1)]", ""),
    ("@(END)", "  one\n  two\n  | END\n"),
    ("@(END)", "  one\n two\n  |- END\n"),
    ("@(END/t)", "one\nEND\n"),
    ("@(\"END\")", "  a ${x}\n    b\n  | END\n"),
    ("@(\"END\")", "  a\n  ${x}\n  |- END\n"),
    ("foo(@(A), [a => @(B)])", "  a\n  | A\n  b\n  | B\n"),
];

/// What a manifest is told as by us.
fn told(reader: &ClassReader, file: &Path, compat: Compat) -> Value {
    let options = ClassOptions { compat, strict: Strict::Warning, in_module: None };
    match reader.read(file, &options) {
        Ok(classes) => json!({"classes": classes.iter().map(class).collect::<Vec<_>>()}),
        Err(error) => json!({"error": error}),
    }
}

fn class(class: &Class) -> Value {
    json!({"name": class.name, "params": class.parameters.iter().map(parameter).collect::<Vec<_>>()})
}

fn parameter(parameter: &ClassParameter) -> Value {
    let mut all = Map::new();
    let mut put = |key: &str, value: Option<Value>| all.extend(value.map(|value| (key.to_owned(), value)));
    put("name", Some(json!(parameter.name)));
    put("type", parameter.type_text.as_ref().map(|text| json!(text)));
    put("default_literal", parameter.default_literal.as_ref().map(data));
    put("default_source", parameter.default_source.as_ref().map(|source| json!(source)));
    Value::Object(all)
}

fn data(value: &Data) -> Value {
    serde_json::from_str(&value.to_json()).expect("data are JSON")
}

/// What Puppet tells, without types that it does not know, which it says are null.
fn of_puppet(oracle: Oracle, files: &[PathBuf]) -> Vec<Value> {
    let result =
        oracle.collect(&[json!({"id": 1, "classes_of": files, "settings": {"strict": "warning"}})]).remove(0);
    let mut all = result["classes"].as_array().unwrap_or_else(|| panic!("{result}")).clone();
    let files = all.iter_mut().filter_map(|file| file.get_mut("classes")?.as_array_mut());
    for class in files.flatten() {
        for parameter in class["params"].as_array_mut().into_iter().flatten() {
            if parameter.get("type") == Some(&Value::Null) {
                parameter.as_object_mut().expect("an object").remove("type");
            }
        }
    }
    all
}

fn compare(what: &str, files: &[PathBuf]) {
    for oracle in oracle::seven_and_eight(what) {
        let compat: Compat = oracle.number.to_string().parse().expect("a version");
        let reader = ClassReader::new().expect("there is one");
        let mut wrong = Vec::new();
        for (file, wanted) in files.iter().zip(of_puppet(oracle, files)) {
            let got = told(&reader, file, compat);
            if got != wanted {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                let text = text.chars().take(300).collect::<String>();
                wrong.push(format!("{}: {text}\n wanted {wanted}\n got    {got}", file.display()));
            }
        }
        assert!(
            wrong.is_empty(),
            "{}: {} of {}:\n{}",
            oracle.number,
            wrong.len(),
            files.len(),
            wrong.join("\n")
        );
    }
}

fn manifests(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(manifests(&path));
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn manifests_are_told_as_puppet_tells_them() {
    let files = manifests(&paths::spec().join("http/site/code"));
    assert!(files.len() > 10, "the test has lost its point");
    compare("classes of manifests", &files);
}

#[test]
fn types_and_defaults_are_told_as_puppet_tells_them() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let types = TYPES.iter().map(|ty| format!("class t({ty} $a) {{ }}\n"));
    let defaults =
        DEFAULTS.iter().map(|(default, after)| format!("class t($a = {default},\n{after}) {{ }}\n"));
    let write = |(number, text): (usize, String)| {
        let file = work.path().join(format!("t{number}.pp"));
        std::fs::write(&file, text).expect("files can be written");
        file
    };
    let files: Vec<PathBuf> = types.chain(defaults).enumerate().map(write).collect();
    compare("types and defaults of classes", &files);
}

#[test]
fn the_corpus_is_told_as_puppet_tells_it() {
    let files = manifests(&paths::modules());
    if files.is_empty() {
        eprintln!(
            "SKIPPED classes of the corpus: the modules are not there; `cargo run -p bunraku-tests -- fetch` gets them"
        );
        return;
    }
    compare("classes of the corpus", &files);
}
