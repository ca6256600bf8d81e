//! Contents that static catalogs have named, kept for agents that ask for them after the next deploy: an agent has its catalog, and
//! asks for the files of that version, when the environment's folder has others already.
//!
//! `FOLDER/versions/VERSION/PATH` is a hard link to `FOLDER/contents/SHA256`: what is equal in many versions lies there once. A
//! version that no catalog has named for 30 days is removed when a new one appears. What this process has seen named counts by the time
//! that has passed, for what earlier ones have noted there is only the clock: one that is set forwards by a month is no reason to
//! remove what agents are asking for.

use super::checksums::Hash;
use lru::LruCache;
use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::num::NonZeroUsize;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How long a version is kept that no catalog names any more.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// How often it is written down that a version is still named.
const NOTED: Duration = Duration::from_secs(3600);

/// How many paths of versions are known without asking the disk: some 20 MB.
const MOST: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");

/// Contents by versions. It may be shared by threads, and there is one for one folder.
#[derive(Debug)]
pub struct VersionsKept {
    folder: PathBuf,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    /// By version and path, the content that is kept. Key: both; bound: [`MOST`]; stale: never, a path's content is replaced by way
    /// of this.
    paths: LruCache<(String, String), Arc<str>>,
    /// When versions were last noted to be named.
    noted: HashMap<String, Instant>,
}

impl VersionsKept {
    /// Contents in a folder, which is made when it is needed.
    pub fn new(folder: PathBuf) -> VersionsKept {
        let known = Known { paths: LruCache::new(MOST), noted: HashMap::new() };
        VersionsKept { folder, known: Mutex::new(known) }
    }

    /// Keeps what a file holds for a version: `path` is its path below the environment, `sum` the hash of its content (SHA-256)
    /// by which it is known whether it is kept already; `open` gives the content.
    ///
    /// # Errors
    /// When it can't be read or written.
    pub fn keep(
        &self,
        version: &str,
        path: &str,
        sum: &str,
        open: impl FnOnce() -> io::Result<Box<dyn Read>>,
    ) -> io::Result<()> {
        let mut known = self.lock();
        let at = (version.to_owned(), path.to_owned());
        if known.noted.get(version).is_none_or(|when| when.elapsed() > NOTED) {
            self.note(version, &mut known)?;
        }
        if known.paths.get(&at).is_some_and(|kept| **kept == *sum) {
            return Ok(());
        }
        let content = self.content(sum, open)?;
        let link = self.path(version, path);
        make_folder(link.parent().unwrap_or(&self.folder))?;
        let beside = self.folder.join("contents").join("link");
        remove(&beside)?;
        fs::hard_link(&content, &beside)?;
        fs::rename(&beside, &link)?;
        // Where both were links to one file already, nothing was renamed.
        remove(&beside)?;
        known.paths.put(at, sum.into());
        Ok(())
    }

    /// Where the content of a path in a version is kept, if it is.
    pub fn find(&self, version: &str, path: &str) -> Option<PathBuf> {
        Some(self.path(version, path)).filter(|path| path.is_file())
    }

    fn path(&self, version: &str, path: &str) -> PathBuf {
        self.folder.join("versions").join(version).join(path)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of a content, copied where it is not there.
    fn content(&self, sum: &str, open: impl FnOnce() -> io::Result<Box<dyn Read>>) -> io::Result<PathBuf> {
        let contents = self.folder.join("contents");
        let there = contents.join(sum);
        if there.is_file() {
            return Ok(there);
        }
        make_folder(&contents)?;
        let (from, beside) = (open()?, contents.join("copy"));
        remove(&beside)?;
        let to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        let mut copy = Copy { from, to };
        let found = Hash::Sha256.of(&mut copy)?;
        copy.to.sync_all()?;
        if found != sum {
            return Err(io::Error::other("it has changed while it was read"));
        }
        fs::rename(&beside, &there)?;
        Ok(there)
    }

    /// Notes that a version is named, and removes what nobody names any more where it is a new one.
    fn note(&self, version: &str, known: &mut Known) -> io::Result<()> {
        let versions = self.folder.join("versions");
        let own = versions.join(version);
        let is_new = !own.is_dir();
        make_folder(&own)?;
        File::open(&own)?.set_modified(SystemTime::now())?;
        known.noted.insert(version.to_owned(), Instant::now());
        if is_new {
            self.remove_old(&versions, known)?;
        }
        Ok(())
    }

    fn remove_old(&self, versions: &Path, known: &mut Known) -> io::Result<()> {
        let mut is_any = false;
        for entry in fs::read_dir(versions)? {
            let entry = entry?;
            let age = entry.metadata()?.modified()?.elapsed().unwrap_or_default();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_named = known.noted.get(&*name).is_some_and(|when| when.elapsed() <= KEPT);
            if age > KEPT && !is_named {
                fs::remove_dir_all(entry.path())?;
                known.noted.remove(&*name);
                is_any = true;
            }
        }
        let contents = self.folder.join("contents");
        if !is_any || !contents.is_dir() {
            return Ok(());
        }
        known.paths.clear();
        for entry in fs::read_dir(&contents)? {
            let entry = entry?;
            // No version has it any more.
            if entry.metadata()?.nlink() == 1 {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// Reads, and writes what is read into a file.
struct Copy {
    from: Box<dyn Read>,
    to: File,
}

impl Read for Copy {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.to.write_all(&buffer[..read])?;
        Ok(read)
    }
}

/// Contents are no more public than the environment is.
fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";

    fn opened(path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(File::open(path)?))
    }

    fn world() -> (tempfile::TempDir, VersionsKept, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (kept, file) = (VersionsKept::new(folder.path().join("kept")), folder.path().join("file"));
        fs::write(&file, "one\n").unwrap();
        (folder, kept, file)
    }

    #[test]
    fn contents_stay_as_they_were_in_their_version() {
        let (folder, kept, file) = world();
        let path = "modules/a/files/f";
        assert_eq!(kept.find("v1", path), None);
        kept.keep("v1", path, ONE, || opened(&file)).unwrap();
        kept.keep("v1", path, ONE, || opened(&file)).unwrap();
        kept.keep("v2", path, ONE, || opened(&file)).unwrap();
        fs::write(&file, "two\n").unwrap();
        let changed = kept.keep("v3", path, ONE, || opened(&file));
        assert!(changed.is_ok(), "its content is kept already: {changed:?}");
        let content = |version| fs::read_to_string(kept.find(version, path).unwrap()).unwrap();
        assert_eq!([content("v1"), content("v2"), content("v3")], ["one\n"; 3]);
        assert_eq!(fs::metadata(folder.path().join("kept/contents").join(ONE)).unwrap().nlink(), 4);
        let wrong = kept.keep("v1", path, &"0".repeat(64), || opened(&file)).unwrap_err();
        assert_eq!(wrong.to_string(), "it has changed while it was read");
        assert_eq!(content("v1"), "one\n");
        // A process that starts anew finds them, and may keep the same once more.
        let again = VersionsKept::new(folder.path().join("kept"));
        again.keep("v1", path, ONE, || opened(&file)).unwrap();
        assert!(again.find("v1", path).is_some());
    }

    #[test]
    fn versions_that_nobody_names_go() {
        let (folder, kept, file) = world();
        for version in ["old", "young"] {
            kept.keep(version, "modules/a/files/f", ONE, || opened(&file)).unwrap();
        }
        let long_ago = SystemTime::now() - KEPT - Duration::from_secs(60);
        let old = File::open(folder.path().join("kept/versions/old")).unwrap();
        old.set_modified(long_ago).unwrap();
        fs::write(&file, "other").unwrap();
        let other = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa";
        // Whoever has seen it named knows better than the clock.
        kept.keep("newer", "modules/a/files/f", other, || opened(&file)).unwrap();
        assert!(kept.find("old", "modules/a/files/f").is_some());
        old.set_modified(long_ago).unwrap();
        let kept = VersionsKept::new(folder.path().join("kept"));
        kept.keep("new", "modules/a/files/f", other, || opened(&file)).unwrap();
        let found = ["old", "young", "new"].map(|version| kept.find(version, "modules/a/files/f").is_some());
        assert_eq!(found, [false, true, true]);
        assert_eq!(fs::metadata(folder.path().join("kept/contents").join(ONE)).unwrap().nlink(), 2);
    }
}
