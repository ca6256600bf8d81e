//! What is kept of trees between runs: versions that were checked out, archives.
//!
//! Key: a hash of all that an entry is made from (the tree's own hash and the bootstrap; for archives also the folder, the modules beside it and the version
//! of the language). Bound: bytes; the least recently used go first, and none that a run has in use. Stale: a version never is, for its key is its
//! content; an archive says itself which of its sources have changed. An entry is made under another name and moved to its own when it is
//! whole: two runs may make the same, and one that is interrupted leaves what is swept away by the next. Tests: `tests.rs` beside this.

use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A folder of entries of several kinds, bounded in size.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    bound: u64,
    /// The entries that this run has in use, by their notes' names, each locked once against others who would remove it.
    used: Mutex<HashMap<String, File>>,
}

/// How large a cache becomes unless told otherwise: 4 GiB.
pub const BOUND: u64 = 4 << 30;
/// What was left behind by a run that was interrupted is removed after a day.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);
/// The folder of what is not whole yet.
const UNFINISHED: &str = "unfinished";
/// The folder of locks, a file an entry; when one was last taken is when its entry was last used.
const USED: &str = "used";

/// The name of an entry made from such parts.
pub fn key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(20).map(|byte| format!("{byte:02x}")).collect()
}

impl Cache {
    /// Opens a cache, whose folder is made if there is none, of so many bytes.
    ///
    /// # Errors
    /// When it can't be.
    pub fn open(folder: &Path, bound: u64) -> Result<Cache, String> {
        let failed = |error: io::Error| format!("Could not use the cache {}: {error}", folder.display());
        let folder = std::path::absolute(folder).map_err(failed)?;
        for kind in [UNFINISHED, USED] {
            fs::create_dir_all(folder.join(kind)).map_err(failed)?;
        }
        // Messages name files by paths without `..`, and are told without the folder.
        let folder = folder.canonicalize().map_err(failed)?;
        Ok(Cache { folder, bound, used: Mutex::default() })
    }

    /// The folder of an entry, made by `make` in an empty one if there is none.
    ///
    /// # Errors
    /// What `make` says; when the folder can't be made.
    pub fn folder(
        &self,
        kind: &str,
        key: &str,
        make: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        let path = self.folder.join(kind).join(key);
        self.entry(kind, key, &path, || {
            let unfinished = self.unfinished(key);
            let failed = |error: io::Error| format!("Could not make {}: {error}", unfinished.display());
            fs::create_dir_all(&unfinished).map_err(failed)?;
            let made = make(&unfinished).and_then(|()| moved(&unfinished, &path));
            if unfinished.exists() {
                // Another run was faster, or this one failed.
                let _ = fs::remove_dir_all(&unfinished);
            }
            made
        })?;
        Ok(path)
    }

    /// The file of an entry, which `make` writes, in place of one that is there, if it says that it has to be.
    ///
    /// # Errors
    /// What `make` says.
    pub fn file(
        &self,
        kind: &str,
        key: &str,
        make: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        let path = self.folder.join(kind).join(key);
        self.lock(kind, key)?;
        fs::create_dir_all(self.folder.join(kind))
            .map_err(|error| format!("Could not use the cache {}: {error}", self.folder.display()))?;
        let stamp = || fs::metadata(&path).and_then(|data| Ok((data.len(), data.modified()?))).ok();
        let before = stamp();
        make(&path)?;
        // A worker asks for the same archive with each of thousands of jobs.
        if before != stamp() {
            self.sweep();
        }
        Ok(path)
    }

    /// The entry of a kind that was used last.
    pub fn latest(&self, kind: &str) -> Option<PathBuf> {
        let prefix = format!("{kind}-");
        let used = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let names = fs::read_dir(self.folder.join(USED)).ok()?.filter_map(Result::ok);
        let mut known: Vec<(SystemTime, PathBuf)> = names
            .filter_map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = self.folder.join(kind).join(name.strip_prefix(&prefix)?);
                Some((used(&entry.path())?, path)).filter(|(_, path)| path.exists())
            })
            .collect();
        known.sort();
        known.pop().map(|(_, path)| path)
    }

    fn entry(
        &self,
        kind: &str,
        key: &str,
        path: &Path,
        make: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        self.lock(kind, key)?;
        if path.exists() {
            return Ok(());
        }
        fs::create_dir_all(self.folder.join(kind))
            .map_err(|error| format!("Could not use the cache {}: {error}", self.folder.display()))?;
        make()?;
        self.sweep();
        Ok(())
    }

    /// Notes that an entry is used, as long as this run lasts.
    fn lock(&self, kind: &str, key: &str) -> Result<(), String> {
        let name = format!("{kind}-{key}");
        let path = self.folder.join(USED).join(&name);
        let failed = |error: io::Error| format!("Could not write {}: {error}", path.display());
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = used.get(&name) {
            return file.set_modified(SystemTime::now()).map_err(failed);
        }
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.lock_shared().map_err(failed)?;
        file.set_modified(SystemTime::now()).map_err(failed)?;
        used.insert(name, file);
        Ok(())
    }

    /// A folder for what is not whole yet: no other run, or thread, has the same.
    pub(super) fn unfinished(&self, key: &str) -> PathBuf {
        let chance = RandomState::new().build_hasher().finish();
        self.folder.join(UNFINISHED).join(format!("{key}-{}-{chance:016x}", std::process::id()))
    }

    /// Removes what was used longest ago and by nobody now, until the rest is small enough; and what was left unfinished.
    fn sweep(&self) {
        let old = |path: &Path| {
            let changed = fs::metadata(path).and_then(|data| data.modified()).ok();
            changed.and_then(|changed| changed.elapsed().ok()).is_some_and(|age| age > LEFT_BEHIND)
        };
        let listed = |folder: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
            entries.map(|entry| entry.path()).collect()
        };
        listed(&self.folder.join(UNFINISHED)).iter().filter(|path| old(path)).for_each(|path| remove(path));
        let mut entries: Vec<(SystemTime, PathBuf, PathBuf, u64)> = Vec::new();
        for note in listed(&self.folder.join(USED)) {
            let name = note.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some((kind, key)) = name.split_once('-') else { continue };
            let path = self.folder.join(kind).join(key);
            let used = fs::metadata(&note).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            let bytes = size(&path);
            entries.push((used, note, path, bytes));
        }
        entries.sort();
        let mut whole: u64 = entries.iter().map(|(.., bytes)| bytes).sum();
        for (_, note, path, bytes) in entries {
            if whole <= self.bound {
                break;
            }
            let Ok(file) = OpenOptions::new().append(true).open(&note) else { continue };
            if file.try_lock().is_ok() {
                remove(&path);
                // What processes tell each other of an archive goes with it.
                remove(&path.with_extension("seen"));
                let _ = fs::remove_file(&note);
                whole -= bytes;
            }
        }
    }
}

/// Gives something its own name; that another run has made the same meanwhile is as well.
fn moved(from: &Path, to: &Path) -> Result<(), String> {
    match fs::rename(from, to) {
        Err(_) if to.exists() => Ok(()),
        Err(error) => Err(format!("Could not make {}: {error}", to.display())),
        Ok(()) => Ok(()),
    }
}

/// What can't be removed stays: nothing depends on it.
fn remove(path: &Path) {
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

fn size(path: &Path) -> u64 {
    let Ok(data) = fs::symlink_metadata(path) else { return 0 };
    if !data.is_dir() {
        return data.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| size(&entry.path())).sum()
}
