//! What lies at a path or in a folder, as the disk or an archive says it.

use std::fs::Metadata;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
#[cfg(unix)]
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a file or folder has to keep for it to count as unchanged: size, time of change, and which one it is. Deploys that set all
/// times alike, and switch a link to another tree, leave size and time as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// In bytes.
    pub size: u64,
    /// None where an archive, or whoever has lent the file, says the size.
    on_disk: Option<OnDisk>,
}

#[cfg(unix)]
type OnDisk = Status;
#[cfg(not(unix))]
type OnDisk = Option<std::time::SystemTime>;

impl Stamp {
    /// What the system has said of it.
    pub fn of(metadata: &Metadata) -> Stamp {
        #[cfg(unix)]
        let on_disk = Status::of(metadata);
        #[cfg(not(unix))]
        let on_disk = metadata.modified().ok();
        Stamp { size: metadata.len(), on_disk: Some(on_disk) }
    }

    /// What is at a path now, where a link leads if it is one; none where it can't be looked at.
    pub fn look(path: &Path) -> Option<Stamp> {
        std::fs::metadata(path).ok().map(|metadata| Stamp::of(&metadata))
    }

    /// Of a file that is not on the disk.
    pub fn sized(size: u64) -> Stamp {
        Stamp { size, on_disk: None }
    }

    /// Whether it is of something on the disk.
    pub fn is_of_disk(&self) -> bool {
        self.on_disk.is_some()
    }

    /// What the disk says of it as five numbers, to be written down, if it has changed long enough ago for a later change to show.
    pub fn settled_words(&self) -> Option<[u64; 5]> {
        #[cfg(unix)]
        return self
            .on_disk
            .filter(|status| status.is_settled(SystemTime::now()))
            .map(|status| status.words());
        #[cfg(not(unix))]
        None
    }

    /// What such numbers say.
    pub fn of_words(words: [u64; 5]) -> Stamp {
        #[cfg(unix)]
        let status = Status::of_words(words);
        #[cfg(unix)]
        return Stamp { size: status.size, on_disk: Some(status) };
        #[cfg(not(unix))]
        Stamp { size: words[2], on_disk: None }
    }

    /// What the disk says of it.
    #[cfg(unix)]
    pub(crate) fn status(&self) -> Option<Status> {
        self.on_disk
    }
}

/// How long ago a file must have changed for its times to tell the next change: more than any file system's clock takes for a tick.
#[cfg(unix)]
const SETTLED: Duration = Duration::from_secs(2);

/// What the disk says of a file or folder.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub device: u64,
    pub inode: u64,
    pub size: u64,
    /// In nanoseconds, as the next; where they do not fit, the outermost number.
    pub modified: i64,
    /// When the system has last noted a change, which nobody can set.
    pub changed: i64,
}

#[cfg(unix)]
impl Status {
    fn of(found: &Metadata) -> Status {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Status {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: nanoseconds(found.mtime(), found.mtime_nsec()),
            changed: nanoseconds(found.ctime(), found.ctime_nsec()),
        }
    }

    /// All of it, in the order in which it is declared.
    pub fn words(&self) -> [u64; 5] {
        [self.device, self.inode, self.size, self.modified as u64, self.changed as u64]
    }

    /// The reverse.
    pub fn of_words([device, inode, size, modified, changed]: [u64; 5]) -> Status {
        Status { device, inode, size, modified: modified as i64, changed: changed as i64 }
    }

    /// Whether a change after this moment would show.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let before = now.checked_sub(SETTLED).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let before = before.and_then(|time| i64::try_from(time.as_nanos()).ok());
        before.is_some_and(|before| self.modified < before && self.changed < before)
    }
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
