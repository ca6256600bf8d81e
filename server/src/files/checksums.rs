//! Checksums of files by Puppet's names, and those of files that have not changed since.
//!
//! A file is hashed once. It is hashed again when device, inode, size or one of its times differ, and as long as it was
//! changed so short a time before it was hashed that its times might not tell the next change.

use bunraku::files::read;
use lru::LruCache;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use std::fs::Metadata;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How a file is told from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChecksumType {
    /// A hash of all, or (`lite`) of the first 512 bytes.
    Hash(Hash, bool),
    /// When its content changed.
    Mtime,
    /// When its inode changed.
    Ctime,
    /// Nothing.
    None,
}

/// The type that contents are known by.
pub(super) const SHA256: ChecksumType = ChecksumType::Hash(Hash::Sha256, false);

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hash {
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-224.
    Sha224,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// What of a file a `lite` hash is of.
const LITE: u64 = 512;

/// How many checksums are kept, those not asked for longest being dropped: some 20 MB.
const MOST: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");

/// How long ago a file must have changed for its times to tell the next change.
const SETTLED: Duration = Duration::from_secs(2);

impl ChecksumType {
    /// The one of a name.
    pub fn of(name: &str) -> Option<ChecksumType> {
        Some(match name {
            "md5" => ChecksumType::Hash(Hash::Md5, false),
            "md5lite" => ChecksumType::Hash(Hash::Md5, true),
            "sha1" => ChecksumType::Hash(Hash::Sha1, false),
            "sha1lite" => ChecksumType::Hash(Hash::Sha1, true),
            "sha224" => ChecksumType::Hash(Hash::Sha224, false),
            "sha256" => ChecksumType::Hash(Hash::Sha256, false),
            "sha256lite" => ChecksumType::Hash(Hash::Sha256, true),
            "sha384" => ChecksumType::Hash(Hash::Sha384, false),
            "sha512" => ChecksumType::Hash(Hash::Sha512, false),
            "mtime" => ChecksumType::Mtime,
            "ctime" => ChecksumType::Ctime,
            "none" => ChecksumType::None,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ChecksumType::Hash(Hash::Md5, false) => "md5",
            ChecksumType::Hash(Hash::Md5, true) => "md5lite",
            ChecksumType::Hash(Hash::Sha1, false) => "sha1",
            ChecksumType::Hash(Hash::Sha1, true) => "sha1lite",
            ChecksumType::Hash(Hash::Sha224, _) => "sha224",
            ChecksumType::Hash(Hash::Sha256, false) => "sha256",
            ChecksumType::Hash(Hash::Sha256, true) => "sha256lite",
            ChecksumType::Hash(Hash::Sha384, _) => "sha384",
            ChecksumType::Hash(Hash::Sha512, _) => "sha512",
            ChecksumType::Mtime => "mtime",
            ChecksumType::Ctime => "ctime",
            ChecksumType::None => "none",
        }
    }
}

/// Device, inode, and the type of the checksum.
type Key = (u64, u64, ChecksumType);

/// A content by its SHA-256, and the type of another checksum.
type OfContent = ([u8; 32], ChecksumType);

/// Checksums of files by what the disk says of them, and of contents by their SHA-256. It may be shared by threads.
#[derive(Debug)]
pub struct Checksums {
    known: Mutex<LruCache<Key, (Status, Arc<str>)>>,
    /// Key: content and type. Bound: [`MOST`]. Stale: never. Test: `place/tests.rs`.
    of_contents: Mutex<LruCache<OfContent, Arc<str>>>,
}

/// What the disk says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Status {
    /// Of what was asked of the disk.
    pub fn of(metadata: &Metadata) -> Status {
        Status {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether a change after this moment would show.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let before = now.checked_sub(SETTLED).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let before = before.and_then(|time| i64::try_from(time.as_secs()).ok());
        before.is_some_and(|before| self.modified.0 < before && self.changed.0 < before)
    }
}

impl Default for Checksums {
    fn default() -> Checksums {
        Checksums { known: Mutex::new(LruCache::new(MOST)), of_contents: Mutex::new(LruCache::new(MOST)) }
    }
}

impl Checksums {
    /// The checksum of the regular file at a path, links followed; `metadata` is what the disk has just said of it.
    ///
    /// # Errors
    /// When it can't be read, or is not regular.
    pub fn get(&self, path: &Path, metadata: &Metadata, checksum: ChecksumType) -> io::Result<Arc<str>> {
        let (hash, lite) = match checksum {
            ChecksumType::Hash(hash, lite) => (hash, lite),
            ChecksumType::Mtime => return Ok(time(metadata.mtime()).into()),
            ChecksumType::Ctime => return Ok(time(metadata.ctime()).into()),
            ChecksumType::None => return Ok("".into()),
        };
        let status = Status::of(metadata);
        let key = (status.device, status.inode, checksum);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, sum)) = lock().get(&key)
            && *known == status
        {
            return Ok(Arc::clone(sum));
        }
        let now = SystemTime::now();
        let (file, opened) = read::opened(path)?;
        let sum = hash.of_begin(&file, lite)?;
        let is_same = Status::of(&opened) == status && Status::of(&file.metadata()?) == status;
        if is_same && status.is_settled(now) {
            lock().put(key, (status, Arc::clone(&sum)));
        }
        Ok(sum)
    }

    /// Another hash of a content than its SHA-256, by which it is known. It is read the first time.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn of_content(
        &self,
        sha256: &[u8; 32],
        (hash, lite): (Hash, bool),
        open: impl FnOnce() -> io::Result<Box<dyn io::Read>>,
    ) -> io::Result<Arc<str>> {
        let key = (*sha256, ChecksumType::Hash(hash, lite));
        let lock = || self.of_contents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Ok(Arc::clone(known));
        }
        let sum = hash.of_begin(open()?, lite)?;
        lock().put(key, Arc::clone(&sum));
        Ok(sum)
    }
}

impl Hash {
    /// The hash of what comes out of a reader: of all, or (`lite`) of the first 512 bytes.
    fn of_begin(self, reader: impl io::Read, lite: bool) -> io::Result<Arc<str>> {
        let limit = if lite { LITE } else { u64::MAX };
        Ok(self.of(&mut reader.take(limit))?.into())
    }

    /// How many hexadecimal digits it has.
    pub fn digits(self) -> usize {
        match self {
            Hash::Md5 => 32,
            Hash::Sha1 => 40,
            Hash::Sha224 => 56,
            Hash::Sha256 => 64,
            Hash::Sha384 => 96,
            Hash::Sha512 => 128,
        }
    }

    /// The hash of all that comes out of a reader, in hexadecimal digits.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn of(self, reader: &mut dyn io::Read) -> io::Result<String> {
        match self {
            Hash::Md5 => digest::<Md5>(reader),
            Hash::Sha1 => digest::<Sha1>(reader),
            Hash::Sha224 => digest::<Sha224>(reader),
            Hash::Sha256 => digest::<Sha256>(reader),
            Hash::Sha384 => digest::<Sha384>(reader),
            Hash::Sha512 => digest::<Sha512>(reader),
        }
    }
}

fn digest<D: Digest>(reader: &mut dyn io::Read) -> io::Result<String> {
    let mut digest = D::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer)? {
            0 => break,
            count => digest.update(&buffer[..count]),
        }
    }
    Ok(hexadecimal(&digest.finalize()))
}

/// A hash in hexadecimal digits.
pub(super) fn hexadecimal(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A time as Ruby writes it, in UTC.
pub fn time(seconds: i64) -> String {
    bunraku::time::format(i128::from(seconds) * 1_000_000_000, "%Y-%m-%d %H:%M:%S +0000")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_hashed_again_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let checksums = Checksums::default();
        let sha256 = ChecksumType::Hash(Hash::Sha256, false);
        let get = |checksum| checksums.get(&path, &std::fs::metadata(&path).unwrap(), checksum).unwrap();
        std::fs::write(&path, "one").unwrap();
        let one = get(sha256);
        // The same size within the same tick: what was just changed is not trusted.
        std::fs::write(&path, "two").unwrap();
        assert_ne!(get(sha256), one);
        assert_eq!(checksums.known.lock().unwrap().len(), 0);
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        std::fs::File::open(&path).unwrap().set_modified(long_ago).unwrap();
        // The inode's own time can't be set back.
        assert!(!Status::of(&std::fs::metadata(&path).unwrap()).is_settled(SystemTime::now()));
        std::thread::sleep(SETTLED + Duration::from_millis(1100));
        let two = get(sha256);
        assert_eq!(checksums.known.lock().unwrap().len(), 1);
        assert_eq!(get(sha256), two);
        std::fs::write(&path, "six").unwrap();
        std::fs::File::open(&path).unwrap().set_modified(long_ago).unwrap();
        assert_ne!(get(sha256), two);
    }

    #[test]
    fn every_kind_has_its_name() {
        let names = "md5 md5lite sha1 sha1lite sha224 sha256 sha256lite sha384 sha512 mtime ctime none";
        for name in names.split(' ') {
            assert_eq!(ChecksumType::of(name).map(ChecksumType::name), Some(name));
        }
        assert_eq!(ChecksumType::of("checksum"), None);
        assert_eq!(time(0), "1970-01-01 00:00:00 +0000");
    }
}
