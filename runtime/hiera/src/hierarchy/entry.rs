//! An entry of a hierarchy: which backend is asked, at which locations, and what is kept of each.

use crate::backend::location_cache::LocationCache;
use crate::config::location::Location;
use crate::data_file::DataFormat;
use bunraku_vm::value::Hash;
use std::path::PathBuf;
use std::rc::Rc;

/// How a backend is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendKind {
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

impl BackendKind {
    /// The kind of the key that names a function in `hiera.yaml`.
    pub(crate) fn of_key(key: &str) -> BackendKind {
        match key {
            "lookup_key" => BackendKind::LookupKey,
            "data_dig" => BackendKind::DataDig,
            "hiera3_backend" => BackendKind::Hiera3,
            "v4_data_hash" => BackendKind::LegacyHash,
            _ => BackendKind::DataHash,
        }
    }

    /// What errors call it: the key that names it in `hiera.yaml`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BackendKind::DataHash => "data_hash",
            BackendKind::LegacyHash => "v4_data_hash",
            BackendKind::LookupKey => "lookup_key",
            BackendKind::DataDig => "data_dig",
            BackendKind::Hiera3 => "hiera3_backend",
        }
    }

    /// Whether it is asked for a key with its segments, and so gives what these lead to.
    pub(crate) fn takes_whole_key(self) -> bool {
        matches!(self, BackendKind::DataDig | BackendKind::Hiera3)
    }
}

/// Where an entry of a version 3 configuration finds the files of levels.
pub(crate) struct ExtraLevels {
    /// The folder they lie in.
    pub datadir: PathBuf,
    /// What is put behind names that don't end so.
    pub extension: String,
}

/// An entry of a hierarchy.
pub struct HierarchyEntry<'c> {
    /// Its name.
    pub name: String,
    pub(crate) kind: BackendKind,
    pub(crate) function: String,
    pub(crate) options: Hash<'c>,
    /// None where the entry names no location at all.
    pub(crate) locations: Option<Vec<Location>>,
    /// What is kept of each location; of the only one, where the entry names none.
    pub(crate) caches: Vec<Rc<LocationCache<'c>>>,
    /// For the levels that the old functions put before its own; of version 3 only.
    pub(crate) levels: Option<Rc<ExtraLevels>>,
}

impl<'c> HierarchyEntry<'c> {
    /// An entry.
    pub fn new(
        name: &str,
        kind: BackendKind,
        function: &str,
        options: Hash<'c>,
        locations: Option<Vec<Location>>,
    ) -> HierarchyEntry<'c> {
        let count = locations.as_ref().map_or(1, Vec::len);
        let caches = (0..count).map(|_| Rc::new(LocationCache::default())).collect();
        let (name, function) = (name.to_owned(), function.to_owned());
        HierarchyEntry { name, kind, function, options, locations, caches, levels: None }
    }

    /// The same entry with other locations before its own.
    pub(crate) fn after(&self, mut before: Vec<Location>) -> HierarchyEntry<'c> {
        let fresh = before.iter().map(|_| Rc::new(LocationCache::default()));
        let caches = fresh.chain(self.caches.iter().cloned()).collect();
        before.extend(self.locations.iter().flatten().cloned());
        HierarchyEntry {
            name: self.name.clone(),
            kind: self.kind,
            function: self.function.clone(),
            options: self.options,
            locations: Some(before),
            caches,
            levels: self.levels.clone(),
        }
    }

    /// Whether there is something at one of its locations.
    pub(crate) fn exists(&self, n: usize) -> bool {
        self.locations.as_ref().is_none_or(|all| all[n].exists)
    }

    /// Whether all data are there, where it is asked for all at once.
    pub(crate) fn is_read(&self) -> bool {
        let mut all = self.caches.iter().enumerate();
        !matches!(self.kind, BackendKind::DataHash | BackendKind::LegacyHash)
            || all.all(|(n, cache)| !self.exists(n) || cache.data.get().is_some())
    }

    /// Whether it has options although its function, one that reads files, takes a path alone: to Puppet, there is no path then. Those
    /// of version 3 are its backends'.
    pub(crate) fn has_surplus_options(&self) -> bool {
        self.levels.is_none() && !self.options.is_empty()
    }

    /// How its files are written, where the function is one of Puppet's own.
    pub(crate) fn format(&self) -> Option<DataFormat> {
        DataFormat::read_by(&self.function)
    }

    /// The module whose code its function is called as; empty for none.
    pub(crate) fn module(&self) -> &str {
        self.function.split_once("::").map_or("", |(module, _)| module)
    }

    /// What explanations call it.
    pub(crate) fn explained(&self) -> String {
        match self.kind {
            BackendKind::LegacyHash => format!("Deprecated API function \"{}\"", self.function),
            _ => format!("Hierarchy entry \"{}\"", self.name),
        }
    }

    /// What errors call its backend.
    pub(crate) fn full_name(&self) -> String {
        if self.kind == BackendKind::LegacyHash {
            return format!("deprecated API function '{}'", self.function);
        }
        let version = if self.levels.is_some() { "v3_" } else { "" };
        format!("{version}{} function '{}'", self.kind.name(), self.function)
    }
}
