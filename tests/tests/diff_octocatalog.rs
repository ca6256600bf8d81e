//! `bunraku diff` beside octocatalog-diff 2.1.0 with real Puppet: of the same nodes, trees and facts they tell the same differences. How much
//! time of the processor either takes is printed.

use bunraku_tests::used::timed;
use bunraku_tests::{bunraku, paths};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const NODES: [&str; 2] = ["web01.example.com", "wrapped.example.com"];

/// Differences without what names a folder or a secret.
fn plain(json: &Value) -> Value {
    match json {
        Value::String(text) if text.starts_with("Sensitive [") => "Sensitive".into(),
        Value::String(text) => match (text.rfind("/modules/"), text.rfind("/manifests/site.pp")) {
            (Some(at), _) | (_, Some(at)) => text[at + 1..].into(),
            _ => text.clone().into(),
        },
        Value::Array(all) => all.iter().map(plain).collect(),
        Value::Object(all) => {
            let mut sorted: Vec<_> = all.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            sorted.into_iter().map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        other => other.clone(),
    }
}

/// The facts of a node as octocatalog-diff takes them.
fn stored(node: &str, folder: &Path) -> std::path::PathBuf {
    let text = fs::read_to_string(paths::root().join("fixtures/diff/facts").join(format!("{node}.json")));
    let file = folder.join(format!("{node}.yaml"));
    let text =
        format!("--- !ruby/object:Puppet::Node::Facts\nname: {node}\nvalues: {}", text.expect("facts"));
    fs::write(&file, text).expect("it can be written");
    file
}

#[test]
fn differences_are_octocatalog_diffs() {
    if !bunraku_tests::oracle::installed()
        || Command::new("octocatalog-diff").arg("--version").output().is_err()
    {
        eprintln!(
            "SKIPPED octocatalog-diff: {} nodes not compared, since it or Puppet is not installed",
            NODES.len()
        );
        return;
    }
    let work = tempfile::tempdir().expect("a folder");
    let trees = ["before", "after"].map(|tree| paths::root().join("fixtures/diff").join(tree));
    let (mut own_time, mut other_time) = (Duration::ZERO, Duration::ZERO);
    for node in NODES {
        let mut command = Command::new("octocatalog-diff");
        command.args([
            "-n",
            node,
            "--output-format",
            "json",
            "--quiet",
            "--puppet-binary",
            "/usr/bin/puppet",
        ]);
        command.arg("--bootstrapped-from-dir").arg(&trees[0]).arg("--bootstrapped-to-dir").arg(&trees[1]);
        command.arg("--fact-file").arg(stored(node, work.path())).current_dir(work.path());
        let (output, time) = timed(&mut command);
        other_time += time;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let want: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        command.args(["diff", "--no-config", "--compat=7", "--format=jsonl", node, "--factpath"]);
        command.arg(paths::root().join("fixtures/diff/facts")).arg("--cache").arg(work.path().join("cache"));
        command.arg("--from").arg(&trees[0]).arg("--to").arg(&trees[1]);
        let (output, time) = timed(&mut command);
        own_time += time;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let got: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(plain(&got["diff"]), plain(&want["diff"]), "{node}");
        assert!(want["diff"].as_array().is_some_and(|all| !all.is_empty()), "{node} has lost its point");
    }
    let ratio = other_time.as_secs_f64() / own_time.as_secs_f64().max(1e-3);
    eprintln!(
        "{} nodes: octocatalog-diff {other_time:?}, bunraku diff {own_time:?} of CPU: {ratio:.0} times",
        NODES.len()
    );
}
