//! Files that processes leave each other, which nobody else may have had a hand in.

#[cfg(unix)]
use rustix::process::geteuid;
#[cfg(unix)]
use std::fs::OpenOptions;
use std::fs::{File, Metadata};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The regular file at a path, if it may be believed: it is root's, ours or `owner`'s, and nobody else may write to it. It is
/// looked at before it is opened, and no link is followed.
#[cfg(unix)]
pub fn open(path: &Path, owner: Option<u32>) -> Option<(File, Metadata)> {
    let owners = [Some(geteuid().as_raw()), Some(0), owner];
    let is_believed = |about: &Metadata| {
        about.is_file() && owners.contains(&Some(about.uid())) && about.mode() & 0o022 == 0
    };
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    std::fs::symlink_metadata(path).ok().filter(is_believed)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let about = file.metadata().ok().filter(is_believed)?;
    Some((file, about))
}

/// Elsewhere the system does not say whose a file is.
#[cfg(not(unix))]
pub fn open(_path: &Path, _owner: Option<u32>) -> Option<(File, Metadata)> {
    None
}
