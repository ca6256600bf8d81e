//! The control repo that speed is measured on: its five catalogs are real Puppet's, logs included.
//!
//! `UPDATE=1` writes the goldens anew, from the oracle, where Puppet is installed.

use bunraku_tests::corpus::fetch;
use bunraku_tests::corpus::goldens::Golden;
use bunraku_tests::{bunraku, canonical, compare, control_repo, oracle};
use serde_json::Value;

fn normalised(mut results: Vec<Value>) -> Vec<Value> {
    results.iter_mut().for_each(|result| canonical::normalise(result, &control_repo::places()));
    results
}

#[test]
fn catalogs_are_puppets() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED control repo: five catalogs not compared, since {reason}");
        return;
    }
    let jobs: Vec<Value> = control_repo::NODES.iter().map(|node| control_repo::job(node)).collect();
    if std::env::var_os("UPDATE").is_some() {
        assert!(oracle::installed(), "Puppet 7.23 makes the goldens, and it is not installed");
        let results = normalised(oracle::collect(&jobs));
        control_repo::write_goldens(&results).expect("the goldens can be written");
    }
    let goldens = control_repo::goldens();
    assert_eq!(goldens.len(), jobs.len(), "a node has no golden; UPDATE=1 makes it");
    let results = normalised(bunraku::collect(&jobs).expect("Bunraku builds and starts"));
    let mut report = String::new();
    for ((job, want), got) in jobs.iter().zip(&goldens).zip(&results) {
        let node = job["node"].as_str().unwrap_or_default();
        assert!(want.ok, "{node}: Puppet itself fails");
        let found = Golden::of(got);
        if (&found.outcome, &found.logs) != (&want.outcome, &want.logs) {
            report += &format!("{node}: {}\n", difference(job, got));
        }
    }
    assert!(report.is_empty(), "{report}");
}

/// In words, where there is a Puppet to ask.
fn difference(job: &Value, got: &Value) -> String {
    if !oracle::installed() {
        return format!("differs from the golden; it says: {}", got["error"]);
    }
    let want = normalised(oracle::collect(std::slice::from_ref(job))).remove(0);
    match compare::differences(&want, got).first() {
        Some(first) => format!("{}\n{}", first.cause, first.detail),
        None => format!("logs differ\n- {}\n+ {}", want["logs"], got["logs"]),
    }
}
