//! Writing a file so that a reader sees the old one or the new one, whatever happens in between: a temporary file in
//! the same folder, synced, renamed, and the folder synced.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How much is written at once. What is written in one go may be kept by the system in one piece, megabytes long, and
/// then it is mapped in one piece: a compile that looks at a page here and there would have all of it counted as its
/// memory.
const AT_ONCE: usize = 64 << 10;

/// Puts `bytes` in the place of the file at `path`.
///
/// # Errors
/// When the folder can't be written to; what was there before then still is.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it names no file"))?.to_string_lossy();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    remove_abandoned(folder, &name);
    let (temporary, mut file) = create(folder, &name)?;
    let written = bytes
        .chunks(AT_ONCE)
        .try_for_each(|some| file.write_all(some))
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&temporary, path));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&temporary);
        return Err(error);
    }
    File::open(folder)?.sync_all()
}

/// A new file of a name of its own, locked for as long as it is written.
fn create(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".{name}.{}-{number}.tmp", std::process::id()));
        let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        file.lock()?;
        // Another build may have taken it for abandoned before it was locked.
        if path.exists() {
            return Ok((path, file));
        }
    }
}

/// Removes what builds that were killed have left: temporary files that nobody holds a lock on.
fn remove_abandoned(folder: &Path, name: &str) {
    let prefix = format!(".{name}.");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        let middle = found.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".tmp"));
        let is_ours =
            middle.is_some_and(|m| !m.is_empty() && m.bytes().all(|b| b.is_ascii_digit() || b == b'-'));
        if is_ours
            && let Ok(file) = OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
