//! Which modules a module path has, asked of the disk each time, while their metadata is read only when it has changed.

use super::checksums::Status;
use bunraku::Configuration;
use lru::LruCache;
use std::fs::DirEntry;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// How many module paths are kept, those not asked for longest being dropped.
const MOST: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

/// What the disk says of a module path: the folders in it, each with its `metadata.json`.
type Seen = Vec<(PathBuf, Option<Status>)>;

/// The folders of modules.
type Folders = Arc<Vec<PathBuf>>;

/// The modules of module paths, each list as long as the disk says the same of it. It may be shared by threads.
#[derive(Debug)]
pub struct ModuleLists {
    known: Mutex<LruCache<Vec<PathBuf>, (Seen, Folders)>>,
}

impl Default for ModuleLists {
    fn default() -> ModuleLists {
        ModuleLists { known: Mutex::new(LruCache::new(MOST)) }
    }
}

impl ModuleLists {
    /// The folders of the modules on a module path, in order.
    ///
    /// # Errors
    /// As of [`Configuration::modules`].
    pub fn get(&self, configuration: &Configuration, modulepath: &[PathBuf]) -> Result<Folders, String> {
        let now = SystemTime::now();
        let seen = look(modulepath);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, modules)) = lock().get(modulepath)
            && *known == seen
        {
            return Ok(Arc::clone(modules));
        }
        let modules = Arc::new(configuration.modules(modulepath)?);
        if seen.iter().filter_map(|(_, status)| status.as_ref()).all(|status| status.is_settled(now)) {
            lock().put(modulepath.to_vec(), (seen, Arc::clone(&modules)));
        }
        Ok(modules)
    }

    /// Lets go of all.
    pub fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

fn look(modulepath: &[PathBuf]) -> Seen {
    let mut seen = Vec::new();
    for folder in modulepath {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_folder = |entry: &DirEntry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => true,
            Ok(kind) if kind.is_file() => false,
            _ => entry.path().is_dir(),
        };
        let mut folders: Vec<PathBuf> = entries.filter(is_folder).map(|entry| entry.path()).collect();
        folders.sort_unstable();
        seen.extend(folders.into_iter().map(|path| {
            let metadata = std::fs::metadata(path.join("metadata.json")).ok();
            (path, metadata.as_ref().map(Status::of))
        }));
    }
    seen
}
