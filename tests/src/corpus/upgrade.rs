//! `bunraku upgrade` over the corpus: each class is what one node includes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{classes, facts};
use crate::{bunraku, paths};

/// What an upgrade changes for the classes of the corpus, in words: how many are the same, change, fail; how many each kind of
/// cause hits.
///
/// # Errors
/// When files can't be written, or the command prints no report.
pub fn run(machine: &str, from: &str, to: &str, more: &[&str]) -> Result<String, String> {
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let report = report(work.path(), machine, &[&["--from", from, "--to", to], more].concat())?;
    let nodes = report["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut out = format!("{machine}, {from} to {to} {}: {} classes", more.join(" "), nodes.len());
    let mut states: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in nodes {
        states.entry(text(node, "state")).or_default().insert(text(node, "node"));
    }
    for (state, names) in &states {
        let _ = write!(out, ", {} {state}", names.len());
    }
    let mut kinds: BTreeMap<&str, (BTreeSet<&str>, usize, usize)> = BTreeMap::new();
    let mut hit: BTreeSet<&str> = BTreeSet::new();
    for cause in report["causes"].as_array().into_iter().flatten() {
        let (names, causes, places) = kinds.entry(text(cause, "kind")).or_default();
        let list = |name: &str| cause[name].as_array().map(Vec::as_slice).unwrap_or_default();
        names.extend(list("nodes").iter().filter_map(Value::as_str));
        hit.extend(list("nodes").iter().filter_map(Value::as_str));
        *causes += 1;
        *places += list("places").len();
    }
    let touched = states.iter().filter(|(state, _)| ["fails", "changed"].contains(*state));
    let without: Vec<&str> =
        touched.flat_map(|(_, names)| names.iter().filter(|name| !hit.contains(*name))).copied().collect();
    let _ = writeln!(out, "; {} that fail or change have no cause {}", without.len(), without.join(" "));
    let mut rows: Vec<_> = kinds.into_iter().collect();
    rows.sort_by_key(|(_, (names, ..))| std::cmp::Reverse(names.len()));
    for (kind, (names, causes, places)) in rows {
        let _ = writeln!(out, "  {kind}: {} classes, {causes} causes, {places} places", names.len());
    }
    Ok(out)
}

/// The report as JSON, of an environment made in a folder.
fn report(work: &std::path::Path, machine: &str, arguments: &[&str]) -> Result<Value, String> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = work.join("facts");
    fs::create_dir_all(&folder).map_err(failed)?;
    let facts = facts(machine).map_err(failed)?.to_string();
    let mut manifest = String::new();
    for class in classes::read() {
        let node = class.name.replace("::", ".");
        fs::write(folder.join(format!("{node}.json")), &facts).map_err(failed)?;
        let _ = writeln!(manifest, "node '{node}' {{ include {} }}", class.name);
    }
    fs::create_dir_all(work.join("manifests")).map_err(failed)?;
    fs::write(work.join("manifests/site.pp"), manifest).map_err(failed)?;
    let output = Command::new(bunraku::binary()?)
        .args([
            "upgrade",
            "--no-config",
            "--format",
            "json",
            "--environment_name",
            "production",
            "--environment",
        ])
        .arg(work)
        .arg("--modulepath")
        .arg(paths::modules())
        .arg("--factpath")
        .arg(&folder)
        .args(arguments)
        .output()
        .map_err(failed)?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}
