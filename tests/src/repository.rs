//! Repositories of git for tests: `fixtures/diff` as two versions.

use crate::paths;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `git` in a folder; submodules may be folders of this machine.
///
/// # Panics
/// When it fails: with what it has said.
pub fn git(folder: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "protocol.file.allow=always"]);
    let output = git.args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("git {arguments:?}: {error}"));
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a folder a repository, what is in it the one version of its branch `main`.
///
/// # Panics
/// When it can't be done.
pub fn of_folder(folder: &Path) {
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "-m", "first"]);
}

/// Makes a tree of `fixtures/diff` all that a repository has, and commits that.
///
/// # Panics
/// When it can't be done.
pub fn commit(repository: &Path, tree: &str) {
    git(repository, &["rm", "-r", "-f", "-q", "--ignore-unmatch", "."]);
    paths::copy(&paths::root().join("fixtures/diff").join(tree), repository);
    git(repository, &["add", "--all"]);
    git(repository, &["commit", "--quiet", "-m", tree]);
}

/// A repository whose versions `old` and `new` are the fixture's trees, the newer one on its branch `main`.
///
/// # Panics
/// When it can't be made.
pub fn of_fixture(folder: &Path) -> PathBuf {
    let repository = folder.join("repository");
    fs::create_dir_all(&repository).unwrap_or_else(|error| panic!("{}: {error}", repository.display()));
    git(&repository, &["init", "--quiet", "--initial-branch=main"]);
    for (tree, tag) in [("before", "old"), ("after", "new")] {
        commit(&repository, tree);
        git(&repository, &["tag", tag]);
    }
    repository
}
