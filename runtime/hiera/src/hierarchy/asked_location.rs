//! Where a look-up asks for a value.

use super::entry::HierarchyEntry;
use crate::backend::location_cache::LocationCache;
use crate::config::location::Location;
use crate::data_file::DataFormat;
use crate::explain::GivenValue;
use crate::invocation::Invocation;
use crate::layer::Layer;
use bunraku_vm::value::Value;
use std::rc::Rc;

/// Where a look-up asks: a layer, an entry of it, and which of that one's locations.
#[derive(Clone, Copy)]
pub(crate) struct AskedLocation<'a, 'c> {
    pub inv: &'a Invocation<'c>,
    pub layer: &'a Layer<'c>,
    pub entry: &'a HierarchyEntry<'c>,
    /// The number of the location, 0 where the entry names none.
    pub number: usize,
}

impl<'a, 'c> AskedLocation<'a, 'c> {
    /// The location; none where the entry names none.
    pub fn location(self) -> Option<&'a Location> {
        self.entry.locations.as_ref().map(|all| &all[self.number])
    }

    /// The same, if it is a file.
    pub fn file(self) -> Option<&'a Location> {
        self.location().filter(|location| location.is_file())
    }

    /// What is kept for it.
    pub fn cache(self) -> &'a Rc<LocationCache<'c>> {
        &self.entry.caches[self.number]
    }

    /// What errors say of it.
    pub fn place(self) -> String {
        self.location().map(|l| format!(", when using location '{}',", l.text)).unwrap_or_default()
    }

    /// A value that it gave, with where it came from.
    pub fn given(self, value: Value<'c>) -> GivenValue<'c> {
        let format = match self.entry.function.as_str() {
            "eyaml_lookup_key" => Some(DataFormat::Yaml),
            _ => self.entry.format(),
        };
        let location = self.location().cloned();
        GivenValue {
            value,
            entry: self.entry.name.clone(),
            format: format.filter(|_| location.as_ref().is_none_or(Location::is_file)),
            location,
            is_of_whole_key: self.entry.kind.takes_whole_key(),
        }
    }
}
