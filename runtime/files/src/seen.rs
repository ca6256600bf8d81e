//! The note beside an archive: which sources were found to have the content that it was built from, and what the disk
//! said of each then. A process that finds a source as the note has it need not read it again.
//!
//! What is remembered of a source is its device and inode, its size, and the times when its content and its inode
//! changed. Nobody sets the last of these, so that a source which has been changed and given its old time again is
//! seen. One that changed a moment before it was compared might change once more without its times telling: it is not
//! remembered.
//!
//! The note is `ARCHIVE.seen`. It is taken from nobody who could not have written the archive ([`believed`]). It may be
//! gone at any time; one that is damaged or belongs to another archive counts as none. Where none can be written nothing
//! is said.

use crate::believed;
use crate::found::Status;
use crate::paths::NOTE;
use crate::write;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The first eight bytes.
const MAGIC: [u8; 8] = *b"BNRUSEEN";

/// Behind the magic: the archive's content.
const HEADER: usize = 8 + 16;

/// Bytes of a source: its key, then five numbers.
const RECORD: usize = 16 + 5 * 8;

/// Bytes of the checksum at the end.
const SUM: usize = 8;

/// How long a process that goes on waits before it writes again.
const PAUSE: Duration = Duration::from_secs(1);

/// Statuses by key, which is a hash already.
type Known = HashMap<u128, Status, FixedState>;

/// The note of an archive, and what has been found since it was read.
///
/// Key: the path of a source with the content that it must have. Bound: four times the archive's files, and a thousand.
/// Stale: when what the disk says of the source differs. Test: `runtime/compile/tests/archive.rs`.
pub(crate) struct Seen {
    path: PathBuf,
    /// The archive's content.
    content: u128,
    most: usize,
    /// The archive's owner, and who may read it.
    owner: u32,
    mode: u32,
    known: Known,
    /// Whether something is not in the note yet.
    is_new: bool,
    written: Option<Instant>,
}

impl Seen {
    /// The note of the archive at a path, as it is; an empty one if there is none. None where the archive is no file.
    pub fn of(archive: &Path, content: u128, files: u32) -> Option<Seen> {
        let about = std::fs::metadata(archive).ok().filter(Metadata::is_file)?;
        let mut name = archive.file_name()?.to_owned();
        name.push(NOTE);
        let mut seen = Seen {
            path: archive.with_file_name(name),
            content,
            most: files as usize * 4 + 1000,
            owner: about.uid(),
            mode: about.mode(),
            known: Known::default(),
            is_new: false,
            written: None,
        };
        seen.known = seen.read().unwrap_or_default();
        Some(seen)
    }

    /// What stands for a source at a path that must have this content.
    fn key(path: &Path, hash: &[u8; 32]) -> u128 {
        xxh3_128(&[&hash[..], path.as_os_str().as_encoded_bytes()].concat())
    }

    /// Whether a source of this status had this content.
    pub fn knows(&self, path: &Path, hash: &[u8; 32], status: &Status) -> bool {
        self.known.get(&Seen::key(path, hash)) == Some(status)
    }

    /// Remembers that it had.
    pub fn add(&mut self, path: &Path, hash: &[u8; 32], status: Status) {
        if self.known.len() < self.most {
            self.known.insert(Seen::key(path, hash), status);
            self.is_new = true;
        }
    }

    fn open(&self) -> Option<(File, Metadata)> {
        believed::open(&self.path, Some(self.owner))
    }

    fn read(&self) -> Option<Known> {
        let (file, about) = self.open()?;
        let most = HEADER + SUM + RECORD * self.most;
        let size = usize::try_from(about.len()).ok().filter(|size| (HEADER + SUM..=most).contains(size))?;
        let mut bytes = Vec::with_capacity(size);
        file.take(size as u64).read_to_end(&mut bytes).ok()?;
        let (rest, sum) = bytes.split_last_chunk::<SUM>()?;
        let (header, records) = rest.split_at_checked(HEADER)?;
        let is_whole =
            bytes.len() == size && records.len() % RECORD == 0 && xxh3_64(rest) == u64::from_le_bytes(*sum);
        (is_whole && header == self.header())
            .then(|| records.chunks_exact(RECORD).filter_map(record).collect())
    }

    fn header(&self) -> Vec<u8> {
        [&MAGIC[..], &self.content.to_le_bytes()].concat()
    }

    /// Writes the note where there is something to write: now, or not again before a while has passed.
    pub fn keep(&mut self, now: bool) {
        if !self.is_new || (!now && self.written.is_some_and(|time| time.elapsed() < PAUSE)) {
            return;
        }
        self.is_new = false;
        self.written = Some(Instant::now());
        // What stands there and is no note that may be believed was put there by somebody else: it stays.
        let before = std::fs::symlink_metadata(&self.path).ok();
        if before.is_some() && !self.is_note() {
            return;
        }
        // Other processes have found something, too.
        let mut all = self.read().unwrap_or_default();
        all.extend(self.known.drain());
        self.known = all;
        let mut bytes = self.header();
        bytes.reserve(RECORD * self.known.len() + SUM);
        for (key, status) in self.known.iter().take(self.most) {
            bytes.extend(key.to_le_bytes());
            status.words().iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        let sum = xxh3_64(&bytes);
        bytes.extend(sum.to_le_bytes());
        let _ = write::beside(&self.path, &bytes, before.as_ref(), self.mode & 0o644 | 0o600);
    }

    /// Whether the file is a note, damaged or not, that may be believed.
    fn is_note(&self) -> bool {
        let mut magic = [0; MAGIC.len()];
        self.open().is_some_and(|(mut file, _)| file.read_exact(&mut magic).is_ok() && magic == MAGIC)
    }
}

fn record(bytes: &[u8]) -> Option<(u128, Status)> {
    let (key, words) = bytes.split_first_chunk::<16>()?;
    let mut words = words.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
    let mut next = || words.next();
    let words = [next()?, next()?, next()?, next()?, next()?];
    Some((u128::from_le_bytes(*key), Status::of_words(words)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::Stamp;
    use rustix::process::geteuid;
    use std::os::unix::fs::PermissionsExt;
    use std::time::SystemTime;
    use tempfile::TempDir;

    const HASH: [u8; 32] = [7; 32];

    /// A folder with a file in the place of an archive, and a source.
    fn folder() -> (TempDir, PathBuf, PathBuf) {
        let folder = TempDir::new().unwrap();
        let (archive, source) = (folder.path().join("a.bnr"), folder.path().join("a.pp"));
        std::fs::write(&archive, "archive").unwrap();
        std::fs::write(&source, "source").unwrap();
        (folder, archive, source)
    }

    fn status_of(path: &Path) -> Status {
        Stamp::look(path).and_then(|stamp| stamp.status()).unwrap()
    }

    fn note(archive: &Path) -> PathBuf {
        archive.with_file_name("a.bnr.seen")
    }

    /// As a process does that has found the source unchanged; gives whether one that follows knows it.
    fn remembers(archive: &Path, source: &Path) -> bool {
        let status = status_of(source);
        let mut seen = Seen::of(archive, 1, 5).unwrap();
        seen.add(source, &HASH, status);
        seen.keep(true);
        knows(archive, source)
    }

    fn knows(archive: &Path, source: &Path) -> bool {
        let status = status_of(source);
        Seen::of(archive, 1, 5).unwrap().knows(source, &HASH, &status)
    }

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_was_found_is_known_to_the_next_process_until_anything_differs() {
        let (folder, archive, source) = folder();
        assert!(!knows(&archive, &source));
        assert!(remembers(&archive, &source));
        let status = status_of(&source);
        let seen = Seen::of(&archive, 1, 5).unwrap();
        assert!(!seen.knows(&source, &[8; 32], &status));
        assert!(!seen.knows(&folder.path().join("b.pp"), &HASH, &status));
        assert!(!Seen::of(&archive, 2, 5).unwrap().knows(&source, &HASH, &status));
        // The same size and time, but not the same content.
        let time = std::fs::metadata(&source).unwrap().modified().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&source, "SOURCE").unwrap();
        File::options().write(true).open(&source).unwrap().set_modified(time).unwrap();
        let now = status_of(&source);
        assert_eq!((now.size, now.modified, now.inode), (status.size, status.modified, status.inode));
        assert!(!knows(&archive, &source));
        // Another file of that time in its place.
        assert!(remembers(&archive, &source));
        std::fs::write(folder.path().join("new"), "source").unwrap();
        File::options().write(true).open(folder.path().join("new")).unwrap().set_modified(time).unwrap();
        std::fs::rename(folder.path().join("new"), &source).unwrap();
        assert!(!knows(&archive, &source));
    }

    #[test]
    fn what_has_just_changed_is_not_settled() {
        let (_folder, _, source) = folder();
        let status = status_of(&source);
        let now = SystemTime::now();
        assert!(!status.is_settled(now));
        assert!(status.is_settled(now + Duration::from_secs(3)));
        let old = Status { modified: 0, ..status };
        assert!(!old.is_settled(now), "the time of the inode counts");
        assert!(!Status { changed: 0, ..status }.is_settled(now));
    }

    #[test]
    fn a_damaged_note_is_none_and_is_written_anew() {
        let (_folder, archive, source) = folder();
        assert!(remembers(&archive, &source));
        let whole = std::fs::read(note(&archive)).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(note(&archive), &bytes).unwrap();
            assert!(!knows(&archive, &source), "{at}");
            std::fs::write(note(&archive), &whole[..at]).unwrap();
            assert!(!knows(&archive, &source), "{at}");
        }
        std::fs::write(note(&archive), [&MAGIC[..], &[1; 100]].concat()).unwrap();
        assert!(remembers(&archive, &source));
        // More than any of ours: not read, whatever its checksum.
        std::fs::write(note(&archive), vec![0; 10 << 20]).unwrap();
        assert!(!knows(&archive, &source));
    }

    #[test]
    fn what_others_have_put_there_is_neither_believed_nor_replaced() {
        let (folder, archive, source) = folder();
        assert!(remembers(&archive, &source));
        let whole = std::fs::read(note(&archive)).unwrap();
        for mode in [0o664, 0o646, 0o666] {
            set_mode(&note(&archive), mode);
            assert!(!remembers(&archive, &source), "{mode:o}");
        }
        set_mode(&note(&archive), 0o644);
        assert!(knows(&archive, &source));
        std::fs::remove_file(note(&archive)).unwrap();
        // A link, to a note that could be believed and to something else.
        let other = folder.path().join("other");
        for text in [&whole[..], b"precious"] {
            std::fs::write(&other, text).unwrap();
            std::os::unix::fs::symlink(&other, note(&archive)).unwrap();
            assert!(!remembers(&archive, &source));
            assert_eq!(std::fs::read(&other).unwrap(), text);
            assert!(note(&archive).is_symlink());
            std::fs::remove_file(note(&archive)).unwrap();
        }
        std::fs::write(note(&archive), "precious").unwrap();
        assert!(!remembers(&archive, &source));
        assert_eq!(std::fs::read(note(&archive)).unwrap(), b"precious");
        std::fs::remove_file(note(&archive)).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(note(&archive)).status().unwrap().success());
        assert!(!remembers(&archive, &source));
        std::fs::remove_file(note(&archive)).unwrap();
        std::fs::create_dir(note(&archive)).unwrap();
        assert!(!remembers(&archive, &source));
        assert!(note(&archive).is_dir());
        std::fs::remove_dir(note(&archive)).unwrap();
        // Somebody else's, where we may make one such.
        std::fs::write(note(&archive), &whole).unwrap();
        if std::os::unix::fs::chown(note(&archive), Some(12345), None).is_ok() {
            assert!(!remembers(&archive, &source));
            std::os::unix::fs::chown(&archive, Some(12345), None).unwrap();
            assert!(remembers(&archive, &source), "the archive's owner is believed");
            assert_eq!(std::fs::metadata(note(&archive)).unwrap().uid(), 12345);
        }
    }

    #[test]
    fn a_note_is_read_by_no_more_users_than_its_archive() {
        for (mode, want) in [(0o600, 0o600), (0o640, 0o640), (0o666, 0o644), (0o444, 0o644)] {
            let (_folder, archive, source) = folder();
            set_mode(&archive, mode);
            assert!(remembers(&archive, &source));
            assert_eq!(std::fs::metadata(note(&archive)).unwrap().mode() & 0o777, want);
        }
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is_said() {
        let (folder, archive, source) = folder();
        set_mode(folder.path(), 0o555);
        let is_root = geteuid().is_root();
        assert_eq!(remembers(&archive, &source), is_root);
        set_mode(folder.path(), 0o755);
        assert!(Seen::of(Path::new("/proc/version"), 1, 5).is_some_and(|mut seen| {
            seen.add(&source, &HASH, status_of(&source));
            seen.keep(true);
            !Path::new("/proc/version.seen").exists()
        }));
        assert!(Seen::of(&folder.path().join("none"), 1, 5).is_none());
    }

    #[test]
    fn processes_at_once_add_to_what_the_others_found() {
        let (folder, archive, _) = folder();
        let sources: Vec<_> = (0..40).map(|n| folder.path().join(format!("{n}.pp"))).collect();
        sources.iter().for_each(|source| std::fs::write(source, "x").unwrap());
        std::thread::scope(|scope| {
            for source in &sources {
                let archive = &archive;
                scope.spawn(move || remembers(archive, source));
            }
        });
        // Whoever wrote last may not have seen all the others; none has left half a note or a temporary file.
        let known = sources.iter().filter(|source| knows(&archive, source)).count();
        assert!(known > 0);
        sources.iter().for_each(|source| assert!(remembers(&archive, source)));
        assert!(sources.iter().all(|source| knows(&archive, source)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 43);
    }

    #[test]
    fn it_grows_with_the_archive_and_no_further() {
        let (_folder, archive, source) = folder();
        let status = status_of(&source);
        let mut seen = Seen::of(&archive, 1, 5).unwrap();
        (0..5000).for_each(|n| seen.add(Path::new(&format!("/{n}")), &HASH, status));
        seen.keep(true);
        let size = std::fs::metadata(note(&archive)).unwrap().len() as usize;
        assert_eq!(size, HEADER + SUM + RECORD * 1020);
        assert!(Seen::of(&archive, 1, 5).unwrap().knows(Path::new("/0"), &HASH, &status));
    }
}
