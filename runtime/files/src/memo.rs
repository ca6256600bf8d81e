//! Memos: what compiles conclude from a snapshot's files is kept with the snapshot, for the next compile. A snapshot is
//! immutable, so nothing of it is ever stale, and all that is written into it goes through here.
//!
//! | memo | holds | for |
//! | --- | --- | --- |
//! | [`Memo`] | a value for each key | one snapshot |
//! | [`MemoCell`] | one value | one snapshot |
//! | [`FileMemo`] | what is made of a file, for each way of making it | one snapshot, and by its stamp all others of a session; by content, where those are [settled](SessionFiles::settled) |
//!
//! A value is kept with the questions to the tree that it was made of (see [`reads`]): whoever gets it has asked them, too.
//! Each is made with a [`Contract`], which says what it holds and what bounds it; ARCHITECTURE.md lists them all, by a
//! test that reads them where they are declared.

use crate::found::Stamp;
use crate::reads::{self, PathQuestion, Reads};
use crate::recent::{FILES, Recent};
use crate::tree::Tree;
use elsa::sync::FrozenMap;
use std::borrow::Borrow;
use std::ffi::OsStr;
use std::hash::Hash;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// What is promised of a memo, beside its declaration.
#[derive(Debug)]
pub struct Contract {
    /// What it holds.
    pub holds: &'static str,
    /// By what that is looked for.
    pub key: &'static str,
    /// How much there can be.
    pub bound: &'static str,
    /// When it no longer holds.
    pub stale: &'static str,
    /// The test that would fail if it did not keep this.
    pub test: &'static str,
}

/// When what a snapshot holds is stale.
pub const NEVER: &str = "never: the snapshot is immutable";

/// Values by key, each made once.
pub struct Memo<K, V> {
    all: FrozenMap<K, Box<(V, Reads)>>,
}

impl<K: Eq + Hash, V> Memo<K, V> {
    /// An empty one.
    pub fn new(_: &'static Contract) -> Self {
        Memo { all: FrozenMap::new() }
    }

    /// The value of a key, where it has been made.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.all.get(key).map(noted)
    }

    /// Keeps the value of a key, and what was read for it; where another thread was faster, its value is the answer.
    pub fn keep(&self, key: K, made: (V, Reads)) -> &V {
        noted(self.all.insert(key, Box::new(made)))
    }

    /// The value of a key, made now if it has not been before.
    pub fn get_or<Q>(&self, key: &Q, make: impl FnOnce() -> V) -> &V
    where
        K: Borrow<Q> + for<'q> From<&'q Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.get(key).unwrap_or_else(|| self.keep(K::from(key), reads::gather(make)))
    }
}

fn noted<V>((value, reads): &(V, Reads)) -> &V {
    reads::take_in(reads);
    value
}

/// One value, made once.
pub struct MemoCell<V> {
    cell: OnceLock<(V, Reads)>,
}

impl<V> MemoCell<V> {
    /// An empty one.
    pub fn new(_: &'static Contract) -> Self {
        MemoCell { cell: OnceLock::new() }
    }

    /// The value, made now if it has not been before.
    pub fn get_or(&self, make: impl FnOnce() -> V) -> &V {
        noted(self.cell.get_or_init(|| reads::gather(make)))
    }
}

/// What was made of files in all snapshots of a session: a file's is taken again for as long as its stamp is
/// the same.
pub struct SessionFiles<V, const N: usize> {
    made: [Mutex<Made<V>>; N],
    /// What archives have of files, for all trees that have the same.
    archived: Option<[Mutex<ArchivedFiles<V>>; N]>,
}

/// What archives have of files, by the name and the content of these.
type ArchivedFiles<V> = Recent<(Box<str>, [u8; 32]), V>;

/// What was made of files, by path, with the stamp that each had.
type Made<V> = Recent<Box<OsStr>, (Stamp, V)>;

impl<V, const N: usize> Default for SessionFiles<V, N> {
    fn default() -> Self {
        SessionFiles { made: std::array::from_fn(|_| Mutex::new(Recent::new(FILES))), archived: None }
    }
}

impl<V, const N: usize> SessionFiles<V, N> {
    /// Those of a session whose environments stay as they are first seen: two of them that have much in common, as both sides of a
    /// change, have it in memory once. Where environments follow each other, the archive of the first would stay open with that.
    pub fn settled() -> Self {
        let archived = std::array::from_fn(|_| Mutex::new(Recent::new(FILES)));
        SessionFiles { archived: Some(archived), ..Self::default() }
    }
}

impl<V: Clone, const N: usize> SessionFiles<V, N> {
    /// What an archive has of a file: as it has been read from the same file of another archive, or is read now, and kept where it
    /// `lasts`.
    fn archived(
        &self,
        (tree, path, how): (&Tree, &Path, usize),
        read: impl FnOnce() -> Option<V>,
        lasts: fn(&V) -> bool,
    ) -> Option<V> {
        let Some(archived) = &self.archived else { return read() };
        let Some(file) = tree.archived_as(path) else { return read() };
        let known = archived[how].lock().ok().and_then(|mut all| all.get(&file).cloned());
        if known.is_some() {
            return known;
        }
        let value = read()?;
        if lasts(&value)
            && let Ok(mut all) = archived[how].lock()
        {
            all.insert(file, value.clone());
        }
        Some(value)
    }

    fn get(&self, path: &Path, how: usize, stamp: Stamp) -> Option<V> {
        let mut made = self.made[how].lock().ok()?;
        made.get(path.as_os_str()).filter(|(then, _)| *then == stamp).map(|(_, value)| value.clone())
    }

    fn keep(&self, path: &Path, how: usize, stamp: Stamp, value: V) {
        if let Ok(mut made) = self.made[how].lock() {
            made.insert(path.as_os_str().into(), (stamp, value));
        }
    }
}

/// What is made of a file, in `N` ways. Files of the tree keep it for as long as the snapshot lasts; it goes on to the
/// next one, and for a file outside of the tree to the next question, while the stamp of the file is the same.
///
/// It is made of the file's content and of nothing else.
pub struct FileMemo<V, const N: usize> {
    own: [Memo<Box<OsStr>, V>; N],
    /// What whoever gets it has asked of the file.
    asked: PathQuestion,
    /// Whether a value is the same wherever its file lies: messages name the path.
    is_placeless: fn(&V) -> bool,
    session: Arc<SessionFiles<V, N>>,
}

impl<V: Clone, const N: usize> FileMemo<V, N> {
    /// An empty one of a snapshot; `session` is what it has in common with others.
    pub fn new(contract: &'static Contract, session: Arc<SessionFiles<V, N>>) -> Self {
        let own = std::array::from_fn(|_| Memo::new(contract));
        FileMemo { own, asked: PathQuestion::Content, is_placeless: |_| false, session }
    }

    /// The same, of values that are the same wherever their file lies where this says so.
    pub fn placeless(self, is_placeless: fn(&V) -> bool) -> Self {
        FileMemo { is_placeless, ..self }
    }

    /// The same, of files that are asked this in place of all that they hold.
    pub fn asking(self, asked: PathQuestion) -> Self {
        FileMemo { asked, ..self }
    }

    /// What is made of a file in one of the ways: `archived` is asked first, then `make`, which is told nothing but
    /// that the file can be read.
    ///
    /// # Errors
    /// When the file is not there, no regular one or too large, as `unreadable` says it; those of `make`, which are
    /// not kept.
    pub fn get<E>(
        &self,
        (tree, path, how): (&Tree, &Path, usize),
        archived: impl FnOnce() -> Option<V>,
        unreadable: impl FnOnce(io::Error) -> E,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        // Kept with the question for the file itself.
        if let Some(known) = self.own[how].get(path.as_os_str()) {
            return Ok(known.clone());
        }
        tree.note_asked(self.asked, path);
        let value =
            reads::unnoted(|| match self.session.archived((tree, path, how), archived, self.is_placeless) {
                Some(value) => Ok(value),
                None => self.made((tree, path, how), unreadable, make),
            })?;
        if tree.holds(path) {
            let question = reads::of_kept(|| tree.question(self.asked, path));
            self.own[how].keep(path.as_os_str().into(), (value.clone(), question));
        }
        Ok(value)
    }

    /// What is made of a file that is as another snapshot has seen it, or is made now.
    fn made<E>(
        &self,
        (tree, path, how): (&Tree, &Path, usize),
        unreadable: impl FnOnce(io::Error) -> E,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        let stamp = tree.stamp(path).map_err(unreadable)?;
        if let Some(value) = self.session.get(path, how, stamp) {
            return Ok(value);
        }
        let value = make()?;
        // Two archives may have files of one path and size.
        if stamp.is_of_disk() {
            self.session.keep(path, how, stamp, value.clone());
        }
        Ok(value)
    }
}
