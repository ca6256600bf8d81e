//! Trees to compile from: a folder, an archive, or a version in the git repository one stands in, which is checked out into a cache by
//! the hash of its tree. What there is of a tree before its first compile is prepared once: `--bootstrap`, an archive.

mod archives;
pub mod cache;
mod git;
mod modules;
mod program;
mod submodules;

pub use archives::whole;
pub use modules::Files;

use bunraku::Compat;
use bunraku::process::{self, Errors, Limits};
use cache::Cache;
use program::last_lines;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// How trees are prepared.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// Where versions and archives are kept; none keeps nothing, and knows no versions.
    pub cache: Option<Arc<Cache>>,
    /// A command that is run in the folder of a version, once, when it has been checked out: `r10k puppetfile install`.
    pub bootstrap: Option<String>,
    /// Folders of modules besides those of the tree.
    pub modules: Vec<PathBuf>,
    /// The version of the language: archives are built for one.
    pub compat: Compat,
    /// Whether folders are compiled from an archive that is kept of them.
    pub archives: bool,
    /// What `git` and the bootstrap may print, and how long they may take.
    pub limits: Limits,
}

/// A tree to compile from.
#[derive(Clone, Debug)]
pub struct Tree {
    /// As it was named.
    pub label: String,
    /// Its folder; none of an archive.
    pub folder: Option<PathBuf>,
    /// Its archive, where there is one.
    pub archive: Option<PathBuf>,
    /// The module path, where the environment's own is not all there is.
    pub modulepath: Option<Vec<PathBuf>>,
    /// What went wrong and is no failure: that there is no archive, and why.
    pub warnings: Vec<String>,
}

/// What stands before a version.
const GIT: &str = "git:";

/// Opens a tree: `git:REV` or `git:REV:PATH`, a folder, or the file of an archive.
///
/// # Errors
/// When there is no such tree, or it can't be prepared: what, and what `git` or the bootstrap has said.
pub fn open(text: &str, how: &Preparation) -> Result<Tree, String> {
    if let Some(revision) = text.strip_prefix(GIT) {
        return of_version(text, revision, how);
    }
    let path = Path::new(text);
    if path.is_dir() {
        let folder = std::path::absolute(path).map_err(|error| format!("Could not find {text}: {error}"))?;
        let key = format!("folder {} {:?} {:?}", folder.display(), how.modules, how.compat);
        return with_archive(text, folder, &key, how, false);
    }
    match path.is_file() {
        true if how.bootstrap.is_some() || !how.modules.is_empty() => {
            Err(format!("{text} is an archive: --bootstrap and --modules are for folders and versions"))
        }
        true => Ok(Tree {
            label: text.to_owned(),
            folder: None,
            archive: Some(path.to_owned()),
            modulepath: None,
            warnings: Vec::new(),
        }),
        false => Err(format!("There is no tree {text}: it is no folder, no archive, and no git:REV")),
    }
}

fn of_version(label: &str, revision: &str, how: &Preparation) -> Result<Tree, String> {
    let cache = how.cache.as_ref().ok_or_else(|| format!("{label} needs a cache: --cache DIR"))?;
    let found = git::find(revision, how.limits)?;
    let missing = found.missing();
    if !missing.is_empty() && how.bootstrap.is_none() {
        let missing = missing.join(", ");
        return Err(format!(
            "{label} has submodules whose commits are not in the repository: {missing}. `git submodule update --init \
             --recursive` fetches those of the version one stands in; a --bootstrap may bring them, too"
        ));
    }
    let missing = missing.join(" ");
    let key = cache::key(&["tree", &found.tree, how.bootstrap.as_deref().unwrap_or_default(), &missing]);
    let folder = cache.folder("trees", &key, |folder| {
        git::check_out(&found, folder, how.limits)?;
        match &how.bootstrap {
            Some(command) => bootstrap(command, folder, how.limits),
            None => Ok(()),
        }
    })?;
    let key = format!("version {key} {:?} {:?}", how.modules, how.compat);
    with_archive(label, folder, &key, how, true)
}

fn bootstrap(command: &str, folder: &Path, limits: Limits) -> Result<(), String> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(folder);
    let failed = |why: &str| format!("The bootstrap '{command}' failed: {why}");
    let ended =
        process::run(&mut shell, Errors::Joined, limits).map_err(|error| failed(&error.to_string()))?;
    match ended.status.success() {
        true => Ok(()),
        false => Err(failed(&format!("{}\n{}", ended.status, last_lines(&ended.output)))),
    }
}

fn with_archive(
    label: &str,
    folder: PathBuf,
    key: &str,
    how: &Preparation,
    is_cached: bool,
) -> Result<Tree, String> {
    for modules in &how.modules {
        if !modules.is_dir() {
            return Err(format!("There is no folder of modules {}", modules.display()));
        }
    }
    let modulepath = (!how.modules.is_empty()).then(|| {
        let own = modules::own_path(&folder);
        own.into_iter().chain(how.modules.iter().cloned()).collect::<Vec<_>>()
    });
    let mut warnings = Vec::new();
    let archive = how.cache.as_ref().filter(|_| how.archives).and_then(|cache| {
        let built = archives::kept(
            cache,
            &cache::key(&["archive", key]),
            &folder,
            modulepath.as_deref(),
            (how.compat, is_cached),
        );
        built.map_err(|error| warnings.push(format!("{label} is compiled without an archive: {error}"))).ok()
    });
    Ok(Tree { label: label.to_owned(), folder: Some(folder), archive, modulepath, warnings })
}

#[cfg(test)]
mod tests;
