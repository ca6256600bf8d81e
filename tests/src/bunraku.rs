//! Bunraku behind the line protocol: `bunraku batch`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use crate::worker::Pool;
use crate::{oracle, paths};

/// The binary under test: `BUNRAKU_BIN`, or the one of this build's profile, built now.
pub fn binary() -> Result<PathBuf, String> {
    static BINARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BINARY.get_or_init(find).clone()
}

fn find() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("BUNRAKU_BIN") {
        return Ok(PathBuf::from(path));
    }
    let folder = profile_folder()?;
    built(if folder == "debug" { "dev" } else { &folder })
}

/// The binary of a profile, built now.
///
/// # Errors
/// When it does not build.
pub fn built(profile: &str) -> Result<PathBuf, String> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What Cargo tells a test of its own package: ring asks for it when it is built, and with other words all that rests on ring is built anew.
    let of_package =
        ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_", "OUT_DIR"];
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| of_package.iter().any(|prefix| name.starts_with(prefix))) {
            build.env_remove(name);
        }
    }
    // With all packages, whose features its dependencies then have: those of `cargo test --workspace`, which has built them.
    build
        .args(["build", "--quiet", "--workspace", "--bin", "bunraku", "--profile", profile])
        .current_dir(paths::root());
    let status = build.status().map_err(|error| format!("cargo does not start: {error}"))?;
    if !status.success() {
        return Err("bunraku does not build".to_owned());
    }
    Ok(paths::target().join(if profile == "dev" { "debug" } else { profile }).join("bunraku"))
}

/// The folder of the profile that this program was built with, below that of the target: programs lie in it, tests in `deps` within it.
fn profile_folder() -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut folders = program.ancestors().skip(1).filter_map(|folder| folder.file_name()?.to_str());
    let folder = folders.find(|name| *name != "deps");
    folder.map(str::to_owned).ok_or_else(|| format!("{} lies in no folder of a profile", program.display()))
}

/// Builds an archive of an environment.
///
/// # Panics
/// When it can't be built: with what was said of that.
pub fn build(environment: &Path, archive: &Path, more: &[&str]) {
    let mut command = Command::new(binary().expect("Bunraku builds"));
    command.arg("build").args(more).arg("--environment").arg(environment).arg("-o").arg(archive);
    let output = command.output().expect("Bunraku starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Makes the links by which Bunraku is Puppet.
///
/// # Panics
/// When they can't be made: with what was said of that.
pub fn face(folder: &Path) {
    let mut command = Command::new(binary().expect("Bunraku builds"));
    let output = command.arg("face").arg(folder).output().expect("Bunraku starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The job by the rules of a version of the language: with 8's strictness for all, as the oracle has it, unless the job says
/// otherwise.
pub fn by_version(job: &Value, version: u8) -> Value {
    let mut job = job.clone();
    let usual = [("compat", json!(version)), ("strict", json!("error")), ("strict_variables", json!(true))];
    for (name, value) in usual {
        if job["settings"][name].is_null() {
            job["settings"][name] = value;
        }
    }
    job
}

/// Runs jobs through `bunraku batch`, two processes side by side; results in the jobs' order. A job that names no version is
/// run by 7's rules: most goldens come from that.
pub fn collect(jobs: &[Value]) -> Result<Vec<Value>, String> {
    let jobs: Vec<Value> = jobs.iter().map(|job| by_version(job, oracle::SEVEN.number)).collect();
    let binary = binary()?;
    let command = || {
        let mut command = Command::new(&binary);
        command.arg("batch");
        command
    };
    Ok(Pool { command: &command, processes: 2, timeout: Duration::from_secs(30) }.collect(&jobs))
}
