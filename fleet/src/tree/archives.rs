//! Archives of trees that are kept: built from the nearest that there is, so that only what differs is compiled.

use super::cache::{self, Cache};
use super::modules::own_path;
use super::{Preparation, Tree};
use bunraku::archive::{Options, build, open};
use bunraku::files::read;
use bunraku::{Compat, Configuration, Environment};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// After so long the archive of a folder is built anew: by then much of it may have changed.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether an archive is as good as a new one: always that of a tree that `lasts` as it is, unless another version of Bunraku has
/// built it.
fn is_fresh(file: &Path, lasts: bool) -> bool {
    let built = std::fs::metadata(file).and_then(|data| data.modified()).ok();
    let is_fresh = built.is_some_and(|built| lasts || built.elapsed().is_ok_and(|age| age < FRESH));
    is_fresh && open(file).is_ok()
}

/// The archive of a tree, built or brought up to date where that takes little. Sources that have changed since are compiled anew in any
/// case: an archive changes nothing but the time.
pub(super) fn kept(
    cache: &Cache,
    key: &str,
    folder: &Path,
    modulepath: Option<&[PathBuf]>,
    (compat, lasts): (Compat, bool),
) -> Result<PathBuf, String> {
    let nearest = cache.latest("archives");
    cache.file("archives", key, |file| {
        if is_fresh(file, lasts) {
            return Ok(());
        }
        if !file.exists()
            && let Some(nearest) = nearest.filter(|nearest| nearest != file)
        {
            // Without it all is compiled: nothing but time.
            let unfinished = cache.unfinished(key);
            let copied =
                std::fs::copy(&nearest, &unfinished).and_then(|_| std::fs::rename(&unfinished, file));
            if copied.is_err() {
                let _ = std::fs::remove_file(&unfinished);
            }
        }
        let options = Options {
            directory: Some(folder.to_owned()),
            modulepath: modulepath.map(<[PathBuf]>::to_vec),
            compat,
            ..Options::default()
        };
        build(&options, file, &|_| ()).map(drop)
    })
}

/// The bytes of an archive of a tree as it is now, with all its files: other processes need nothing else of it. By a machine's
/// configuration the modules for all environments are in it, too.
///
/// # Errors
/// When it can't be built; when something that catalogs may name as a source can't be in it: a link out of the tree, a private key.
pub fn whole(tree: &Tree, how: &Preparation, by: Option<&Configuration>) -> Result<Vec<u8>, String> {
    let Some(folder) = &tree.folder else { return of_archive(tree) };
    let modulepath = tree.modulepath.as_deref();
    let cache = how.cache.as_ref().ok_or("What goes to other processes needs a cache: --cache DIR")?;
    let key =
        cache::key(&["whole", &folder.to_string_lossy(), &format!("{modulepath:?} {:?} {by:?}", how.compat)]);
    let mut left_out = Vec::new();
    let file = cache.file("archives", &key, |file| {
        let options = Options {
            directory: Some(folder.clone()),
            modulepath: modulepath.map(<[PathBuf]>::to_vec),
            embed: true,
            compat: how.compat,
            ..Options::default()
        };
        let options = by.map_or_else(|| options.clone(), |by| by.of_archive(options.clone()));
        left_out = build(&options, file, &|_| ())?.left_out;
        Ok(())
    })?;
    let folders = match by {
        Some(by) => {
            let environment = Environment::at(folder).with_configuration(by);
            let given = modulepath.map(<[PathBuf]>::to_vec);
            let environment = given.into_iter().fold(environment, Environment::with_modulepath);
            environment.modulepath()?.unwrap_or_default()
        }
        None => modulepath.map_or_else(|| own_path(folder), <[PathBuf]>::to_vec),
    };
    // What else is left out is refused to whoever asks for it there.
    let below = |path: &Path| {
        folders.iter().find_map(|folder| path.strip_prefix(folder).ok()?.iter().nth(1).map(OsStr::to_owned))
    };
    let is_source = |path: &Path| below(path).is_some_and(|part| part == "files");
    if let Some((path, why)) = left_out.iter().find(|(path, _)| is_source(path)) {
        return Err(format!("{} can't go to another process: {why}", path.display()));
    }
    folders.iter().try_for_each(|folder| no_links_out(folder, &folders))?;
    read::regular(&file, u64::MAX).map_err(|error| format!("Could not read {}: {error}", file.display()))
}

/// An archive that was given as a tree.
fn of_archive(tree: &Tree) -> Result<Vec<u8>, String> {
    let file = tree.archive.as_deref().ok_or_else(|| format!("{} is no tree", tree.label))?;
    match open(file)?.info.embedded {
        true => read::regular(file, u64::MAX)
            .map_err(|error| format!("Could not read {}: {error}", file.display())),
        false => {
            Err(format!("{} was built without --embed: other processes need the files, too", tree.label))
        }
    }
}

/// Refuses links in the `files` of modules that lead out of the module path: nobody is shown what is there, and an archive has it.
fn no_links_out(folder: &Path, folders: &[PathBuf]) -> Result<(), String> {
    let real: Vec<PathBuf> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let listed = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let mut pending: Vec<PathBuf> = listed(folder).into_iter().map(|module| module.join("files")).collect();
    while let Some(path) = pending.pop() {
        match path.canonicalize() {
            Ok(at) if path.is_symlink() && !real.iter().any(|folder| at.starts_with(folder)) => {
                return Err(format!(
                    "{} leads out of the tree: it can't go to another process",
                    path.display()
                ));
            }
            Ok(_) if path.is_dir() && !path.is_symlink() => pending.extend(listed(&path)),
            _ => {}
        }
    }
    Ok(())
}
