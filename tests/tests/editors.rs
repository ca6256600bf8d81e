//! What editors, forges and hooks ask of `bunraku check`: a text on stdin in place of a file, SARIF, lines that a problem
//! matcher reads, and the hook of pre-commit.

use bunraku_tests::{bunraku, paths};
use regex_lite::Regex;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(folder: &Path, args: &[&str], stdin: &str) -> Output {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("Bunraku starts");
    // A command that refuses its arguments is gone before it reads.
    let _ = child.stdin.take().expect("stdin is piped").write_all(stdin.as_bytes());
    child.wait_with_output().expect("Bunraku ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with files that have errors and warnings, and one that has none.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, code) in [
        ("good.pp", "class good { }\n"),
        ("bad name.pp", "class bad {\n  $a = }\n"),
        ("several.pp", "$a::b = 1\n$c::d = 2\n"),
        ("bad.epp", "a\n<% if { %>\n"),
        ("twice.pp", "$h = { a => 1,\n  a => 2 }\n"),
    ] {
        fs::write(folder.path().join(name), code).expect("a file can be written");
    }
    folder
}

#[test]
fn stdin_stands_in_for_a_file() {
    let folder = tree();
    let check = |args: &[&str], stdin: &str| run(folder.path(), &[&["check"], args].concat(), stdin);
    // The file is not read, and need not be there.
    assert!(check(&["--stdin", "--filename", "bad name.pp"], "class good { }").status.success());
    let found = check(&["--stdin", "--filename", "new/file.pp"], "class a {\n}}");
    assert_eq!(found.status.code(), Some(1));
    assert!(text(&found.stderr).contains("(file: new/file.pp, line: 2, column: 2)"), "{found:?}");
    // What it is a text of, its name says.
    assert!(check(&["--stdin", "--filename", "a.epp"], "port <%= $port %>").status.success());
    assert_eq!(check(&["--stdin", "--filename", "a.pp"], "port <%= $port %>").status.code(), Some(1));
    for wrong in
        [&["--stdin"][..], &["--filename", "a.pp"], &["--stdin", "--filename", "a.pp", "good.pp"], &[]]
    {
        assert_eq!(check(wrong, "").status.code(), Some(2), "{wrong:?}");
    }
    let json = check(&["--stdin", "--filename", "a.pp", "--format", "json"], "class {");
    let document: Value = serde_json::from_slice(&json.stdout).expect("stdout is JSON");
    assert_eq!(document["diagnostics"][0]["file"], "a.pp");
}

/// The members that SARIF's schema requires, and the values it allows, of what is written here.
fn assert_sarif(log: &Value) {
    let known = |object: &Value, names: &[&str]| {
        for name in object.as_object().expect("an object").keys() {
            assert!(names.contains(&name.as_str()), "{name}: {object}");
        }
    };
    known(log, &["$schema", "version", "runs"]);
    assert_eq!(log["version"], "2.1.0");
    for run in log["runs"].as_array().expect("runs is required") {
        known(run, &["tool", "columnKind", "results"]);
        known(&run["tool"], &["driver"]);
        let driver = &run["tool"]["driver"];
        known(driver, &["name", "version", "rules"]);
        assert!(driver["name"].is_string());
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let rules = driver["rules"].as_array().expect("rules is an array");
        assert!(rules.iter().all(|rule| rule["id"].is_string()), "id is required: {rules:?}");
        for result in run["results"].as_array().expect("results is an array") {
            known(result, &["ruleId", "ruleIndex", "level", "message", "locations"]);
            assert!(result["message"]["text"].is_string(), "message is required: {result}");
            assert!(
                ["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("a level"))
            );
            let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[rule]["id"], result["ruleId"]);
            // Forges refuse results without a place, and places without a line.
            let locations = result["locations"].as_array().expect("there are locations");
            assert_eq!(locations.len(), 1, "{result}");
            for location in locations {
                let place = &location["physicalLocation"];
                assert!(place["region"]["startLine"].is_u64(), "{place}");
                let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
                assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
                for name in ["startLine", "startColumn"] {
                    assert!(place["region"][name].as_u64().is_none_or(|number| number > 0), "{place}");
                }
            }
        }
    }
}

#[test]
fn sarif_is_what_the_standard_says() {
    let folder = tree();
    let found = run(folder.path(), &["check", "--format", "sarif", "."], "");
    assert_eq!(found.status.code(), Some(1));
    let log: Value = serde_json::from_slice(&found.stdout).expect("stdout is JSON");
    assert_sarif(&log);
    let results = log["runs"][0]["results"].as_array().expect("results");
    let json = run(folder.path(), &["check", "--format", "json", "."], "");
    let all: Value = serde_json::from_slice(&json.stdout).expect("stdout is JSON");
    assert_eq!(results.len(), all["diagnostics"].as_array().expect("diagnostics").len());
    let of = |file: &str| {
        let is_of = |one: &&Value| one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == file;
        results.iter().find(is_of).unwrap_or_else(|| panic!("{file}: {results:?}"))
    };
    let bad = of("bad%20name.pp");
    assert_eq!((&bad["level"], &bad["ruleId"]), (&"error".into(), &"SYNTAX_ERROR".into()));
    assert_eq!(bad["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    // Where nothing is found there is a run without results: a forge takes back what was there before.
    let good = run(folder.path(), &["check", "--format", "sarif", "good.pp"], "");
    assert!(good.status.success());
    let log: Value = serde_json::from_slice(&good.stdout).expect("stdout is JSON");
    assert_sarif(&log);
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

/// What Puppet names no line of, or no file, has both here: a pattern that an editor has for the messages finds it.
#[test]
fn every_fault_has_a_file_and_a_line() {
    let page = fs::read_to_string(paths::root().join("docs/editors-and-hooks.md")).expect("it can be read");
    let pattern =
        page.split_once(r"'\v").and_then(|(_, rest)| rest.split_once('\'')).expect("ALE has a pattern").0;
    let pattern = Regex::new(&pattern.replace("%(", "(?:")).expect("a regular expression");
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, code, line) in [
        ("end.pp", &b"class a {\n  include b\n"[..], 2),
        ("end.epp", b"<% if true { %>\n\nyes", 3),
        ("bom.pp", b"\xef\xbb\xbfclass c { }\n", 1),
        ("latin1.pp", b"class d {\n  notice('h\xe9')\n}\n", 2),
        ("regexp.pp", b"class e {\n  $a = /(/\n}\n", 2),
    ] {
        fs::write(folder.path().join(name), code).expect("a file can be written");
        let said = text(&run(folder.path(), &["check", name], "").stderr);
        let found = pattern.captures(said.lines().next().unwrap_or_default());
        let found = found.unwrap_or_else(|| panic!("{name}: {said}"));
        assert_eq!(&found[3], line.to_string(), "{said}");
        assert!(said.contains(&format!("(file: {name}, line: {line}")), "{said}");
        let json = run(folder.path(), &["check", "--format", "json", name], "");
        let json: Value = serde_json::from_slice(&json.stdout).expect("stdout is JSON");
        let one = &json["diagnostics"][0];
        assert_eq!((&one["file"], &one["line"]), (&name.into(), &line.into()), "{json}");
        let sarif = run(folder.path(), &["check", "--format", "sarif", name], "");
        let sarif: Value = serde_json::from_slice(&sarif.stdout).expect("stdout is JSON");
        assert_sarif(&sarif);
        let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["region"]["startLine"], line, "{place}");
        assert_eq!(place["artifactLocation"]["uri"], name, "{place}");
    }
}

#[test]
fn the_problem_matcher_reads_what_is_printed() {
    let file = paths::root().join("integrations/github/problem-matcher.json");
    let matcher: Value =
        serde_json::from_slice(&fs::read(file).expect("it can be read")).expect("it is JSON");
    let patterns: Vec<(Regex, &Value)> = matcher["problemMatcher"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|one| &one["pattern"][0])
        .map(|one| (Regex::new(one["regexp"].as_str().expect("a regexp")).expect("it is one"), one))
        .collect();
    let folder = tree();
    let read = |args: &[&str]| -> Vec<[String; 5]> {
        let said = text(&run(folder.path(), args, "").stderr);
        let names = ["severity", "file", "line", "column", "message"];
        let read = |line: &str| {
            let (found, groups) =
                patterns.iter().find_map(|(regexp, groups)| Some((regexp.captures(line)?, groups)))?;
            let group = |name: &str| found.get(groups[name].as_u64()? as usize);
            Some(names.map(|name| group(name).map_or("null", |found| found.as_str()).to_owned()))
        };
        said.lines().filter_map(read).collect()
    };
    let json = run(folder.path(), &["check", "--format", "json", "."], "");
    let all: Value = serde_json::from_slice(&json.stdout).expect("stdout is JSON");
    let places: Vec<[String; 3]> =
        read(&["check", "."]).into_iter().map(|[_, f, l, c, _]| [f, l, c]).collect();
    let wanted: Vec<[String; 3]> = all["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .map(|one| ["file", "line", "column"].map(|name| one[name].to_string().trim_matches('"').to_owned()))
        .collect();
    assert!(wanted.len() >= 4, "{wanted:?}");
    assert_eq!(places, wanted);
    let [severity, _, _, _, message] = &read(&["check", "bad name.pp"])[0];
    assert_eq!((severity.as_str(), message.as_str()), ("Error", "Syntax error at '}'"));
    // A compile names the node behind the place.
    let compiled = read(&["compile", "--manifest", "several.pp", "web1.example.com"]);
    let [_, file, line, column, _] = &compiled[0];
    assert!(file.ends_with("/several.pp"), "{file}");
    assert_eq!((line.as_str(), column.as_str()), ("1", "1"));
}

#[test]
fn the_hook_runs() {
    let hooks = fs::read_to_string(paths::root().join(".pre-commit-hooks.yaml")).expect("it can be read");
    let value = |name: &str| {
        let found = hooks.lines().find_map(|line| line.trim_start_matches("- ").trim().strip_prefix(name));
        found.unwrap_or_else(|| panic!("{name} {hooks}")).trim().to_owned()
    };
    let entry = value("entry:");
    let mut words = entry.split(' ');
    assert_eq!(words.next(), Some("bunraku"));
    let files = Regex::new(&value("files:")).expect("a regular expression");
    assert!(files.is_match("manifests/a.pp") && files.is_match("templates/a.epp") && !files.is_match("a.rb"));
    let folder = tree();
    let args: Vec<&str> = words.collect();
    assert!(run(folder.path(), &[&args[..], &["good.pp"]].concat(), "").status.success());
    assert_eq!(run(folder.path(), &[&args[..], &["good.pp", "bad.epp"]].concat(), "").status.code(), Some(1));
    // It names each file; what a folder would leave out is none to check.
    let bad = "plan m($a) { }\n";
    for name in ["plans/init.pp", "modules/m/plans/init.pp", "modules/m/files/policy.pp"] {
        bunraku_tests::paths::write(&folder.path().join(name), bad);
        assert!(run(folder.path(), &[&args[..], &[name]].concat(), "").status.success(), "{name}");
        assert_eq!(run(folder.path(), &["check", name], "").status.code(), Some(1), "{name}");
    }
    // A module, or a namespace, may be called so.
    bunraku_tests::paths::write(&folder.path().join("modules/plans/manifests/init.pp"), "class plans { }\n");
    for name in ["modules/plans/types/a.pp", "modules/m/manifests/plans/a.pp"] {
        bunraku_tests::paths::write(&folder.path().join(name), bad);
        assert_eq!(run(folder.path(), &[&args[..], &[name]].concat(), "").status.code(), Some(1), "{name}");
    }
}
