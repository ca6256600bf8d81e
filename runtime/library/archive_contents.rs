//! The files of an archive that was built with all of them, by the paths that its tree's files have.

use bunraku_environment::archive::open;
use bunraku_files::tree::Tree;
use std::io;
use std::path::{Path, PathBuf};

/// See the module.
pub struct Contents(Tree);

impl Contents {
    /// Those of an archive, for a tree that lies there: its folder, and other folders of modules.
    ///
    /// # Errors
    /// When it can't be opened, or was built without them.
    pub fn open(archive: &Path, folder: &Path, modulepath: &[PathBuf]) -> Result<Contents, String> {
        let opened = open(archive)?;
        if !opened.info.embedded {
            return Err(format!(
                "Archive {} was built without the files themselves (--embed)",
                archive.display()
            ));
        }
        let mut tree = Tree::default().with_archive(opened, true);
        tree.set_roots(Some(folder), modulepath);
        Ok(Contents(tree))
    }

    /// Whether there is a file or folder.
    pub fn exists(&self, path: &Path) -> bool {
        self.is_inside(path) && self.0.exists(path)
    }

    /// Whether there is a folder.
    pub fn is_dir(&self, path: &Path) -> bool {
        self.is_inside(path) && self.0.is_dir(path)
    }

    /// What a file holds.
    ///
    /// # Errors
    /// When there is none.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.is_inside(path) {
            true => self.0.read(path),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Of other paths a tree asks the disk.
    fn is_inside(&self, path: &Path) -> bool {
        self.0.holds(path)
    }
}
