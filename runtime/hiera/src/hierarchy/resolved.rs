//! Hierarchies with their variables resolved, and an index of the keys of their files, which says where a key has to be
//! looked for at all.

use super::entry::{BackendKind, HierarchyEntry};
use crate::answered::SeenVariable;
use crate::backend::location_cache::LocationData;
use crate::data_file::hash_of;
use crate::key::Key;
use bunraku_vm::value::Value;
use hashbrown::HashTable;
use std::cell::{Cell, OnceCell};

/// The hierarchies of a layer, resolved for certain values of variables.
pub(crate) struct ResolvedHierarchies<'c> {
    /// Of `hierarchy`.
    pub entries: Vec<HierarchyEntry<'c>>,
    /// Of `default_hierarchy`.
    pub default_entries: Vec<HierarchyEntry<'c>>,
    /// The variables that the configuration has asked for, the way into them included, and what each gave.
    pub variables: Vec<(Key<'c>, Value<'c>)>,
    /// What those variables are parts of, and what that was.
    pub roots: Vec<SeenVariable<'c>>,
    /// The scope, by number, in which `roots` can no longer become anything else.
    pub settled_in: Cell<Option<u32>>,
    /// Where in `entries` a key may be found, once their files are read. Key: the hash of a key of data; bound: 64
    /// locations, their keys; never stale: data that have been read stay as they are for the compile.
    /// Test: `tests/tests/hiera_repo.rs`.
    pub index: OnceCell<KeyIndex>,
}

/// Some locations of the entries of a hierarchy, counted through all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocationSet(u64);

impl LocationSet {
    /// Every location, however many there are.
    pub const ALL: LocationSet = LocationSet(u64::MAX);

    /// Whether there is none in it.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the `n`-th location is in it.
    #[inline]
    pub fn has(self, n: usize) -> bool {
        self == LocationSet::ALL || self.0.checked_shr(n as u32).is_some_and(|bits| bits & 1 == 1)
    }

    /// Whether one of the first `count` is in it.
    pub fn has_any(self, count: usize) -> bool {
        let mask = 1u64.checked_shl(count as u32).map_or(u64::MAX, |bit| bit - 1);
        self == LocationSet::ALL || self.0 & mask != 0
    }

    /// Those behind the first `n`.
    pub fn behind(self, n: usize) -> LocationSet {
        match self {
            LocationSet::ALL => self,
            LocationSet(bits) => LocationSet(bits.checked_shr(n as u32).unwrap_or(0)),
        }
    }
}

/// Which locations may have a key.
pub(crate) struct KeyIndex {
    /// The locations by the hash of the key: who asks them finds out whether they have the key itself.
    keys: HashTable<(u64, u64)>,
    /// Those that have to be asked whatever the key.
    always: u64,
}

impl KeyIndex {
    /// The index of entries; none while a file is unread, or where there are too many locations.
    fn of(entries: &[HierarchyEntry<'_>]) -> Option<KeyIndex> {
        if entries.iter().map(|entry| entry.caches.len()).sum::<usize>() > 64
            || !entries.iter().all(HierarchyEntry::is_read)
        {
            return None;
        }
        let mut index = KeyIndex { keys: HashTable::new(), always: 0 };
        let mut bit = 1;
        for entry in entries {
            for (n, cache) in entry.caches.iter().enumerate() {
                if entry.kind != BackendKind::DataHash {
                    index.always |= bit;
                } else if entry.exists(n) {
                    match cache.data.get()? {
                        LocationData::File(file) => index.add(file.hashes(), bit),
                        LocationData::Hash(hash) => {
                            let keys = hash.entries().iter().filter_map(|(key, _)| key.as_str());
                            index.add(keys.map(hash_of), bit);
                        }
                    }
                }
                bit <<= 1;
            }
        }
        Some(index)
    }

    fn add(&mut self, hashes: impl Iterator<Item = u64>, bit: u64) {
        self.keys.reserve(hashes.size_hint().0, |(hash, _)| *hash);
        for hash in hashes {
            match self.keys.find_mut(hash, |(other, _)| *other == hash) {
                Some((_, bits)) => *bits |= bit,
                None => _ = self.keys.insert_unique(hash, (hash, bit), |(hash, _)| *hash),
            }
        }
    }
}

impl ResolvedHierarchies<'_> {
    /// The locations of `entries` that may have a key of this hash; all of them as long as a file is unread.
    pub fn locations_of(&self, hash: u64) -> LocationSet {
        if self.index.get().is_none()
            && let Some(index) = KeyIndex::of(&self.entries)
        {
            let _ = self.index.set(index);
        }
        let Some(index) = self.index.get() else { return LocationSet::ALL };
        let found = index.keys.find(hash, |(other, _)| *other == hash);
        LocationSet(index.always | found.map_or(0, |(_, bits)| *bits))
    }
}

#[cfg(test)]
mod tests {
    use super::LocationSet;

    #[test]
    fn all_locations_are_more_than_a_set_has_bits_for() {
        let all = LocationSet::ALL;
        assert!(all.has(70) && all.has_any(0) && all.behind(100) == all && !all.is_empty());
        let some = LocationSet(0b1010);
        assert!(some.has(1) && !some.has(0) && !some.has(64));
        assert!(some.has_any(2) && !some.has_any(1) && !some.has_any(0));
        assert!(some.behind(1).has(0) && some.behind(4).is_empty() && some.behind(64).is_empty());
    }
}
