//! Who may read the files of a tree: an archive made of them is for nobody else.

use std::io;
use std::path::Path;

/// Those who may read a file besides its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Readers {
    /// The group of the archive that is written.
    group: bool,
    /// Everybody.
    others: bool,
}

impl Default for Readers {
    /// All.
    fn default() -> Self {
        Readers { group: true, others: true }
    }
}

impl Readers {
    /// Those of the file at `path`. A group counts only where it is the archive's: `group`.
    ///
    /// # Errors
    /// When it is not there.
    #[cfg(unix)]
    pub fn of(path: &Path, group: u32) -> io::Result<Readers> {
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::metadata(path)?;
        let others = metadata.mode() & 0o004 != 0;
        let own = metadata.gid() == group;
        Ok(Readers { group: others || (own && metadata.mode() & 0o040 != 0), others })
    }

    /// There are no modes here.
    #[cfg(not(unix))]
    pub fn of(_path: &Path, _group: u32) -> io::Result<Readers> {
        Ok(Readers::default())
    }

    /// Whether somebody of `all` is not among them.
    pub fn is_fewer_than(self, all: Readers) -> bool {
        (all.group && !self.group) || (all.others && !self.others)
    }

    /// Leaves those who are among the others, too.
    pub fn meet(&mut self, other: Readers) {
        self.group &= other.group;
        self.others &= other.others;
    }

    /// The bits of a mode that they may be given.
    pub fn bits(self) -> u32 {
        0o700 | if self.group { 0o070 } else { 0 } | if self.others { 0o007 } else { 0 }
    }
}

/// The group that an archive at `path` has, or will have.
#[cfg(unix)]
pub(super) fn group_of(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt;
    let own = || rustix::process::getegid().as_raw();
    std::fs::metadata(path).map_or_else(|_| own(), |metadata| metadata.gid())
}

/// There are no groups here.
#[cfg(not(unix))]
pub(super) fn group_of(_path: &Path) -> u32 {
    0
}
