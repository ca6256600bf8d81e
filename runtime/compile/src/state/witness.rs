//! What a compile notes of what a newer version would do otherwise. Off, it holds nothing.

use crate::inputs::Newer;
use bunraku_vm::diagnostic::Place;
use bunraku_vm::host::Change;
use bunraku_vm::value::Value;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How many notes one compile takes; a catalog for which there are more has enough to be done.
pub(crate) const MOST: usize = 10_000;

/// A place at which a newer version does otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// What it does otherwise.
    pub change: Change,
    /// What the change is about: see [`Change`].
    pub subject: String,
    /// The file, line and column, as far as they are known.
    pub place: Place,
}

/// What is noted. The lists lie on the heap: [`Witness::take`] lets go of them.
pub(crate) struct Witness<'c> {
    /// The newer version; none where nobody takes notes.
    pub newer: Option<Newer>,
    /// Facts that it does not send, by name.
    pub withheld: RefCell<HashMap<String, Value<'c>>>,
    /// How often one of them was read.
    pub reads: Cell<usize>,
    /// Where `$facts` lies.
    pub facts: Cell<Option<usize>>,
    /// The file that texts are read from, where the machine does not know it: templates in Ruby, Hiera's files.
    pub file: RefCell<Option<PathBuf>>,
    notes: RefCell<Vec<Note>>,
    known: RefCell<HashSet<Note>>,
    texts: RefCell<HashMap<PathBuf, String>>,
}

impl<'c> Witness<'c> {
    /// Nothing has been noted yet.
    pub fn new(newer: Option<Newer>) -> Self {
        Witness {
            newer,
            withheld: RefCell::default(),
            reads: Cell::new(0),
            facts: Cell::new(None),
            file: RefCell::default(),
            notes: RefCell::default(),
            known: RefCell::default(),
            texts: RefCell::default(),
        }
    }

    /// Takes a note, unless it is known or there are too many.
    pub fn note(&self, note: Note) {
        let mut known = self.known.borrow_mut();
        if known.len() < MOST && known.insert(note.clone()) {
            self.notes.borrow_mut().push(note);
        }
    }

    /// The line of a file, read by `read`, that a subject stands in as a word of its own, from 1.
    pub fn line_of(&self, file: &Path, subject: &str, read: impl FnOnce() -> String) -> Option<u32> {
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry(file.to_owned()).or_insert_with(read);
        let line = text.lines().position(|line| has_word(line, subject))?;
        u32::try_from(line + 1).ok()
    }

    /// The notes in order; what else is held is let go.
    pub fn take(&self) -> Vec<Note> {
        self.withheld.take();
        self.known.take();
        self.texts.take();
        self.file.take();
        self.notes.take()
    }
}

/// Whether a line has a word that is not part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let inside = |c: char| c == '_' || c.is_ascii_alphanumeric();
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(inside) && !line[at + word.len()..].starts_with(inside))
        && !word.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole() {
        assert!(has_word("  - name: %{::osfamily}.yaml", "osfamily"));
        assert!(!has_word("<%= @osfamily_of %>", "osfamily"));
        assert!(!has_word("anything", ""));
    }

    #[test]
    fn a_note_is_taken_once_and_not_without_end() {
        let witness = Witness::new(None);
        let note =
            |n: usize| Note { change: Change::LegacyFact, subject: n.to_string(), place: Place::default() };
        witness.note(note(0));
        witness.note(note(0));
        (0..2 * MOST).for_each(|n| witness.note(note(n)));
        assert_eq!(witness.take().len(), MOST);
        assert!(witness.take().is_empty());
    }
}
