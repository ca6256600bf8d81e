//! An entry of a hierarchy: which backend is asked, at which locations, and what is kept of each.

use super::config::Location;
use super::context::Context;
use super::files::Format;
use super::origin;
use bunraku_vm::value::{Hash, Value};
use std::path::PathBuf;
use std::rc::Rc;

/// How a backend is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Gives all data at once.
    DataHash,
    /// Is asked for a root key.
    LookupKey,
    /// Is asked for a key with its segments.
    DataDig,
    /// A class of Hiera 3, in Ruby; these are not run.
    Hiera3,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::DataHash => "data_hash",
            Kind::LookupKey => "lookup_key",
            Kind::DataDig => "data_dig",
            Kind::Hiera3 => "hiera3_backend",
        }
    }

    pub(super) fn takes_whole_key(self) -> bool {
        matches!(self, Kind::DataDig | Kind::Hiera3)
    }
}

/// Where an entry of a version 3 configuration finds the levels that the old functions put before its own.
pub(super) struct Levels {
    pub datadir: PathBuf,
    pub extension: String,
}

/// A level of a hierarchy.
pub struct Entry<'c> {
    /// Its name.
    pub name: String,
    pub(super) kind: Kind,
    pub(super) function: String,
    pub(super) options: Hash<'c>,
    /// None where the entry names no location at all.
    pub(super) locations: Option<Vec<Location>>,
    pub(super) contexts: Vec<Rc<Context<'c>>>,
    /// Of version 3 only.
    pub(super) levels: Option<Rc<Levels>>,
}

impl<'c> Entry<'c> {
    /// An entry.
    pub fn new(
        name: &str,
        kind: Kind,
        function: &str,
        options: Hash<'c>,
        locations: Option<Vec<Location>>,
    ) -> Entry<'c> {
        let count = locations.as_ref().map_or(1, Vec::len);
        let contexts = (0..count).map(|_| Rc::new(Context::default())).collect();
        let (name, function) = (name.to_owned(), function.to_owned());
        Entry { name, kind, function, options, locations, contexts, levels: None }
    }

    /// The same entry with other locations before its own.
    pub(super) fn after(&self, mut before: Vec<Location>) -> Entry<'c> {
        let fresh = before.iter().map(|_| Rc::new(Context::default()));
        let contexts = fresh.chain(self.contexts.iter().cloned()).collect();
        before.extend(self.locations.iter().flatten().cloned());
        Entry {
            name: self.name.clone(),
            kind: self.kind,
            function: self.function.clone(),
            options: self.options,
            locations: Some(before),
            contexts,
            levels: self.levels.clone(),
        }
    }

    /// What it gave at one of its locations.
    pub(super) fn source(&self, n: usize, value: Value<'c>) -> origin::Source<'c> {
        let location = self.locations.as_ref().map(|all| &all[n]);
        let is_uri = location.is_some_and(|location| location.is_uri);
        let format = match self.function.as_str() {
            "eyaml_lookup_key" => Some(Format::Yaml),
            _ => self.format(),
        };
        origin::Source {
            value,
            entry: self.name.clone(),
            location: location.map(|location| location.text.clone()),
            is_uri,
            format: format.filter(|_| !is_uri),
            whole: self.kind.takes_whole_key(),
        }
    }

    /// What errors say of one of its locations.
    pub(super) fn place(&self, n: usize) -> String {
        let location = self.locations.as_ref().map(|all| &all[n]);
        location.map(|l| format!(", when using location '{}',", l.text)).unwrap_or_default()
    }

    /// How its files are written, where the function is one of Puppet's own.
    pub(super) fn format(&self) -> Option<Format> {
        match self.function.as_str() {
            "yaml_data" => Some(Format::Yaml),
            "json_data" => Some(Format::Json),
            "hocon_data" => Some(Format::Hocon),
            _ => None,
        }
    }

    /// What errors call its backend.
    pub(super) fn full_name(&self) -> String {
        let version = if self.levels.is_some() { "v3_" } else { "" };
        format!("{version}{} function '{}'", self.kind.name(), self.function)
    }
}
