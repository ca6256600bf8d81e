//! Arrays and hashes of values: one word wide, immutable, their contents in the compile's arena. What is made by
//! appending or merging gathers its contents when they are first asked for.

use crate::budget;
use crate::value::watch::Watch;
use crate::value::{Value, hash_str};
use bumpalo::Bump;
use hashbrown::HashTable;
use std::cell::{Cell, OnceCell};

/// An array: one word wide. One made by appending remembers what it was made from and gathers its items when they
/// are first asked for, so that building an array in a loop costs neither time nor memory squared.
#[derive(Clone, Copy)]
pub struct Array<'c>(&'c ArrayData<'c>);

struct ArrayData<'c> {
    items: OnceCell<&'c [Value<'c>]>,
    /// Set where `items` may not be.
    from: Option<&'c Appended<'c>>,
}

struct Appended<'c> {
    base: Array<'c>,
    tail: &'c [Value<'c>],
    len: usize,
    arena: &'c Bump,
}

/// Arrays and hashes up to this size are copied when something is appended.
const SMALL: usize = 16;

impl<'c> Array<'c> {
    /// Copies `items` into the arena.
    pub fn new(arena: &'c Bump, items: &[Value<'c>]) -> Self {
        Array::wrap(arena, arena.alloc_slice_copy(items))
    }

    /// Where it lies: what tells two arrays of the same items apart.
    pub fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }

    /// Items that are made one after the other, as many as said beforehand.
    pub fn made(arena: &'c Bump, items: impl ExactSizeIterator<Item = Value<'c>>) -> Self {
        Array::wrap(arena, arena.alloc_slice_fill_iter(items))
    }

    /// Items that lie in the arena already.
    pub fn wrap(arena: &'c Bump, items: &'c [Value<'c>]) -> Self {
        Array(arena.alloc(ArrayData { items: OnceCell::from(items), from: None }))
    }

    /// Another array of the same items.
    pub fn again(self, arena: &'c Bump) -> Self {
        Array::wrap(arena, self.items())
    }

    /// The array with `tail` behind its items.
    pub fn appended(self, arena: &'c Bump, tail: &[Value<'c>]) -> Self {
        let len = self.size() + tail.len();
        if len <= SMALL {
            return Array::new(arena, &[self.items(), tail].concat());
        }
        let from = arena.alloc(Appended { base: self, tail: arena.alloc_slice_copy(tail), len, arena });
        Array(arena.alloc(ArrayData { items: OnceCell::new(), from: Some(from) }))
    }

    /// Number of items; gathers nothing.
    pub fn size(self) -> usize {
        match (self.0.items.get(), self.0.from) {
            (Some(items), _) => items.len(),
            (None, Some(from)) => from.len,
            (None, None) => 0,
        }
    }

    pub(super) fn same_items(self, other: Self) -> bool {
        budget::within(self.len(), || self.iter().zip(other.iter()).all(|(a, b)| a.same(*b)))
    }

    /// The items.
    pub fn items(self) -> &'c [Value<'c>] {
        self.0.items.get_or_init(|| self.0.from.map_or(&[], Appended::gather))
    }
}

impl<'c> Appended<'c> {
    fn gather(&self) -> &'c [Value<'c>] {
        let mut tails = vec![self.tail];
        let mut base = self.base;
        // From the last to the first; a loop, for there may be many.
        let front = loop {
            match (base.0.items.get(), base.0.from) {
                (Some(items), _) => break *items,
                (None, Some(from)) => {
                    tails.push(from.tail);
                    base = from.base;
                }
                (None, None) => break &[],
            }
        };
        let tails = tails.into_iter().rev().flatten();
        let mut items = bumpalo::collections::Vec::with_capacity_in(self.len, self.arena);
        items.extend(front.iter().chain(tails).copied());
        items.into_bump_slice()
    }
}

impl<'c> std::ops::Deref for Array<'c> {
    type Target = [Value<'c>];
    fn deref(&self) -> &[Value<'c>] {
        self.items()
    }
}

/// A hash: entries in insertion order, an index made on the first look-up of a large one. Like [`Array`], one made
/// by merging gathers its entries when they are first asked for.
#[derive(Clone, Copy)]
pub struct Hash<'c>(&'c HashData<'c>);

type Entries<'c> = &'c [(Value<'c>, Value<'c>)];

struct HashData<'c> {
    entries: OnceCell<Entries<'c>>,
    /// Set where `entries` may not be: the hash merged into and what was merged.
    from: Option<&'c (Hash<'c>, Entries<'c>)>,
    arena: &'c Bump,
    index: OnceCell<HashTable<u32, &'c Bump>>,
    /// Who notes what is asked for.
    watch: Option<&'c Watch<'c>>,
    /// What somebody has found out of all that is in it: see [`Hash::known_of_all`].
    known_of_all: Cell<Option<bool>>,
}

/// Hashes up to this size are searched from front to back.
const LINEAR: usize = 8;

impl<'c> Hash<'c> {
    /// Where it lies, as [`Array::address`].
    pub fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }

    /// A hash of entries whose keys are known to differ.
    pub fn from_unique(arena: &'c Bump, entries: &[(Value<'c>, Value<'c>)]) -> Self {
        Hash::wrap(arena, arena.alloc_slice_copy(entries))
    }

    /// A hash of entries whose keys are known to differ, made one after the other, as many as said beforehand.
    pub fn made_unique(
        arena: &'c Bump,
        entries: impl ExactSizeIterator<Item = (Value<'c>, Value<'c>)>,
    ) -> Self {
        Hash::wrap(arena, arena.alloc_slice_fill_iter(entries))
    }

    /// Entries that lie in the arena already, whose keys are known to differ.
    pub fn wrap(arena: &'c Bump, entries: &'c [(Value<'c>, Value<'c>)]) -> Self {
        let entries = OnceCell::from(entries);
        Hash::of(arena, entries, None, None)
    }

    fn of(
        arena: &'c Bump,
        entries: OnceCell<Entries<'c>>,
        from: Option<&'c (Hash<'c>, Entries<'c>)>,
        watch: Option<&'c Watch<'c>>,
    ) -> Self {
        let (index, known_of_all) = (OnceCell::new(), Cell::new(None));
        Hash(arena.alloc(HashData { entries, from, arena, index, watch, known_of_all }))
    }

    /// Whether something holds for all that is in it, however deep: found out once, as it never changes. There is one such question,
    /// that of functions of the 3.x interface, which are given large hashes again and again.
    ///
    /// # Errors
    /// Those of finding it out.
    pub fn known_of_all<E>(self, find: impl FnOnce() -> Result<bool, E>) -> Result<bool, E> {
        if let Some(known) = self.0.known_of_all.get() {
            return Ok(known);
        }
        let found = find()?;
        self.0.known_of_all.set(Some(found));
        Ok(found)
    }

    /// Another hash of the same entries, watched.
    pub(super) fn with_watch(self, arena: &'c Bump) -> Self {
        let entries = self.entries_unasked();
        let watch = Some(Watch::new(arena, entries.len()));
        let entries = OnceCell::from(entries);
        Hash::of(arena, entries, None, watch)
    }

    pub(super) fn watch(self) -> Option<&'c Watch<'c>> {
        self.0.watch
    }

    /// Another hash of the same entries.
    pub fn again(self, arena: &'c Bump) -> Self {
        Hash::wrap(arena, self.entries())
    }

    /// A hash of entries; a later one replaces the value of an earlier one with the same key, in its place.
    pub fn from_entries(arena: &'c Bump, entries: &[(Value<'c>, Value<'c>)]) -> Self {
        let mut builder = HashBuilder::new(arena);
        entries.iter().for_each(|(key, value)| builder.insert(*key, *value));
        builder.finish()
    }

    /// The hash with `entries` set in it, one after the other.
    pub fn merged(self, arena: &'c Bump, entries: &[(Value<'c>, Value<'c>)]) -> Self {
        if entries.is_empty() {
            return self;
        }
        let known = self.0.entries.get().map(|own| own.len());
        if known.is_some_and(|own| own + entries.len() <= SMALL) {
            let mut builder = HashBuilder::with(arena, self);
            entries.iter().for_each(|(key, value)| builder.insert(*key, *value));
            return builder.finish();
        }
        let from = arena.alloc((self, &*arena.alloc_slice_copy(entries)));
        Hash::of(arena, OnceCell::new(), Some(from), None)
    }

    fn gather(self) -> Entries<'c> {
        let mut merged = Vec::new();
        let mut base = self;
        let front = loop {
            match (base.0.entries.get(), base.0.from) {
                (Some(_), _) => break base.entries(),
                (None, Some((next, entries))) => {
                    merged.push(*entries);
                    base = *next;
                }
                (None, None) => break &[],
            }
        };
        let mut builder = HashBuilder::new(self.0.arena);
        for (key, value) in front.iter().chain(merged.into_iter().rev().flatten()) {
            builder.insert(*key, *value);
        }
        self.0.arena.alloc_slice_copy(&builder.entries)
    }

    /// The entries in order.
    #[inline]
    pub fn entries(self) -> Entries<'c> {
        if let Some(watch) = self.0.watch {
            watch.whole();
        }
        self.entries_unasked()
    }

    /// The same, which does not count as asked for where the hash is watched: for whoever makes something of it that is watched
    /// itself.
    #[inline]
    pub fn entries_unasked(self) -> Entries<'c> {
        self.0.entries.get_or_init(|| self.gather())
    }

    /// Number of entries.
    pub fn len(self) -> usize {
        self.entries().len()
    }

    /// Whether there is no entry.
    pub fn is_empty(self) -> bool {
        if let Some(watch) = self.0.watch {
            watch.whole();
        }
        // What was merged from something is not empty.
        self.0.entries.get().is_some_and(|entries| entries.is_empty())
    }

    /// The value at a key.
    pub fn get(self, key: Value<'c>) -> Option<Value<'c>> {
        let entries = self.entries_unasked();
        let at = match entries.len() <= LINEAR {
            true => entries.iter().position(|(k, _)| k.same(key)),
            false => {
                let is = |at: &u32| entries[*at as usize].0.same(key);
                self.index().find(key.hash_code(), is).map(|at| *at as usize)
            }
        };
        if let Some(watch) = self.0.watch {
            watch.asked(at, key.as_str());
        }
        at.map(|at| entries[at].1)
    }

    /// The value at a string key.
    pub fn get_str(self, key: &str) -> Option<Value<'c>> {
        let at = self.place_of_str(key);
        if let Some(watch) = self.0.watch {
            watch.asked(at, Some(key));
        }
        at.map(|at| self.entries_unasked()[at].1)
    }

    /// The same, as [`Hash::entries_unasked`].
    pub fn get_str_unasked(self, key: &str) -> Option<Value<'c>> {
        self.place_of_str(key).map(|at| self.entries_unasked()[at].1)
    }

    #[inline]
    fn place_of_str(self, key: &str) -> Option<usize> {
        let entries = self.entries_unasked();
        let is = |at: usize| matches!(entries[at].0, Value::Str(s) if s.as_str() == key);
        match entries.len() <= LINEAR {
            true => (0..entries.len()).find(|at| is(*at)),
            false => self.index().find(hash_str(key), |at| is(*at as usize)).map(|at| *at as usize),
        }
    }

    pub(super) fn same_entries(self, other: Self) -> bool {
        budget::within(self.len(), || {
            self.entries().iter().all(|(key, value)| other.get(*key).is_some_and(|v| v.same(*value)))
        })
    }

    fn index(self) -> &'c HashTable<u32, &'c Bump> {
        self.0.index.get_or_init(|| {
            let entries = self.entries_unasked();
            let mut table = HashTable::with_capacity_in(entries.len(), self.0.arena);
            for (at, (key, _)) in entries.iter().enumerate() {
                table.insert_unique(key.hash_code(), at as u32, |at| entries[*at as usize].0.hash_code());
            }
            table
        })
    }
}

/// Builds a [`struct@Hash`] entry by entry; keeps the place of a key that is set again.
pub struct HashBuilder<'c> {
    arena: &'c Bump,
    entries: Vec<(Value<'c>, Value<'c>)>,
    /// Hash codes of the keys and their places; empty as long as there are few.
    index: HashTable<(u64, u32)>,
}

impl<'c> HashBuilder<'c> {
    /// An empty builder.
    pub fn new(arena: &'c Bump) -> Self {
        HashBuilder::with_capacity(arena, 0)
    }

    /// An empty builder with room for so many entries.
    pub fn with_capacity(arena: &'c Bump, capacity: usize) -> Self {
        HashBuilder { arena, entries: Vec::with_capacity(capacity), index: HashTable::new() }
    }

    /// A builder that starts with the entries of `hash`.
    pub fn with(arena: &'c Bump, hash: Hash<'c>) -> Self {
        let mut builder = HashBuilder::new(arena);
        builder.entries.extend_from_slice(hash.entries());
        builder
    }

    /// Sets `key`.
    pub fn insert(&mut self, key: Value<'c>, value: Value<'c>) {
        if self.entries.len() <= LINEAR {
            match self.entries.iter_mut().find(|(other, _)| other.same(key)) {
                Some(entry) => entry.1 = value,
                None => budget::push(&mut self.entries, (key, value)),
            }
            return;
        }
        self.complete_index();
        let code = key.hash_code();
        let entries = &mut self.entries;
        match self.index.find(code, |(other, at)| *other == code && entries[*at as usize].0.same(key)) {
            Some((_, at)) => entries[*at as usize].1 = value,
            None => {
                self.index.insert_unique(code, (code, entries.len() as u32), |(code, _)| *code);
                budget::push(entries, (key, value));
            }
        }
    }

    /// Enters what was set while there were few.
    fn complete_index(&mut self) {
        for at in self.index.len()..self.entries.len() {
            let code = self.entries[at].0.hash_code();
            self.index.insert_unique(code, (code, at as u32), |(code, _)| *code);
        }
    }

    /// Sets a string key.
    pub fn insert_str(&mut self, key: &str, value: Value<'c>) {
        self.insert(Value::str(self.arena, key), value);
    }

    /// The value at a key so far.
    pub fn get(&mut self, key: Value<'c>) -> Option<Value<'c>> {
        if self.entries.len() <= LINEAR {
            return self.entries.iter().find(|(other, _)| other.same(key)).map(|(_, value)| *value);
        }
        self.complete_index();
        let code = key.hash_code();
        let is = |(other, at): &(u64, u32)| *other == code && self.entries[*at as usize].0.same(key);
        self.index.find(code, is).map(|(_, at)| self.entries[*at as usize].1)
    }

    /// Number of entries so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was set.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The hash.
    pub fn finish(self) -> Hash<'c> {
        Hash::from_unique(self.arena, &self.entries)
    }
}

/// Appends values, of arrays their items, however deep: Ruby's `flatten`.
pub fn flatten<'c>(values: &[Value<'c>], into: &mut Vec<Value<'c>>) {
    budget::within(values.len(), || {
        for value in values {
            match value {
                Value::Array(items) => flatten(items, into),
                other => budget::push(into, *other),
            }
        }
    });
}
