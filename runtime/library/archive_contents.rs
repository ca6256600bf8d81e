//! The files of an archive that was built with all of them, by the paths that its tree's files have.

use crate::environment::Environment;
use crate::module_folders::usable;
use bunraku_environment::archive::{OpenArchive, open};
use bunraku_environment::snapshot::{SessionMade, Snapshot};
use bunraku_files::found::Child;
use bunraku_files::tree::Tree;
use bunraku_vm::archive::reader::Part;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// See the module.
pub struct Contents(Arc<Tree>);

/// Where the modules of an archive's environment lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleFolders {
    /// The folders of the module path.
    pub path: Vec<PathBuf>,
    /// The folder of each module, in the order of the path.
    pub modules: Vec<PathBuf>,
}

/// What an archive says of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What is there, links followed.
    pub kind: StoredKind,
    /// Its permission bits.
    pub mode: u32,
    /// What it says that it leads to, where it is a symbolic link.
    pub target: Option<String>,
}

/// What lies at a path of an archive, links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredKind {
    /// A file.
    File {
        /// Its bytes.
        size: u64,
        /// Its SHA-256.
        sha256: [u8; 32],
    },
    /// A folder.
    Folder,
    /// Nothing: the link leads nowhere.
    Nothing,
}

/// The content of a file where it lies in the archive, which it keeps open.
#[derive(Clone)]
pub struct StoredContent(Arc<OpenArchive>, Part);

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
        Ok(Contents(Arc::new(tree)))
    }

    /// Those of an environment whose archive alone is asked, and its modules; none where it has no such archive, or one without
    /// the files.
    ///
    /// # Errors
    /// When it can't be opened, or the metadata of a module can't be used at all.
    pub fn of(environment: &Environment) -> Result<Option<(Contents, ModuleFolders)>, String> {
        let mut spec = environment.spec.clone();
        let Some(archive) = spec.archive.as_deref().filter(|_| spec.frozen) else { return Ok(None) };
        let opened = open(archive)?;
        if let Some(configuration) = &spec.configuration {
            spec.compat = configuration.compat;
        }
        if !opened.info.embedded {
            return Ok(None);
        }
        let snapshot = Snapshot::open(&spec, Some(opened), &SessionMade::default())?;
        let contents = Contents(Arc::clone(snapshot.modules.tree()));
        let folders =
            ModuleFolders { path: snapshot.modules.path().to_vec(), modules: usable(&snapshot.modules)? };
        contents.sound(()).map(|()| Some((contents, folders)))
    }

    /// Whether a path belongs to the tree: of others it says nothing.
    pub fn holds(&self, path: &Path) -> bool {
        self.0.holds(path)
    }

    /// What is at a path; none where there is nothing.
    ///
    /// # Errors
    /// When the archive is damaged.
    pub fn get(&self, path: &Path) -> io::Result<Option<Stored>> {
        self.is_whole()?;
        let found = self.0.embedded(path).map(|found| Stored {
            kind: match (found.entry.is_file(), found.entry.is_folder()) {
                (true, _) => StoredKind::File { size: found.entry.size, sha256: found.entry.hash },
                (_, true) => StoredKind::Folder,
                _ => StoredKind::Nothing,
            },
            mode: found.entry.mode,
            target: found.entry.is_link().then(|| found.entry.target.to_owned()),
        });
        self.sound(found).map_err(io::Error::other)
    }

    /// What lies in a folder, sorted by name; nothing in what is none.
    ///
    /// # Errors
    /// When the archive is damaged.
    pub fn list(&self, folder: &Path) -> io::Result<Vec<Child>> {
        self.is_whole()?;
        self.sound(self.0.list(folder)).map_err(io::Error::other)
    }

    /// The content of a file without a copy; none where the archive has none of it: private keys, and what is too large.
    ///
    /// # Errors
    /// When there is no file, or the archive is damaged.
    pub fn content(&self, path: &Path) -> io::Result<Option<StoredContent>> {
        self.is_whole()?;
        let found = self.0.embedded(path).filter(|found| found.entry.is_file());
        let found = self.sound(found).map_err(io::Error::other)?;
        let found = found.ok_or(io::ErrorKind::NotFound)?;
        let Some(part) = found.content else { return Ok(None) };
        let damaged = |fault| io::Error::other(found.opened.explain(&fault));
        found.opened.archive().part_bytes(&part).map_err(damaged)?;
        Ok(Some(StoredContent(Arc::clone(found.opened), part)))
    }

    /// Whether there is a file or folder.
    pub fn exists(&self, path: &Path) -> bool {
        self.holds(path) && self.is_whole().is_ok() && self.0.exists(path)
    }

    /// Whether there is a folder.
    pub fn is_dir(&self, path: &Path) -> bool {
        self.holds(path) && self.is_whole().is_ok() && self.0.is_dir(path)
    }

    /// What a file holds.
    ///
    /// # Errors
    /// When there is none, or the archive is damaged.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.is_whole()?;
        // Of other paths a tree asks the disk.
        match self.holds(path) {
            true => self.0.read(path),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Asked before anything of it is looked at: to touch bytes that a file has no more ends the process.
    ///
    /// # Errors
    /// When the archive is damaged, or was cut off.
    fn is_whole(&self) -> io::Result<()> {
        self.sound(()).map_err(io::Error::other)
    }

    /// What was found, unless something is wrong with the archive.
    fn sound<T>(&self, found: T) -> Result<T, String> {
        self.0.fault().map_or(Ok(found), Err)
    }
}

impl AsRef<[u8]> for StoredContent {
    fn as_ref(&self) -> &[u8] {
        // What is handed out has been held against its checksums.
        self.0.archive().part_bytes(&self.1).unwrap_or_default()
    }
}

impl std::fmt::Debug for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Contents").field(&self.0.archive().map(|opened| &opened.path)).finish()
    }
}
