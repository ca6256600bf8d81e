//! The folder of an authority, as Puppet Server has it: where its files are, who may write them, and how they are written.
//!
//! Whoever changes something holds the folder's lock, so that this command and this server never write at once. Puppet Server
//! does not know of it. Files are written beside, synced and renamed; their owner is the folder's.
//!
//! Whoever the folder belongs to may lay links in it, and this command is run by root. So a link in it is an error, and what is written,
//! added to or removed there is reached from the opened folder ([`Place`]): nothing that is swapped meanwhile leads elsewhere. The folder
//! itself may be a link, as may be what settings name outside of it: that is the administrator's.

use crate::fault::Fault;
use bunraku::Configuration;
use bunraku::files::{owner, read, write};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, open, openat, statat, unlinkat};
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Component, Path, PathBuf};

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

/// Where a file is, reached from the authority's folder without a link on the way.
struct Place {
    /// The folder that it is in.
    folder: File,
    /// Its name there.
    name: PathBuf,
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
    /// When some of its files are there and others are not; when it can't be seen whether they are; when one of them is a link.
    pub fn is_there(&self) -> Result<bool, Fault> {
        self.check_links()?;
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
        for folder in [&self.signed, &self.requests] {
            let failed = |error| Fault::Failed(format!("{} can't be made: {error}", folder.display()));
            match self.place(folder).map_err(failed)? {
                Some(place) => place.make_folder(FOLDER, owner).map_err(failed)?,
                None => make(folder, FOLDER, owner)?,
            }
        }
        Ok(())
    }

    /// Refuses links at the files and folders of the authority, as far as they lie in its own folder.
    fn check_links(&self) -> Result<(), Fault> {
        let folders = [self.public_key.as_path(), &self.signed, &self.requests];
        for path in self.required().into_iter().chain(folders) {
            match self.place(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    let what = if error.kind() == ErrorKind::PermissionDenied { "read" } else { "used" };
                    let why = owner::refusal(path, &error);
                    return Err(Fault::Failed(format!("{} can't be {what}: {why}", path.display())));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Where a path is, if that is in the authority's folder; what settings name elsewhere is reached by its path.
    fn place(&self, path: &Path) -> io::Result<Option<Place>> {
        let Ok(inside) = path.strip_prefix(&self.folder) else { return Ok(None) };
        let mut names = Vec::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) => names.push(name),
                _ => return Ok(None),
            }
        }
        let Some(name) = names.pop() else { return Ok(None) };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = File::from(open(&self.folder, flags, Mode::empty())?);
        for name in names {
            refuse_link(&folder, Path::new(name))?;
            folder = File::from(openat(&folder, name, flags | OFlags::NOFOLLOW, Mode::empty())?);
        }
        refuse_link(&folder, Path::new(name))?;
        Ok(Some(Place { folder, name: PathBuf::from(name) }))
    }

    /// Waits for the lock.
    ///
    /// # Errors
    /// When the folder is not there, or something in it is a link that must be none.
    pub fn lock(&self) -> Result<Held, Fault> {
        let failed = |error| Fault::Failed(format!("{} can't be locked: {error}", self.folder.display()));
        let folder = File::open(&self.folder).map_err(failed)?;
        folder.lock().map_err(failed)?;
        self.check_links()?;
        Ok(Held { _folder: folder })
    }

    /// Writes a file, whole or not at all, as the folder's owner.
    ///
    /// # Errors
    /// When that fails; the file before is still there then.
    pub fn write(&self, path: &Path, text: &str, mode: u32) -> Result<(), Fault> {
        let write = |owner: &Metadata| match self.place(path)? {
            Some(place) => write::owned(&place.path(path), text.as_bytes(), owner, mode),
            None => write::owned(path, text.as_bytes(), owner, mode),
        };
        let written = std::fs::metadata(&self.folder).and_then(|owner| write(&owner));
        written.map_err(|error| Fault::Failed(format!("{} can't be written: {error}", path.display())))
    }

    /// Adds a line to a file.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn append(&self, path: &Path, line: &str) -> Result<(), Fault> {
        let append = || {
            let mut file = match self.place(path)? {
                Some(place) => {
                    let flags = OFlags::WRONLY
                        | OFlags::APPEND
                        | OFlags::NOFOLLOW
                        | OFlags::NONBLOCK
                        | OFlags::CLOEXEC;
                    File::from(openat(&place.folder, &place.name, flags, Mode::empty())?)
                }
                None => OpenOptions::new().append(true).custom_flags(NO_WAIT).open(path)?,
            };
            read::check(&file.metadata()?, u64::MAX)?;
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
        let remove = || match self.place(path)? {
            Some(place) => Ok(unlinkat(&place.folder, &place.name, AtFlags::empty())?),
            None => std::fs::remove_file(path),
        };
        match remove() {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => {
                let message = format!("Path {} exists but could not be deleted: {error}", path.display());
                Err(Fault::Failed(message))
            }
        }
    }
}

/// Opens without waiting for anybody.
const NO_WAIT: i32 = OFlags::NONBLOCK.bits() as i32;

impl Place {
    /// A path that leads through the opened folder, whatever lies at `path` by now. Where a system has no such paths, that is `path`.
    fn path(&self, path: &Path) -> PathBuf {
        let opened = Path::new("/proc/self/fd").join(self.folder.as_raw_fd().to_string());
        if opened.is_dir() { opened.join(&self.name) } else { path.to_path_buf() }
    }

    /// Makes a folder here, where it is not there.
    fn make_folder(&self, mode: u32, owner: Option<(u32, u32)>) -> io::Result<()> {
        let is_new = match mkdirat(&self.folder, &self.name, Mode::from_raw_mode(mode)) {
            Ok(()) => true,
            Err(rustix::io::Errno::EXIST) => false,
            Err(error) => return Err(error.into()),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = File::from(openat(&self.folder, &self.name, flags, Mode::empty())?);
        if let Some((user, group)) = owner.filter(|_| is_new) {
            // Only root may; for others it is their own.
            let _ = fchown(&made, Some(user), Some(group));
        }
        Ok(())
    }
}

/// Refuses what is a link.
fn refuse_link(folder: &File, name: &Path) -> io::Result<()> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Symlink => {
            let message =
                format!("{} is a link, and in the authority's folder there must be none", name.display());
            Err(io::Error::other(message))
        }
        Ok(_) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
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
        // Only root may; for others it is their own. What lies there by now may be another's, and a link.
        let flags = (OFlags::NOFOLLOW | OFlags::DIRECTORY).bits() as i32;
        let made = OpenOptions::new().read(true).custom_flags(flags).open(folder).map_err(failed)?;
        let _ = fchown(&made, Some(user), Some(group));
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
