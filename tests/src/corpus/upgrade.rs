//! `bunraku upgrade` over the corpus: each class is what one node includes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{classes, facts};
use crate::{bunraku, paths};

/// What an upgrade changes for the classes of the corpus.
pub struct Summary {
    /// How many are the same, change, fail; how many each kind of cause hits: in words.
    pub text: String,
    /// The nodes that fail or change, and for which nothing is named but that they do.
    pub without_cause: Vec<String>,
}

/// Runs the command over all classes, for a machine.
///
/// # Errors
/// When files can't be written, or the command prints no report.
pub fn run(machine: &str, from: &str, to: &str, more: &[&str]) -> Result<Summary, String> {
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let report = report(work.path(), machine, &[&["--from", from, "--to", to], more].concat())?;
    let nodes = report["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut out = [&[machine, from, "to", to], more].concat().join(" ");
    let _ = write!(out, ": {} classes", nodes.len());
    let mut states: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in nodes {
        states.entry(text(node, "state")).or_default().insert(text(node, "node"));
    }
    for (state, names) in &states {
        let _ = write!(out, ", {} {state}", names.len());
    }
    out.push('\n');
    let mut kinds: BTreeMap<&str, (BTreeSet<&str>, usize, usize)> = BTreeMap::new();
    for cause in report["causes"].as_array().into_iter().flatten() {
        let (names, causes, places) = kinds.entry(text(cause, "kind")).or_default();
        let list = |name: &str| cause[name].as_array().map(Vec::as_slice).unwrap_or_default();
        names.extend(list("nodes").iter().filter_map(Value::as_str));
        *causes += 1;
        *places += list("places").len();
    }
    let is_named = |name: &str| {
        kinds
            .iter()
            .any(|(kind, (names, ..))| !["failure", "changed-value"].contains(kind) && names.contains(name))
    };
    let touched = ["fails", "changed"].into_iter().filter_map(|state| states.get(state)).flatten();
    let without_cause = touched.filter(|name| !is_named(name)).map(|name| (*name).to_owned()).collect();
    let mut rows: Vec<_> = kinds.iter().collect();
    rows.sort_by_key(|(_, (names, ..))| std::cmp::Reverse(names.len()));
    for (kind, (names, causes, places)) in rows {
        let _ = writeln!(out, "  {kind}: {} classes, {causes} causes, {places} places", names.len());
    }
    Ok(Summary { text: out, without_cause })
}

/// The report as JSON, of an environment made in a folder.
fn report(work: &std::path::Path, machine: &str, arguments: &[&str]) -> Result<Value, String> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = work.join("facts");
    fs::create_dir_all(&folder).map_err(failed)?;
    let facts = facts(machine).map_err(failed)?.to_string();
    let mut manifest = String::new();
    for class in classes::read() {
        // A node may not be called as a class.
        let node = class.name.replace("::", ".") + ".example.com";
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
