//! The control repo of `fixtures/`: our catalogs are real Puppet's, to the last edge.
//!
//! `UPDATE=1` writes the goldens anew, from the oracle, where Puppet is installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use bunraku_tests::canonical::{self, Places};
use bunraku_tests::{bunraku, compare, oracle, paths};
use serde_json::{Value, json};

const NODES: [&str; 2] = ["web01.example.com", "db01.example.com"];

fn repo() -> PathBuf {
    paths::root().join("fixtures").join("control-repo")
}

fn golden(node: &str) -> PathBuf {
    paths::root().join("tests").join("goldens").join("fixture").join(format!("{node}.json"))
}

fn facts(node: &str) -> PathBuf {
    repo().join("facts").join(format!("{node}.json"))
}

fn jobs() -> Vec<Value> {
    NODES
        .iter()
        .map(|node| {
            let facts = fs::read_to_string(facts(node)).expect("the facts can be read");
            let facts: Value = serde_json::from_str(&facts).expect("the facts are JSON");
            json!({
                "id": node, "node": node, "facts": facts,
                "environment": repo(), "environment_name": "production",
            })
        })
        .collect()
}

fn places() -> Places {
    Places::new(vec![(repo().display().to_string(), "{repo}")])
}

#[test]
fn catalogs_are_puppets() {
    if std::env::var_os("UPDATE").is_some() {
        assert!(oracle::installed(), "Puppet 7.23 makes the goldens, and it is not installed");
        for (node, mut result) in NODES.iter().zip(oracle::collect(&jobs())) {
            canonical::normalise(&mut result, &places());
            let text = serde_json::to_string_pretty(&result).expect("JSON can be written");
            fs::write(golden(node), text + "\n").expect("the golden can be written");
        }
    }
    let results = bunraku::collect(&jobs()).expect("Bunraku builds and starts");
    let mut report = String::new();
    for (node, mut got) in NODES.iter().zip(results) {
        canonical::normalise(&mut got, &places());
        let text = fs::read_to_string(golden(node)).expect("the golden can be read");
        let want: Value = serde_json::from_str(&text).expect("the golden is JSON");
        for difference in compare::differences(&want, &got) {
            report += &format!("{node}: {}\n{}\n", difference.cause, difference.detail);
        }
        if canonical::outcome_hash(&want) != canonical::outcome_hash(&got) {
            report += &format!("{node}: the catalog's text differs\n");
        }
        if want["logs"] != got["logs"] {
            report += &format!("{node}: logs differ\n- {}\n+ {}\n", want["logs"], got["logs"]);
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn an_agent_takes_the_catalog() {
    if !oracle::installed() {
        eprintln!("SKIPPED: no Puppet here to give the catalogs to");
        return;
    }
    let work = std::env::temp_dir().join(format!("bunraku-agent-{}", std::process::id()));
    for node in NODES {
        let folder = work.join(node);
        fs::create_dir_all(&folder).expect("a folder can be made");
        let catalog = folder.join("catalog.json");
        let compiled = Command::new(bunraku::binary().expect("Bunraku builds"))
            .args(["compile", node, "--environment_name", "production", "--environment"])
            .arg(repo())
            .arg("--facts")
            .arg(facts(node))
            .arg("-o")
            .arg(&catalog)
            .output()
            .expect("Bunraku starts");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let applied = Command::new("puppet")
            .args(["apply", "--noop", "--color", "false", "--certname", node, "--catalog"])
            .arg(&catalog)
            .arg("--confdir")
            .arg(folder.join("conf"))
            .arg("--vardir")
            .arg(folder.join("var"))
            .output()
            .expect("Puppet starts");
        let said = [applied.stdout, applied.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(applied.status.success() && said.contains("Applied catalog"), "{said}");
        // What Facter may not read on this machine is no matter of the catalog's.
        let faults = said.lines().filter(|line| line.contains("Error:") && !line.contains("Facter:"));
        assert_eq!(faults.count(), 0, "{said}");
    }
    let _ = fs::remove_dir_all(work);
}
