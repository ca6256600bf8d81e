//! Writing a file so that a reader sees the old one or the new one, whatever happens in between: a temporary file in
//! the same folder, synced, renamed, and the folder synced. Every command writes its files here.
//!
//! Only a regular file, or nothing, is ever replaced. Devices, FIFOs and the process's own streams are written into;
//! a link is followed, so that it stays.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// How much is written at once. What is written in one go may be kept by the system in one piece, megabytes long, and
/// then it is mapped in one piece: a compile that looks at a page here and there would have all of it counted as its
/// memory.
const AT_ONCE: usize = 64 << 10;

/// How a temporary file's name ends; it begins with a dot and the name of the file it is to become.
pub const TEMPORARY: &str = ".tmp";

/// Who may read and write what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whoever may with the file that is replaced; for a new one, what the process's mask leaves.
    Kept,
    /// The same, but nobody who is not among these bits of a mode.
    AtMost(u32),
    /// These bits, whatever the file before had.
    Exactly(u32),
}

/// Puts `bytes` in the place of the file at `path`, or into what lies there if it is no regular file.
///
/// # Errors
/// When the folder can't be written to, the disk is full or `path` is a folder; a regular file that was there before
/// then still is, with all it had.
pub fn replace(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    match target(path)? {
        Target::Stream => write_into(path, bytes),
        Target::File(path, before) => put(&path, bytes, before.as_ref(), access),
    }
}

/// The same of bytes that `fill` writes one after the other, of which there may be more than memory has room for.
///
/// # Errors
/// As of [`replace`], and those of `fill`: what was there before then still is, unless it is no regular file.
pub fn streamed(
    path: &Path,
    access: Access,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match target(path)? {
        Target::Stream => {
            let mut file = BufWriter::with_capacity(AT_ONCE, OpenOptions::new().write(true).open(path)?);
            fill(&mut file)?;
            file.flush()
        }
        Target::File(path, before) => {
            let temporary = empty(&path, before.as_ref(), access)?;
            let mut file = BufWriter::with_capacity(AT_ONCE, temporary);
            fill(&mut file)?;
            finish(file.into_inner().map_err(|failed| failed.into_error())?, &path)
        }
    }
}

/// Puts `bytes` at `path` itself, whatever link lies there, as a file of this mode and of the owner that `before` has.
/// A reader sees the old file or the new one; after a failure of the system it may be either, or damaged.
///
/// # Errors
/// When the folder can't be written to or the disk is full.
pub fn beside(path: &Path, bytes: &[u8], before: Option<&Metadata>, mode: u32) -> io::Result<()> {
    temporary(path, bytes, before, Access::Exactly(mode))?.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// The same, and on the disk before this returns; the file and its folder are synced. `owner` is a file or folder whose
/// owner the new file gets, where that is allowed.
///
/// # Errors
/// When the folder can't be written to or the disk is full; what was there before then still is.
pub fn owned(path: &Path, bytes: &[u8], owner: &Metadata, mode: u32) -> io::Result<()> {
    finish(temporary(path, bytes, Some(owner), Access::Exactly(mode))?, path)
}

enum Target {
    /// To be written into.
    Stream,
    /// The path without a link at its end, and the file that is there.
    File(PathBuf, Option<Metadata>),
}

fn target(path: &Path) -> io::Result<Target> {
    // They name what the process has open, even where that is a file.
    let own = ["/dev/fd", "/proc/self/fd", "/dev/stdout", "/dev/stderr"];
    if own.iter().any(|own| path.starts_with(own)) {
        return Ok(Target::Stream);
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Target::File(path.canonicalize()?, Some(found))),
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(_) => Ok(Target::Stream),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.is_symlink() {
            true => Err(io::Error::other("it is a link to nothing")),
            false => Ok(Target::File(path.to_path_buf(), None)),
        },
        Err(error) => Err(error),
    }
}

/// Writes into a device, a FIFO or a stream of the process.
fn write_into(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.flush()
}

fn put(path: &Path, bytes: &[u8], before: Option<&Metadata>, access: Access) -> io::Result<()> {
    finish(temporary(path, bytes, before, access)?, path)
}

/// Puts a temporary file that is complete in its place.
fn finish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|failed| failed.error)?;
    File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The temporary file that is to become the one at `path`, with all of `bytes`.
fn temporary(
    path: &Path,
    bytes: &[u8],
    before: Option<&Metadata>,
    access: Access,
) -> io::Result<NamedTempFile> {
    let mut file = empty(path, before, access)?;
    // What fails leaves nothing: the temporary file goes with its handle.
    bytes.chunks(AT_ONCE).try_for_each(|some| file.write_all(some))?;
    Ok(file)
}

/// A temporary file that is to become the one at `path`, with nothing in it yet.
fn empty(path: &Path, before: Option<&Metadata>, access: Access) -> io::Result<NamedTempFile> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it names no file"))?.to_string_lossy();
    let folder = folder_of(path);
    remove_abandoned(folder, &name);
    let file = create(folder, &name)?;
    set_access(file.as_file(), before, access)?;
    Ok(file)
}

/// A new file of a name of its own, locked for as long as it is written.
fn create(folder: &Path, name: &str) -> io::Result<NamedTempFile> {
    let prefix = format!(".{name}.");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(TEMPORARY);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = builder.tempfile_in(folder).map_err(unnamed)?;
        file.as_file().lock()?;
        // Another writer may have taken it for abandoned before it was locked.
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// An error without the temporary file's name, which the library adds: whoever reads it knows the file by the name that it is to have.
fn unnamed(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what.to_owned()),
        None => error,
    }
}

/// Gives a new file the mode and, where that is allowed, the owner that it is to have, before anything is in it.
#[cfg(unix)]
fn set_access(file: &File, before: Option<&Metadata>, access: Access) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let own = file.metadata()?;
    if let Some(before) = before
        && (before.uid(), before.gid()) != (own.uid(), own.gid())
    {
        // Only root may; for others the file is then their own, as every new one.
        let _ = fchown(file, Some(before.uid()), Some(before.gid()));
    }
    let kept = before.map_or(own.mode(), Metadata::mode) & 0o777;
    let mode = match access {
        Access::Kept => kept,
        Access::AtMost(most) => kept & most,
        Access::Exactly(mode) => mode,
    };
    file.set_permissions(PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_access(_file: &File, _before: Option<&Metadata>, _access: Access) -> io::Result<()> {
    Ok(())
}

/// Whether a file of this name is a temporary one of the file `name`.
pub fn is_temporary(found: &str, name: &str) -> bool {
    let rest = found.strip_prefix('.').and_then(|rest| rest.strip_prefix(name));
    let middle = rest.and_then(|rest| rest.strip_prefix('.')?.strip_suffix(TEMPORARY));
    middle.is_some_and(|m| !m.is_empty() && m.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// Removes what writers that were killed have left: temporary files that nobody holds a lock on. What is no regular
/// file was not left by them.
fn remove_abandoned(folder: &Path, name: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name().to_string_lossy(), name)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = open_without_waiting(&entry.path())
            && file.metadata().is_ok_and(|metadata| metadata.is_file())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

#[cfg(all(test, unix))]
mod tests;
