//! What is kept for one location of an entry: its data, or what a function has answered.

use super::kept_answers::AnswersAt;
use crate::data_file::DataReader;
use bunraku_files::reads::Reads;
use bunraku_vm::value::{Hash, Value};
use hashbrown::HashMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The data of one location, which a backend of kind `data_hash` gives all at once.
#[derive(Clone, Copy)]
pub enum LocationData<'c> {
    /// A file.
    File(DataReader<'c>),
    /// What a function gave.
    Hash(Hash<'c>),
}

/// What a function that is asked key by key does with a key.
pub(crate) enum KeyHashes<'c> {
    /// It asks these hashes for it, and has nothing for one that is in none of them; and what it reads then.
    Asked(Vec<Hash<'c>>, Reads),
    /// It does more with it.
    More,
}

/// What is kept for one location of an entry, for as long as the hierarchy it belongs to stands as resolved.
#[derive(Default)]
pub(crate) struct LocationCache<'c> {
    /// All its data, once asked for. Never stale: functions are asked once a compile, as in Puppet.
    /// Test: `spec/hiera.md`, "Functions as backends".
    pub data: Cell<Option<LocationData<'c>>>,
    /// Answers of a function that is asked key by key. Key: the root key or the whole one, as the function takes it;
    /// bound: the keys that are looked for; never stale, as above. Test: the same.
    pub answers: RefCell<HashMap<String, Value<'c>>>,
    /// What the function itself keeps by `cache` and `cache_all` of its context; never stale, it says itself what it
    /// keeps. Test: the same.
    pub own: Cell<Option<Hash<'c>>>,
    /// What other compiles of the snapshot have been answered here, once asked for; none where nobody could tell.
    pub kept: OnceCell<Option<&'c AnswersAt>>,
    /// What its function does with keys, once it has had nothing for one. Bound: the hashes that one call asks; never stale, since data is
    /// read once a compile, and what the function itself keeps is asked each time. Test: `tests/tests/kept_answers.rs`,
    /// `who_only_asks_data_for_keys_is_asked_once_for_what_none_of_it_has`.
    pub hashes: OnceCell<KeyHashes<'c>>,
    /// Whether its function has been called before in the compile, once it has.
    pub has_called: Cell<bool>,
}

impl LocationCache<'_> {
    /// The number that it is called by outside of Hiera.
    pub fn number(self: &Rc<Self>) -> i64 {
        Rc::as_ptr(self).addr() as i64
    }
}
