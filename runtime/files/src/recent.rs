//! What a session keeps between compiles, each kind up to a number: what was not used for longest goes first. So a
//! server that is asked for ever new environments, archives or files does not grow without end.
//!
//! | kept | key | at most | stale when |
//! | --- | --- | --- | --- |
//! | environments | all that they are opened with | [`ENVIRONMENTS`] | a folder or file that was looked at has changed; code for as long as a timeout says: not before they are let go |
//! | archives | path | [`ARCHIVES`] | another file lies at the path |
//! | stores | place and certificates | [`STORES`] | never: they ask again each time |
//! | units, data, templates | path (and format) | [`FILES`] each | the file is another one, or its size or times differ |

use lru::LruCache;
use std::borrow::Borrow;
use std::hash::Hash;

/// Environments that are kept.
pub const ENVIRONMENTS: usize = 256;
/// Archives that are kept open.
pub const ARCHIVES: usize = 64;
/// Stores that are kept, with their connections.
pub const STORES: usize = 16;
/// Files whose units, data or templates are kept.
pub const FILES: usize = 50_000;

/// A map of so many entries at most.
pub struct Recent<K: Hash + Eq, V> {
    map: LruCache<K, V>,
    most: usize,
}

impl<K: Hash + Eq, V> Recent<K, V> {
    /// An empty one.
    pub fn new(most: usize) -> Self {
        // It grows with what is in it, not with what may be.
        Recent { map: LruCache::unbounded(), most }
    }

    /// What is kept under a key; it then counts as used.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.map.get(key)
    }

    /// The same, to be changed.
    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.map.get_mut(key)
    }

    /// Lets go of what is kept under keys that are not wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(&K) -> bool)
    where
        K: Clone,
    {
        let unwanted: Vec<K> =
            self.map.iter().map(|(key, _)| key).filter(|key| !is_wanted(key)).cloned().collect();
        unwanted.iter().for_each(|key| drop(self.map.pop(key)));
    }

    /// Keeps something in the place of what was there, and of what was not used for longest where there is too much.
    pub fn insert(&mut self, key: K, value: V) {
        self.map.put(key, value);
        if self.map.len() > self.most {
            self.map.pop_lru();
        }
    }

    /// All that is kept, in no order that means anything.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.map.iter().map(|(_, value)| value)
    }

    /// The same with its keys, what was used last first.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.map.iter()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.map.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let mut kept = Recent::new(2);
        kept.insert("a", 1);
        kept.insert("b", 2);
        assert_eq!(kept.get("a"), Some(&1));
        kept.insert("c", 3);
        assert_eq!(["a", "b", "c"].map(|key| kept.get(key).copied()), [Some(1), None, Some(3)]);
        kept.insert("a", 4);
        assert_eq!(kept.get("a"), Some(&4));
        assert_eq!(kept.len(), 2);
        kept.retain(|key| *key == "a");
        assert_eq!(["a", "c"].map(|key| kept.get(key).copied()), [Some(4), None]);
    }
}
