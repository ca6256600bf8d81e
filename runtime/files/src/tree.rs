//! The tree of an environment: the one way in which a compile reads its files. Without an archive it is the disk.
//! With one, what is on the disk decides and the archive spares the work, wherever the two have the same content;
//! with a frozen one the archive alone answers, and nothing of the tree is looked at.
//!
//! A tree is the environment at one moment: what was seen of a path below its roots is what it says from then on, and
//! [`Tree::is_current`] says whether a new one has to be made. Paths outside of the roots (data of the global layer,
//! files named by an absolute path) are no part of it; they are looked at each time.

use crate::archive::{Info, OpenArchive};
use crate::confined::{Confined, Confinement};
use crate::found::{Child, Stamp, children};
use crate::lent::{Item, Lent};
use crate::observed::{Observed, State};
use crate::paths::{self, Root};
use crate::read;
use crate::reads::{self, PathQuestion, Touch};
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::{Entry, Part};
use bunraku_vm::archive::{ArchiveFault, Read};
use serde::de::DeserializeOwned;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What a frozen archive has of a path.
pub struct Embedded<'t> {
    /// The archive.
    pub opened: &'t Arc<OpenArchive>,
    /// What is there.
    pub entry: Entry<'t>,
    /// Where its content lies, as far as it is embedded.
    pub content: Option<Part>,
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

/// Folders of an environment and of its modules that have code.
const CODE: [&str; 5] = ["functions", "lib", "manifests", "plans", "types"];

/// See the module.
pub struct Tree {
    roots: Vec<Root>,
    modulepath: Vec<PathBuf>,
    archived: Option<Archived>,
    /// Bytes that a file on the disk may hold.
    limit: u64,
    observed: Observed,
    /// What of the disk may be read, where not all.
    confined: Option<Confined>,
    /// What another machine has lent of its disk.
    lent: Option<Arc<Lent>>,
}

/// The archive of a tree.
struct Archived {
    opened: Arc<OpenArchive>,
    /// Whether nobody asks the disk: the one place that knows whether sources may change.
    frozen: bool,
    /// The first thing found to be wrong with the archive.
    fault: OnceLock<ArchiveFault>,
}

impl Default for Tree {
    fn default() -> Self {
        Tree {
            roots: Vec::new(),
            modulepath: Vec::new(),
            archived: None,
            limit: read::MAX_FILE,
            observed: Observed::default(),
            confined: None,
            lent: None,
        }
    }
}

impl Tree {
    /// The same tree, whose files on the disk may hold so many bytes (setting `max_file`).
    pub fn with_limit(self, limit: u64) -> Tree {
        Tree { limit, ..self }
    }

    /// The same tree, which an archive answers for: alone where it is `frozen`.
    pub fn with_archive(self, opened: Arc<OpenArchive>, frozen: bool) -> Tree {
        Tree { archived: Some(Archived { opened, frozen, fault: OnceLock::new() }), ..self }
    }

    /// The same tree, of which nothing else of the disk may be read than what is named: what is refused counts as not there,
    /// and is noted as [`Reads::refused`](reads::Reads::refused).
    pub fn confined_to(self, named: &Confinement) -> Tree {
        Tree { confined: Some(Confined::new(named)), ..self }
    }

    /// The same tree, outside of which lies what another machine has lent, where it has lent something.
    pub fn with_lent(self, lent: Arc<Lent>) -> Tree {
        Tree { lent: Some(lent), ..self }
    }

    /// What another machine has lent of its disk.
    pub fn lent(&self) -> Option<&Arc<Lent>> {
        self.lent.as_ref()
    }

    /// What is at a path outside of the tree, where that is lent.
    fn lent_at(&self, path: &Path) -> Option<Option<&Item>> {
        self.lent.as_ref().filter(|_| !self.holds(path))?.at(path)
    }

    /// The content of a file outside of the tree, where its path is lent.
    fn lent_file(&self, path: &Path) -> Option<io::Result<&[u8]>> {
        Some(match self.lent_at(path)? {
            Some(Item::File(bytes)) => Ok(bytes),
            Some(Item::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            Some(Item::Withheld) | None => Err(io::ErrorKind::NotFound.into()),
        })
    }

    /// Whether a path may not be read, which is noted.
    fn is_refused(&self, path: &Path) -> bool {
        let refused = self.confined.as_ref().is_some_and(|confined| !confined.may_read(path));
        if refused {
            reads::note_refused(|| path.to_string_lossy().into_owned());
        }
        refused
    }

    /// Whether a key of encrypted data may not be read, which is noted.
    pub fn refuses_key(&self, path: &Path) -> bool {
        let refused = self.confined.as_ref().is_some_and(|confined| !confined.may_read_key(path));
        if refused {
            reads::note_refused(|| path.to_string_lossy().into_owned());
        }
        refused
    }

    /// Whether not all of the disk may be read.
    pub fn is_confined(&self) -> bool {
        self.confined.is_some()
    }

    /// Whether a path may be read by code: the path of a folder that somebody else is to be lent.
    pub fn may_read(&self, path: &Path) -> bool {
        self.confined.as_ref().is_none_or(|confined| confined.may_read(path))
    }

    /// Says where it lies: an environment's folder and a module path.
    pub fn set_roots(&mut self, directory: Option<&Path>, modulepath: &[PathBuf]) {
        self.roots = paths::roots(directory, modulepath);
        self.modulepath = modulepath.iter().map(|folder| paths::clean(folder)).collect();
    }

    /// The folders of the tree, with what an archive calls them.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Whether its archive alone is asked.
    pub fn is_frozen(&self) -> bool {
        self.frozen_archive().is_some()
    }

    /// The archive, where there is one.
    pub fn archive(&self) -> Option<&Arc<OpenArchive>> {
        self.archived.as_ref().map(|archived| &archived.opened)
    }

    fn frozen_archive(&self) -> Option<&Archived> {
        self.archived.as_ref().filter(|archived| archived.frozen)
    }

    /// What a frozen archive, where there is one, says of itself.
    pub fn frozen_info(&self) -> Option<&Info> {
        self.frozen_archive().map(|archived| &archived.opened.info)
    }

    /// What was found to be wrong with the archive, as a message: what was read since may not be true.
    pub fn fault(&self) -> Option<String> {
        let archived = self.archived.as_ref()?;
        if !archived.opened.archive().is_whole() {
            return Some(format!(
                "Archive {} was cut off while it was in use",
                archived.opened.path.display()
            ));
        }
        archived.fault.get().map(|fault| archived.opened.explain(fault))
    }

    /// Whether nothing that was seen of it has changed since, the archive included. So many paths of a tree on the disk
    /// may have been seen that it is not worth asking: then it counts as changed.
    pub fn is_current(&self) -> bool {
        self.archive().is_none_or(|opened| opened.is_current()) && self.observed.is_current()
    }

    /// The same of all but code, which may have changed: manifests, functions, types, plans and Ruby of the environment and its
    /// modules, and which modules there are.
    pub fn is_current_but_for_code(&self) -> bool {
        self.archive().is_none_or(|opened| opened.is_current())
            && self.observed.is_current_but_for(|path| self.is_code(path))
    }

    /// Whether what belongs at a path is code, or says which modules there are.
    fn is_code(&self, path: &Path) -> bool {
        let below = |folder: &PathBuf| path.strip_prefix(folder).ok();
        let in_module = self.modulepath.iter().find_map(below).map(|rest| rest.iter().nth(1));
        let in_environment = || {
            self.roots.iter().find(|(_, name)| name == "e").and_then(|(root, _)| below(root)?.iter().next())
        };
        let is_code = |part: &OsStr| CODE.iter().any(|folder| part == *folder);
        match in_module {
            Some(part) => part.is_none_or(|part| part == "metadata.json" || is_code(part)),
            None => in_environment().is_some_and(is_code),
        }
    }

    /// Whether nothing has changed but that the archive was written again with the same content: `archive` is the new
    /// one.
    pub fn is_renewed_by(&self, archive: &OpenArchive) -> bool {
        self.observed.is_current() && self.archive().is_some_and(|own| own.is_renewed_by(archive))
    }

    /// Whether a path lies below the tree's roots: what is concluded of it holds for as long as the tree does.
    pub fn holds(&self, path: &Path) -> bool {
        paths::is_inside(&self.roots, path)
    }

    /// Notes that something was asked of a path, for those who [gather](reads::gather) what is read.
    pub fn note_asked(&self, asked: PathQuestion, path: &Path) {
        reads::note(|| self.question(asked, path));
    }

    /// What is asked of a path, as those who gather what is read have it.
    pub fn question(&self, asked: PathQuestion, path: &Path) -> Touch {
        match paths::parts(&self.roots, path) {
            Some((root, below)) => Touch::of_parts(asked, root, below),
            None => Touch::of(asked, &self.name_of(path)),
        }
    }

    /// Notes that it was asked which is the first file at a path from a module's folder on: a folder with its `/`, a name that code
    /// says, an ending. Types and functions are found in lower case.
    pub fn note_provided(&self, (folder, name, ending): ([&str; 2], &str, &str)) {
        // All bytes at a time: hardly a name has any of these.
        let is_strange = |found, byte: u8| found | !byte.is_ascii() | byte.is_ascii_uppercase();
        reads::note(|| match name.bytes().fold(false, is_strange) {
            false => Touch::of_provided(&[folder[0], folder[1], name, ending]),
            true => Touch::of_provided(&[&[folder[0], folder[1], name, ending].concat().to_lowercase()]),
        });
    }

    /// What an archive calls a path of the tree; the path itself outside of it.
    pub fn name_of(&self, path: &Path) -> String {
        paths::key(&self.roots, path).unwrap_or_else(|| path.to_string_lossy().into_owned())
    }

    /// Notes what is asked of a path, and gives the frozen archive's answer: none where the disk is asked.
    fn frozen<T>(
        &self,
        (asked, path): (PathQuestion, &Path),
        none: T,
        answer: impl FnOnce(&Archived, Entry<'_>) -> T,
    ) -> Option<T> {
        let Some((archived, key)) = self.frozen_key(path) else {
            self.note_asked(asked, path);
            return None;
        };
        reads::note(|| Touch::of(asked, &key));
        Some(match archived.entry(&key) {
            // Where a link leads nowhere there is nothing.
            Some(entry) if entry.is_file() || entry.is_folder() => answer(archived, entry),
            _ => none,
        })
    }

    /// The frozen archive and what it calls a path: none where the disk is asked.
    fn frozen_key(&self, path: &Path) -> Option<(&Archived, String)> {
        let archived = self.frozen_archive()?;
        Some((archived, paths::key(&self.roots, path)?))
    }

    /// What is at a path of the disk.
    fn on_disk(&self, path: &Path) -> State {
        if let Some(item) = self.lent_at(path) {
            return match item {
                Some(Item::Folder) => State::Folder(Stamp::sized(0)),
                Some(Item::File(bytes)) => State::File(Stamp::sized(bytes.len() as u64), false),
                Some(Item::Withheld) | None => State::Absent,
            };
        }
        if self.is_refused(path) {
            return State::Absent;
        }
        match self.holds(path) {
            true => self.observed.state(path),
            false => State::look(path),
        }
    }

    /// Whether there is a file. What is no folder counts as one: that a FIFO can't be read is said when it is reached,
    /// rather than that there is nothing.
    pub fn is_file(&self, path: &Path) -> bool {
        let on_disk = || matches!(self.on_disk(path), State::File(..));
        self.frozen((PathQuestion::Kind, path), false, |_, entry| entry.is_file()).unwrap_or_else(on_disk)
    }

    /// Whether there is a folder.
    pub fn is_dir(&self, path: &Path) -> bool {
        let on_disk = || matches!(self.on_disk(path), State::Folder(_));
        self.frozen((PathQuestion::Kind, path), false, |_, entry| entry.is_folder()).unwrap_or_else(on_disk)
    }

    /// Whether there is either.
    pub fn exists(&self, path: &Path) -> bool {
        let on_disk = || !matches!(self.on_disk(path), State::Absent);
        self.frozen((PathQuestion::Kind, path), false, |_, _| true).unwrap_or_else(on_disk)
    }

    /// What lies in a folder, by name; nothing where it can't be read. Names that are no UTF-8 are left out.
    pub fn list(&self, folder: &Path) -> Vec<Child> {
        let listed = self.frozen((PathQuestion::Names, folder), Vec::new(), |archived, entry| {
            let found = archived.heed(archived.opened.archive().list(entry.path)).unwrap_or_default();
            let child = |entry: &Entry<'_>| Child {
                name: entry.name().to_owned(),
                is_folder: entry.is_folder(),
                is_link: entry.is_link(),
            };
            found.iter().map(child).collect()
        });
        let lent = || self.lent.as_ref().filter(|_| !self.holds(folder))?.list(folder);
        let mut listed = listed.or_else(lent).unwrap_or_else(|| match self.on_disk(folder) {
            State::Folder(_) => children(folder),
            State::Absent | State::File(..) => Vec::new(),
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
            let archive = archived.opened.archive();
            let text = archive
                .part_in(&entry, Section::Texts)
                .and_then(|part| part.map(|part| archive.part_bytes(&part).map(<[u8]>::to_vec)).transpose());
            match archived.heed(text) {
                Some(Some(text)) => Ok(text),
                Some(None) => {
                    // Where it may be another machine's, that has it.
                    if self.is_confined() {
                        reads::note_refused(|| path.to_string_lossy().into_owned());
                    }
                    Err(io::Error::other(
                        "its content is not in the frozen archive, which was built without --embed",
                    ))
                }
                None => missing(),
            }
        };
        self.frozen((PathQuestion::Content, path), missing(), embedded)
            .unwrap_or_else(|| self.read_source(path))
    }

    /// The content of a file on the disk, whatever a frozen archive says: for code that Ruby would read, too.
    ///
    /// # Errors
    /// As [`Tree::read`].
    pub fn read_source(&self, path: &Path) -> io::Result<Vec<u8>> {
        if let Some(file) = self.lent_file(path) {
            return file.map(<[u8]>::to_vec);
        }
        // Noted before it is read: a change in between is seen as one.
        match self.on_disk(path) {
            State::Absent if self.is_confined() => Err(io::ErrorKind::NotFound.into()),
            _ => read::regular(path, self.limit),
        }
    }

    /// What a frozen archive has of a path, and where the content of a file lies in it, as far as it is embedded; none where it has
    /// nothing there, or there is no such archive.
    pub fn embedded(&self, path: &Path) -> Option<Embedded<'_>> {
        let (archived, key) = self.frozen_key(path)?;
        let entry = archived.entry(&key)?;
        let content = archived.heed(archived.opened.archive().part_in(&entry, Section::Texts))?;
        Some(Embedded { opened: &archived.opened, entry, content })
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
            if let Some(file) = self.lent_file(path) {
                return file.map(|bytes| Stamp::sized(bytes.len() as u64));
            }
            let seen = self.on_disk(path);
            // What is known to be regular, and small enough, need not be asked for again.
            if let State::File(stamp, true) = seen
                && stamp.size <= self.limit
            {
                return Ok(stamp);
            }
            if self.is_confined() && matches!(seen, State::Absent) {
                return missing();
            }
            let metadata = std::fs::metadata(path)?;
            read::check(&metadata, self.limit)?;
            Ok(match seen {
                State::File(stamp, _) => stamp,
                State::Absent | State::Folder(_) => Stamp::of(&metadata),
            })
        };
        self.frozen((PathQuestion::Content, path), missing(), |_, entry| Ok(Stamp::sized(entry.size)))
            .unwrap_or_else(on_disk)
    }

    /// The SHA-256 of a file as it is on the disk at this moment, whatever was seen of it before; `name` is what an archive calls it,
    /// and the system has just said this of it, links followed. It is not read where it is known to be as it was when the archive was
    /// built. Nothing of this counts as seen.
    ///
    /// # Errors
    /// When it can't be read, or is no regular file.
    pub fn hash(&self, (name, path): (&str, &Path), metadata: &Metadata) -> io::Result<[u8; 32]> {
        let known = self.archived.as_ref().and_then(|archived| {
            let entry = archived.entry(name).filter(Entry::is_file)?;
            let stamp = Stamp::of(metadata);
            let is_same = !metadata.is_dir()
                && stamp.size == entry.size
                && archived.opened.has_content(&entry, path, (stamp, metadata.is_file()));
            is_same.then_some(entry.hash)
        });
        match known {
            Some(hash) => Ok(hash),
            None => Ok(read::sha256(path)?.1),
        }
    }

    /// How a file stands to the archive. The first time, its content is compared; after that its stamp.
    pub fn standing(&self, path: &Path) -> Standing {
        self.entry(path).map_or_else(|standing| standing, |_| Standing::Same)
    }

    /// The archive and its entry for a file that is as it was when the archive was built.
    fn entry(&self, path: &Path) -> Result<(&Archived, Entry<'_>), Standing> {
        let key = self.archived.as_ref().and_then(|_| paths::key(&self.roots, path));
        self.entry_called(key.as_deref(), path)
    }

    /// The same, where it is known what the archive calls the file.
    fn entry_called(&self, key: Option<&str>, path: &Path) -> Result<(&Archived, Entry<'_>), Standing> {
        let (archived, key) = self.archived.as_ref().zip(key).ok_or(Standing::Apart)?;
        // An archive has what links led to when it was built.
        if !archived.frozen && self.is_refused(path) {
            return Err(Standing::New);
        }
        let found = archived.heed(archived.opened.archive().find(key)).ok_or(Standing::Apart)?;
        let entry = found.filter(Entry::is_file).ok_or(Standing::New)?;
        let is_same = || match self.observed.state(path) {
            State::File(stamp, is_regular) => archived.opened.is_same(&entry, path, (stamp, is_regular)),
            State::Absent | State::Folder(_) => false,
        };
        match archived.frozen || is_same() {
            true => Ok((archived, entry)),
            false => Err(Standing::Changed),
        }
    }

    /// What the archive has of a file, as far as the file is as it was when the archive was built: what `read` takes out
    /// of the entry. What is damaged counts as not there, and is told by [`Tree::fault`].
    pub fn archived<T>(
        &self,
        path: &Path,
        read: impl FnOnce(&Arc<OpenArchive>, &Entry<'_>) -> Read<Option<T>>,
    ) -> Option<T> {
        let key = self.archived.as_ref().and_then(|_| paths::key(&self.roots, path));
        match &key {
            Some(key) => reads::note(|| Touch::of(PathQuestion::Content, key)),
            None => self.note_asked(PathQuestion::Content, path),
        }
        let (archived, entry) = self.entry_called(key.as_deref(), path).ok()?;
        archived.heed(read(&archived.opened, &entry)).flatten()
    }

    /// What the archive has that was made of a text in code, and lies in `section`: what `read` takes out of it. It holds for
    /// any such text, whatever has become of the file that it stood in. What is damaged counts as not there, and is told by
    /// [`Tree::fault`].
    pub fn made_of<T>(
        &self,
        text: &str,
        section: Section,
        read: impl FnOnce(&Arc<OpenArchive>, Part) -> Read<T>,
    ) -> Option<T> {
        let archived = self.archived.as_ref()?;
        let part = archived.opened.archive().made_of(text, section);
        archived
            .heed(part.and_then(|part| part.map(|part| read(&archived.opened, part)).transpose()))
            .flatten()
    }

    /// What the archive calls a file, and the hash of its content, as far as the file is as it was when the archive was built.
    pub fn archived_as(&self, path: &Path) -> Option<(Box<str>, [u8; 32])> {
        self.archived(path, |_, entry| Ok(Some((entry.path.into(), entry.hash))))
    }

    /// The cold part of a file that lies in a section, as far as the archive has it.
    pub fn cold<T: DeserializeOwned>(&self, path: &Path, section: Section) -> Option<T> {
        self.archived(path, |opened, entry| {
            let archive = opened.archive();
            archive.part_in(entry, section)?.map(|part| archive.decode(&part)).transpose()
        })
    }

    /// Notes a file that somebody else has read for a conclusion that is kept: Ruby, say. Where it changes, the tree is
    /// no longer current.
    pub fn note(&self, path: &Path) {
        if self.frozen_archive().is_none() {
            self.observed.state(path);
        }
    }

    /// The file that the first module in their order, or else the environment, has at `relative`, a path that begins with
    /// `lib/`: the frozen archive's answer, none where the disk has to be asked.
    pub fn provided(&self, relative: &str) -> Option<Option<PathBuf>> {
        self.note_provided(([""; 2], relative, ""));
        self.frozen_archive().map(|archived| self.provided_by(archived, relative))
    }

    /// Whether that file, where it is `file` now (none where there is none), is the one that there was when the archive was built, and as
    /// it was then: what the archive has that was made of it still holds.
    pub fn is_provided_as_archived(&self, relative: &str, file: Option<&Path>) -> bool {
        let Some(archived) = &self.archived else { return false };
        let then = self.provided_by(archived, relative);
        then.as_deref() == file && file.is_none_or(|file| self.archived(file, |_, _| Ok(Some(()))).is_some())
    }

    /// The folders, as an archive calls them, of modules and the environment that have a file at `relative`: those of modules in their
    /// order, the environment's own last. The frozen archive's answer, none where the disk has to be asked. Nothing is noted.
    pub fn providers(&self, relative: &str) -> Option<Vec<&str>> {
        let archived = self.frozen_archive()?;
        let found = archived.provided(relative);
        Some(found.filter_map(|entry| entry.path.strip_suffix(relative)?.strip_suffix('/')).collect())
    }

    fn provided_by(&self, archived: &Archived, relative: &str) -> Option<PathBuf> {
        let (root, rest) = archived.provided(relative).next()?.path.split_once('/')?;
        let (folder, _) = self.roots.iter().find(|(_, name)| name == root)?;
        Some(folder.join(rest))
    }
}

impl Archived {
    /// Takes note of what is wrong with the archive.
    fn heed<T>(&self, read: Read<T>) -> Option<T> {
        read.map_err(|fault| _ = self.fault.set(fault)).ok()
    }

    /// The files that modules and the environment have at a path that begins with `lib/`, in their order.
    fn provided(&self, relative: &str) -> impl Iterator<Item = Entry<'_>> {
        self.opened.archive().provided(relative).map_while(|entry| self.heed(entry))
    }

    /// What the archive has under a name of its own for a path.
    fn entry(&self, key: &str) -> Option<Entry<'_>> {
        self.heed(self.opened.archive().find(key)).flatten()
    }
}
