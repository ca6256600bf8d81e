//! Collections that lie in a compile's arena, as all does that a compile makes: nothing has to be freed, it goes with the
//! arena.

use bumpalo::Bump;
use hashbrown::DefaultHashBuilder;
use std::cell::RefCell;
use std::hash::Hash;

/// Values by key.
pub(crate) type Map<'c, K, V> = hashbrown::HashMap<K, V, DefaultHashBuilder, &'c Bump>;

/// Keys.
pub(crate) type Set<'c, K> = hashbrown::HashSet<K, DefaultHashBuilder, &'c Bump>;

/// A list that grows.
pub(crate) type List<'c, T> = bumpalo::collections::Vec<'c, T>;

/// An empty map that what shares the compile may fill.
pub(crate) fn map<K, V>(arena: &Bump) -> RefCell<Map<'_, K, V>> {
    RefCell::new(Map::new_in(arena))
}

/// The same of a set.
pub(crate) fn set<K: Eq + Hash>(arena: &Bump) -> RefCell<Set<'_, K>> {
    RefCell::new(Set::new_in(arena))
}

/// The same of a list.
pub(crate) fn list<T>(arena: &Bump) -> RefCell<List<'_, T>> {
    RefCell::new(List::new_in(arena))
}
