//! An opened archive with its name: what a compile asks of it, and what is said when it can't be used.

use super::COMPILER;
use super::parts::{Findings, Info};
use crate::hiera::file::DataFile;
use crate::hiera::files::Format;
use crate::units::Words;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::{Archive, Entry, Part};
use bunraku_vm::archive::{Fault, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The variant of data parts of a format.
pub fn kind_of(format: Format) -> u32 {
    match format {
        Format::Yaml => 0,
        Format::Json => 1,
        Format::Hocon => 4,
    }
}

/// Bit of a data part's variant: it is no value but what is wrong with the file.
pub const WRONG: u32 = 2;

/// What tells whether the file of a name is still the one that was opened.
type Identity = (u64, Option<SystemTime>, u64);

/// An archive, opened. It may be shared by any number of threads and compiles.
pub struct Opened {
    /// Its file.
    pub path: PathBuf,
    /// What was built.
    pub info: Info,
    pub(crate) archive: Archive,
    identity: Option<Identity>,
}

fn identity(path: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let inode = 0;
    Some((metadata.len(), metadata.modified().ok(), inode))
}

impl Opened {
    /// Opens an archive: maps it and reads its header, whatever its size.
    ///
    /// # Errors
    /// Why it can't be used, and how to build it again where that helps.
    pub fn open(path: &Path) -> Result<Arc<Opened>, String> {
        let identity = identity(path);
        let archive = Archive::open(path, &COMPILER).map_err(|fault| explain(path, &fault))?;
        Opened::new(path, archive, identity)
    }

    /// An archive in memory, under a name.
    ///
    /// # Errors
    /// As [`Opened::open`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Arc<Opened>, String> {
        let archive = Archive::from_bytes(bytes, &COMPILER).map_err(|fault| explain(path, &fault))?;
        Opened::new(path, archive, None)
    }

    fn new(path: &Path, archive: Archive, identity: Option<Identity>) -> Result<Arc<Opened>, String> {
        let info = archive.decode(&archive.whole(Section::Info)).map_err(|fault| explain(path, &fault))?;
        Ok(Arc::new(Opened { path: path.to_path_buf(), info, archive, identity }))
    }

    /// The archive itself.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Whether the file of its name is still the one that was opened.
    pub fn is_current(&self) -> bool {
        self.identity.is_none() || identity(&self.path) == self.identity
    }

    /// What is wrong with it, as a message.
    pub fn explain(&self, fault: &Fault) -> String {
        explain(&self.path, fault)
    }

    /// The unit and the findings of a file; neither if it was not compiled.
    pub(crate) fn code(&self, entry: &Entry<'_>) -> Read<(Option<Part>, Option<Findings>)> {
        let (mut unit, mut findings) = (None, None);
        for part in self.archive.parts(entry)? {
            match part.section {
                Section::Units => {
                    self.archive.part_words(&part)?;
                    unit = Some(part);
                }
                Section::Findings => findings = Some(self.archive.decode(&part)?),
                _ => {}
            }
        }
        Ok((unit, findings))
    }

    /// The data of a file, or what is wrong with it; nothing if it was not read in that format.
    pub(crate) fn data(
        self: &Arc<Self>,
        entry: &Entry<'_>,
        format: Format,
    ) -> Read<Option<Result<DataFile, String>>> {
        let wanted = kind_of(format);
        for part in self.archive.parts(entry)? {
            if part.section != Section::Data || part.variant & !WRONG != wanted {
                continue;
            }
            let damaged = Fault::Cold(Section::Data);
            if part.variant & WRONG != 0 {
                let text = std::str::from_utf8(self.archive.part_bytes(&part)?);
                return Ok(Some(Err(text.map_err(|_| damaged)?.to_owned())));
            }
            self.archive.part_words(&part)?;
            let file = DataFile::new(Words::Mapped(self.clone(), part)).ok_or(damaged)?;
            return Ok(Some(Ok(file)));
        }
        Ok(None)
    }
}

fn explain(path: &Path, fault: &Fault) -> String {
    let name = path.display();
    match fault {
        Fault::Version(_) | Fault::Compiler => {
            format!("Archive {name} can't be used: {fault}; build it again: bunraku build DIR -o {name}")
        }
        Fault::Unreadable(_) | Fault::NotAnArchive => format!("Archive {name} can't be used: {fault}"),
        _ => format!("Archive {name} is damaged: {fault}"),
    }
}
