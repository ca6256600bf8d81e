//! The folder of an authority, as Puppet Server has it: where its files are, who may write them, and how they are written.
//!
//! Whoever changes something holds the folder's lock, so that this command and this server never write at once. Puppet Server
//! does not know of it. Files are written beside, synced and renamed; their owner is the folder's.

use crate::fault::Fault;
use bunraku::Configuration;
use bunraku::files::{owner, read, write};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::path::{Path, PathBuf};

/// Bytes of a file, at most: a revocation list of some hundred thousand.
const MAX_FILE: u64 = 64 << 20;

/// What others may read.
pub const PUBLIC: u32 = 0o644;
/// What only the owner and its group may read, as Puppet Server has its keys.
pub const PRIVATE: u32 = 0o640;

/// Folders of an authority.
pub const FOLDER: u32 = 0o750;

/// Where the files are, by Puppet's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// `cadir`
    pub folder: PathBuf,
    /// `cacert`
    pub certificate: PathBuf,
    /// `cakey`
    pub key: PathBuf,
    /// `capub`
    pub public_key: PathBuf,
    /// `cacrl`
    pub lists: PathBuf,
    /// `csrdir`
    pub requests: PathBuf,
    /// `signeddir`
    pub signed: PathBuf,
    /// `serial`
    pub serial: PathBuf,
    /// `cert_inventory`
    pub inventory: PathBuf,
}

/// The lock of a folder, as long as this lives.
#[derive(Debug)]
pub struct Held {
    _folder: File,
}

impl Layout {
    /// Where a configuration has them.
    ///
    /// # Errors
    /// When a setting can't be read.
    pub fn of(configuration: &Configuration) -> Result<Layout, String> {
        let path = |name: &str| Ok::<_, String>(PathBuf::from(configuration.get(name)?.text));
        Ok(Layout {
            folder: path("cadir")?,
            certificate: path("cacert")?,
            key: path("cakey")?,
            public_key: path("capub")?,
            lists: path("cacrl")?,
            requests: path("csrdir")?,
            signed: path("signeddir")?,
            serial: path("serial")?,
            inventory: path("cert_inventory")?,
        })
    }

    /// A file of the list of infrastructure nodes, which Puppet Server keeps besides.
    pub fn infra(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Where the certificate of a node is.
    pub fn signed(&self, name: &str) -> PathBuf {
        self.signed.join(format!("{name}.pem"))
    }

    /// Where the request of a node is.
    pub fn request(&self, name: &str) -> PathBuf {
        self.requests.join(format!("{name}.pem"))
    }

    /// The files without which there is no authority.
    pub fn required(&self) -> [&Path; 5] {
        [&self.certificate, &self.lists, &self.key, &self.inventory, &self.serial]
    }

    /// Whether there is an authority.
    ///
    /// # Errors
    /// When some of its files are there and others are not; when it can't be seen whether they are.
    pub fn is_there(&self) -> Result<bool, Fault> {
        for file in self.required() {
            if let Err(error) = file.try_exists() {
                let why = owner::refusal(file, &error);
                return Err(Fault::Failed(format!("{} can't be read: {why}", file.display())));
            }
        }
        let (there, missing): (Vec<&Path>, Vec<&Path>) =
            self.required().into_iter().partition(|file| file.exists());
        match (there.is_empty(), missing.is_empty()) {
            (_, true) => Ok(true),
            (true, _) => Ok(false),
            _ => {
                let listed = |files: &[&Path]| {
                    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join("\n")
                };
                Err(Fault::Failed(format!(
                    "Cannot initialize CA with partial state; need all files or none.\nFound:\n{}\nMissing:\n{}",
                    listed(&there),
                    listed(&missing)
                )))
            }
        }
    }

    /// Makes the folders of certificates and requests, where they are not there: `puppetserver ca` leaves that to Puppet Server.
    ///
    /// # Errors
    /// When they can't be made.
    pub fn complete(&self) -> Result<(), Fault> {
        let owner = std::fs::metadata(&self.folder).ok().map(|found| (found.uid(), found.gid()));
        [&self.signed, &self.requests].into_iter().try_for_each(|folder| make(folder, FOLDER, owner))
    }

    /// Waits for the lock.
    ///
    /// # Errors
    /// When the folder is not there.
    pub fn lock(&self) -> Result<Held, Fault> {
        let failed = |error| Fault::Failed(format!("{} can't be locked: {error}", self.folder.display()));
        let folder = File::open(&self.folder).map_err(failed)?;
        folder.lock().map_err(failed)?;
        Ok(Held { _folder: folder })
    }

    /// Writes a file, whole or not at all, as the folder's owner.
    ///
    /// # Errors
    /// When that fails; the file before is still there then.
    pub fn write(&self, path: &Path, text: &str, mode: u32) -> Result<(), Fault> {
        let owner = std::fs::metadata(&self.folder);
        let written = owner.and_then(|owner| write::owned(path, text.as_bytes(), &owner, mode));
        written.map_err(|error| Fault::Failed(format!("{} can't be written: {error}", path.display())))
    }

    /// Adds a line to a file.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn append(&self, path: &Path, line: &str) -> Result<(), Fault> {
        let append = || {
            let mut file = OpenOptions::new().append(true).open(path)?;
            file.write_all(line.as_bytes())?;
            file.sync_all()
        };
        append().map_err(|error| Fault::Failed(format!("{} can't be written: {error}", path.display())))
    }

    /// Removes a file; whether it was there.
    ///
    /// # Errors
    /// When it is there and stays.
    pub fn remove(&self, path: &Path) -> Result<bool, Fault> {
        match std::fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(_) => Err(Fault::Failed(format!("Path {} exists but could not be deleted", path.display()))),
        }
    }
}

/// Makes a folder and those above it, where it is not there: with a mode, and a user and group where that is allowed.
///
/// # Errors
/// When it can't be made.
pub fn make(folder: &Path, mode: u32, owner: Option<(u32, u32)>) -> Result<(), Fault> {
    if folder.is_dir() {
        return Ok(());
    }
    let failed = |error| Fault::Failed(format!("{} can't be made: {error}", folder.display()));
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    DirBuilder::new().mode(mode).create(folder).map_err(failed)?;
    if let Some((user, group)) = owner {
        // Only root may; for others it is their own.
        let _ = chown(folder, Some(user), Some(group));
    }
    Ok(())
}

/// A file's bytes; none where it is not there.
///
/// # Errors
/// When it is there and can't be read.
pub fn bytes_if_there(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    match read::regular(path, MAX_FILE) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let why = owner::refusal(path, &error);
            Err(Fault::Failed(format!("{} can't be read: {why}", path.display())))
        }
    }
}

/// A file's bytes.
///
/// # Errors
/// When it can't be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Fault> {
    bytes_if_there(path)?.ok_or_else(|| Fault::Failed(format!("{} is not there", path.display())))
}

/// A file read as something, with its name before what is wrong with it.
///
/// # Errors
/// When it can't be read.
pub fn read_as<T>(path: &Path, as_what: impl FnOnce(&[u8]) -> Result<T, Fault>) -> Result<T, Fault> {
    as_what(&bytes(path)?).map_err(|fault| Fault::Failed(format!("{}: {fault}", path.display())))
}
