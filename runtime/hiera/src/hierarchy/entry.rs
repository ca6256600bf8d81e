//! An entry of a hierarchy: which backend is asked, at which locations, and what is kept of each.

use crate::Invocation;
use crate::backend::context::Context;
use crate::config::Location;
use crate::data_file::cache::Format;
use crate::layer::Layer;
use crate::query::origin;
use bunraku_vm::value::{Hash, Value};
use std::path::PathBuf;
use std::rc::Rc;

/// How a backend is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Gives all data at once.
    DataHash,
    /// Gives all data at once, and is told nothing: a data provider of old.
    LegacyHash,
    /// Is asked for a root key.
    LookupKey,
    /// Is asked for a key with its segments.
    DataDig,
    /// A class of Hiera 3, in Ruby; these are not run.
    Hiera3,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::DataHash => "data_hash",
            Kind::LegacyHash => "v4_data_hash",
            Kind::LookupKey => "lookup_key",
            Kind::DataDig => "data_dig",
            Kind::Hiera3 => "hiera3_backend",
        }
    }

    pub(crate) fn takes_whole_key(self) -> bool {
        matches!(self, Kind::DataDig | Kind::Hiera3)
    }
}

/// Where an entry of a version 3 configuration finds the levels that the old functions put before its own.
pub(crate) struct Levels {
    pub datadir: PathBuf,
    pub extension: String,
}

/// A level of a hierarchy.
pub struct Entry<'c> {
    /// Its name.
    pub name: String,
    pub(crate) kind: Kind,
    pub(crate) function: String,
    pub(crate) options: Hash<'c>,
    /// None where the entry names no location at all.
    pub(crate) locations: Option<Vec<Location>>,
    pub(crate) contexts: Vec<Rc<Context<'c>>>,
    /// Of version 3 only.
    pub(crate) levels: Option<Rc<Levels>>,
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
    pub(crate) fn after(&self, mut before: Vec<Location>) -> Entry<'c> {
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

    /// Whether there is something at one of its locations.
    pub(crate) fn exists(&self, n: usize) -> bool {
        self.locations.as_ref().is_none_or(|all| all[n].exists)
    }

    /// Whether all data are there, where it is asked for all at once.
    pub(crate) fn is_read(&self) -> bool {
        let mut all = self.contexts.iter().enumerate();
        !matches!(self.kind, Kind::DataHash | Kind::LegacyHash)
            || all.all(|(n, context)| !self.exists(n) || context.data.get().is_some())
    }

    /// How its files are written, where the function is one of Puppet's own.
    pub(crate) fn format(&self) -> Option<Format> {
        match self.function.as_str() {
            "yaml_data" => Some(Format::Yaml),
            "json_data" => Some(Format::Json),
            "hocon_data" => Some(Format::Hocon),
            _ => None,
        }
    }

    /// What explanations call it.
    pub(crate) fn explained(&self) -> String {
        match self.kind {
            Kind::LegacyHash => format!("Deprecated API function \"{}\"", self.function),
            _ => format!("Hierarchy entry \"{}\"", self.name),
        }
    }

    /// What errors call its backend.
    pub(crate) fn full_name(&self) -> String {
        if self.kind == Kind::LegacyHash {
            return format!("deprecated API function '{}'", self.function);
        }
        let version = if self.levels.is_some() { "v3_" } else { "" };
        format!("{version}{} function '{}'", self.kind.name(), self.function)
    }
}

/// Where a look-up asks: a layer, an entry of it, and which of that one's locations.
#[derive(Clone, Copy)]
pub(crate) struct At<'a, 'c> {
    pub inv: &'a Invocation<'c>,
    pub layer: &'a Layer<'c>,
    pub entry: &'a Entry<'c>,
    pub n: usize,
}

impl<'a, 'c> At<'a, 'c> {
    /// The location; none where the entry names none.
    pub fn location(self) -> Option<&'a Location> {
        self.entry.locations.as_ref().map(|all| &all[self.n])
    }

    /// The same, if it is a file.
    pub fn file(self) -> Option<&'a Location> {
        self.location().filter(|location| !location.is_uri)
    }

    /// What is kept for it.
    pub fn context(self) -> &'a Rc<Context<'c>> {
        &self.entry.contexts[self.n]
    }

    /// What errors say of it.
    pub fn place(self) -> String {
        self.location().map(|l| format!(", when using location '{}',", l.text)).unwrap_or_default()
    }

    /// Where a value came from that it gave.
    pub fn origin(self, value: Value<'c>) -> origin::Source<'c> {
        let location = self.location();
        let is_uri = location.is_some_and(|location| location.is_uri);
        let format = match self.entry.function.as_str() {
            "eyaml_lookup_key" => Some(Format::Yaml),
            _ => self.entry.format(),
        };
        origin::Source {
            value,
            entry: self.entry.name.clone(),
            location: location.map(|location| location.text.clone()),
            is_uri,
            format: format.filter(|_| !is_uri),
            whole: self.entry.kind.takes_whole_key(),
        }
    }
}
