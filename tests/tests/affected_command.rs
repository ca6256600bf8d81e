//! `bunraku affected` from outside: names, reasons, statuses; what is kept between runs, and what becomes of it when it is damaged.

use bunraku_tests::{bunraku, paths};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Two copies of a control repo, and a cache.
struct Site {
    work: TempDir,
}

impl Site {
    fn new() -> Site {
        let work = tempfile::tempdir().expect("a folder can be made");
        let repo = paths::root().join("fixtures/hiera-repo");
        ["before", "after"].iter().for_each(|side| paths::copy(&repo, &work.path().join(side)));
        paths::copy(&repo.join("facts"), &work.path().join("facts"));
        for facts in fs::read_dir(work.path().join("facts")).expect("there are facts").flatten() {
            let text = fs::read_to_string(facts.path()).expect("they can be read");
            let mut json: Value = serde_json::from_str(&text).expect("facts are JSON");
            json["keys"] = repo.join("keys").to_string_lossy().into();
            fs::write(facts.path(), json.to_string()).expect("a file can be written");
        }
        Site { work }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.work.path().join(below)
    }

    /// Writes a file in both copies.
    fn both(&self, file: &str, text: &str) {
        for side in ["before", "after"] {
            let path = self.path(side).join(file);
            fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
            fs::write(path, text).expect("a file can be written");
        }
    }

    /// What `bunraku diff` says of both copies: its status, and what it prints.
    fn diff(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        let [before, after, cache, facts] = ["before", "after", "cache", "facts"].map(|name| self.path(name));
        command.arg("diff").arg("--from").arg(before).arg("--to").arg(after).arg("--cache").arg(cache);
        command.arg("--facts").arg(facts).args(["--format", "json"]).args(more).env("BUNRAKU_NO_CONFIG", "1");
        let Output { status, stdout, stderr } = command.output().expect("it starts");
        let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (status.code(), out, err)
    }

    fn change(&self, file: &str, change: impl FnOnce(String) -> String) {
        let path = self.path("after").join(file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, change(text)).expect("a file can be written");
    }

    fn ask(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        let [before, after, cache] = ["before", "after", "cache"].map(|name| self.path(name));
        command.arg("affected").arg("--from").arg(&before).arg("--to").arg(&after).arg("--cache").arg(&cache);
        command.arg("--facts").arg(self.path("facts")).args(more).env("BUNRAKU_NO_CONFIG", "1");
        let Output { status, stdout, stderr } = command.output().expect("it starts");
        let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(!err.contains("panicked"), "{err}");
        (status.code(), out, err)
    }

    fn json(&self) -> Value {
        let (_, out, err) = self.ask(&["--format", "json"]);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
    }
}

#[test]
fn names_are_on_stdout_and_reasons_on_stderr() {
    let site = Site::new();
    let (status, out, err) = site.ask(&[]);
    assert_eq!((status, out.as_str()), (Some(0), ""), "{err}");
    assert!(err.contains("0 of 5 nodes can be touched"), "{err}");

    // Who declares what at which line is nobody's difference.
    site.change("manifests/site.pp", |text| format!("# said of nothing\n{text}"));
    let (status, out, err) = site.ask(&[]);
    assert_eq!((status, out.as_str()), (Some(0), ""), "{err}");

    site.change("manifests/site.pp", |text| text + "\nnotify { 'said to all': }\n");
    let (status, out, err) = site.ask(&[]);
    assert_eq!((status, out.lines().count()), (Some(2), 5), "{err}");
    assert!(err.lines().any(|line| line.starts_with("manifests/site.pp changed: 5 nodes")), "{err}");

    let (status, out, _) = site.ask(&["--match", "db*"]);
    assert_eq!((status, out.as_str()), (Some(2), "db01.example.com\n"));
}

#[test]
fn a_key_touches_those_who_look_for_it() {
    let site = Site::new();
    site.change("data/common.yaml", |text| text + "\nnobody::looks: for this\n");
    let (status, out, err) = site.ask(&[]);
    assert_eq!((status, out.as_str()), (Some(0), ""), "{err}");
    // A level that one node has, and did not have before.
    site.change("data/nodes/plain01.example.com.yaml", |text| {
        text + "\nlookup_options: {a: {merge: deep}}\n"
    });
    let (_, out, err) = site.ask(&[]);
    assert_eq!(out, "plain01.example.com\n", "{err}");
}

#[test]
fn what_was_found_out_is_kept_and_a_damaged_file_is_none() {
    let site = Site::new();
    site.change("manifests/site.pp", |text| text + "\nnotify { 'more': }\n");
    let first = site.json();
    assert_eq!((&first["asked"], &first["compiled"]), (&5.into(), &5.into()));
    let again = site.json();
    assert_eq!((&again["compiled"], &again["nodes"]), (&0.into(), &first["nodes"]));
    let kept = fs::read_dir(site.path("cache/reads"))
        .expect("it is kept")
        .flatten()
        .next()
        .expect("in a file")
        .path();
    let good = fs::read(&kept).expect("it can be read");
    for length in [0, 1, good.len() / 3, good.len() - 1] {
        fs::write(&kept, &good[..length]).expect("a file can be written");
        assert_eq!(site.json()["nodes"], first["nodes"], "cut off at {length}");
    }
    // Other facts are another question.
    let facts = site.path("facts/plain01.example.com.json");
    let text = fs::read_to_string(&facts).expect("it can be read");
    fs::write(&facts, text.replacen('{', "{\"brand_new\": 1,", 1)).expect("a file can be written");
    assert_eq!(site.json()["compiled"], 1);
}

#[test]
fn what_is_kept_is_of_a_node_that_is_given_the_same() {
    let site = Site::new();
    site.change("manifests/site.pp", |text| text + "\nnotify { 'more': }\n");
    fs::rename(site.path("facts"), site.path("known")).expect("a folder can be moved");
    let pull = || {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        command.args(["facts", "pull", "--from"]).arg(site.path("known")).arg("-o").arg(site.path("facts"));
        assert!(command.output().expect("it starts").status.success());
    };
    pull();
    let compiled = |more: &[&str]| {
        let (_, out, err) = site.ask(&[&["--format", "json"], more].concat());
        let answer: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
        answer["compiled"].clone()
    };
    assert_eq!((compiled(&[]), compiled(&[])), (5.into(), 0.into()));
    // The facts of one, the same written in another way, and what all are given.
    let facts = site.path("known/plain01.example.com.json");
    let text = fs::read_to_string(&facts).expect("it can be read");
    fs::write(&facts, text.replacen('{', "{\"brand_new\": 1,", 1)).expect("a file can be written");
    pull();
    assert_eq!((compiled(&[]), compiled(&[])), (1.into(), 0.into()));
    let others = [["--compat", "7"], ["--strict", "error"], ["--environment_name", "other"]];
    for other in others {
        assert_eq!((compiled(&other), compiled(&other)), (5.into(), 0.into()), "{other:?}");
    }
    // A classifier is asked of each.
    let answers = site.path("answers");
    fs::create_dir(&answers).expect("a folder can be made");
    for node in ["db01", "edge01", "plain01", "web01", "web02"] {
        fs::write(answers.join(format!("{node}.example.com")), "parameters: {x: 1}\n")
            .expect("it can be written");
    }
    let classified = ["--enc-answers", &answers.to_string_lossy()];
    assert_eq!((compiled(&classified), compiled(&classified)), (5.into(), 0.into()));
    fs::write(answers.join("db01.example.com"), "parameters: {x: 2}\n").expect("it can be written");
    assert_eq!((compiled(&classified), compiled(&classified)), (1.into(), 0.into()));
    // What is told otherwise than the facts is not in them.
    let overridden = |value: &str| {
        let (_, out, err) = site.diff(&["--override", &format!("os.{value}")]);
        (out, err)
    };
    site.both("manifests/site.pp", "notify { String($facts['os']): }\n");
    site.change("manifests/site.pp", |text| format!("if $facts['os']['x'] == 2 {{ {text} }}"));
    for value in ["x=1", "x=2", "x=1"] {
        let (out, err) = overridden(value);
        assert_eq!(out.contains("Notify"), value == "x=1", "{value}: {out}{err}");
    }
}

#[test]
fn a_diff_finds_out_what_is_not_known_and_writes_nothing_that_is() {
    let site = Site::new();
    site.change("manifests/site.pp", |text| text + "\nnotify { 'more': }\n");
    let first = site.diff(&[]);
    let kept = || {
        let file = fs::read_dir(site.path("cache/reads")).expect("it is kept").flatten().next();
        file.expect("in a file").metadata().expect("it is there").ino()
    };
    let file = kept();
    assert_eq!((site.diff(&[]), kept()), (first, file));
    assert_eq!(site.json()["compiled"], 0);
    // Of one node it is not known.
    let facts = site.path("facts/plain01.example.com.json");
    let text = fs::read_to_string(&facts).expect("it can be read");
    fs::write(&facts, text.replacen('{', "{\"brand_new\": 1,", 1)).expect("a file can be written");
    site.diff(&[]);
    assert_eq!(site.json()["compiled"], 0);
    assert_ne!(kept(), file);
}

#[test]
fn a_key_with_segments_is_looked_for_by_its_root() {
    let site = Site::new();
    let twice = "
node 'plain01.example.com' {
  $found = [1, 2].map |$n| { lookup('segmented.inner', default_value => 'none') }
  notify { \"${found}\": }
}
node default { }
";
    site.both("manifests/site.pp", twice);
    assert_eq!(site.ask(&[]).1, "");
    site.change("data/common.yaml", |text| text + "\nsegmented: {inner: 3}\n");
    let (_, out, err) = site.ask(&[]);
    assert_eq!(out, "plain01.example.com\n", "{err}");
}

#[test]
fn a_node_that_fails_is_touched_by_what_it_has_read() {
    let site = Site::new();
    for side in ["before", "after"] {
        let path = site.path(side).join("manifests/site.pp");
        let text = fs::read_to_string(&path).expect("it can be read");
        fs::write(&path, text + "\nnode 'plain01.example.com' { fail(file('/nowhere/at/all')) }\n")
            .expect("it can be written");
    }
    site.change("data/common.yaml", |text| text + "\nanother: 1\n");
    let (status, _, err) = site.ask(&[]);
    assert!(matches!(status, Some(0 | 2)), "{err}");
    let (status, _, err) = site.ask(&["--facts", "/nowhere/at/all"]);
    assert_eq!(status, Some(1), "an argument twice: {err}");
}

#[test]
fn a_diff_of_the_touched_alone_is_the_diff_of_all() {
    let site = Site::new();
    let changes = [
        ("data/common.yaml", "\nnobody::looks: for this\n"),
        ("data/nodes/web01.example.com.yaml", "\nlookup_options: {a: {merge: deep}}\n"),
        ("manifests/site.pp", "\n# More, and nothing.\n"),
        ("manifests/site.pp", "\nnode 'plain01.example.com' { notify { 'new': } }\n"),
    ];
    for (file, more) in changes {
        site.change(file, |text| text + more);
        let (all, some) = (site.diff(&["--all"]), site.diff(&[]));
        assert_eq!(all, some, "{file}");
    }
}

#[test]
fn a_file_that_is_named_as_a_source_touches_whom_it_is_for() {
    let site = Site::new();
    let sources = "
node 'plain01.example.com' {
  file { '/one': source => ['puppet:///modules/filed/none', 'puppet:///modules/filed/one'] }
}
node 'db01.example.com' { file { '/all': ensure => directory, recurse => true, source => 'puppet:///modules/filed/all' } }
node default { }
";
    site.both("manifests/site.pp", sources);
    ["one", "all/deep/two", "nobodys"]
        .iter()
        .for_each(|file| site.both(&format!("modules/filed/files/{file}"), "a\n"));
    let touched = || site.ask(&[]).1;
    assert_eq!(touched(), "");
    for (file, who) in [
        ("nobodys", ""),
        ("one", "plain01.example.com\n"),
        ("all/deep/two", "db01.example.com\nplain01.example.com\n"),
    ] {
        site.change(&format!("modules/filed/files/{file}"), |text| text + "b\n");
        assert_eq!(touched(), who, "{file}");
        let (all, some) = (site.diff(&["--all"]), site.diff(&[]));
        assert_eq!(all, some, "{file}");
        assert_eq!(some.1.contains(r"a\nb\n"), file != "nobodys", "{file}: {}", some.1);
    }
    // A file that appears where one was looked for, or anywhere below a folder that is copied.
    site.change("modules/filed/files/one", |_| "a\n".into());
    site.change("modules/filed/files/none", |text| text + "instead\n");
    fs::write(site.path("after/modules/filed/files/all/deep/two"), "a\n").expect("it can be written");
    fs::write(site.path("after/modules/filed/files/all/new"), "").expect("it can be written");
    assert_eq!(touched(), "db01.example.com\nplain01.example.com\n");
}

#[test]
fn a_node_that_runs_a_program_is_touched_by_all_unless_the_program_is_pure() {
    let site = Site::new();
    let code = "node 'plain01.example.com' { notify { generate('/bin/echo', 'a'): } }\nnode default { }\n";
    site.both("manifests/site.pp", code);
    site.change("data/common.yaml", |text| text + "\nnobody::looks: for this\n");
    let touched = |more: &[&str]| site.ask(more).1;
    // What was found out with the one setting is not taken for the other.
    for _ in 0..2 {
        assert_eq!(touched(&[]), "plain01.example.com\n");
        assert_eq!(touched(&["--pure-program", "/bin/echo"]), "");
        assert_eq!(touched(&["--pure-program", "/bin/cat"]), "plain01.example.com\n");
    }
}
