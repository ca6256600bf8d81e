//! The tree of an environment: the one way in which a compile reads its files. Without an archive it is the disk.
//! With one, what is on the disk decides and the archive spares the work, wherever the two have the same content;
//! with a frozen one the archive alone answers, and nothing of the tree is looked at.

use crate::archive::open::Opened;
use crate::archive::parts::SELF;
use crate::erb::Lowered;
use crate::files::read;
use crate::hiera::files::{Format, Parsed};
use crate::hiera::layer::Place;
use crate::units::{Compiled, Outcome, Words};
use bunraku_compiler::check::Strict;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::Entry;
use bunraku_vm::archive::{Fault, Read};
use bunraku_vm::diagnostic::{Diagnostic, Severity};
use elsa::sync::FrozenMap;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// Size and time of change of a file: what it has to keep for it to count as unchanged.
pub type Stamp = (u64, Option<SystemTime>);

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Child {
    /// Its name.
    pub name: String,
    /// Whether it is a folder, links followed.
    pub is_folder: bool,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

/// How a file stands to the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is no archive, or the file is not of its tree.
    Apart,
    /// It is as it was when the archive was built.
    Same,
    /// It has changed.
    Changed,
    /// The archive does not have it.
    New,
}

/// See the module.
pub struct Tree {
    archived: Option<Archived>,
    /// Bytes that a file on the disk may hold.
    limit: u64,
    /// What has been read and is kept, with the time each had.
    watched: Mutex<Vec<(PathBuf, Option<SystemTime>)>>,
}

struct Archived {
    opened: Arc<Opened>,
    frozen: bool,
    /// Folders of the tree and what the archive calls them.
    roots: Vec<(PathBuf, String)>,
    /// The first thing found to be wrong with the archive.
    fault: OnceLock<Fault>,
    /// Which entries were compared with their file, what it was like then, and whether it had the same content.
    compared: Mutex<HashMap<u32, (Stamp, bool)>>,
    /// What a frozen archive has given, by the number of the entry: it does not change.
    units: FrozenMap<(u32, Strict), Box<Option<Outcome>>>,
    data: FrozenMap<(u32, Format), Box<Option<Parsed>>>,
    /// Configurations of Hiera that have passed their checks.
    configs: Mutex<HashMap<PathBuf, Vec<Place>>>,
    /// Templates by their paths, which are looked for more often than there are.
    templates: FrozenMap<Box<str>, Box<Option<Arc<Lowered>>>>,
}

/// The roots of a tree: `e` for the environment's folder; `m0`, `m1`, … for folders of the module path outside of it.
pub(crate) fn roots(directory: Option<&Path>, modulepath: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let mut roots: Vec<(PathBuf, String)> = Vec::new();
    roots.extend(directory.map(|directory| (clean(directory), "e".to_owned())));
    let mut number = 0;
    for folder in modulepath.iter().map(|folder| clean(folder)) {
        if !roots.iter().any(|(root, _)| folder.starts_with(root)) {
            roots.push((folder, format!("m{number}")));
            number += 1;
        }
    }
    roots
}

/// The path without `.` and, as Ruby's `Pathname#+` has it, with `..` taken back.
pub(crate) fn clean(path: &Path) -> PathBuf {
    if path.to_str().is_some_and(is_clean) {
        return path.to_path_buf();
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// What a tree of these roots calls a path, if it lies in one.
pub(crate) fn key(roots: &[(PathBuf, String)], path: &Path) -> Option<String> {
    let text = path.to_str()?;
    if !is_clean(text) {
        return key(roots, &Some(clean(path)).filter(|path| path.to_str().is_some_and(is_clean))?);
    }
    let inside = roots.iter().filter_map(|(root, name)| {
        let root = root.as_os_str().as_encoded_bytes();
        let at = text.as_bytes().starts_with(root).then_some(root.len())?;
        let rest = text.get(at..)?;
        let is_inside = rest.is_empty() || rest.starts_with('/') || root.ends_with(b"/");
        is_inside.then(|| (root.len(), name, rest.trim_start_matches('/')))
    });
    let (_, name, rest) = inside.max_by_key(|(len, ..)| *len)?;
    let mut key = String::with_capacity(name.len() + 1 + rest.len());
    key.push_str(name);
    if !rest.is_empty() {
        key.push('/');
        key.push_str(rest);
    }
    Some(key)
}

/// Whether no part of a path is empty, `.` or `..`.
pub(crate) fn is_clean(path: &str) -> bool {
    // All bytes at a time: most paths have nothing that needs a closer look.
    let bytes = path.as_bytes();
    let from = |at: usize| bytes.get(at..).unwrap_or_default();
    let strange = |found, ((a, b), c): ((&u8, &u8), &u8)| {
        found | ((*a == b'/') & ((*b == b'/') | ((*b == b'.') & ((*c == b'/') | (*c == b'.')))))
    };
    let ends =
        bytes.starts_with(b".") || bytes.ends_with(b"/.") || (bytes.len() > 1 && bytes.ends_with(b"/"));
    if !ends && !bytes.iter().zip(from(1)).zip(from(2)).fold(false, strange) {
        return true;
    }
    let inner = path.strip_prefix('/').unwrap_or(path);
    let mut before = b'/';
    for byte in inner.bytes() {
        if before == b'/' && byte == b'/' {
            return false;
        }
        before = byte;
    }
    // Only what begins with a dot needs a closer look.
    let mut parts = inner.match_indices('.').filter(|(at, _)| *at == 0 || inner.as_bytes()[at - 1] == b'/');
    let named = |at: usize| matches!(inner[at..].split('/').next(), Some("." | ".."));
    (before != b'/' || inner.is_empty()) && !parts.any(|(at, _)| named(at))
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    let metadata = std::fs::metadata(path)?;
    Ok((metadata.len(), metadata.modified().ok()))
}

fn modified(path: &Path) -> Option<SystemTime> {
    stamp(path).ok().and_then(|stamp| stamp.1)
}

impl Default for Tree {
    fn default() -> Self {
        Tree { archived: None, limit: read::MAX_FILE, watched: Mutex::default() }
    }
}

impl Tree {
    /// The same tree, whose files on the disk may hold so many bytes (setting `max_file`).
    pub fn with_limit(self, limit: u64) -> Tree {
        Tree { limit, ..self }
    }

    /// A tree that an archive answers for.
    pub fn archived(opened: Arc<Opened>, frozen: bool, directory: Option<&Path>) -> Tree {
        let archived = Archived {
            opened,
            frozen,
            roots: roots(directory, &[]),
            fault: OnceLock::new(),
            compared: Mutex::default(),
            units: FrozenMap::new(),
            data: FrozenMap::new(),
            configs: Mutex::default(),
            templates: FrozenMap::new(),
        };
        Tree { archived: Some(archived), ..Tree::default() }
    }

    /// Says where the module path lies.
    pub(crate) fn set_modulepath(&mut self, directory: Option<&Path>, modulepath: &[PathBuf]) {
        if let Some(archived) = &mut self.archived {
            archived.roots = roots(directory, modulepath);
        }
    }

    /// The archive, where there is one.
    pub fn opened(&self) -> Option<&Arc<Opened>> {
        self.archived.as_ref().map(|archived| &archived.opened)
    }

    /// Whether the archive alone answers.
    pub fn is_frozen(&self) -> bool {
        self.frozen_archive().is_some()
    }

    fn frozen_archive(&self) -> Option<&Archived> {
        self.archived.as_ref().filter(|archived| archived.frozen)
    }

    /// What was found to be wrong with the archive, as a message: what was read since may not be true.
    pub fn fault(&self) -> Option<String> {
        let archived = self.archived.as_ref()?;
        if !archived.opened.archive.is_whole() {
            return Some(format!(
                "Archive {} was cut off while it was in use",
                archived.opened.path.display()
            ));
        }
        archived.fault.get().map(|fault| archived.opened.explain(fault))
    }

    /// Remembers that something of `path` is kept.
    pub fn watch(&self, path: PathBuf) {
        if !self.is_frozen()
            && let Ok(mut watched) = self.watched.lock()
        {
            let time = modified(&path);
            watched.push((path, time));
        }
    }

    /// Whether nothing that is kept has changed since, the archive included.
    pub fn is_fresh(&self) -> bool {
        self.opened().is_none_or(|opened| opened.is_current())
            && self.watched.lock().is_ok_and(|all| all.iter().all(|(path, time)| modified(path) == *time))
    }

    /// The frozen archive's answer for a path: none where the disk is asked.
    fn frozen<T>(&self, path: &Path, none: T, answer: impl FnOnce(&Archived, Entry<'_>) -> T) -> Option<T> {
        let archived = self.frozen_archive()?;
        let key = key(&archived.roots, path)?;
        Some(match archived.heed(archived.opened.archive.find(&key)).flatten() {
            Some(entry) => answer(archived, entry),
            None => none,
        })
    }

    /// Whether a frozen archive answers for a path, and nothing on the disk.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.frozen_archive().is_some_and(|archived| key(&archived.roots, path).is_some())
    }

    /// Whether there is a file. What is no folder counts as one: that a FIFO can't be read is said when it is reached,
    /// rather than that there is nothing.
    pub fn is_file(&self, path: &Path) -> bool {
        let on_disk = || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir());
        self.frozen(path, false, |_, entry| entry.is_file()).unwrap_or_else(on_disk)
    }

    /// Whether there is a folder.
    pub fn is_dir(&self, path: &Path) -> bool {
        self.frozen(path, false, |_, entry| entry.is_folder()).unwrap_or_else(|| path.is_dir())
    }

    /// Whether there is either.
    pub fn exists(&self, path: &Path) -> bool {
        self.frozen(path, false, |_, _| true).unwrap_or_else(|| path.exists())
    }

    /// Whether there is a symbolic link.
    pub fn is_symlink(&self, path: &Path) -> bool {
        self.frozen(path, false, |_, entry| entry.is_link()).unwrap_or_else(|| path.is_symlink())
    }

    /// What lies in a folder, by name; nothing where it can't be read. Names that are no UTF-8 are left out.
    pub fn list(&self, folder: &Path) -> Vec<Child> {
        let listed = self.frozen(folder, Vec::new(), |archived, entry| {
            let found = archived.heed(archived.opened.archive.list(entry.path)).unwrap_or_default();
            let child = |entry: &Entry<'_>| Child {
                name: entry.name().to_owned(),
                is_folder: entry.is_folder(),
                is_link: entry.is_link(),
            };
            found.iter().map(child).collect()
        });
        let mut listed = listed.unwrap_or_else(|| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let child = |entry: std::fs::DirEntry| {
                let kind = entry.file_type().ok()?;
                let is_folder = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
                Some(Child {
                    name: entry.file_name().into_string().ok()?,
                    is_folder,
                    is_link: kind.is_symlink(),
                })
            };
            entries.filter_map(child).collect()
        });
        listed.sort();
        listed
    }

    /// The content of a file.
    ///
    /// # Errors
    /// When it is not there, can't be read, is no regular file or too large; of a frozen archive, when it is not
    /// embedded.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let missing = || Err(io::Error::from(io::ErrorKind::NotFound));
        let embedded = |archived: &Archived, entry: Entry<'_>| {
            if entry.is_folder() {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            }
            let archive = &archived.opened.archive;
            let text = archive
                .part_in(&entry, Section::Texts)
                .and_then(|part| part.map(|part| archive.part_bytes(&part).map(<[u8]>::to_vec)).transpose());
            match archived.heed(text) {
                Some(Some(text)) => Ok(text),
                Some(None) => Err(io::Error::other(
                    "its content is not in the frozen archive, which was built without --embed",
                )),
                None => missing(),
            }
        };
        self.frozen(path, missing(), embedded).unwrap_or_else(|| read::regular(path, self.limit))
    }

    /// The content of a file as text.
    ///
    /// # Errors
    /// As [`Tree::read`]; when it is not UTF-8.
    pub fn read_to_string(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?).map_err(|_| io::Error::other("it is not UTF-8"))
    }

    /// What a file is like on the disk, or in a frozen archive. Whoever keeps what was made of a file asks this first:
    /// so a file that [`Tree::read`] would refuse is refused, whatever is kept of it.
    ///
    /// # Errors
    /// When it is not there, no regular file or too large.
    pub fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let missing = || Err(io::Error::from(io::ErrorKind::NotFound));
        let on_disk = || {
            let metadata = std::fs::metadata(path)?;
            read::check(&metadata, self.limit)?;
            Ok((metadata.len(), metadata.modified().ok()))
        };
        self.frozen(path, missing(), |_, entry| Ok((entry.size, None))).unwrap_or_else(on_disk)
    }

    /// How a file stands to the archive. The first time, its content is compared; after that its size and time.
    pub fn standing(&self, path: &Path) -> Standing {
        self.entry(path).map_or_else(|standing| standing, |_| Standing::Same)
    }

    /// The archive and its entry for a file that is as it was when the archive was built.
    fn entry(&self, path: &Path) -> Result<(&Archived, Entry<'_>), Standing> {
        let archived = self.archived.as_ref().ok_or(Standing::Apart)?;
        let key = key(&archived.roots, path).ok_or(Standing::Apart)?;
        let found = archived.heed(archived.opened.archive.find(&key)).ok_or(Standing::Apart)?;
        let entry = found.filter(Entry::is_file).ok_or(Standing::New)?;
        match archived.frozen || archived.is_same(&entry, path) {
            true => Ok((archived, entry)),
            false => Err(Standing::Changed),
        }
    }

    /// The unit of a file, as far as the archive has it. `in_module` as for `crate::units`.
    pub(crate) fn unit(&self, path: &Path, strict: Strict, in_module: Option<&str>) -> Option<Outcome> {
        let (archived, entry) = self.entry(path).ok()?;
        // What a manifest may define depends on where the module path has it.
        let is_template = path.extension().is_some_and(|extension| extension == "epp");
        if !is_template && entry.module_at.map(|at| &entry.path[at..]) != in_module {
            return None;
        }
        let number = (entry.number, strict);
        if !archived.frozen {
            return self.read_unit(archived, &entry, path, strict);
        }
        let kept = archived.units.get(&number);
        let read = || archived.units.insert(number, Box::new(self.read_unit(archived, &entry, path, strict)));
        kept.unwrap_or_else(read).clone()
    }

    fn read_unit(
        &self,
        archived: &Archived,
        entry: &Entry<'_>,
        path: &Path,
        strict: Strict,
    ) -> Option<Outcome> {
        let (unit, findings) = match archived.opened.code(entry) {
            Ok(code) => code,
            Err(fault) => {
                let message = archived.opened.explain(&fault);
                archived.heed::<()>(Err(fault));
                return Some(Err([Diagnostic::error(message)].into()));
            }
        };
        let found = findings.map(|findings| findings.at(strict, &path.to_string_lossy())).unwrap_or_default();
        match unit {
            Some(part) if found.iter().all(|d| d.severity < Severity::Err) => {
                let words = Words::Mapped(archived.opened.clone(), part);
                Some(Ok(Compiled { words, passed: Arc::default(), warnings: found.into() }))
            }
            None if found.is_empty() => None,
            _ => Some(Err(found.into())),
        }
    }

    /// The data of a file, as far as the archive has it.
    pub(crate) fn data(&self, path: &Path, format: Format) -> Option<Parsed> {
        let (archived, entry) = self.entry(path).ok()?;
        let read = || -> Option<Parsed> {
            let data = archived.heed(archived.opened.data(&entry, format)).flatten()?;
            Some(data.map(Arc::new).map_err(|message| message.replace(SELF, &path.to_string_lossy())))
        };
        if !archived.frozen {
            return read();
        }
        let number = (entry.number, format);
        let kept = archived.data.get(&number);
        kept.unwrap_or_else(|| archived.data.insert(number, Box::new(read()))).clone()
    }

    /// Whether a configuration of Hiera has passed its checks before; that of a frozen archive passes them again.
    pub(crate) fn config_passed(&self, path: &Path, place: Place) -> bool {
        let has = |archived: &Archived| {
            let known = archived.configs.lock().ok()?;
            Some(known.get(path)?.contains(&place))
        };
        self.frozen_archive().and_then(has).unwrap_or_default()
    }

    /// Remembers that a configuration of Hiera has passed its checks.
    pub(crate) fn pass_config(&self, path: &Path, place: Place) {
        if let Some(archived) = self.frozen_archive()
            && let Ok(mut known) = archived.configs.lock()
        {
            known.entry(path.to_path_buf()).or_default().push(place);
        }
    }

    /// The ERB template of a file, lowered, as far as the archive has it.
    pub(crate) fn template(&self, path: &Path) -> Option<Arc<Lowered>> {
        let frozen = self.archived.as_ref().filter(|archived| archived.frozen).zip(path.to_str());
        if let Some((archived, path)) = frozen
            && let Some(kept) = archived.templates.get(path)
        {
            return kept.clone();
        }
        let (archived, entry) = self.entry(path).ok()?;
        let archive = &archived.opened.archive;
        let read = || -> Option<Arc<Lowered>> {
            let part = archived.heed(archive.part_in(&entry, Section::Templates)).flatten()?;
            let bytes = archived.heed(archive.part_bytes(&part))?;
            let lowered = Lowered::decode(bytes).ok_or(Fault::Cold(Section::Templates));
            archived.heed(lowered).map(Arc::new)
        };
        match frozen {
            Some((_, path)) => archived.templates.insert(path.into(), Box::new(read())).clone(),
            None => read(),
        }
    }

    /// The cold part of a file that lies in a section, as far as the archive has it.
    pub(crate) fn cold<T: DeserializeOwned>(&self, path: &Path, section: Section) -> Option<T> {
        let (archived, entry) = self.entry(path).ok()?;
        let archive = &archived.opened.archive;
        let part = archived.heed(archive.part_in(&entry, section)).flatten()?;
        archived.heed(archive.decode(&part))
    }

    /// The file that the first module in their order, or else the environment, has at `relative`, a path that begins with
    /// `lib/`: the frozen archive's answer, none where the disk has to be asked.
    pub(crate) fn provided(&self, relative: &str) -> Option<Option<PathBuf>> {
        let archived = self.frozen_archive()?;
        let found = archived.heed(archived.opened.archive.provided(relative)).flatten();
        Some(found.and_then(|entry| archived.path_of(entry.path)))
    }
}

impl Archived {
    /// Remembers what is wrong with the archive.
    fn heed<T>(&self, read: Read<T>) -> Option<T> {
        read.map_err(|fault| _ = self.fault.set(fault)).ok()
    }

    fn is_same(&self, entry: &Entry<'_>, path: &Path) -> bool {
        let Ok(now) = stamp(path) else { return false };
        if let Ok(compared) = self.compared.lock()
            && let Some((then, same)) = compared.get(&entry.number)
            && *then == now
        {
            return *same;
        }
        let hash = |bytes: Vec<u8>| -> [u8; 32] { Sha256::digest(bytes).into() };
        let same = now.0 == entry.size
            && read::regular(path, entry.size).is_ok_and(|bytes| hash(bytes) == entry.hash);
        if let Ok(mut compared) = self.compared.lock() {
            compared.insert(entry.number, (now, same));
        }
        same
    }

    fn path_of(&self, key: &str) -> Option<PathBuf> {
        let (root, rest) = key.split_once('/')?;
        let (folder, _) = self.roots.iter().find(|(_, name)| name == root)?;
        Some(folder.join(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_path_has_no_empty_part_and_leads_nowhere_back() {
        for path in ["", "/", "a", "/a", "/a/b", "/.a/b", "/a/.b", "/a/..b", "/...", "a.", "/a/b.", ".a"] {
            assert!(is_clean(path), "{path}");
            assert_eq!(clean(Path::new(path)), Path::new(path));
        }
        for path in [
            "//", "/a//b", "a/", "//a", ".", "..", "/.", "/..", "./a", "../a", "/a/./b", "/a/../b", "a/.",
            "a/..",
        ] {
            assert!(!is_clean(path), "{path}");
        }
    }
}
