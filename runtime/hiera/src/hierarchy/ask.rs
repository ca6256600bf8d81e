//! Asking the entries of a layer for a key, in order, and each of their locations.

use super::asked_location::AskedLocation;
use super::entry::{BackendKind, HierarchyEntry};
use super::resolved::LocationSet;
use crate::backend::location_cache::LocationData;
use crate::config::HierarchyName;
use crate::data_file::data::{has_symbol, is_plain};
use crate::data_file::decode::ValueTraits;
use crate::data_file::hash_of;
use crate::explain::{FoundIn, Step};
use crate::fault::lookup_error;
use crate::interpolate::Functions;
use crate::invocation::Invocation;
use crate::key::{Key, Segment};
use crate::layer::Layer;
use crate::merge::MergeStrategy;
use crate::state::Lookups;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::types;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::path::Path;

/// What layers are asked.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a, 'c> {
    /// What the look-up carries with it.
    pub inv: &'a Invocation<'c>,
    /// The key; entries are asked for its root.
    pub key: &'a Key<'c>,
    /// How the values of several entries become one.
    pub strategy: &'a MergeStrategy<'c>,
}

impl<'c> Lookups<'_, 'c> {
    /// What a layer has for the root of a key, in one of its hierarchies.
    ///
    /// # Errors
    /// Those of the layer's configuration and data, and of the functions it names.
    pub(crate) fn ask_layer(
        &self,
        vm: &mut Vm<'c>,
        question: Question<'_, 'c>,
        layer: &Layer<'c>,
        hierarchy: HierarchyName,
    ) -> Eval<'c, Option<Value<'c>>> {
        let inv = question.inv;
        if hierarchy == HierarchyName::Default {
            // What is said of this is no part of the layer's explanation.
            self.resolve(vm, inv, layer)?;
        }
        inv.explain.with(|| layer.explained(), || self.ask_entries(vm, question, layer, hierarchy))
    }

    fn ask_entries(
        &self,
        vm: &mut Vm<'c>,
        question: Question<'_, 'c>,
        layer: &Layer<'c>,
        hierarchy: HierarchyName,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Question { inv, key, strategy } = question;
        let resolved = self.resolve(vm, inv, layer)?;
        let entries = match hierarchy {
            HierarchyName::Main => &resolved.entries,
            HierarchyName::Default => &resolved.default_entries,
        };
        if entries.is_empty() {
            inv.explain.not_found(key.text);
            return Ok(None);
        }
        // The index is of the main hierarchy; who explains wants to hear of every location.
        let asks_all = hierarchy == HierarchyName::Default || inv.explain.is_on() || inv.level.is_some();
        let locations = match asks_all {
            true => LocationSet::ALL,
            false => resolved.locations_of(hash_of(&key.root)),
        };
        if locations.is_empty() {
            return Ok(None);
        }
        let mut first = 0;
        strategy.over(vm, inv.explain, entries.iter(), |vm, entry| {
            let locations = locations.behind(first);
            first += entry.caches.len();
            if !locations.has_any(entry.caches.len()) {
                return Ok(None);
            }
            let extended = self.with_levels(vm, inv, entry)?;
            let entry = extended.as_ref().unwrap_or(entry);
            let ask = || self.ask_entry(vm, question, layer, entry, locations);
            inv.explain.with(|| Step::Entry(entry.explained()), ask)
        })
    }

    /// What some of the locations of an entry have.
    fn ask_entry(
        &self,
        vm: &mut Vm<'c>,
        question: Question<'_, 'c>,
        layer: &Layer<'c>,
        entry: &HierarchyEntry<'c>,
        locations: LocationSet,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Question { inv, key, strategy } = question;
        strategy.over(vm, inv.explain, 0..entry.caches.len(), |vm, number| {
            if !locations.has(number) {
                return Ok(None);
            }
            let at = AskedLocation { inv, layer, entry, number };
            let mut ask = || self.ask_location(vm, at, key);
            match at.location() {
                Some(location) => inv.explain.with(|| Step::Location(location.clone()), ask),
                None => ask(),
            }
        })
    }

    /// What one location of an entry has, with what is to be said of it.
    fn ask_location(
        &self,
        vm: &mut Vm<'c>,
        at: AskedLocation<'_, 'c>,
        key: &Key<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let AskedLocation { inv, entry, .. } = at;
        if at.location().is_some_and(|location| !location.exists) {
            inv.explain.location_not_found();
            return Ok(None);
        }
        let found = match entry.kind {
            BackendKind::Hiera3 => {
                return Err(lookup_error(format!(
                    "The backend '{}' is one of Hiera 3, in Ruby, which is not supported; it should be converted to a \
                     function",
                    entry.function
                )));
            }
            BackendKind::DataHash | BackendKind::LegacyHash => self.value_in_data(vm, at, key)?,
            BackendKind::LookupKey | BackendKind::DataDig => self.value_of_function(vm, at, key)?,
        };
        let is_whole = entry.kind.takes_whole_key();
        let name = if is_whole { key.text } else { &*key.root };
        Ok(match found {
            None => {
                inv.explain.not_found(name);
                None
            }
            Some(value) => {
                inv.explain.found(name, value, FoundIn::Place);
                inv.explain.given(|| at.given(value));
                Some(if is_whole { wrapped(vm, &key.segments, value) } else { value })
            }
        })
    }

    /// What the data of a location have under the root of a key.
    fn value_in_data(
        &self,
        vm: &mut Vm<'c>,
        at: AskedLocation<'_, 'c>,
        key: &Key<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let found = match self.data_of(vm, at)? {
            LocationData::File(file) => match file.find(hash_of(&key.root), &key.root) {
                Some(found) => Some((file.value(found)?, found.traits)),
                None => None,
            },
            LocationData::Hash(hash) => hash.get_str(&key.root).map(|value| (value, ValueTraits::unknown())),
        };
        let Some((value, traits)) = found else { return Ok(None) };
        if traits.is_plain() {
            return Ok(Some(value));
        }
        let subject = || {
            let (name, place) = (at.entry.full_name(), at.place());
            format!("Value for key '{}', in hash returned from {name}{place}", key.root)
        };
        self.check_value(vm, subject, value)?;
        let file = at.file().map(|location| Path::new(&*location.text));
        let before = self.around.enter_file(file);
        let found = self.interpolate(vm, at.inv, value, Functions::Allowed);
        self.around.enter_file(before.as_deref());
        found.map(Some)
    }

    /// What a function that is asked key by key gives; it is asked once for each key.
    fn value_of_function(
        &self,
        vm: &mut Vm<'c>,
        at: AskedLocation<'_, 'c>,
        key: &Key<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let is_whole = at.entry.kind == BackendKind::DataDig;
        let name = if is_whole { key.text } else { &*key.root };
        let known = at.cache().answers.borrow().get(name).copied();
        if known.is_some() {
            return Ok(known);
        }
        let argument = if is_whole {
            let mut path = vec![vm.string(&key.root)];
            path.extend(key.segments.iter().map(|segment| segment_value(vm, segment)));
            vm.array(&path)
        } else {
            vm.string(&key.root)
        };
        let Some(value) = self.call_backend(vm, at, Some(argument))? else { return Ok(None) };
        let subject = || {
            let (function, place) = (at.entry.full_name(), at.place());
            format!("Value for key '{name}', returned from {function}{place}")
        };
        self.check_value(vm, subject, value)?;
        at.cache().answers.borrow_mut().insert(name.to_owned(), value);
        Ok(Some(value))
    }

    fn check_value(
        &self,
        vm: &mut Vm<'c>,
        subject: impl FnOnce() -> String,
        value: Value<'c>,
    ) -> Eval<'c, ()> {
        if is_plain(value) {
            return Ok(());
        }
        let has_symbol = has_symbol(value);
        let ty = types::constant(vm, "Puppet::LookupValue")?;
        if !has_symbol && types::is_instance(vm, ty, value) {
            return Ok(());
        }
        let actual = match value {
            Value::Type(_) => "Runtime[ruby, 'Symbol']".to_owned(),
            other => types::print(types::infer(vm, other)),
        };
        let subject = subject();
        Err(Flow::raw(format!("{subject} has wrong type, expects Puppet::LookupValue, got {actual}")))
    }
}

fn segment_value<'c>(vm: &Vm<'c>, segment: &Segment) -> Value<'c> {
    match segment {
        Segment::Name(name) => vm.string(name),
        Segment::Index(n) => Value::Int(*n),
    }
}

/// A value in arrays and hashes such that the segments lead to it: whoever asked will follow them.
fn wrapped<'c>(vm: &mut Vm<'c>, segments: &[Segment], value: Value<'c>) -> Value<'c> {
    segments.iter().rev().fold(value, |value, segment| match segment {
        Segment::Index(n) => {
            let mut items = vec![Value::Undef; usize::try_from(*n).unwrap_or_default().min(10_000)];
            items.push(value);
            vm.array(&items)
        }
        Segment::Name(name) => {
            let mut hash = HashBuilder::new(vm.arena);
            hash.insert_str(name, value);
            Value::Hash(hash.finish())
        }
    })
}
