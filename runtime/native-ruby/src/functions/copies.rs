//! Arrays and hashes of Puppet's that a function or template may change in place: it is lent copies, and what these have become
//! goes to wherever the compile holds the originals.

use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{V, compare};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

/// Arrays and hashes that have been changed in place, each with what it has become.
pub type Changes<'c> = Vec<(Value<'c>, Value<'c>)>;

/// Deeper values are Ruby's.
const DEEPEST: usize = 60;

/// Something by where an array or hash lies. Each run has some of these, and most run without any entry: no seed is drawn for them.
type ByPlace<T> = HashMap<usize, T, FixedState>;

/// What has been lent: originals, with the copies that stand for them.
#[derive(Default)]
pub(crate) struct Lending<'c> {
    /// By where the original lies. What is one object is lent as one.
    copies: ByPlace<(Value<'c>, V<'c>)>,
    /// Where the original lies, by where the copy does.
    originals: ByPlace<usize>,
    /// What copies and new collections have become, by where they lie.
    returned: ByPlace<Value<'c>>,
}

/// Adds where a value and all arrays and hashes in it lie. That is not to read them.
pub fn add_places(places: &mut HashSet<usize>, value: Value<'_>) {
    if value.address().is_none_or(|place| !places.insert(place)) {
        return;
    }
    match value {
        Value::Array(items) => items.items().iter().for_each(|item| add_places(places, *item)),
        Value::Hash(hash) => hash.entries_unasked().iter().for_each(|(_, value)| add_places(places, *value)),
        _ => {}
    }
}

/// Whether an array or hash lies at one of these places.
pub(crate) fn has_place(places: &HashSet<usize>, value: Value<'_>) -> bool {
    value.address().is_some_and(|place| places.contains(&place))
}

fn copy_place(value: &V<'_>) -> Option<usize> {
    match value {
        V::List(items) => Some(Rc::as_ptr(items).addr()),
        V::Map(map) => Some(Rc::as_ptr(map).addr()),
        _ => None,
    }
}

impl<'c> Lending<'c> {
    /// The value with all arrays and hashes in it lent.
    ///
    /// # Errors
    /// That it is too deep.
    pub fn lend(&mut self, value: Value<'c>, depth: usize) -> OrRuby<V<'c>> {
        budget::spend(1)?;
        let Some(place) = value.address() else { return Ok(V::from(value)) };
        if let Some((_, copy)) = self.copies.get(&place) {
            return Ok(copy.clone());
        }
        if depth > DEEPEST {
            return Err(ForRuby("a deep value"));
        }
        let copy = match value {
            Value::Array(items) => {
                let items = items.items().iter().map(|item| self.lend(*item, depth + 1));
                V::list(items.collect::<OrRuby<_>>()?)
            }
            Value::Hash(hash) => {
                let entries = hash.entries().iter();
                let entries = entries.map(|(key, value)| Ok((V::from(*key), self.lend(*value, depth + 1)?)));
                V::map(entries.collect::<OrRuby<Vec<_>>>()?)?
            }
            other => V::from(other),
        };
        self.originals.extend(copy_place(&copy).map(|at| (at, place)));
        self.copies.insert(place, (value, copy.clone()));
        Ok(copy)
    }

    /// Whether nothing has been lent.
    pub fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// Whether any copy holds something else than its original.
    ///
    /// # Errors
    /// Those of comparing.
    pub fn has_changed(&self) -> OrRuby<bool> {
        self.copies.values().try_fold(false, |changed, (original, copy)| {
            budget::spend(1)?;
            Ok(changed || !self.is_as_lent(copy, *original)?)
        })
    }

    /// Whether a copy holds what its original does: copies of the same arrays and hashes, and equal other values.
    fn is_as_lent(&self, copy: &V<'c>, original: Value<'c>) -> OrRuby<bool> {
        let is_same = |copy: &V<'c>, original: Value<'c>| match (copy, original.address()) {
            (V::List(_) | V::Map(_), place) => {
                Ok(copy_place(copy).and_then(|at| self.originals.get(&at).copied()) == place
                    && place.is_some())
            }
            (V::Other(copy), _) => Ok(copy.same(original)),
            (copy, _) => match V::from(original) {
                V::Other(_) => Ok(false),
                original => compare::is_eql(copy, &original),
            },
        };
        match (copy, original) {
            (V::List(copy), Value::Array(original)) => {
                let copy = copy.try_borrow()?;
                if copy.len() != original.items().len() {
                    return Ok(false);
                }
                for (copy, original) in copy.iter().zip(original.items()) {
                    if !is_same(copy, *original)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (V::Map(copy), Value::Hash(original)) => {
                let copy = copy.try_borrow()?;
                if copy.len() != original.len() {
                    return Ok(false);
                }
                for ((key, value), (known, original)) in copy.iter().zip(original.entries()) {
                    if !compare::is_eql(key, &V::from(*known))? || !is_same(value, *original)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether an array or hash that was lent lies at one of these places.
    pub fn has_any_of(&self, places: &HashSet<usize>) -> bool {
        self.copies.keys().any(|place| places.contains(place))
    }

    /// A value as one of the compile: the original of a copy that has not been changed.
    ///
    /// # Errors
    /// What [`V::to_value`] says of what is no array or hash; that it is too deep.
    pub fn returned(&mut self, vm: &Vm<'c>, value: &V<'c>, depth: usize) -> OrRuby<Value<'c>> {
        budget::spend(1)?;
        let Some(place) = copy_place(value) else { return value.to_value(vm) };
        if let Some(known) = self.returned.get(&place) {
            return Ok(*known);
        }
        if depth > DEEPEST {
            return Err(ForRuby("a deep value"));
        }
        let original =
            self.originals.get(&place).and_then(|place| self.copies.get(place)).map(|known| known.0);
        let made = match value {
            V::List(items) => {
                let items = items.try_borrow()?;
                let items = items.iter().map(|item| self.returned(vm, item, depth + 1));
                vm.array(&items.collect::<OrRuby<Vec<_>>>()?)
            }
            V::Map(map) => {
                let map = map.try_borrow()?;
                let mut hash = HashBuilder::new(vm.arena);
                for (key, value) in map.iter() {
                    hash.insert(key.to_value(vm)?, self.returned(vm, value, depth + 1)?);
                }
                Value::Hash(hash.finish())
            }
            other => other.to_value(vm)?,
        };
        let made = original.filter(|original| has_same_parts(*original, made)).unwrap_or(made);
        self.returned.insert(place, made);
        Ok(made)
    }

    /// The originals whose copies have been changed, each with what it has become.
    ///
    /// # Errors
    /// Those of [`Lending::returned`].
    pub fn changed(&mut self, vm: &Vm<'c>) -> OrRuby<Changes<'c>> {
        let lent: Vec<_> = self.copies.values().cloned().collect();
        let mut changed = Vec::new();
        for (original, copy) in lent {
            let now = self.returned(vm, &copy, 0)?;
            if now.address() != original.address() {
                changed.push((original, now));
            }
        }
        Ok(changed)
    }
}

/// Whether two arrays or hashes hold the same values in the same order: the same arrays and hashes, and equal other ones.
fn has_same_parts<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    let same = |a: Value<'c>, b: Value<'c>| match (a.address(), b.address()) {
        (None, None) => a.same(b),
        (a, b) => a == b,
    };
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.size() == b.size() && a.items().iter().zip(b.items()).all(|(a, b)| same(*a, *b))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            let mut both = a.entries().iter().zip(b.entries());
            a.len() == b.len() && both.all(|(a, b)| a.0.same(b.0) && same(a.1, b.1))
        }
        _ => false,
    }
}
