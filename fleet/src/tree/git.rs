//! Versions of a git repository, by the program `git`: found by any name it knows, checked out by its plumbing into a folder, with an index of
//! their own. The repository is read and nothing in it is changed; it may be bare, as it is for a hook on a server.

use super::last_lines;
use bunraku::process::{self, Errors, Limits};
use std::path::Path;
use std::process::Command;

/// A version, or a folder in one.
pub(super) struct Found {
    /// The hash of its tree.
    pub tree: String,
    /// The repository.
    repository: String,
}

/// Finds `REV` or `REV:PATH` in the repository one stands in.
pub(super) fn find(revision: &str, limits: Limits) -> Result<Found, String> {
    if revision.is_empty() || revision.starts_with('-') {
        return Err(format!("git:{revision} names no version"));
    }
    let repository = said(git(&["rev-parse", "--absolute-git-dir"]), limits)
        .map_err(|error| format!("Could not find the repository of git:{revision}: {error}"))?;
    let object = match revision.split_once(':') {
        Some((version, path)) if !path.trim_matches('/').is_empty() => {
            format!("{version}:{}", path.trim_matches('/'))
        }
        Some((version, _)) => format!("{version}^{{tree}}"),
        None => format!("{revision}^{{tree}}"),
    };
    let missing = |error: String| format!("There is no version git:{revision} in {repository}: {error}");
    let tree = said(git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &object]), limits)
        .map_err(missing)?;
    let kind = said(git(&["cat-file", "-t", &tree]), limits).map_err(missing)?;
    match kind == "tree" {
        true => Ok(Found { tree, repository }),
        false => Err(format!("git:{revision} is a {kind}, no folder")),
    }
}

/// Writes the files of a version into an empty folder.
pub(super) fn check_out(found: &Found, folder: &Path, limits: Limits) -> Result<(), String> {
    let index = folder.with_extension("index");
    let result = ["read-tree", "checkout-index"].into_iter().try_for_each(|step| {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&found.repository).arg("--work-tree").arg(folder);
        command.env("GIT_INDEX_FILE", &index).current_dir(folder);
        match step {
            "read-tree" => command.args([step, &found.tree]),
            _ => command.args([step, "--all", "--force"]),
        };
        said(command, limits).map(drop)
    });
    // What is not there any more is as well.
    let _ = std::fs::remove_file(&index);
    result.map_err(|error| format!("Could not check out {}: {error}", found.tree))
}

fn git(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(arguments);
    command
}

/// What a command has printed, in one line; where it failed, what it said of that.
fn said(mut command: Command, limits: Limits) -> Result<String, String> {
    let ended =
        process::run(&mut command, Errors::Joined, limits).map_err(|error| format!("git: {error}"))?;
    match ended.status.success() {
        true => Ok(String::from_utf8_lossy(&ended.output).trim_end().to_owned()),
        false => match last_lines(&ended.output) {
            text if text.is_empty() => Err("git does not know it".to_owned()),
            text => Err(text),
        },
    }
}
