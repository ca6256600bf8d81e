//! Submodules of a version of a git repository: its tree has only the hash of a commit of each. They are checked out from where
//! `git submodule update` keeps them, below the repository; nothing is fetched.

use super::program::{git, said};
use bunraku::process::Limits;
use std::path::{Component, Path, PathBuf};

/// A submodule of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Submodule {
    /// Where it lies in the version.
    pub path: String,
    /// The commit.
    pub commit: String,
    /// The repository that has the commit; none where it was not fetched.
    pub repository: Option<String>,
}

/// How a commit of another repository stands in a tree.
const MODE: &str = "160000";

/// The submodules of a version, by its file `.gitmodules`, each followed by its own.
///
/// # Errors
/// What `git` says.
pub(super) fn of(repository: &str, version: &str, limits: Limits) -> Result<Vec<Submodule>, String> {
    let file = format!("{version}:.gitmodules");
    let mut there = git(&["--git-dir", repository, "cat-file", "-e", &file]);
    there.stderr(std::process::Stdio::null());
    if said(there, limits).is_err() {
        return Ok(Vec::new());
    }
    let listed = said(git(&["--git-dir", repository, "config", "-z", "--blob", &file, "--list"]), limits)
        .map_err(|error| format!("Could not read .gitmodules of {version}: {error}"))?;
    let named = listed.split('\0').filter_map(|entry| entry.split_once('\n'));
    let mut all = Vec::new();
    for (key, path) in named {
        let name = key.strip_prefix("submodule.").and_then(|rest| rest.strip_suffix(".path"));
        // A path that a link of the tree would lead elsewhere is none that `git` has in mind.
        let Some(name) = name.filter(|_| is_plain(path)) else { continue };
        let entry =
            said(git(&["--git-dir", repository, "ls-tree", "--full-tree", version, "--", path]), limits)?;
        // It may be listed and not be there, or be a folder by now.
        let Some(commit) = entry.strip_prefix(MODE).and_then(|rest| rest.split_whitespace().nth(1)) else {
            continue;
        };
        let kept = kept(repository, name).filter(|kept| {
            let commit = format!("{commit}^{{commit}}");
            said(git(&["--git-dir", kept, "cat-file", "-e", &commit]), limits).is_ok()
        });
        let own = kept.as_deref().map(|kept| of(kept, commit, limits)).transpose()?.unwrap_or_default();
        all.push(Submodule { path: path.to_owned(), commit: commit.to_owned(), repository: kept });
        all.extend(own.into_iter().map(|one| Submodule { path: format!("{path}/{}", one.path), ..one }));
    }
    Ok(all)
}

/// Where a repository keeps that of a submodule, if it does. The name comes from the tree: it leads nowhere else.
fn kept(repository: &str, name: &str) -> Option<String> {
    let path: PathBuf = Path::new(repository).join("modules").join(name);
    (is_plain(name) && path.is_dir()).then(|| path.to_string_lossy().into_owned())
}

/// Whether a path that comes from a tree names something below, without going up and down.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}
