//! What lies at a path or in a folder, as the disk or an archive says it.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

/// What a file or folder has to keep for it to count as unchanged: size, time of change, and which one it is. Deploys that set all
/// times alike, and switch a link to another tree, leave size and time as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// In bytes.
    pub size: u64,
    /// None where an archive, or whoever has lent the file, says the size.
    modified: Option<SystemTime>,
    inode: Option<Inode>,
}

/// Which file it is, and when the system has last noted a change of it, which nobody can set: device, number, seconds, nanoseconds.
type Inode = (u64, u64, i64, i64);

impl Stamp {
    /// What the system has said of it.
    pub fn of(metadata: &Metadata) -> Stamp {
        Stamp { size: metadata.len(), modified: metadata.modified().ok(), inode: inode(metadata) }
    }

    /// What is at a path now, where a link leads if it is one; none where it can't be looked at.
    pub fn look(path: &Path) -> Option<Stamp> {
        std::fs::metadata(path).ok().map(|metadata| Stamp::of(&metadata))
    }

    /// Whether it is of something on the disk.
    pub fn is_of_disk(&self) -> bool {
        self.modified.is_some()
    }

    /// Of a file that is not on the disk.
    pub fn sized(size: u64) -> Stamp {
        Stamp { size, modified: None, inode: None }
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> Option<Inode> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()))
}

#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> Option<Inode> {
    None
}

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Child {
    /// Its name.
    pub name: String,
    /// Whether it is a folder, links followed.
    pub is_folder: bool,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

/// What lies in a folder of the disk, in no order.
pub(crate) fn children(folder: &Path) -> Vec<Child> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let child = |entry: std::fs::DirEntry| {
        let kind = entry.file_type().ok()?;
        let is_folder = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
        Some(Child { name: entry.file_name().into_string().ok()?, is_folder, is_link: kind.is_symlink() })
    };
    entries.filter_map(child).collect()
}
