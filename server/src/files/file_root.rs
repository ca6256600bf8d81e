//! Where the files of a request's environment are looked up: on the disk, or in its archive.
//!
//! An archive that was built with all files (`bunraku build --embed`) answers for all paths of its tree: what they are, their
//! checksums, what is in folders and in files. Nothing of them is looked at on the disk, so that what agents are told is of the same
//! version as their catalogs. Only what an archive does not hold itself, private keys and what is too large, is read from the
//! disk, as long as it is as it was when the archive was built.

use super::checksums::{ChecksumType, Checksums, SHA256, hexadecimal, time};
use crate::exchange::Body;
use bunraku::archive::{Child, Contents, ModuleFolders, Stored, StoredKind};
use bunraku::files::read;
use bytes::Bytes;
use std::fs::{FileType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Whether a link is itself or what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Itself.
    Manage,
    /// What it leads to.
    Follow,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct FileRoot {
    modulepath: Vec<PathBuf>,
    /// Its modules, where they have been asked for.
    pub(super) modules: OnceLock<Arc<Vec<PathBuf>>>,
    archive: Option<Arc<Archived>>,
}

/// The archive of an environment, with all its files.
#[derive(Debug)]
pub struct Archived {
    contents: Contents,
    modulepath: Vec<PathBuf>,
    modules: Arc<Vec<PathBuf>>,
    /// Owner and group of the archive, which stand for those of its files, and when it was written.
    owner: (u32, u32),
    written: i64,
}

/// What is known of a path.
#[derive(Debug)]
pub struct Stat {
    /// What is there.
    pub kind: Kind,
    /// Owner and group.
    pub owner: (u32, u32),
    /// Permission bits.
    pub mode: u32,
    found: Found,
}

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Neither of them, by Ruby's name.
    Special(&'static str),
}

/// How it is known.
#[derive(Debug)]
enum Found {
    Disk(Metadata),
    Archive(Stored, i64),
}

impl Archived {
    /// The files of an archive in force, and its environment's modules.
    ///
    /// # Errors
    /// When the disk says nothing of the archive.
    pub fn new(contents: Contents, modules: ModuleFolders, archive: &Path) -> io::Result<Archived> {
        let metadata = std::fs::metadata(archive)?;
        Ok(Archived {
            contents,
            modulepath: modules.path,
            modules: Arc::new(modules.modules),
            owner: (metadata.uid(), metadata.gid()),
            written: metadata.mtime(),
        })
    }
}

impl Kind {
    fn of(kind: FileType) -> Kind {
        match kind {
            _ if kind.is_file() => Kind::File,
            _ if kind.is_dir() => Kind::Folder,
            _ if kind.is_symlink() => Kind::Link,
            _ if kind.is_fifo() => Kind::Special("fifo"),
            _ if kind.is_socket() => Kind::Special("socket"),
            _ if kind.is_block_device() => Kind::Special("blockSpecial"),
            _ => Kind::Special("characterSpecial"),
        }
    }
}

impl Stat {
    fn of_disk(found: Metadata) -> Stat {
        Stat {
            kind: Kind::of(found.file_type()),
            owner: (found.uid(), found.gid()),
            mode: found.mode() & 0o7777,
            found: Found::Disk(found),
        }
    }

    /// When its inode changed; of what is in an archive, when that was written.
    pub fn changed(&self) -> i64 {
        match &self.found {
            Found::Disk(metadata) => metadata.ctime(),
            Found::Archive(_, written) => *written,
        }
    }
}

impl FileRoot {
    /// The disk.
    pub fn on_disk(modulepath: Vec<PathBuf>) -> FileRoot {
        FileRoot { modulepath, modules: OnceLock::new(), archive: None }
    }

    /// An archive, for the paths of its tree.
    pub fn archived(archive: &Arc<Archived>) -> FileRoot {
        FileRoot {
            modulepath: archive.modulepath.clone(),
            modules: OnceLock::from(Arc::clone(&archive.modules)),
            archive: Some(Arc::clone(archive)),
        }
    }

    /// The folders of its module path.
    pub fn modulepath(&self) -> &[PathBuf] {
        &self.modulepath
    }

    fn archive(&self, path: &Path) -> Option<&Archived> {
        self.archive.as_deref().filter(|archive| archive.contents.holds(path))
    }

    /// What is at a path.
    ///
    /// # Errors
    /// When nothing is, or it can't be looked at.
    pub fn stat(&self, path: &Path, links: Links) -> io::Result<Stat> {
        let Some(archive) = self.archive(path) else {
            let found = match links {
                Links::Manage => std::fs::symlink_metadata(path),
                Links::Follow => std::fs::metadata(path),
            };
            return found.map(Stat::of_disk);
        };
        let stored = archive.contents.get(path)?.ok_or_else(not_there)?;
        let (kind, mode) = match (&stored.kind, &stored.target) {
            (_, Some(_)) if links == Links::Manage => (Kind::Link, 0o777),
            (StoredKind::File { .. }, _) => (Kind::File, stored.mode),
            (StoredKind::Folder, _) => (Kind::Folder, stored.mode),
            (StoredKind::Nothing, _) => return Err(not_there()),
        };
        Ok(Stat { kind, owner: archive.owner, mode, found: Found::Archive(stored, archive.written) })
    }

    /// What a link leads to, as it says it.
    ///
    /// # Errors
    /// When it can't be read, or what it says is not UTF-8.
    pub fn target(&self, path: &Path, stat: &Stat) -> io::Result<String> {
        match &stat.found {
            Found::Archive(stored, _) => Ok(stored.target.clone().unwrap_or_default()),
            Found::Disk(_) => std::fs::read_link(path)?.into_os_string().into_string().map_err(|target| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("it leads to {target:?}, which is not UTF-8"),
                )
            }),
        }
    }

    /// What is in a folder: each name, and what it is where the folder says so (links not followed).
    ///
    /// # Errors
    /// When it can't be read, or a name is not UTF-8.
    pub fn children(&self, folder: &Path) -> io::Result<Vec<(String, Option<Kind>)>> {
        if let Some(archive) = self.archive(folder) {
            let kind = |child: &Child| match (child.is_link, child.is_folder) {
                (true, _) => Kind::Link,
                (_, true) => Kind::Folder,
                _ => Kind::File,
            };
            let listed = archive.contents.list(folder)?.into_iter();
            return Ok(listed
                .map(|child| (kind(&child), child))
                .map(|(kind, child)| (child.name, Some(kind)))
                .collect());
        }
        let child = |entry: io::Result<std::fs::DirEntry>| {
            let entry = entry?;
            let kind = entry.file_type().ok().map(Kind::of);
            let name = entry.file_name().into_string().map_err(|name| {
                let path = folder.join(name);
                let message = format!("The name of {} is not UTF-8", path.to_string_lossy());
                io::Error::new(io::ErrorKind::InvalidData, message)
            })?;
            Ok((name, kind))
        };
        std::fs::read_dir(folder)?.map(child).collect()
    }

    /// The checksum of the regular file at a path, links followed; `stat` is what has just been said of it.
    ///
    /// # Errors
    /// When it can't be read, or is not regular.
    pub fn checksum(
        &self,
        path: &Path,
        stat: &Stat,
        checksum: ChecksumType,
        known: &Checksums,
    ) -> io::Result<Arc<str>> {
        let (stored, written) = match &stat.found {
            Found::Disk(metadata) => return known.get(path, metadata, checksum),
            Found::Archive(stored, written) => (&stored.kind, *written),
        };
        match (checksum, stored) {
            (ChecksumType::None, _) => Ok("".into()),
            (ChecksumType::Mtime | ChecksumType::Ctime, _) => Ok(time(written).into()),
            (SHA256, StoredKind::File { sha256, .. }) => Ok(hexadecimal(sha256).into()),
            (ChecksumType::Hash(hash, lite), StoredKind::File { sha256, .. }) => {
                known.of_content(sha256, (hash, lite), || Ok(self.content(path, known)?.reader()))
            }
            (ChecksumType::Hash(..), _) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    /// What is in a file.
    ///
    /// # Errors
    /// When it can't be read, is not regular, or is not what it was when the archive was built that it belongs to.
    pub fn content(&self, path: &Path, known: &Checksums) -> io::Result<Body> {
        let Some(archive) = self.archive(path) else {
            let (file, metadata) = read::opened(path)?;
            return Ok(Body::File(file, metadata.len()));
        };
        let stored = archive.contents.get(path)?;
        let sha256 = match stored.map(|stored| stored.kind) {
            Some(StoredKind::File { sha256, .. }) => sha256,
            Some(StoredKind::Folder) => return Err(io::ErrorKind::IsADirectory.into()),
            Some(StoredKind::Nothing) | None => return Err(not_there()),
        };
        if let Some(content) = archive.contents.content(path)? {
            return Ok(Body::Stored(Bytes::from_owner(content)));
        }
        let (file, metadata) = read::opened(path)?;
        match *known.get(path, &metadata, SHA256)? == hexadecimal(&sha256) {
            true => Ok(Body::File(file, metadata.len())),
            false => Err(io::Error::other("it is not in the archive, and not as it was when that was built")),
        }
    }
}

/// The system's own error, whose words clients see.
fn not_there() -> io::Error {
    rustix::io::Errno::NOENT.into()
}

#[cfg(test)]
mod tests;
