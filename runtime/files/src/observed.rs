//! What a snapshot has seen of its tree on the disk: each path that was asked for, with what was there. Asked again, it
//! says the same, whatever has happened on the disk since; and it can be told whether anything has, or anything but code.

use crate::found::Stamp;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::fs::Metadata;
use std::hash::BuildHasher as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What was at a path, links followed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    /// Nothing that can be looked at.
    Absent,
    /// A folder. Its time changes when something in it comes, goes or is renamed.
    Folder(Stamp),
    /// Anything else; and whether it is a regular file.
    File(Stamp, bool),
}

impl State {
    /// What is at a path now.
    pub fn look(path: &Path) -> State {
        std::fs::metadata(path).map_or(State::Absent, |metadata| State::of(&metadata))
    }

    /// What the system has said of a path.
    pub fn of(metadata: &Metadata) -> State {
        match metadata.is_dir() {
            true => State::Folder(Stamp::of(metadata)),
            false => State::File(Stamp::of(metadata), metadata.is_file()),
        }
    }

    /// Whether nothing has changed that matters to what was made of it.
    fn is_like(&self, other: &State) -> bool {
        match (self, other) {
            (State::Absent, State::Absent) => true,
            (State::Folder(own), State::Folder(other)) => own == other,
            (State::File(own, _), State::File(other, _)) => own == other,
            _ => false,
        }
    }
}

/// Paths that may be seen besides twice those of the first compile, before the next one begins anew: to ask for all of
/// them must not take longer than to compile.
const MORE: usize = 1000;

/// How many paths are asked for before others may add theirs.
const AT_ONCE: usize = 256;

/// What has been seen.
#[derive(Default)]
pub(crate) struct Observed(Mutex<Seen>);

/// A path, what was there, and whether that is code, once somebody has asked.
#[derive(Clone)]
struct Place {
    path: Arc<Path>,
    state: State,
    is_code: Option<bool>,
}

#[derive(Default)]
struct Seen {
    /// Numbers of `all`, by path.
    numbers: HashTable<u32>,
    all: Vec<Place>,
    /// How many there were when it was first asked whether they still hold.
    first: Option<usize>,
}

fn hash(path: &Path) -> u64 {
    FixedState::with_seed(0).hash_one(path.as_os_str().as_encoded_bytes())
}

impl Seen {
    fn find(&self, hash: u64, path: &Path) -> Option<State> {
        let is_it = |n: &u32| self.all[*n as usize].path.as_os_str() == path.as_os_str();
        self.numbers.find(hash, is_it).map(|n| self.all[*n as usize].state)
    }

    fn insert(&mut self, path_hash: u64, place: Place) {
        let number = self.all.len() as u32;
        self.all.push(place);
        let Seen { numbers, all, .. } = self;
        numbers.insert_unique(path_hash, number, |n| hash(&all[*n as usize].path));
    }
}

impl Observed {
    /// What is at a path: the first time, what the disk says.
    pub fn state(&self, path: &Path) -> State {
        let hash = hash(path);
        let known = self.0.lock().ok().and_then(|seen| seen.find(hash, path));
        known.unwrap_or_else(|| {
            let state = State::look(path);
            let Ok(mut seen) = self.0.lock() else { return state };
            // Another thread may have been faster.
            if let Some(known) = seen.find(hash, path) {
                return known;
            }
            seen.insert(hash, Place { path: path.into(), state, is_code: None });
            state
        })
    }

    /// Whether the disk still says the same of all of them, and they are few enough to be asked for each time.
    pub fn is_current(&self) -> bool {
        self.holds(None)
    }

    /// The same of all but code: `is_code` says it of a path, once, and need not where nobody asks.
    pub fn is_current_but_for(&self, is_code: impl Fn(&Path) -> bool) -> bool {
        self.holds(Some(&is_code))
    }

    fn holds(&self, is_code: Option<&dyn Fn(&Path) -> bool>) -> bool {
        let mut done = 0;
        loop {
            let batch: Vec<Place> = {
                let Ok(mut seen) = self.0.lock() else { return false };
                let count = seen.all.len();
                if count > 2 * *seen.first.get_or_insert(count) + MORE {
                    return false;
                }
                let end = (done + AT_ONCE).min(count);
                let places = &mut seen.all[done..end];
                if let Some(is_code) = is_code {
                    for place in &mut *places {
                        place.is_code.get_or_insert_with(|| is_code(&place.path));
                    }
                }
                places.to_vec()
            };
            if batch.is_empty() {
                return true;
            }
            let mut asked = batch.iter().filter(|place| is_code.is_none() || place.is_code != Some(true));
            if !asked.all(|place| State::look(&place.path).is_like(&place.state)) {
                return false;
            }
            done += batch.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_stands_and_it_is_told_when_the_disk_says_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let observed = Observed::default();
        assert!(matches!(observed.state(&file), State::Absent));
        assert!(observed.is_current());
        std::fs::write(&file, "1").unwrap();
        assert!(matches!(observed.state(&file), State::Absent));
        assert!(!observed.is_current());
        let observed = Observed::default();
        assert!(matches!(observed.state(&file), State::File(Stamp { size: 1, .. }, _)));
        assert!(matches!(observed.state(folder.path()), State::Folder(_)));
        assert!(observed.is_current());
        std::fs::write(&file, "22").unwrap();
        assert!(!observed.is_current());
    }

    #[test]
    fn code_is_not_looked_at_where_it_need_not_be() {
        let folder = tempfile::tempdir().unwrap();
        let [code, data] = ["code", "data"].map(|name| folder.path().join(name));
        let observed = Observed::default();
        observed.state(&code);
        observed.state(&data);
        std::fs::write(&code, "1").unwrap();
        let but_for_code = || observed.is_current_but_for(|path| path == code);
        assert_eq!((observed.is_current(), but_for_code()), (false, true));
        std::fs::write(&data, "1").unwrap();
        assert_eq!((observed.is_current(), but_for_code()), (false, false));
    }

    #[test]
    fn so_many_paths_are_asked_for_and_no_more() {
        let observed = Observed::default();
        let ask = |from: usize, to: usize| {
            (from..to).for_each(|n| _ = observed.state(Path::new(&format!("/nowhere/{n}"))));
            observed.is_current()
        };
        assert!(ask(0, 100));
        assert!(ask(100, 200 + MORE));
        assert!(!ask(200 + MORE, 201 + MORE));
    }
}
