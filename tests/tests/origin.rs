//! `bunraku lookup --origin`: the line that is named holds what was found there. Each leaf of the data is a word that
//! its files have on one line only, so that the files themselves say what is right.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use bunraku_tests::bunraku;
use serde_json::Value;
use tempfile::TempDir;

const HIERA: &str = r#"version: 5
hierarchy:
  - {name: JSON, path: one.json, data_hash: json_data}
  - {name: HOCON, path: two.conf, data_hash: hocon_data}
  - {name: YAML, paths: [three.yaml, four.yaml]}
  - {name: Function, data_hash: environment::env_data}
  - {name: Function with a file, path: three.yaml, lookup_key: environment::env_key}
"#;

const JSON: &str = r#"{
  "h": {
    "json_only": "json-only", "deep": {"a": "json-deep-a",
      "list": [
        "json-item-1",
        "json-item-2"
      ]
    },
    "a.b": "json-dotted"
  },
  "u": ["json-u"],
  "deep.down": {"x": "json-quoted-root"}
}
"#;

const HOCON: &str = r#"h {
  hocon_only = hocon-only
  deep.b : "hocon-deep-b"
  deep {
    c = hocon-deep-c
    list = [hocon-item-1
      hocon-item-2]
  }
}
h.path.of.keys = hocon-path
h.path.of.others = ${h.hocon_only} // which is hocon-only
u = [hocon-u]
u += hocon-u-more
both = {x: hocon-both-x} {
  y: hocon-both-y }
"#;

const YAML: &str = r#"---
anchored: &anchor
  one: yaml-anchored-1
  list: [yaml-anchored-2,
    yaml-anchored-3]
merged:
  <<: *anchor
  two: yaml-merged-2
aliased: *anchor
h:
  yaml_only: |
    yaml-text
    of two lines
  deep: {d: yaml-deep-d, list: [yaml-item-1]}
  ? yaml_question
  : yaml-answer
u:
  - yaml-u
  - - yaml-u-deep
:symbol: yaml-symbol
numbers: {13: yaml-number}
keys: {first: yaml-key-1, "%{environment}_inner": yaml-interpolated-key}
lists:
  - - yaml-list-0-0
    - yaml-list-0-1
  - name: yaml-list-1
same: [yaml-same, other, yaml-same-again]
through: "%{alias('target')}"
target: [yaml-target]
m::p: yaml-parameter
"#;

const MORE: &str =
    "h: {more: more-only}\nu: more-u\nconverted: '42'\nlookup_options: {converted: {convert_to: Integer}}\n";

const DATA: &str = "function environment::env_data(Hash $options, Puppet::LookupContext $context) { { 'f' => 'from-function' } }\n";
const KEY: &str =
    "function environment::env_key(String $key, Hash $options, Puppet::LookupContext $context) {
  if $key == 'k' { 'from-key' } else { $context.not_found }
}\n";

fn write(folder: &Path) {
    for (path, text) in [
        ("hiera.yaml", HIERA),
        ("data/one.json", JSON),
        ("data/two.conf", HOCON),
        ("data/three.yaml", YAML),
        ("data/four.yaml", MORE),
        ("functions/environment/env_data.pp", DATA),
        ("functions/environment/env_key.pp", KEY),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        fs::write(path, text).expect("files can be written");
    }
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["lookup", "--environment"]).arg(folder).args(args).output().expect("Bunraku starts")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn origins(folder: &Path, args: &[&str]) -> Vec<Value> {
    let out = text(&run(folder, &[args, &["--origin", "--render-as", "json"]].concat()));
    serde_json::from_str(&out).expect("origins are JSON")
}

/// Where each leaf was found, having seen that it stands there.
fn checked(folder: &Path, args: &[&str]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for origin in origins(folder, args) {
        let places = origin["origins"].as_array().expect("a leaf has origins");
        let [place] = places.as_slice() else { panic!("{args:?}: {origin} has one origin") };
        let (file, line) = (place["file"].as_str().expect("a file"), place["line"].as_u64().expect("a line"));
        let content = fs::read_to_string(file).expect("the file is there");
        let found = content.lines().nth(line as usize - 1).expect("the file has so many lines");
        let key = origin["key"].as_str().expect("a leaf has a key");
        let value = origin["value"].as_str().expect("every leaf here is a text");
        // A value of several lines starts below its key, and so may others.
        let word = value.lines().next().unwrap_or_default();
        let next = content.lines().nth(line as usize).unwrap_or_default();
        assert!(
            found.contains(word)
                || ((value.contains('\n') || found.trim_start().starts_with("? ")) && next.contains(word)),
            "{args:?}: {key} is {value:?}, said to stand in {found:?}"
        );
        all.insert(key.to_owned(), value.to_owned());
    }
    all
}

#[test]
fn every_leaf_stands_where_it_is_said_to() {
    let work = TempDir::new().expect("a folder can be made");
    let env = work.path().join("production");
    write(&env);
    let merged = checked(&env, &["h", "--merge", "deep"]);
    for (key, value) in [
        ("h.json_only", "json-only"),
        ("h.\"a.b\"", "json-dotted"),
        ("h.deep.a", "json-deep-a"),
        ("h.deep.b", "hocon-deep-b"),
        ("h.deep.d", "yaml-deep-d"),
        ("h.hocon_only", "hocon-only"),
        ("h.path.of.keys", "hocon-path"),
        ("h.more", "more-only"),
        ("h.yaml_question", "yaml-answer"),
    ] {
        assert_eq!(merged.get(key).map(String::as_str), Some(value), "{merged:#?}");
    }
    let items = merged.iter().filter(|(key, _)| key.starts_with("h.deep.list.")).count();
    assert_eq!(items, 5);
    for args in [
        ["h", "--merge", "hash"].as_slice(),
        &["h"],
        &["h.deep"],
        &["h.deep.list.1"],
        &["h.path.of.keys", "--merge", "deep"],
        &["u", "--merge", "unique"],
        &["u", "--merge", "deep"],
        &["u.0"],
        &["\"deep.down\""],
        &["both"],
        &["anchored"],
        &["merged"],
        &["aliased"],
        &["symbol"],
        &["numbers"],
        &["keys"],
        &["lists"],
        &["lists.1.name"],
        &["same"],
        &["target"],
        &["m::p"],
    ] {
        assert!(!checked(&env, args).is_empty(), "{args:?}");
    }
}

#[test]
fn what_no_line_has_is_said_otherwise() {
    let work = TempDir::new().expect("a folder can be made");
    let env = work.path().join("production");
    write(&env);
    let at = |file: &str| env.join("data").join(file).display().to_string();
    let line_of =
        |text: &str, word: &str| text.lines().position(|line| line.contains(word)).expect("it is there") + 1;
    let said = |args: &[&str]| text(&run(&env, &[args, &["--origin"]].concat()));
    assert_eq!(said(&["f"]), "f: 'from-function' (hierarchy entry: Function)\n");
    assert_eq!(said(&["k"]), format!("k: 'from-key' (file: {})\n", at("three.yaml")));
    assert_eq!(said(&["nope", "--default", "x"]), "nope: 'x' (default value)\n");
    let line = line_of(MORE, "converted: '42'");
    assert_eq!(said(&["converted"]), format!("converted: 42 (file: {}, line: {line})\n", at("four.yaml")));
    let line = line_of(YAML, "through:");
    assert_eq!(
        said(&["through"]),
        format!("through.0: 'yaml-target' (file: {}, line: {line})\n", at("three.yaml"))
    );
    let none = run(&env, &["nope", "--origin"]);
    assert_eq!((none.status.code(), none.stdout.as_slice()), (Some(1), b"".as_slice()));
    let both = run(&env, &["f", "--origin", "--explain"]);
    assert!(String::from_utf8_lossy(&both.stderr).contains("--origin can not be combined"));
}

#[test]
fn an_archive_knows_the_line_if_it_holds_the_text() {
    let work = TempDir::new().expect("a folder can be made");
    let env = work.path().join("production");
    write(&env);
    let sources = text(&run(&env, &["merged", "--origin"]));
    for (name, embeds, moved) in
        [("with.bnr", true, true), ("without.bnr", false, true), ("near.bnr", false, false)]
    {
        let archive = work.path().join(name);
        let mut build = Command::new(bunraku::binary().expect("Bunraku builds"));
        build.args(["build", "--environment"]).arg(&env).arg("-o").arg(&archive);
        build.args(embeds.then_some("--embed"));
        assert!(build.output().expect("Bunraku starts").status.success());
        let away = work.path().join("away");
        if moved {
            fs::rename(&env, &away).expect("folders can be moved");
        }
        let archive = archive.to_str().expect("the path is UTF-8");
        let out = text(&run(&env, &["merged", "--origin", "--archive", archive, "--frozen"]));
        if moved {
            fs::rename(&away, &env).expect("folders can be moved");
        }
        let lines = sources.lines().map(|line| {
            let (before, _) = line.split_once(", line: ").expect("sources tell lines");
            if embeds { line.to_owned() } else { format!("{before})") }
        });
        assert_eq!(out.lines().map(str::to_owned).collect::<Vec<_>>(), lines.collect::<Vec<_>>(), "{name}");
    }
}
