//! Versions of a git repository, by the program `git`: found by any name it knows, checked out by its plumbing into a folder, with an index of
//! their own. The repository is read and nothing in it is changed; it may be bare, as it is for a hook on a server.

use super::program::{git, said};
use super::submodules::{self, Submodule};
use bunraku::process::Limits;
use std::path::Path;

/// A version, or a folder in one.
pub(super) struct Found {
    /// The hash of its tree.
    pub tree: String,
    /// Its submodules, with paths from its folder.
    pub submodules: Vec<Submodule>,
    /// The repository.
    repository: String,
}

impl Found {
    /// The paths of submodules whose commits are not there.
    pub(super) fn missing(&self) -> Vec<&str> {
        let missing = self.submodules.iter().filter(|one| one.repository.is_none());
        missing.map(|one| one.path.as_str()).collect()
    }
}

/// Finds `REV` or `REV:PATH` in the repository one stands in.
pub(super) fn find(revision: &str, limits: Limits) -> Result<Found, String> {
    if revision.is_empty() || revision.starts_with('-') {
        return Err(format!("git:{revision} names no version"));
    }
    let repository = said(git(&["rev-parse", "--absolute-git-dir"]), limits)
        .map_err(|error| format!("Could not find the repository of git:{revision}: {error}"))?;
    let (version, path) = revision.split_once(':').unwrap_or((revision, ""));
    let path = path.trim_matches('/');
    let object = match path {
        "" => format!("{version}^{{tree}}"),
        path => format!("{version}:{path}"),
    };
    let missing = |error: String| format!("There is no version git:{revision} in {repository}: {error}");
    let tree = said(git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &object]), limits)
        .map_err(missing)?;
    let kind = said(git(&["cat-file", "-t", &tree]), limits).map_err(missing)?;
    if kind != "tree" {
        return Err(format!("git:{revision} is a {kind}, no folder"));
    }
    let version = said(git(&["rev-parse", "--verify", "--quiet", "--end-of-options", version]), limits)
        .map_err(missing)?;
    let mut submodules = submodules::of(&repository, &version, limits)?;
    if !path.is_empty() {
        submodules.retain_mut(|one| {
            let below =
                one.path.strip_prefix(path).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
            below.map(|below| one.path = below).is_some()
        });
    }
    Ok(Found { tree, submodules, repository })
}

/// Writes the files of a version into an empty folder, and those of its submodules as far as their commits are there.
pub(super) fn check_out(found: &Found, folder: &Path, limits: Limits) -> Result<(), String> {
    let index = folder.with_extension("index");
    let own = found.submodules.iter().filter_map(|one| {
        Some((one.repository.as_ref()?, format!("{}^{{tree}}", one.commit), folder.join(&one.path)))
    });
    let whole = (&found.repository, found.tree.clone(), folder.to_owned());
    let result = [whole].into_iter().chain(own).try_for_each(|(repository, tree, folder)| {
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        write(repository, &tree, (&folder, &index), limits)
    });
    // What is not there any more is as well.
    let _ = std::fs::remove_file(&index);
    result.map_err(|error| format!("Could not check out {}: {error}", found.tree))
}

fn write(
    repository: &str,
    tree: &str,
    (folder, index): (&Path, &Path),
    limits: Limits,
) -> Result<(), String> {
    ["read-tree", "checkout-index"].into_iter().try_for_each(|step| {
        let mut command = git(&[]);
        command.arg("--git-dir").arg(repository).arg("--work-tree").arg(folder);
        command.env("GIT_INDEX_FILE", index).current_dir(folder);
        match step {
            "read-tree" => command.args([step, tree]),
            _ => command.args([step, "--all", "--force"]),
        };
        said(command, limits).map(drop)
    })
}
