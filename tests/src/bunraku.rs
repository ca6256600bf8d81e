//! Bunraku behind the line protocol: `bunraku batch`.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use crate::paths;
use crate::worker::Pool;

/// The binary under test: `BUNRAKU_BIN`, or the one of this build's profile, built now.
pub fn binary() -> Result<PathBuf, String> {
    static BINARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BINARY.get_or_init(find).clone()
}

fn find() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("BUNRAKU_BIN") {
        return Ok(PathBuf::from(path));
    }
    let release = !cfg!(debug_assertions);
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "-p", "bunraku", "--bin", "bunraku"]).current_dir(paths::root());
    if release {
        build.arg("--release");
    }
    let status = build.status().map_err(|error| format!("cargo does not start: {error}"))?;
    if !status.success() {
        return Err("bunraku does not build".to_owned());
    }
    Ok(paths::target().join(if release { "release" } else { "debug" }).join("bunraku"))
}

/// Runs jobs through `bunraku batch`, two processes side by side; results in the jobs' order.
pub fn collect(jobs: &[Value]) -> Result<Vec<Value>, String> {
    let binary = binary()?;
    let command = || {
        let mut command = Command::new(&binary);
        command.arg("batch");
        command
    };
    Ok(Pool { command: &command, processes: 2, timeout: Duration::from_secs(30) }.collect(jobs))
}
