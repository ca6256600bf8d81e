//! What may be read of the disk where the code that asks is not trusted: the folders that were named, and nothing that a path
//! or a link leads out of them to.

use crate::paths::clean;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is named to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Confinement {
    /// Files and folders that code may read.
    pub folders: Vec<PathBuf>,
    /// Files and folders with keys of encrypted data, which Hiera may read and code may not.
    pub keys: Vec<PathBuf>,
}

/// The same, as a tree asks it.
#[derive(Default)]
pub(crate) struct Confined {
    /// All of them without links.
    folders: Vec<PathBuf>,
    keys: Vec<PathBuf>,
    /// Where folders really lie. Key: the folder. Bound: [`MOST`]. Stale: never, for a tree is the environment at one moment.
    /// Test: `tests/tests/confined.rs`.
    real: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

/// How many folders are known to lie somewhere.
const MOST: usize = 50_000;

impl Confined {
    pub fn new(named: &Confinement) -> Confined {
        let real = |all: &[PathBuf]| all.iter().filter_map(|path| path.canonicalize().ok()).collect();
        Confined { folders: real(&named.folders), keys: real(&named.keys), real: Mutex::default() }
    }

    /// Whether code may read what is at a path, links followed; or may know that nothing is there.
    pub fn may_read(&self, path: &Path) -> bool {
        self.is_in(&self.folders, path)
    }

    /// Whether Hiera may read a key at a path.
    pub fn may_read_key(&self, path: &Path) -> bool {
        self.is_in(&self.keys, path)
    }

    fn is_in(&self, named: &[PathBuf], path: &Path) -> bool {
        let Ok(path) = std::path::absolute(path) else { return false };
        let path = clean(&path);
        self.place(&path).is_some_and(|real| named.iter().any(|folder| real.starts_with(folder)))
    }

    /// Where a path leads, as far as there is something; what is not there lies where it is said to.
    fn place(&self, path: &Path) -> Option<PathBuf> {
        if path.is_symlink() {
            return path.canonicalize().ok();
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return path.canonicalize().ok();
        };
        Some(self.folder(parent)?.join(name))
    }

    fn folder(&self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.real.lock().ok().and_then(|real| real.get(folder).cloned()) {
            return known;
        }
        let found = folder.canonicalize().ok().or_else(|| self.place(folder));
        if let Ok(mut real) = self.real.lock() {
            if real.len() >= MOST {
                real.clear();
            }
            real.insert(folder.to_owned(), found.clone());
        }
        found
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn whatever_leads_out_may_not_be_read() {
        let work = tempfile::tempdir().unwrap();
        let (inside, outside) = (work.path().join("inside"), work.path().join("outside"));
        for folder in [&inside, &outside] {
            fs::create_dir_all(folder.join("sub")).unwrap();
            fs::write(folder.join("file"), "x").unwrap();
        }
        symlink(&outside, inside.join("folder_out")).unwrap();
        symlink(outside.join("file"), inside.join("file_out")).unwrap();
        symlink(inside.join("file"), inside.join("file_in")).unwrap();
        symlink("/nowhere/at/all", inside.join("dangling")).unwrap();
        // The folder itself may be named by a link.
        symlink(&inside, work.path().join("named")).unwrap();
        let keys = vec![outside.join("sub")];
        let named = Confinement { folders: vec![work.path().join("named")], keys };
        let confined = Confined::new(&named);
        for good in ["file", "sub", "absent", "sub/absent/deep", "file_in", "sub/../file", ""] {
            assert!(confined.may_read(&inside.join(good)), "{good}");
            assert!(confined.may_read(&work.path().join("named").join(good)), "{good}");
        }
        for bad in [
            "file_out",
            "folder_out",
            "folder_out/file",
            "folder_out/absent",
            "dangling",
            "../outside/file",
            "..",
        ] {
            assert!(!confined.may_read(&inside.join(bad)), "{bad}");
        }
        assert!(!confined.may_read(Path::new("/etc/passwd")));
        assert!(!confined.may_read(&outside.join("sub/key")));
        assert!(confined.may_read_key(&outside.join("sub/key")));
        assert!(!confined.may_read_key(&inside.join("file")));
    }
}
