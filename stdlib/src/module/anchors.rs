//! Anchors and aliases in YAML (`&1`, `*1`): Psych writes an array or hash that stands in a document several times out once,
//! and then points to it. Texts and numbers it writes out each time.

use bunraku_vm::budget;
use bunraku_vm::value::Value;
use std::collections::HashMap;

/// The arrays and hashes of a document, by where they lie.
#[derive(Default)]
pub(super) struct Anchors {
    places: HashMap<usize, Place>,
    /// How many stand there several times.
    several: u32,
}

/// One of them.
#[derive(Default)]
struct Place {
    /// Its number, where it stands there several times; else 0.
    number: u32,
    written: bool,
}

/// What is written in front of an array or hash, or in its stead.
pub(super) enum Anchor {
    /// `&1`, and itself behind that.
    Here(u32),
    /// `*1`
    Alias(u32),
}

impl Anchors {
    /// Those of a value. Numbers go by where the second ones stand, not the first ones.
    pub fn of(value: Value<'_>) -> Anchors {
        let mut anchors = Anchors::default();
        anchors.look_at(value);
        anchors
    }

    fn look_at(&mut self, value: Value<'_>) {
        let Some(at) = value.address() else { return };
        if let Some(place) = self.places.get_mut(&at) {
            if place.number == 0 {
                self.several += 1;
                place.number = self.several;
            }
            return;
        }
        self.places.insert(at, Place::default());
        match value {
            Value::Array(items) => {
                budget::within(items.len(), || items.items().iter().for_each(|item| self.look_at(*item)));
            }
            Value::Hash(hash) => budget::within(hash.len(), || {
                hash.entries().iter().for_each(|(key, value)| {
                    self.look_at(*key);
                    self.look_at(*value);
                });
            }),
            _ => {}
        }
    }

    /// What belongs where a value is to be written now.
    pub fn next(&mut self, value: Value<'_>) -> Option<Anchor> {
        if self.several == 0 {
            return None;
        }
        let place = self.places.get_mut(&value.address()?).filter(|place| place.number > 0)?;
        match std::mem::replace(&mut place.written, true) {
            true => Some(Anchor::Alias(place.number)),
            false => Some(Anchor::Here(place.number)),
        }
    }
}
