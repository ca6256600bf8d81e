//! The control repo with data at seven levels: our catalogs are real Puppet's, from its sources and from an archive.
//!
//! `UPDATE=1` writes the goldens anew, from the oracle, where Puppet is installed.

use std::fs;
use std::path::PathBuf;

use bunraku_tests::canonical;
use bunraku_tests::{bunraku, compare, hiera_repo, oracle, paths};
use serde_json::Value;

fn golden(node: &str) -> PathBuf {
    paths::root().join("tests").join("goldens").join("hiera-repo").join(format!("{node}.json"))
}

/// What differs from the goldens, as text.
fn differences(jobs: &[Value]) -> String {
    let results = bunraku::collect(jobs).expect("Bunraku builds and starts");
    let mut report = String::new();
    for (node, mut got) in hiera_repo::NODES.iter().zip(results) {
        canonical::normalise(&mut got, &hiera_repo::places());
        let text = fs::read_to_string(golden(node)).expect("the golden can be read");
        let want: Value = serde_json::from_str(&text).expect("the golden is JSON");
        assert_eq!(want["ok"], true, "{node}: {}", want["error"]);
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
    report
}

#[test]
fn catalogs_are_puppets() {
    let jobs = hiera_repo::jobs();
    if std::env::var_os("UPDATE").is_some() {
        assert!(oracle::installed(), "Puppet 7.23 makes the goldens, and it is not installed");
        for (node, mut result) in hiera_repo::NODES.iter().zip(oracle::collect(&jobs)) {
            canonical::normalise(&mut result, &hiera_repo::places());
            let text = serde_json::to_string_pretty(&result).expect("JSON can be written");
            fs::write(golden(node), text + "\n").expect("the golden can be written");
        }
    }
    let report = differences(&jobs);
    assert!(report.is_empty(), "{report}");
}

#[test]
fn catalogs_from_an_archive_are_puppets() {
    let archive = hiera_repo::archive().expect("the archive is built");
    let report = differences(&hiera_repo::from_archive(&archive));
    assert!(report.is_empty(), "{report}");
}
