//! The control repo with data at seven levels: its nodes as jobs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::canonical::Places;
use crate::{bunraku, paths};

/// Its nodes.
pub const NODES: [&str; 5] = [
    "web01.example.com",
    "web02.example.com",
    "db01.example.com",
    "edge01.example.com",
    "plain01.example.com",
];

/// Where it lies.
pub fn repo() -> PathBuf {
    paths::root().join("fixtures").join("hiera-repo")
}

/// What its paths are called in goldens.
pub fn places() -> Places {
    Places::new(vec![(repo().display().to_string(), "{repo}")])
}

/// One job a node.
pub fn jobs() -> Vec<Value> {
    let job = |node: &&str| {
        let facts = fs::read_to_string(repo().join("facts").join(format!("{node}.json")));
        let mut facts: Value =
            serde_json::from_str(&facts.expect("the facts can be read")).expect("the facts are JSON");
        facts["keys"] = json!(repo().join("keys"));
        json!({
            "id": node, "node": node, "facts": facts, "hiera_config": repo().join("global/hiera.yaml"),
            "environment": repo(), "environment_name": "production",
        })
    };
    NODES.iter().map(job).collect()
}

/// Builds an archive of it; gone with the folder.
///
/// # Errors
/// When it can't be built.
pub fn archive() -> Result<(tempfile::TempDir, PathBuf), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("hiera-repo.bar");
    let output = Command::new(bunraku::binary().map_err(|error| error.to_string())?)
        .args([
            "build".as_ref(),
            "--compat".as_ref(),
            "7".as_ref(),
            repo().as_os_str(),
            "-o".as_ref(),
            file.as_os_str(),
        ])
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok((folder, file)),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The jobs, each from the archive alone.
pub fn from_archive(archive: &(tempfile::TempDir, PathBuf)) -> Vec<Value> {
    let file: &Path = &archive.1;
    let frozen = |mut job: Value| {
        job["archive"] = json!(file);
        job["frozen"] = json!(true);
        job
    };
    jobs().into_iter().map(frozen).collect()
}
