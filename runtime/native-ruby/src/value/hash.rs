//! Hashes that Ruby code makes: entries in the order they came in, found by an index where there are many.

use super::{Proc, V};
use crate::budget;
use crate::for_ruby::{BUSY, ForRuby, OrRuby};
use crate::value::compare::is_same_key;
use crate::value::shared::Shared;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::cell::Cell;
use std::hash::{BuildHasher as _, Hash as _, Hasher};
use std::rc::Rc;

/// Up to so many entries are searched from front to back.
const SMALL: usize = 12;
const OWN: ForRuby = ForRuby("a key that says itself what it is equal to");
/// Deeper keys are left to Ruby.
const DEEPEST: usize = 60;

/// An entry. The hash of its key is known where there is an index, and of arrays, which may change while they are keys:
/// Ruby does not find those again.
struct Entry<'c> {
    hash: u64,
    key: V<'c>,
    value: V<'c>,
}

/// A hash made by Ruby code.
#[derive(Default)]
pub(crate) struct HashValue<'c> {
    /// None in the places of what was deleted.
    places: Vec<Option<Entry<'c>>>,
    /// How many entries there are.
    count: usize,
    /// Hashes of the keys with their places, once there were more than [`SMALL`].
    index: Option<HashTable<(u64, u32)>>,
    /// Keys that say themselves what they are equal to, with what their `hash` gives. Then all keys are.
    own: Vec<(u64, V<'c>)>,
    /// How often it is being run through: no key may come in then, and places stay as they are.
    walks: Cell<usize>,
    /// What a key has that is not there: the value of `Hash.new(0)`.
    pub default: Option<V<'c>>,
    /// The block of `Hash.new { … }`.
    pub default_block: Option<Rc<Proc<'c>>>,
}

impl<'c> HashValue<'c> {
    /// A hash of entries, the last of those with the same key.
    pub fn of(entries: impl IntoIterator<Item = (V<'c>, V<'c>)>) -> OrRuby<Self> {
        let mut hash = HashValue::default();
        for (key, value) in entries {
            hash.set(key, value)?;
        }
        Ok(hash)
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// The entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&V<'c>, &V<'c>)> {
        self.places.iter().flatten().map(|entry| (&entry.key, &entry.value))
    }

    /// The value at a key.
    pub fn get(&self, key: &V<'c>) -> OrRuby<Option<V<'c>>> {
        if !self.own.is_empty() || is_own(key) {
            return Err(OWN);
        }
        let place = self.find(key)?;
        Ok(place.and_then(|place| self.places[place].as_ref()).map(|entry| entry.value.clone()))
    }

    /// The keys that say themselves what they are equal to and whose `hash` gives this; none where other keys are there.
    pub fn own_keys(&self, code: u64) -> OrRuby<Vec<V<'c>>> {
        if self.own.len() != self.count {
            return Err(OWN);
        }
        // All are looked through.
        budget::spend(1 + self.own.len() as u64 / 16)?;
        let same = self.own.iter().filter(|(other, _)| *other == code);
        Ok(same.map(|(_, key)| key.clone()).collect())
    }

    /// Sets the value at a key that says itself what it is equal to, and that is not there.
    pub fn add_own(&mut self, code: u64, key: V<'c>, value: V<'c>) -> OrRuby<()> {
        if self.walks.get() > 0 {
            return Err(BUSY);
        }
        budget::made(2 * size_of::<Entry<'_>>());
        self.own.push((code, key.clone()));
        self.places.push(Some(Entry { hash: 0, key, value }));
        self.count += 1;
        Ok(())
    }

    /// Sets the value at a key, behind the others if it is a new one. A string becomes a key as a frozen copy.
    pub fn set(&mut self, key: V<'c>, value: V<'c>) -> OrRuby<()> {
        if !self.own.is_empty() || is_own(&key) {
            return Err(OWN);
        }
        if let Some(place) = self.find(&key)? {
            if let Some(entry) = &mut self.places[place] {
                entry.value = value;
            }
            return Ok(());
        }
        if self.walks.get() > 0 {
            return Err(BUSY);
        }
        budget::made(size_of::<Entry<'_>>());
        let hashed = self.index.is_some() || is_array(&key);
        let hash = if hashed { hash_of(&key)? } else { 0 };
        let place = self.places.len() as u32;
        self.places.push(Some(Entry { hash, key: as_key(key), value }));
        self.count += 1;
        match &mut self.index {
            Some(index) => {
                index.insert_unique(hash, (hash, place), |known| known.0);
            }
            None => self.make_index()?,
        }
        Ok(())
    }

    /// Takes a key away with its value.
    pub fn remove(&mut self, key: &V<'c>) -> OrRuby<Option<(V<'c>, V<'c>)>> {
        if !self.own.is_empty() || is_own(key) {
            return Err(OWN);
        }
        let Some(place) = self.find(key)? else { return Ok(None) };
        let Some(entry) = self.places[place].take() else { return Ok(None) };
        self.count -= 1;
        if let Some(index) = &mut self.index
            && let Ok(found) = index.find_entry(entry.hash, |known| known.1 as usize == place)
        {
            found.remove();
        }
        if self.walks.get() == 0 && self.places.len() > SMALL.max(2 * self.count) {
            self.places.retain(Option::is_some);
            self.index = None;
            self.make_index()?;
        }
        Ok(Some((entry.key, entry.value)))
    }

    /// Puts other entries in the place of all. The default stays.
    pub fn replace(&mut self, entries: Vec<(V<'c>, V<'c>)>) -> OrRuby<()> {
        if self.walks.get() > 0 {
            return Err(BUSY);
        }
        let (default, default_block) = (self.default.take(), self.default_block.take());
        self.own.clear();
        *self = HashValue::of(entries)?;
        (self.default, self.default_block) = (default, default_block);
        Ok(())
    }

    /// The first entry.
    pub fn first(&self) -> Option<(V<'c>, V<'c>)> {
        self.iter().next().map(|(key, value)| (key.clone(), value.clone()))
    }

    /// The entry at a place or behind it, and the place behind that; none at the end.
    pub fn entry_from(&self, place: usize) -> Option<((V<'c>, V<'c>), usize)> {
        let (at, entry) =
            self.places.iter().enumerate().skip(place).find_map(|(at, entry)| Some((at, entry.as_ref()?)))?;
        Some(((entry.key.clone(), entry.value.clone()), at + 1))
    }

    /// It is run through from here on, until [`end_walk`](Self::end_walk).
    pub fn begin_walk(&self) {
        self.walks.set(self.walks.get() + 1);
    }

    pub fn end_walk(&self) {
        self.walks.set(self.walks.get().saturating_sub(1));
    }

    /// The place of a key.
    fn find(&self, key: &V<'c>) -> OrRuby<Option<usize>> {
        let Some(index) = &self.index else { return self.search(key) };
        budget::spend(1)?;
        let hash = hash_of(key)?;
        let mut failed = None;
        let found = index.find(hash, |(other, place)| match &self.places[*place as usize] {
            Some(entry) if *other == hash => is_same_key(&entry.key, key).unwrap_or_else(|why| {
                failed = Some(why);
                true
            }),
            _ => false,
        });
        match failed {
            Some(why) => Err(why),
            None => Ok(found.map(|(_, place)| *place as usize)),
        }
    }

    /// The place of a key, looked for from front to back.
    fn search(&self, key: &V<'c>) -> OrRuby<Option<usize>> {
        budget::spend(1)?;
        match key {
            V::Str(text) => self.search_text(key, text),
            V::Made(text) => self.search_text(key, &text.borrow()),
            V::Symbol(name) => {
                self.search_word(key, |known| matches!(known, V::Symbol(known) if known == name))
            }
            key => {
                let wanted = if is_array(key) { Some(hash_of(key)?) } else { None };
                for (place, entry) in self.places.iter().enumerate() {
                    let Some(Entry { key: known, hash, .. }) = entry else { continue };
                    if wanted.is_none_or(|wanted| wanted == *hash) && is_same_key(known, key)? {
                        return Ok(Some(place));
                    }
                }
                Ok(None)
            }
        }
    }

    fn search_text(&self, key: &V<'c>, text: &str) -> OrRuby<Option<usize>> {
        self.search_word(key, |known| match known {
            V::Str(known) => known.len() == text.len() && *known == text,
            V::Made(known) => *known.borrow() == text,
            _ => false,
        })
    }

    /// The place of a text or symbol. Keys that are neither, nor numbers or the like, say themselves what they are equal to.
    #[inline]
    fn search_word(&self, key: &V<'c>, is: impl Fn(&V<'c>) -> bool) -> OrRuby<Option<usize>> {
        for (place, entry) in self.places.iter().enumerate() {
            let Some(Entry { key: known, .. }) = entry else { continue };
            let same = match known {
                V::Str(_) | V::Made(_) | V::Symbol(_) => is(known),
                V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) => false,
                other => is_same_key(other, key)?,
            };
            if same {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Makes the index where there are many entries.
    fn make_index(&mut self) -> OrRuby<()> {
        if self.places.len() <= SMALL {
            return Ok(());
        }
        let mut index = HashTable::with_capacity(2 * self.places.len());
        for (place, entry) in self.places.iter_mut().enumerate() {
            if let Some(entry) = entry {
                if !is_array(&entry.key) {
                    entry.hash = hash_of(&entry.key)?;
                }
                index.insert_unique(entry.hash, (entry.hash, place as u32), |known| known.0);
            }
        }
        self.index = Some(index);
        Ok(())
    }
}

/// Whether a key is an object whose class says what it is equal to.
fn is_own(key: &V<'_>) -> bool {
    matches!(key, V::Object(object) if ["hash", "eql?"].iter().any(|name| object.class.find(name).is_some()))
}

fn is_array(key: &V<'_>) -> bool {
    matches!(key, V::List(_) | V::Array(_))
}

/// A string as a key: Ruby copies and freezes one that could be changed.
fn as_key(key: V<'_>) -> V<'_> {
    match key {
        V::Made(text) if !text.is_frozen() => {
            let text =
                if Rc::strong_count(&text) == 1 { text } else { Rc::new(Shared::new(text.borrow().clone())) };
            text.freeze();
            V::Made(text)
        }
        other => other,
    }
}

/// A number that values share if they are the same key.
pub(crate) fn hash_of(key: &V<'_>) -> OrRuby<u64> {
    let mut hasher = FixedState::with_seed(0).build_hasher();
    put(&mut hasher, key, 0)?;
    Ok(hasher.finish())
}

fn put(hasher: &mut impl Hasher, key: &V<'_>, depth: usize) -> OrRuby<()> {
    budget::spend(1)?;
    if depth > DEEPEST {
        return Err(ForRuby("a deep value"));
    }
    match key {
        V::Nil => hasher.write_u8(0),
        V::Bool(b) => hasher.write_u8(1 + u8::from(*b)),
        V::Int(n) => hasher.write_i64(*n),
        // `0.0` and `-0.0` are the same key.
        V::Float(n) => hasher.write_u64(if *n == 0.0 { 0 } else { n.to_bits() }),
        V::Symbol(name) => {
            hasher.write_u8(3);
            name.hash(hasher);
        }
        V::Str(_) | V::Made(_) => key.text().unwrap_or_default().hash(hasher),
        V::Array(_) | V::List(_) => {
            for item in key.items()?.unwrap_or_default() {
                put(hasher, &item, depth + 1)?;
            }
        }
        // Few of these are keys: all have the same number.
        other => other.may_be_looked_at()?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_however_many_there_are() {
        budget::with(budget::RenderBudget::begin);
        let mut hash = HashValue::default();
        for n in 0..1000 {
            assert!(hash.set(V::Int(n), V::Int(n * 2)).is_ok());
            assert!(hash.set(V::made(format!("{n}")), V::Int(n)).is_ok());
        }
        for n in (0..1000).filter(|n| n % 3 != 0) {
            assert!(matches!(hash.remove(&V::Int(n)), Ok(Some(_))));
        }
        for n in 0..1000 {
            let found = hash.get(&V::Int(n)).unwrap_or_default();
            assert_eq!(matches!(found, Some(V::Int(m)) if m == 2 * n), n % 3 == 0);
            assert!(matches!(hash.get(&V::made(format!("{n}"))), Ok(Some(V::Int(m))) if m == n));
        }
        assert_eq!((hash.len(), hash.iter().count()), (1334, 1334));
        let numbers: Vec<i64> =
            hash.iter().filter_map(|(key, _)| if let V::Int(n) = key { Some(*n) } else { None }).collect();
        assert!(numbers.is_sorted());
    }

    #[test]
    fn a_word_is_no_symbol_and_no_number() {
        budget::with(budget::RenderBudget::begin);
        let keys = [V::Str("1"), V::Symbol("1"), V::Int(1), V::Float(1.0), V::Nil, V::Bool(true)];
        let mut hash = HashValue::default();
        for (n, key) in keys.iter().enumerate() {
            assert!(hash.set(key.clone(), V::Int(n as i64)).is_ok());
        }
        assert_eq!(hash.len(), keys.len());
        for (n, key) in keys.into_iter().chain([V::made("1".to_owned())]).enumerate() {
            let found = hash.get(&key).unwrap_or_default();
            assert!(matches!(found, Some(V::Int(m)) if m == n as i64 % 6), "{n}");
        }
        assert!(matches!(hash.get(&V::Symbol("2")), Ok(None)));
    }

    #[test]
    fn keys_are_found_when_most_others_are_gone() {
        budget::with(budget::RenderBudget::begin);
        let mut hash = HashValue::default();
        for n in 0..40 {
            assert!(hash.set(V::Int(n), V::Int(n)).is_ok());
        }
        for n in 3..40 {
            assert!(matches!(hash.remove(&V::Int(n)), Ok(Some(_))));
        }
        assert!(matches!(hash.get(&V::Int(2)), Ok(Some(V::Int(2)))));
        assert!(hash.set(V::Int(2), V::Nil).is_ok());
        assert_eq!(hash.len(), 3);
    }
}
