//! Reading a file that somebody else may have put there: it must be a regular one, and no larger than a limit. A FIFO
//! would wait for a writer, a device like `/dev/zero` never end.
//!
//! What a user names on the command line may be a pipe all the same (`--facts <(…)`): [`given`] reads it to its end,
//! within the limit.

use sha2::{Digest as _, Sha256};
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Bytes that a file may hold if nothing else is said: the setting `max_file`.
pub const MAX_FILE: u64 = 256 << 20;

/// The bytes of a regular file, links followed.
///
/// # Errors
/// When it can't be read, is not regular (the error says what it is) or holds more than `limit` bytes.
pub fn regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Only to open a device can have effects; so it is looked at before.
    check(&std::fs::metadata(path)?, limit)?;
    let file = open(path)?;
    let metadata = file.metadata()?;
    check(&metadata, limit)?;
    bounded(file, metadata.len(), limit)
}

/// A regular file as text.
///
/// # Errors
/// As [`regular`]; when it is not UTF-8.
pub fn regular_text(path: &Path, limit: u64) -> io::Result<String> {
    text(regular(path, limit)?)
}

/// The bytes of a file that the user has named: a regular one, or a pipe or terminal up to its end.
///
/// # Errors
/// When it can't be read or there are more than `limit` bytes.
pub fn given(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    match std::fs::metadata(path)? {
        metadata if is_stream(metadata.file_type()) => bounded(File::open(path)?, 0, limit),
        _ => regular(path, limit),
    }
}

/// What the user has named, as text.
///
/// # Errors
/// As [`given`]; when it is not UTF-8.
pub fn given_text(path: &Path, limit: u64) -> io::Result<String> {
    text(given(path, limit)?)
}

/// A regular file that is read here and there. It may be shared by threads.
#[derive(Debug)]
pub struct Pieces {
    file: File,
    length: u64,
}

impl Pieces {
    /// Opens a regular file, links followed.
    ///
    /// # Errors
    /// When it can't be read, or is not regular: the error says what it is.
    pub fn open(path: &Path) -> io::Result<Pieces> {
        let (file, metadata) = opened(path)?;
        Ok(Pieces { file, length: metadata.len() })
    }

    /// Bytes it held when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from an offset on, so many of them.
    ///
    /// # Errors
    /// When the file does not have them, or can't be read.
    pub fn at(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        if offset.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        read_at(&self.file, &mut bytes, offset)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}

/// A regular file, links followed, opened without waiting for anything; and what the disk says of it.
///
/// # Errors
/// When it can't be opened, or is not regular: the error says what it is.
pub fn opened(path: &Path) -> io::Result<(File, Metadata)> {
    let metadata = std::fs::metadata(path)?;
    check(&metadata, u64::MAX)?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let file = open(path)?;
    let metadata = file.metadata()?;
    check(&metadata, u64::MAX)?;
    Ok((file, metadata))
}

/// Size and SHA-256 of a regular file, links followed, however large it is.
///
/// # Errors
/// As of [`opened`]; when it can't be read.
pub fn sha256(path: &Path) -> io::Result<(u64, [u8; 32])> {
    let (mut file, _) = opened(path)?;
    let mut hash = Sha256::new();
    let size = io::copy(&mut file, &mut hash)?;
    Ok((size, hash.finalize().into()))
}

/// Whether a user can only have meant what comes out of it: a pipe or a terminal, say.
pub fn is_stream_at(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| is_stream(metadata.file_type()))
}

/// All that comes out of a reader.
///
/// # Errors
/// When it can't be read or holds more than `limit` bytes.
pub fn bounded(reader: impl Read, expected: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(limit)).unwrap_or_default());
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    within(bytes.len() as u64, limit)?;
    Ok(bytes)
}

/// Whether a file of this kind and size is read at all. Folders pass: to read them fails with the system's words. So does
/// the null device, which is what code names for an empty file: `file('/etc/x', '/dev/null')`.
///
/// # Errors
/// When it is neither regular nor a folder, or too large.
pub fn check(metadata: &Metadata, limit: u64) -> io::Result<()> {
    match kind(metadata.file_type()) {
        Some(_) if is_null(metadata) => Ok(()),
        Some(kind) => Err(io::Error::other(format!("it is {kind}, not a regular file"))),
        None if metadata.is_dir() => Ok(()),
        None => within(metadata.len(), limit),
    }
}

fn within(size: u64, limit: u64) -> io::Result<()> {
    match size > limit {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it holds more than {limit} bytes (setting max_file)"),
        )),
        false => Ok(()),
    }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Opens a file without waiting for anything, should it have become a FIFO since it was looked at.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// What it is, where it is neither file nor folder.
#[cfg(unix)]
fn kind(file: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    match file {
        _ if file.is_file() || file.is_dir() => None,
        _ if file.is_fifo() => Some("a FIFO"),
        _ if file.is_socket() => Some("a socket"),
        _ if file.is_char_device() || file.is_block_device() => Some("a device"),
        _ => Some("of an unknown kind"),
    }
}

#[cfg(unix)]
fn is_null(metadata: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    metadata.file_type().is_char_device()
        && std::fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == metadata.rdev())
}

#[cfg(not(unix))]
fn is_null(_metadata: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn kind(file: FileType) -> Option<&'static str> {
    (!file.is_file() && !file.is_dir()).then_some("of an unknown kind")
}

#[cfg(unix)]
fn is_stream(file: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    file.is_fifo() || file.is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_file: FileType) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    fn said(result: io::Result<Vec<u8>>) -> String {
        result.map_or_else(|error| error.to_string(), |bytes| format!("{} bytes", bytes.len()))
    }

    #[test]
    fn what_is_no_regular_file_is_named_and_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "12345").unwrap();
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        let read = |name: &str| said(regular(&path(name), 5));
        assert_eq!(read("file"), "5 bytes");
        assert_eq!(read("link"), "5 bytes");
        assert_eq!(read("fifo"), "it is a FIFO, not a regular file");
        assert_eq!(read("socket"), "it is a socket, not a regular file");
        assert_eq!(read("."), "Is a directory (os error 21)");
        assert_eq!(said(regular(Path::new("/dev/null"), 5)), "0 bytes");
        assert_eq!(said(regular(Path::new("/dev/zero"), 5)), "it is a device, not a regular file");
        assert_eq!(said(regular(&path("file"), 4)), "it holds more than 4 bytes (setting max_file)");
    }

    #[test]
    fn pieces_are_read_where_they_are_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "0123456789").unwrap();
        let pieces = Pieces::open(&path).unwrap();
        assert_eq!(pieces.length(), 10);
        assert_eq!(pieces.at(3, 4).unwrap(), b"3456");
        assert_eq!(pieces.at(10, 0).unwrap(), b"");
        for (offset, length) in [(3, 8), (11, 0), (u64::MAX, 2)] {
            assert_eq!(pieces.at(offset, length).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        assert_eq!(Pieces::open(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert!(Pieces::open(Path::new("/dev/zero")).unwrap_err().to_string().contains("it is a device"));
    }

    #[test]
    fn what_the_user_names_may_be_a_pipe_that_ends() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let writer = std::thread::spawn({
            let fifo = fifo.clone();
            move || std::fs::write(fifo, "12345").unwrap()
        });
        assert_eq!(said(given(&fifo, 5)), "5 bytes");
        writer.join().unwrap();
        assert_eq!(said(given(Path::new("/dev/zero"), 5)), "it holds more than 5 bytes (setting max_file)");
    }
}
