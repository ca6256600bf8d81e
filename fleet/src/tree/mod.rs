//! Trees to compile from: a folder, an archive, or a version in the git repository one stands in, which is checked out into a cache by
//! the hash of its tree. What there is of a tree before its first compile is prepared once: `--bootstrap`, an archive.

mod archives;
pub mod cache;
mod git;
mod modules;
mod program;
mod submodules;

pub use archives::whole;
pub use modules::{Files, in_puppetfile, unfetched};

use bunraku::process::{self, Errors, Limits};
use bunraku::{Compat, check_environment};
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
    /// Whether something besides the tree says what to compile: a folder that is no environment will do then.
    pub does_without: bool,
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

/// A tree that is known to be there, before much is read of it.
pub struct Found<'f> {
    label: &'f str,
    place: Place,
}

/// Where it is.
enum Place {
    Version(git::Found),
    Folder(PathBuf),
    Archive(PathBuf),
}

/// Finds a tree: `git:REV` or `git:REV:PATH`, a folder, or the file of an archive.
///
/// # Errors
/// When there is no such tree, or the folder is no environment.
pub fn find<'f>(text: &'f str, how: &Preparation) -> Result<Found<'f>, String> {
    let found = |place| Ok(Found { label: text, place });
    if let Some(revision) = text.strip_prefix(GIT) {
        if how.cache.is_none() {
            return Err(format!("{text} needs a cache: --cache DIR"));
        }
        return found(Place::Version(git::find(revision, how.limits)?));
    }
    let path = Path::new(text);
    match (path.is_dir(), path.is_file()) {
        (true, _) if how.does_without => found(Place::Folder(path.to_owned())),
        (true, _) => check_environment(path).and_then(|()| found(Place::Folder(path.to_owned()))),
        (_, true) => found(Place::Archive(path.to_owned())),
        _ => Err(format!("There is no tree {text}: it is no folder, no archive, and no git:REV")),
    }
}

/// Finds a tree and opens it.
///
/// # Errors
/// As of [`find`] and [`Found::open`]; when it is a version that is no environment.
pub fn open(text: &str, how: &Preparation) -> Result<Tree, String> {
    let tree = find(text, how)?.open(how)?;
    match tree.lack(how) {
        Some(lack) => Err(lack),
        None => Ok(tree),
    }
}

/// Opens two trees that are compared, side by side, when both are found. A version in which the environment was not there yet, or
/// is not any more, is one of them; that is told as a warning.
///
/// # Errors
/// When one can't be opened, or both have nothing to compile: the first of them says why.
pub fn open_both((from, to): (&str, &str), how: &Preparation) -> Result<(Tree, Tree), String> {
    let (from, to) = (find(from, how)?, find(to, how)?);
    let (mut from, mut to) = std::thread::scope(|scope| {
        let second = scope.spawn(|| to.open(how));
        let first = from.open(how)?;
        let second = second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok::<_, String>((first, second))
    })?;
    match (from.lack(how), to.lack(how)) {
        (Some(lack), Some(_)) => return Err(lack),
        (first, second) => {
            from.warnings.extend(first);
            to.warnings.extend(second);
        }
    }
    Ok((from, to))
}

impl Tree {
    /// What keeps it from being an environment, where it is to be one.
    fn lack(&self, how: &Preparation) -> Option<String> {
        let folder = self.folder.as_deref().filter(|_| !how.does_without)?;
        let shown = folder.display().to_string();
        // A version lies in the cache, of which nobody has spoken.
        let below = if self.label.matches(':').count() == 1 { ":" } else { "/" };
        let of_version = |lack: String| {
            lack.replace(&format!("{shown}/"), &format!("{}{below}", self.label)).replace(&shown, &self.label)
        };
        check_environment(folder).err().map(of_version)
    }
}

impl Found<'_> {
    /// Opens it: what there is to prepare is prepared.
    ///
    /// # Errors
    /// When it can't be prepared: what, and what `git` or the bootstrap has said.
    pub fn open(&self, how: &Preparation) -> Result<Tree, String> {
        let text = self.label;
        match &self.place {
            Place::Version(found) => of_version(text, found, how),
            Place::Folder(path) => {
                let folder =
                    std::path::absolute(path).map_err(|error| format!("Could not find {text}: {error}"))?;
                let key = format!("folder {} {:?} {:?}", folder.display(), how.modules, how.compat);
                with_archive(text, folder, &key, how, false)
            }
            Place::Archive(_) if how.bootstrap.is_some() || !how.modules.is_empty() => {
                Err(format!("{text} is an archive: --bootstrap and --modules are for folders and versions"))
            }
            Place::Archive(path) => Ok(Tree {
                label: text.to_owned(),
                folder: None,
                archive: Some(path.clone()),
                modulepath: None,
                warnings: Vec::new(),
            }),
        }
    }
}

fn of_version(label: &str, found: &git::Found, how: &Preparation) -> Result<Tree, String> {
    let cache = how.cache.as_ref().ok_or_else(|| format!("{label} needs a cache: --cache DIR"))?;
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
        git::check_out(found, folder, how.limits)?;
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
    let missing = unfetched(&folder).filter(|_| how.modules.is_empty());
    if let Some(missing) = missing.as_ref().and_then(|missing| missing.strip_prefix(&folder).ok()) {
        let missing = missing.display();
        warnings.push(format!(
            "{label} has a Puppetfile and no folder {missing}, into which its modules go: --modules names where they are, and --bootstrap \
             a command that puts them there, for versions in git"
        ));
    }
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
