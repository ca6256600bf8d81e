//! `bunraku profile`: figures of nodes and fleets, their sums, the page, the difference to a profile from before.

use bunraku_tests::{bunraku, paths};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

fn profile(more: &[&str]) -> Output {
    let repo = paths::root().join("fixtures/control-repo");
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command
        .arg("profile")
        .arg(&repo)
        .args(["--no-archives", "--threads", "1", "--factpath"])
        .arg(repo.join("facts"));
    command.args(more).output().expect("Bunraku starts")
}

fn json(more: &[&str]) -> (Value, String) {
    let output = profile(&[&["--json"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (serde_json::from_str(&text).expect("it is JSON"), text)
}

#[test]
fn fleets_are_the_sum_of_their_nodes() {
    let (all, _) = json(&[]);
    let (web, _) = json(&["-n", "web01.example.com"]);
    let (db, _) = json(&["-n", "db01.example.com"]);
    assert_eq!((&all["nodes"], &web["nodes"]), (&Value::from(2), &Value::from(1)));
    for kind in ["class", "define", "puppet", "language", "epp"] {
        let names = all["names"][kind].as_object().unwrap_or_else(|| panic!("there are no {kind}"));
        for (name, row) in names {
            let calls = |profile: &Value| profile["names"][kind][name][0].as_u64().unwrap_or_default();
            assert_eq!(row[0].as_u64(), Some(calls(&web) + calls(&db)), "{kind} {name}");
        }
    }
    // Each nanosecond is some module's, or the rest's.
    let modules = all["modules"].as_object().expect("an object");
    let sum: u64 = modules.values().map(|row| row[1].as_u64().expect("a number")).sum();
    let total = all["nanoseconds"].as_u64().expect("a number");
    assert_eq!(sum, total);
    for module in ["accounts", "lighthouse", "profile", "role", "(rest)"] {
        assert!(modules.contains_key(module), "{module} is not among {modules:?}");
    }
    // Node definitions are the main manifest's.
    let classes = all["names"]["class"].as_object().expect("an object");
    assert!(!classes.keys().any(|name| name.contains("example")), "{classes:?}");
    assert!(!modules.contains_key("default"), "{modules:?}");
    let files = all["files"].as_object().expect("an object");
    for file in [
        "modules/lighthouse/manifests/vhost.pp",
        "modules/accounts/functions/key_line.pp",
        "modules/lighthouse/templates/lighthouse.conf.epp",
    ] {
        assert!(files.contains_key(file), "{file} is not among {:?}", files.keys());
    }
}

#[test]
fn pages_and_texts_say_what_has_changed() {
    let work = tempfile::tempdir().expect("a folder");
    let place = |name: &str| work.path().join(name).display().to_string();
    let (_, text) = json(&["-n", "web01.example.com"]);
    fs::write(place("before.json"), &text).expect("it can be written");
    let output = profile(&["--before", &place("before.json"), "--html", &place("p.html"), "--top", "2"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.starts_with("2 nodes, ") && printed.contains("\nmodules\n") && printed.contains("\n  and ")
    );
    let page = fs::read_to_string(place("p.html")).expect("it was written");
    assert_eq!(page.matches("<svg").count(), 2);
    for part in
        ["<title>class Lighthouse: ", "<h2>What has changed</h2>", "<th>change, ms</th>", "<h2>By files</h2>"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http"), "it is self-contained");
    fs::write(place("none.json"), "{}").expect("it can be written");
    for (file, message) in
        [(place("none.json"), "it is no profile"), (place("nowhere.json"), "Could not read")]
    {
        let output = profile(&["--before", &file]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(message), "{said}");
    }
}
