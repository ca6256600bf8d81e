//! An opened archive with its name: what is said when it can't be used, whether its file is still the same, and which
//! of the files it was made from are unchanged.

use crate::found::Stamp;
use crate::read;
#[cfg(unix)]
use crate::seen::Seen;
use bunraku_vm::archive::ArchiveFault;
use bunraku_vm::archive::layout::{FINGERPRINT, Section};
use bunraku_vm::archive::reader::{Archive, Entry};
use bunraku_vm::regex::Ahead;
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex};
#[cfg(unix)]
use std::time::SystemTime;

/// Stands in an archive's messages for the path of the file they are about. No path can hold it.
pub const SELF: &str = "\0";

/// What was built, as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Whether the root `e` is there: an environment's folder.
    pub environment: bool,
    /// The module path that it was built with, each folder as the archive calls it.
    pub modulepath: Vec<String>,
    /// The roots `m0`, `m1`, …, folders of the module path that lie outside of the environment's: of each the absolute path by which
    /// `environment.conf` names it; none of what it does not name so.
    pub folders: Vec<Option<String>>,
    /// Whether all files are there in full.
    pub embedded: bool,
    /// The number of the version of the language that it was built for.
    pub compat: u8,
    /// The modules whose metadata something is wrong with, in Puppet's order, and one whose name Puppet has taken: every compile asks
    /// for them.
    pub faulty: Vec<String>,
}

/// What a source was like when it was compared with the archive, and whether it had the same content.
type Compared = (Stamp, bool);

/// An archive, opened. It may be shared by any number of threads and compiles.
pub struct OpenArchive {
    /// Its file.
    pub path: PathBuf,
    /// What was built.
    pub info: Info,
    archive: Archive,
    identity: Mutex<Option<Stamp>>,
    /// Sources that were compared with their entry, by path. Bound: as many as the archive has files, for each place
    /// where its tree lies. Stale when the stamp of the source differs. Test: `runtime/compile/tests/archive.rs`.
    compared: Mutex<HashMap<PathBuf, Compared, FixedState>>,
    /// What processes before this one have compared. None of an archive in memory.
    #[cfg(unix)]
    seen: OnceLock<Option<Mutex<Seen>>>,
}

impl Ahead for OpenArchive {
    /// What is damaged is made anew from the source, which stands in the code.
    fn automaton(&self, source: &str) -> Option<&[u8]> {
        self.archive.automaton(source).ok()?
    }
}

impl OpenArchive {
    /// Opens an archive: maps it and reads its header, whatever its size. `compiler` is the fingerprint that it must
    /// bear.
    ///
    /// # Errors
    /// Why it can't be used, and how to build it again where that helps.
    pub fn open(path: &Path, compiler: &[u8; FINGERPRINT]) -> Result<Arc<OpenArchive>, String> {
        let identity = Stamp::look(path);
        let archive = Archive::open(path, compiler).map_err(|fault| explain(path, &fault))?;
        OpenArchive::new(path, archive, identity)
    }

    /// An archive in memory, under a name.
    ///
    /// # Errors
    /// As [`OpenArchive::open`].
    pub fn from_bytes(
        path: &Path,
        bytes: &[u8],
        compiler: &[u8; FINGERPRINT],
    ) -> Result<Arc<OpenArchive>, String> {
        let archive = Archive::from_bytes(bytes, compiler).map_err(|fault| explain(path, &fault))?;
        OpenArchive::new(path, archive, None)
    }

    fn new(path: &Path, archive: Archive, identity: Option<Stamp>) -> Result<Arc<OpenArchive>, String> {
        let info = archive.decode(&archive.whole(Section::Info)).map_err(|fault| explain(path, &fault))?;
        let (identity, compared) = (Mutex::new(identity), Mutex::default());
        Ok(Arc::new(OpenArchive {
            path: path.to_path_buf(),
            info,
            archive,
            identity,
            compared,
            #[cfg(unix)]
            seen: OnceLock::new(),
        }))
    }

    /// The archive itself.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Whether the file of its name is still the one that was opened.
    pub fn is_current(&self) -> bool {
        self.identity.lock().is_ok_and(|own| own.is_none() || Stamp::look(&self.path) == *own)
    }

    /// Whether another archive, which has taken the place of this one's file, has the same content. If so this one goes
    /// on under the new file's name, and what was concluded from it with it.
    pub(crate) fn is_renewed_by(&self, other: &OpenArchive) -> bool {
        let same = self.archive.content().is_some_and(|own| other.archive.content() == Some(own));
        if same && let (Ok(mut own), Ok(new)) = (self.identity.lock(), other.identity.lock()) {
            *own = *new;
        }
        same
    }

    /// What is wrong with it, as a message.
    pub fn explain(&self, fault: &ArchiveFault) -> String {
        explain(&self.path, fault)
    }

    /// Whether the source of an entry, at `path`, has the content that the archive was made from; `now` is its stamp, and whether it is
    /// a regular file.
    pub(crate) fn is_same(&self, entry: &Entry<'_>, path: &Path, now: (Stamp, bool)) -> bool {
        if let Ok(compared) = self.compared.lock()
            && let Some((then, same)) = compared.get(path)
            && *then == now.0
        {
            return *same;
        }
        let same = now.0.size == entry.size && self.has_content(entry, path, now);
        if let Ok(mut compared) = self.compared.lock() {
            compared.insert(path.to_path_buf(), (now.0, same));
        }
        same
    }

    /// The same for a source of the right size, whatever this process has found of it before.
    #[cfg(unix)]
    pub(crate) fn has_content(
        &self,
        entry: &Entry<'_>,
        path: &Path,
        (stamp, is_regular): (Stamp, bool),
    ) -> bool {
        let status = stamp.status().filter(|_| is_regular);
        let Some((seen, status)) = self.seen().zip(status) else { return is_content(entry, path) };
        if seen.lock().is_ok_and(|seen| seen.knows(path, &entry.hash, &status)) {
            return true;
        }
        let begun = SystemTime::now();
        let same = is_content(entry, path);
        if same
            && status.is_settled(begun)
            && Stamp::look(path) == Some(stamp)
            && let Ok(mut seen) = seen.lock()
        {
            seen.add(path, &entry.hash, status);
        }
        same
    }

    #[cfg(not(unix))]
    pub(crate) fn has_content(&self, entry: &Entry<'_>, path: &Path, _: (Stamp, bool)) -> bool {
        is_content(entry, path)
    }

    #[cfg(unix)]
    fn seen(&self) -> Option<&Mutex<Seen>> {
        let read = || {
            let is_file = self.identity.lock().is_ok_and(|identity| identity.is_some());
            let content = self.archive.content().filter(|_| is_file)?;
            Seen::of(&self.path, content, self.archive.entries()).map(Mutex::new)
        };
        self.seen.get_or_init(read).as_ref()
    }

    /// Writes down which sources were found unchanged, for the processes that follow: at once where this one is about to
    /// end, else as often as is worth it.
    pub fn remember(&self, is_last: bool) {
        #[cfg(unix)]
        if let Some(Some(seen)) = self.seen.get()
            && let Ok(mut seen) = seen.lock()
        {
            seen.keep(is_last);
        }
        #[cfg(not(unix))]
        let _ = is_last;
    }
}

/// Whether a source has the content that its entry was made from.
fn is_content(entry: &Entry<'_>, path: &Path) -> bool {
    let hash = |bytes: Vec<u8>| -> [u8; 32] { Sha256::digest(bytes).into() };
    read::regular(path, entry.size).is_ok_and(|bytes| hash(bytes) == entry.hash)
}

fn explain(path: &Path, fault: &ArchiveFault) -> String {
    let name = path.display();
    match fault {
        ArchiveFault::Version(_) | ArchiveFault::Compiler => {
            format!("Archive {name} can't be used: {fault}; build it again: bunraku build DIR -o {name}")
        }
        ArchiveFault::Unreadable(_) | ArchiveFault::NotAnArchive => {
            format!("Archive {name} can't be used: {fault}")
        }
        _ => format!("Archive {name} is damaged: {fault}"),
    }
}
