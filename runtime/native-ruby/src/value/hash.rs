//! Hashes that templates make: found, read and set by key.

use super::{HashValue, V};
use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::compare::is_same_key;

/// Larger hashes are left to Ruby.
const LARGEST_MAP: usize = 400;

impl<'c> HashValue<'c> {
    /// Whether it has more entries than [`LARGEST_MAP`].
    pub fn is_large(&self) -> bool {
        self.entries.len() > LARGEST_MAP
    }

    /// The place of a key among the entries.
    pub fn find(&self, key: &V<'c>) -> OrRuby<Option<usize>> {
        budget::spend(self.entries.len() as u64 / 8)?;
        let text = key.text();
        for (place, (known, _)) in self.entries.iter().enumerate() {
            let same = match (text, known.text()) {
                (Some(a), Some(b)) => a == b,
                _ => is_same_key(known, key)?,
            };
            if same {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// The value at a key.
    pub fn get(&self, key: &V<'c>) -> OrRuby<Option<V<'c>>> {
        Ok(self.find(key)?.map(|place| self.entries[place].1.clone()))
    }

    /// Sets the value at a key, behind the others if it is a new one.
    pub fn set(&mut self, key: V<'c>, value: V<'c>) -> OrRuby<()> {
        match self.find(&key)? {
            Some(place) => self.entries[place].1 = value,
            None if self.entries.len() >= LARGEST_MAP => return Err(ForRuby("a large hash")),
            None => self.entries.push((key, value)),
        }
        Ok(())
    }
}
