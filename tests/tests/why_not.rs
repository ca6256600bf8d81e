//! `bunraku why-not`: each cause that keeps something out of a catalog is told with its place and its values; the same of a folder, an
//! archive and a version in git.

use bunraku_tests::{bunraku, paths, repository};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    ("environment.conf", "modulepath = modules\n"),
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Nodes, path: \"nodes/%{trusted.certname}.yaml\"}\n  - {name: Common, path: common.yaml}\n",
    ),
    ("data/common.yaml", "classes:\n  - role\n# - by_data\nother: by_data\n"),
    ("data/nodes/b.yaml", "classes:\n  - ::by_data\n  - by_data::not\n"),
    ("manifests/site.pp", "node 'n' {\n  lookup('classes').include\n}\nnode 'b', /^c/ {\n  include far\n}\n"),
    (
        "modules/role/manifests/init.pp",
        "class role {\n\
        \x20 $port = 8080\n\
        \x20 if $facts['kernel'] == 'Windows' and $port > 1 {\n\
        \x20   include win\n\
        \x20 } elsif $port == 1 {\n\
        \x20   include elsif_one\n\
        \x20 } else {\n\
        \x20   include there\n\
        \x20   unless $facts['os']['family'] in ['Debian', 'RedHat'] {\n\
        \x20     include inner\n\
        \x20   }\n\
        \x20 }\n\
        \x20 case $facts['os']['family'] {\n\
        \x20   'RedHat', 'Suse': { include rpm }\n\
        \x20   'Debian': { }\n\
        \x20   default: { include other }\n\
        \x20 }\n\
        \x20 [].each |$x| {\n\
        \x20   file { '/block': }\n\
        \x20 }\n\
        \x20 @user { 'virtual': }\n\
        \x20 if $port == 8080 {\n\
        \x20 } else {\n\
        \x20   file { \"/by_${port}\": }\n\
        \x20 }\n\
        \x20 include \"computed::p${port}\"\n\
        \x20 include calls\n\
        }\n",
    ),
    ("modules/far/manifests/init.pp", "class far {\n  include deep\n  far::d { 'x': }\n}\n"),
    ("modules/far/manifests/d.pp", "define far::d {\n  include by_define\n}\n"),
    ("modules/far/functions/f.pp", "function far::f() {\n  include by_function\n}\n"),
    (
        "modules/far/functions/outer.pp",
        "function far::outer() {\n  if $facts['kernel'] == 'AIX' {\n    [1].each |$x| { far::f() }\n  }\n}\n",
    ),
    (
        "modules/calls/manifests/init.pp",
        "class calls {\n  far::outer()\n  if $facts['kernel'] == 'AIX' {\n    call('far::named')\n  }\n}\n",
    ),
    ("modules/far/functions/named.pp", "function far::named() {\n  include by_named\n}\n"),
    ("modules/far/functions/lonely.pp", "function far::lonely() {\n  include by_lonely\n}\n"),
    ("modules/deep/manifests/init.pp", "class deep inherits base {\n}\n"),
    ("modules/base/manifests/init.pp", "class base {\n}\n"),
    ("modules/computed/manifests/p8080.pp", "class computed::p8080 {\n}\n"),
    ("modules/win/manifests/init.pp", "class win {\n  include in_win\n}\n"),
    ("facts/n.json", r#"{"kernel": "Linux", "os": {"family": "Debian"}}"#),
];

/// Classes that are empty.
const EMPTY: &[&str] = &[
    "there",
    "inner",
    "rpm",
    "other",
    "by_define",
    "by_function",
    "by_data",
    "in_win",
    "elsif_one",
    "by_named",
    "by_lonely",
];

fn site() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    paths::write_all(folder.path(), FILES);
    for name in EMPTY {
        let file = folder.path().join(format!("modules/{name}/manifests/init.pp"));
        paths::write(&file, &format!("class {name} {{\n}}\n"));
    }
    folder
}

fn run(folder: &Path, tree: &[&str], resource: &str, more: &[&str]) -> Output {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    // A version is one of the repository that one stands in.
    command.current_dir(folder);
    command
        .args(["why-not", "n", resource, "--facts"])
        .arg(folder.join("facts/n.json"))
        .args(tree)
        .args(more);
    command.output().expect("Bunraku starts")
}

fn asked(folder: &Path, tree: &[&str], resource: &str) -> Value {
    let output = run(folder, tree, resource, &["--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{resource}: {said}");
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

/// The answer of the site as a folder.
fn answer(site: &TempDir, resource: &str) -> Value {
    let folder = site.path().display().to_string();
    asked(site.path(), &["--environment", &folder], resource)
}

/// The only place of an answer.
fn place(answer: &Value) -> &Value {
    let all = answer["places"].as_array().expect("a list");
    assert_eq!(all.len(), 1, "{answer}");
    &all[0]
}

/// A chain of classes that include each other, which nothing includes: its begin is too far from its end to be followed.
#[test]
fn what_is_too_far_away_is_said_to_be() {
    let site = tempfile::tempdir().expect("a folder");
    paths::write(&site.path().join("manifests/site.pp"), "notify { 'n': }\n");
    paths::write(&site.path().join("facts/n.json"), "{}");
    for number in 0..=20 {
        let file = site.path().join(format!("modules/c{number}/manifests/init.pp"));
        let includes = if number < 20 { format!("  include c{}\n", number + 1) } else { String::new() };
        paths::write(&file, &format!("class c{number} {{\n{includes}}}\n"));
    }
    let mut cause = place(&answer(&site, "Class[c20]"))["because"].clone();
    let mut steps = 1;
    while cause["places"] != json!([]) {
        assert_eq!((&cause["too_far"], &cause["told_elsewhere"]), (&json!(false), &json!(false)));
        cause = place(&cause)["because"].clone();
        steps += 1;
    }
    assert_eq!((&cause["too_far"], &cause["told_elsewhere"]), (&json!(true), &json!(false)), "{cause}");
    assert_eq!(cause["definition"], format!("class c{}", 20 - steps));
    let folder = site.path().display().to_string();
    let told = run(site.path(), &["--environment", &folder], "Class[c20]", &[]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("is not in the catalog, for reasons that are not followed any further"), "{told}");
    assert!(!told.contains("see above"), "{told}");
}

#[test]
fn conditions_are_told_with_their_values() {
    let site = site();
    let because = |resource: &str| place(&answer(&site, resource))["because"].clone();
    let condition = |of: &str, line: u64, text: &str, rest: bool, values: Value| {
        json!({
            "kind": "condition", "of": of, "line": line, "condition": text, "options": "", "rest": rest, "values": values
        })
    };
    assert_eq!(
        because("Class[win]"),
        // The right side was not asked for.
        condition(
            "if",
            3,
            "$facts['kernel'] == 'Windows' and $port > 1",
            false,
            json!({"$facts['kernel']": ["'Linux'"], "$port": []})
        )
    );
    assert_eq!(
        because("class['::elsif_one']"),
        condition("if", 5, "$port == 1", false, json!({"$port": ["8080"]}))
    );
    assert_eq!(
        because("Class[inner]"),
        condition(
            "unless",
            9,
            "$facts['os']['family'] in ['Debian', 'RedHat']",
            false,
            json!({"$facts['os']['family']": ["'Debian'"]})
        )
    );
    let rpm = because("Class[rpm]");
    assert_eq!(rpm["options"], "'RedHat', 'Suse'");
    assert_eq!(rpm["values"], json!({"$facts['os']['family']": ["'Debian'"]}));
    assert_eq!(because("Class[other]")["rest"], true);
    let win = answer(&site, "Class[win]");
    let win = place(&win);
    assert_eq!(
        (&win["by"], &win["text"], &win["in"]),
        (&json!("include"), &json!("include win"), &json!("class role"))
    );
    assert_eq!((&win["file"], &win["line"]), (&json!("modules/role/manifests/init.pp"), &json!(4)));
}

#[test]
fn what_is_not_reached_is_followed_to_what_is() {
    let site = site();
    let because = |resource: &str| place(&answer(&site, resource))["because"].clone();
    // Class base < deep < far < another node's definition.
    let base = because("Class[base]");
    assert_eq!(base["definition"], "class deep");
    let deep = &base["places"][0]["because"];
    assert_eq!(deep["definition"], "class far");
    let far = &deep["places"][0];
    assert_eq!((&far["in"], &far["because"]), (&json!("node 'b', /^c/"), &json!({"kind": "other_node"})));
    let define = because("Class[by_define]");
    assert_eq!((&define["definition"], &define["places"][0]["line"]), (&json!("define far::d"), &json!(3)));
    // A class that is reached only through one with a false condition.
    let inner = because("Class[in_win]");
    assert_eq!(inner["places"][0]["because"]["values"]["$facts['kernel']"], json!(["'Linux'"]));
    assert_eq!(because("File[/block]"), json!({"kind": "block", "function": "each", "line": 18}));
    assert_eq!(because("user[virtual]"), json!({"kind": "ran", "virtual": true}));
}

/// A class in a function: it is followed to what calls that.
#[test]
fn functions_are_followed_to_their_callers() {
    let site = site();
    let because = |resource: &str| place(&answer(&site, resource))["because"].clone();
    let function = because("Class[by_function]");
    assert_eq!((&function["kind"], &function["function"]), (&json!("not_called"), &json!("far::f")));
    // Its caller stands in a function that is called, and there in a condition.
    let caller = &function["places"][0];
    assert_eq!(
        (&caller["by"], &caller["in"], &caller["text"]),
        (&json!("call"), &json!("function far::outer"), &json!("far::f()"))
    );
    assert_eq!(caller["because"]["condition"], "$facts['kernel'] == 'AIX'");
    assert_eq!(caller["because"]["values"]["$facts['kernel']"], json!(["'Linux'"]));
    // `call` with the function's name.
    let named = because("Class[by_named]");
    assert_eq!(named["places"][0]["because"]["line"], 3);
    let lonely = because("Class[by_lonely]");
    assert_eq!((&lonely["places"], &lonely["told_elsewhere"]), (&json!([]), &json!(false)));
    let folder = site.path().display().to_string();
    let output = run(site.path(), &["--environment", &folder], "Class[by_function]", &[]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains(
            "    the function far::f is not called\n\
             \x20     modules/far/functions/outer.pp:3: far::f(), in function far::outer\n\
             \x20       `if $facts['kernel'] == 'AIX'` was false at line 2\n"
        ),
        "{printed}"
    );
}

/// Of a node with a classifier it is told what that gives, and which classes it could give.
#[test]
fn classes_that_a_classifier_could_give_are_told() {
    let site = site();
    paths::write(&site.path().join("enc/n.yaml"), "classes: {there: {}}\n");
    let folder = site.path().display().to_string();
    let tree = ["--environment", folder.as_str()];
    let enc = site.path().join("enc").display().to_string();
    let with = |resource: &str, more: &[&str]| {
        run(site.path(), &tree, resource, &[&["--enc-answers", enc.as_str()], more].concat())
    };
    let output = with("Class[base]", &["--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(told["classifier"], json!({"gives": ["there"], "could_give": ["base", "deep", "far"]}));
    let printed = with("Class[base]", &[]).stdout;
    let printed = String::from_utf8_lossy(&printed);
    let line = "  the node's classifier gives there; it could give base, or deep, or far\n";
    assert!(printed.contains(line), "{printed}");
    // Who has none is told nothing of it, and no resource but a class is given by one.
    assert_eq!(answer(&site, "Class[base]")["classifier"], Value::Null);
    let file = with("File[/block]", &["--json"]);
    let file: Value = serde_json::from_slice(&file.stdout).expect("it is JSON");
    assert_eq!(file["classifier"], Value::Null);
}

#[test]
fn names_in_data_and_computed_names_are_told() {
    let site = site();
    let data = answer(&site, "Class[by_data]");
    assert_eq!(
        data["data"],
        json!([
            {"file": "data/common.yaml", "line": 4, "read": true},
            {"file": "data/nodes/b.yaml", "line": 2, "read": false},
        ])
    );
    let computed: Vec<String> = data["computed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| format!("{}:{}", one["file"], one["line"]))
        .collect();
    assert_eq!(computed, ["\"manifests/site.pp\":2", "\"modules/role/manifests/init.pp\":26"]);
    let file = answer(&site, "File[/by_9090]");
    assert_eq!(file["computed"][0]["because"]["values"], json!({"$port": ["8080"]}));
}

#[test]
fn what_is_there_and_what_is_nothing_is_said() {
    let site = site();
    let folder = site.path().display().to_string();
    let tree = ["--environment", folder.as_str()];
    for (resource, part) in [
        ("Class[there]", "The catalog of n has Class[there]: ask `bunraku why n 'Class[there]'`"),
        ("Class[iner]", "The tree defines nothing for Class[iner]; is it inner?"),
        ("Far::E[x]", "The tree defines nothing for Far::E[x]; is it far::d?"),
        ("there", "'there' names no resource: it takes Type[title]"),
    ] {
        let output = run(site.path(), &tree, resource, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(part), "{resource}: {said}");
    }
    let output = run(site.path(), &tree, "Class[base]", &[]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "Class[base] is not in the catalog of n\n\
         \x20 modules/deep/manifests/init.pp:1: inherits base, in class deep\n\
         \x20   class deep is not in the catalog\n\
         \x20     modules/far/manifests/init.pp:2: include deep, in class far\n\
         \x20       class far is not in the catalog\n\
         \x20         manifests/site.pp:5: include far, in node 'b', /^c/\n\
         \x20           is not the node's definition\n\
         \x20 by names that are computed, it may be meant at\n\
         \x20   manifests/site.pp:2: lookup('classes').include, in node 'n'\n\
         \x20     is run, and comes to something else\n\
         \x20   modules/role/manifests/init.pp:26: include \"computed::p${port}\", in class role\n\
         \x20     is run, and comes to something else\n"
    );
}

#[test]
fn folders_archives_and_versions_answer_alike() {
    let site = site();
    repository::of_folder(site.path());
    let work = tempfile::tempdir().expect("a folder");
    let archive = work.path().join("site.bnr").display().to_string();
    let folder = site.path().display().to_string();
    bunraku::build(site.path(), Path::new(&archive), &["--embed"]);
    let cache = work.path().join("cache").display().to_string();
    for resource in ["Class[win]", "Class[by_data]", "Class[base]"] {
        let plain = answer(&site, resource);
        for tree in [archive.as_str(), "git:HEAD"] {
            let mut told = asked(site.path(), &["--tree", tree, "--cache", &cache], resource);
            // An archive has no folder of its own, so its files are named in full.
            let text = told.to_string().replace(&format!("{folder}/"), "");
            told = serde_json::from_str(&text).expect("it is JSON");
            assert_eq!(told, plain, "{resource} of {tree}");
        }
    }
}
