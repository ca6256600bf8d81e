//! Archives of trees that are kept: built from the nearest that there is, so that only what differs is compiled.

use super::cache::Cache;
use bunraku::Compat;
use bunraku::archive::{Options, build, open};
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
