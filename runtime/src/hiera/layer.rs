//! A layer: the global one, the environment's, a module's. Its entries are asked in order.

use super::Invocation;
use super::config::{Config, Location};
use super::context::{Context, Source};
use super::explain::{Explain, What};
use super::eyaml;
use super::file::{self, FileOptions, Says, Traits};
use super::files::Format;
use super::key::{Key, Segment, lookup_error};
use super::memo::Variable;
use super::merge::Strategy;
use super::options::{LOOKUP_OPTIONS, is_of_module};
use super::origin;
use crate::compile::Compile;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::Strict;
use bunraku_vm::types::{self, mismatch};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashTable;
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Which layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// That of `hiera_config`.
    Global,
    /// The environment's.
    Environment,
    /// A module's.
    Module,
}

/// A layer with its configuration.
pub struct Layer<'c> {
    /// Which it is.
    pub place: Place,
    /// The module it belongs to.
    pub module: Option<&'c str>,
    /// The configuration.
    pub config: Config<'c>,
    resolved: RefCell<Option<Rc<Resolved<'c>>>>,
}

/// Hierarchies resolved for certain values of variables.
pub(super) struct Resolved<'c> {
    entries: Vec<Entry<'c>>,
    last: Vec<Entry<'c>>,
    variables: Vec<(Key<'c>, Value<'c>)>,
    /// What those variables are parts of, and what that was.
    roots: Vec<Variable<'c>>,
    /// The scope, by number, in which they can no longer become anything else.
    settled_in: Cell<Option<u32>>,
    /// Where in `entries` a key may be found, once their files are read.
    index: OnceCell<Index>,
}

/// Which locations may have a key: a bit each, counted through all entries.
struct Index {
    /// By the hashes of keys: who is told to ask a location finds out whether it has the key.
    keys: HashTable<(u64, u64)>,
    /// Those that have to be asked whatever the key.
    always: u64,
}

impl Index {
    /// The index of entries; none while a file is unread, or where there are too many locations.
    fn of(entries: &[Entry<'_>]) -> Option<Index> {
        if entries.iter().map(|entry| entry.contexts.len()).sum::<usize>() > 64 {
            return None;
        }
        let mut index = Index { keys: HashTable::new(), always: 0 };
        let mut bit = 1;
        for entry in entries {
            for (n, context) in entry.contexts.iter().enumerate() {
                if entry.kind != Kind::DataHash {
                    index.always |= bit;
                } else if entry.locations.as_ref().is_none_or(|all| all[n].exists) {
                    match context.data.get()? {
                        Source::File(file) => index.add(file.hashes(), bit),
                        Source::Hash(hash) => {
                            let keys = hash.entries().iter().filter_map(|(key, _)| key.as_str());
                            index.add(keys.map(file::hash_of), bit);
                        }
                    }
                }
                bit <<= 1;
            }
        }
        Some(index)
    }

    fn add(&mut self, hashes: impl Iterator<Item = u64>, bit: u64) {
        self.keys.reserve(hashes.size_hint().0, |(hash, _)| *hash);
        for hash in hashes {
            match self.keys.find_mut(hash, |(other, _)| *other == hash) {
                Some((_, bits)) => *bits |= bit,
                None => _ = self.keys.insert_unique(hash, (hash, bit), |(hash, _)| *hash),
            }
        }
    }
}

impl Resolved<'_> {
    /// The locations of `entries` that may have a key of this hash.
    pub fn places(&self, hash: u64) -> u64 {
        if self.index.get().is_none()
            && let Some(index) = Index::of(&self.entries)
        {
            let _ = self.index.set(index);
        }
        let Some(index) = self.index.get() else { return u64::MAX };
        let found = index.keys.find(hash, |(other, _)| *other == hash);
        index.always | found.map_or(0, |(_, bits)| *bits)
    }
}

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
    fn name(self) -> &'static str {
        match self {
            Kind::DataHash => "data_hash",
            Kind::LookupKey => "lookup_key",
            Kind::DataDig => "data_dig",
            Kind::Hiera3 => "hiera3_backend",
        }
    }

    fn takes_whole_key(self) -> bool {
        matches!(self, Kind::DataDig | Kind::Hiera3)
    }
}

/// Where an entry of a version 3 configuration finds the levels that the old functions put before its own.
pub(super) struct Levels {
    pub datadir: PathBuf,
    pub extension: String,
}

/// What a location or a function gave.
enum Data<'c> {
    Source(Source<'c>),
    Value(Value<'c>),
}

/// A level of a hierarchy.
pub struct Entry<'c> {
    /// Its name.
    pub name: String,
    kind: Kind,
    function: String,
    options: Hash<'c>,
    /// None where the entry names no location at all.
    locations: Option<Vec<Location>>,
    contexts: Vec<Rc<Context<'c>>>,
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
    fn source(&self, n: usize, value: Value<'c>) -> origin::Source<'c> {
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
    fn place(&self, n: usize) -> String {
        let location = self.locations.as_ref().map(|all| &all[n]);
        location.map(|l| format!(", when using location '{}',", l.text)).unwrap_or_default()
    }

    /// How its files are written, where the function is one of Puppet's own.
    fn format(&self) -> Option<Format> {
        match self.function.as_str() {
            "yaml_data" => Some(Format::Yaml),
            "json_data" => Some(Format::Json),
            "hocon_data" => Some(Format::Hocon),
            _ => None,
        }
    }

    /// What errors call its backend.
    fn full_name(&self) -> String {
        let version = if self.levels.is_some() { "v3_" } else { "" };
        format!("{version}{} function '{}'", self.kind.name(), self.function)
    }
}

impl<'c> Layer<'c> {
    /// A layer of this configuration.
    pub fn new(place: Place, module: Option<&'c str>, config: Config<'c>) -> Layer<'c> {
        Layer { place, module, config, resolved: RefCell::new(None) }
    }

    /// Its hierarchies as they were resolved last.
    pub(super) fn resolved(&self) -> Option<Rc<Resolved<'c>>> {
        self.resolved.borrow().clone()
    }

    fn explained(&self) -> What<'c> {
        let name = match (self.module, self.place) {
            (Some(module), _) => format!("Module \"{module}\""),
            (None, Place::Global) => "Global".to_owned(),
            (None, _) => "Environment".to_owned(),
        };
        let version = self.config.version;
        let path = self.config.path.as_ref().map(|path| path.display().to_string());
        let name = format!("{name} Data Provider (hiera configuration version {version})");
        What::Layer(name, path, self.module.map(str::to_owned))
    }
}

/// So many bits.
fn mask(count: usize) -> u64 {
    1u64.checked_shl(count as u32).map_or(u64::MAX, |bit| bit - 1)
}

/// Whether a variable that a scope finds stays what it is there: of top scope, or one that code can't assign.
fn is_settled(name: &str) -> bool {
    matches!(name, "facts" | "trusted") || name.strip_prefix("::").is_some_and(|name| !name.contains("::"))
}

impl<'c> Compile<'c> {
    /// Whether all variables in which hierarchies name something are what they were when those were resolved.
    pub(super) fn stands(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, kept: &Resolved<'c>) -> bool {
        let is_plain = !inv.old_scope;
        if is_plain && kept.settled_in.get() == Some(inv.scope.id) {
            kept.roots.iter().for_each(|root| self.hiera.memos.asked(*root));
            return true;
        }
        if !kept.roots.iter().all(|root| self.is_unchanged(vm, inv, root)) {
            return false;
        }
        let settled = |root: &Variable<'c>| root.value.is_some() && is_settled(vm.symbols.text(root.name));
        if is_plain && kept.roots.iter().all(settled) {
            kept.settled_in.set(Some(inv.scope.id));
        }
        true
    }

    fn resolve(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
    ) -> Eval<'c, Rc<Resolved<'c>>> {
        if let Some(kept) = layer.resolved() {
            if self.stands(vm, inv, &kept) {
                return Ok(kept);
            }
            if kept.variables.iter().all(|(key, value)| self.variable_now(vm, inv, key).same(*value)) {
                return Ok(kept);
            }
            inv.explain.text(|| {
                "Hiera configuration recreated due to change of scope variables used in interpolation expressions"
                    .to_owned()
            });
        }
        // Configurations are resolved with the scope alone, and nobody explains it.
        let explain = Explain::default();
        let plain = Invocation { overrides: None, defaults: None, explain, ..*inv };
        let outer = self.hiera.record();
        let entries = self.resolve_entries(vm, &plain, &layer.config, "hierarchy");
        let last = match &entries {
            Ok(_) => self.resolve_entries(vm, &plain, &layer.config, "default_hierarchy"),
            Err(_) => Ok(Vec::new()),
        };
        let variables = self.hiera.recorded(outer).into_iter();
        let variables: Vec<(Key<'c>, Value<'c>)> = variables
            .filter_map(|(name, value)| Some((Key::split(self.arena.alloc_str(&name))?, value)))
            .collect();
        let mut roots: Vec<Variable<'c>> = Vec::new();
        for (key, _) in &variables {
            let name = vm.symbols.intern(&key.root);
            if !roots.iter().any(|root| root.name == name) {
                let value = self.find_variable(vm, inv, &key.root);
                roots.push(Variable { name, is_qualified: key.root.contains("::"), value });
            }
        }
        let (entries, last) = (entries?, last?);
        let resolved = Rc::new(Resolved {
            entries,
            last,
            variables,
            roots,
            settled_in: Cell::new(None),
            index: OnceCell::new(),
        });
        *layer.resolved.borrow_mut() = Some(resolved.clone());
        Ok(resolved)
    }

    /// What a layer has for a root key; `last` asks a module's default hierarchy.
    pub(super) fn ask_layer(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        key: &Key<'c>,
        strategy: &Strategy<'c>,
        last: bool,
    ) -> Eval<'c, Option<Value<'c>>> {
        let explain = inv.explain;
        let ask = |vm: &mut Vm<'c>| {
            let resolved = self.resolve(vm, inv, layer)?;
            let entries = if last { &resolved.last } else { &resolved.entries };
            if entries.is_empty() {
                explain.not_found(key.text);
                return Ok(None);
            }
            // Who explains wants to hear of every location.
            let all = last || explain.0.is_some() || inv.level.is_some();
            let places = if all { u64::MAX } else { resolved.places(file::hash_of(&key.root)) };
            if places == 0 {
                return Ok(None);
            }
            let mut first = 0;
            strategy.over(vm, explain, entries.iter(), |vm, entry| {
                let base = first;
                first += entry.contexts.len();
                if places != u64::MAX && places >> base & mask(entry.contexts.len()) == 0 {
                    return Ok(None);
                }
                let extended = self.with_levels(vm, inv, entry)?;
                let entry = extended.as_ref().unwrap_or(entry);
                let count = entry.contexts.len();
                let ask = || {
                    strategy.over(vm, explain, 0..count, |vm, n| {
                        if places != u64::MAX && places >> (base + n) & 1 == 0 {
                            return Ok(None);
                        }
                        let location = entry.locations.as_ref().map(|all| &all[n]);
                        let mut ask = || self.ask_location(vm, inv, layer, entry, n, key);
                        match location {
                            Some(location) => explain.with(|| location.explained(), ask),
                            None => ask(),
                        }
                    })
                };
                explain.with(|| What::Entry(format!("Hierarchy entry \"{}\"", entry.name)), ask)
            })
        };
        if last {
            self.resolve(vm, inv, layer)?;
        }
        explain.with(|| layer.explained(), || ask(vm))
    }

    /// What one location of an entry has, with what is to be said of it.
    fn ask_location(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        entry: &Entry<'c>,
        n: usize,
        key: &Key<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        if entry.locations.as_ref().is_some_and(|all| !all[n].exists) {
            inv.explain.location_not_found();
            return Ok(None);
        }
        let found = self.ask_entry(vm, inv, layer, entry, n, key)?;
        let whole = entry.kind.takes_whole_key();
        let name = if whole { key.text } else { &*key.root };
        Ok(match found {
            None => {
                inv.explain.not_found(name);
                None
            }
            Some(value) => {
                inv.explain.found(name, value);
                inv.explain.source(|| entry.source(n, value));
                Some(if whole { undig(vm, &key.segments, value) } else { value })
            }
        })
    }

    fn ask_entry(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        entry: &Entry<'c>,
        n: usize,
        key: &Key<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let context = &entry.contexts[n];
        // Words of errors: look-ups that go well need none.
        let place = || entry.place(n);
        let full_name = || entry.full_name();
        match entry.kind {
            Kind::Hiera3 => Err(lookup_error(format!(
                "The backend '{}' is one of Hiera 3, in Ruby, which is not supported; it should be converted to a \
                 function",
                entry.function
            ))),
            Kind::DataHash => {
                let found = match self.source(vm, inv, layer, entry, n)? {
                    Source::File(file) => match file.find(file::hash_of(&key.root), &key.root) {
                        Some(found) => Some((file.value(found)?, found.traits)),
                        None => None,
                    },
                    Source::Hash(hash) => hash.get_str(&key.root).map(|value| (value, Traits::unknown())),
                };
                let Some((value, traits)) = found else { return Ok(None) };
                if traits == Traits::default() {
                    return Ok(Some(value));
                }
                let subject = || {
                    let (name, place) = (full_name(), place());
                    format!("Value for key '{}', in hash returned from {name}{place}", key.root)
                };
                self.check_value(vm, subject, value)?;
                self.interpolate(vm, inv, value, true).map(Some)
            }
            Kind::LookupKey | Kind::DataDig => {
                let whole = entry.kind == Kind::DataDig;
                let name = if whole { key.text } else { &*key.root };
                let known = context.answers.borrow().get(name).copied();
                let value = match known {
                    Some(value) => value,
                    None => {
                        let argument = if whole {
                            let mut path = vec![vm.string(&key.root)];
                            path.extend(key.segments.iter().map(|segment| segment_value(vm, segment)));
                            vm.array(&path)
                        } else {
                            vm.string(&key.root)
                        };
                        let Some(value) = self.call_backend(vm, inv, layer, entry, n, Some(argument))? else {
                            return Ok(None);
                        };
                        let subject = || {
                            let (function, place) = (full_name(), place());
                            format!("Value for key '{name}', returned from {function}{place}")
                        };
                        self.check_value(vm, subject, value)?;
                        context.answers.borrow_mut().insert(name.to_owned(), value);
                        value
                    }
                };
                Ok(Some(value))
            }
        }
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
        let symbol = super::data::has_symbol(value);
        let ty = types::constant(vm, "Puppet::LookupValue")?;
        if !symbol && types::is_instance(vm, ty, value) {
            return Ok(());
        }
        let actual = match value {
            Value::Type(_) => "Runtime[ruby, 'Symbol']".to_owned(),
            other => types::print(types::infer(vm, other)),
        };
        let subject = subject();
        Err(Flow::raw(format!("{subject} has wrong type, expects Puppet::LookupValue, got {actual}")))
    }

    /// All data of a location.
    fn source(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        entry: &Entry<'c>,
        n: usize,
    ) -> Eval<'c, Source<'c>> {
        if let Some(known) = entry.contexts[n].data.get() {
            return Ok(known);
        }
        let data = self.data_hash(vm, inv, layer, entry, n)?;
        let subject = || format!("Value returned from {}{}", entry.full_name(), entry.place(n));
        let source = self.check_data_hash(vm, layer, data, subject)?;
        entry.contexts[n].data.set(Some(source));
        Ok(source)
    }

    /// Adds what `lookup_options` the files of a layer have; none if there is more to them than plain files, or
    /// something is wrong.
    pub(super) fn file_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        all: &mut Vec<FileOptions<'c>>,
    ) -> Option<()> {
        let resolved = self.resolve(vm, inv, layer).ok()?;
        let is_file = |entry: &Entry<'c>| {
            let are_files = |all: &Vec<Location>| !all.iter().any(|location| location.is_uri);
            entry.kind == Kind::DataHash
                && entry.format().is_some()
                && entry.levels.is_none()
                && entry.locations.as_ref().is_some_and(are_files)
        };
        if !resolved.entries.iter().all(is_file) {
            return None;
        }
        for entry in &resolved.entries {
            let exists = |(_, location): &(usize, &Location)| location.exists;
            for (n, _) in entry.locations.iter().flatten().enumerate().filter(exists) {
                if let Source::File(file) = self.source(vm, inv, layer, entry, n).ok()? {
                    match file.options() {
                        Says::Nothing => {}
                        Says::Plain(options) => all.push(options),
                        Says::Other => return None,
                    }
                }
            }
        }
        Some(())
    }

    /// A module's data may hold the module's keys only.
    fn check_data_hash(
        &self,
        vm: &mut Vm<'c>,
        layer: &Layer<'c>,
        data: Data<'c>,
        subject: impl Fn() -> String,
    ) -> Eval<'c, Source<'c>> {
        let source = match data {
            Data::Source(source) => source,
            Data::Value(Value::Hash(hash)) => Source::Hash(hash),
            Data::Value(other) => {
                let ty = types::constant(vm, "Hash")?;
                mismatch::assert_instance(vm, &subject(), ty, other)?;
                return Ok(Source::Hash(HashBuilder::new(self.arena).finish()));
            }
        };
        if let Some(module) = layer.module {
            let own = |key: &str| key == LOOKUP_OPTIONS || is_of_module(key, module);
            let strange = match source {
                Source::File(file) => file.keys_unlike(own),
                Source::Hash(hash) => {
                    hash.entries().iter().filter(|(key, _)| !key.as_str().is_some_and(own)).count()
                }
            };
            for _ in 0..strange {
                let message = format!(
                    "Module '{module}': {} must use keys qualified with the name of the module",
                    subject()
                );
                self.push_log(Severity::Warning, message, Default::default());
            }
        }
        Ok(source)
    }

    fn data_hash(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        entry: &Entry<'c>,
        n: usize,
    ) -> Eval<'c, Data<'c>> {
        let Some(format) = entry.format() else {
            let found = self.call_backend(vm, inv, layer, entry, n, None)?;
            let nothing = || Value::Hash(HashBuilder::new(self.arena).finish());
            return Ok(Data::Value(found.unwrap_or_else(nothing)));
        };
        let Some(location) = entry.locations.as_ref().map(|all| &all[n]).filter(|l| !l.is_uri) else {
            return Err(Flow::raw(format!(
                "'{}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
                 when using this data_hash function",
                entry.function
            )));
        };
        self.file_data(location, format)
    }

    /// The data of a file.
    fn file_data(&self, location: &Location, format: Format) -> Eval<'c, Data<'c>> {
        let known = self.hiera.sources.borrow().get(&(location.text.clone(), format)).copied();
        if let Some(source) = known {
            return Ok(Data::Source(source));
        }
        let file = self.hiera.files.get(self.tree(), Path::new(&location.text), format);
        self.note_standing(Path::new(&location.text));
        let file = self.kept.keep_data(file.map_err(lookup_error)?).reader(self.arena);
        let source = match file.is_hash() {
            true => Source::File(file),
            false => {
                let value = file.whole()?;
                if format != Format::Yaml {
                    return Ok(Data::Value(value));
                }
                let message = format!("{}: file does not contain a valid yaml hash", location.text);
                if self.settings.strict == Strict::Error && value.truthy() {
                    return Err(lookup_error(message));
                }
                self.push_log(Severity::Warning, message, Default::default());
                Source::Hash(HashBuilder::new(self.arena).finish())
            }
        };
        self.hiera.sources.borrow_mut().insert((location.text.clone(), format), source);
        Ok(Data::Source(source))
    }

    /// The backend of hiera-eyaml: YAML in which strings may be encrypted.
    fn eyaml(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        entry: &Entry<'c>,
        n: usize,
        key: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(location) = entry.locations.as_ref().map(|all| &all[n]).filter(|l| !l.is_uri) else {
            return Err(Flow::raw(
                "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in \
                 hiera.yaml when using this lookup_key function",
            ));
        };
        let (Data::Source(Source::File(file)), Some(key)) = (self.file_data(location, Format::Yaml)?, key)
        else {
            return Ok(None);
        };
        let text = key.as_str().unwrap_or_default();
        let Some(found) = file.find(file::hash_of(text), text) else { return Ok(None) };
        let value = file.value(found)?;
        self.decrypted(vm, inv, entry, location, key, value).map(Some)
    }

    fn decrypted(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        entry: &Entry<'c>,
        location: &Location,
        key: Value<'c>,
        value: Value<'c>,
    ) -> Eval<'c> {
        match value {
            Value::Str(text) if eyaml::is_encrypted(&text) => {
                let plain = eyaml::decrypt(&text, entry.options).map_err(|message| {
                    lookup_error(format!(
                        "hiera-eyaml backend error decrypting {} when looking up {} in {}. Error was {message}",
                        text.as_str(),
                        key.as_str().unwrap_or_default(),
                        location.text
                    ))
                })?;
                let plain = vm.string(&plain);
                self.interpolate(vm, inv, plain, true)
            }
            Value::Str(_) => self.interpolate(vm, inv, value, true),
            Value::Array(items) => {
                let mut all = Vec::with_capacity(items.size());
                for item in items.items() {
                    all.push(self.decrypted(vm, inv, entry, location, key, *item)?);
                }
                Ok(vm.array(&all))
            }
            Value::Hash(hash) => {
                let mut all = HashBuilder::new(vm.arena);
                for (name, item) in hash.entries() {
                    let name = self.interpolate(vm, inv, *name, true)?;
                    let item = self.decrypted(vm, inv, entry, location, key, *item)?;
                    all.insert(name, item);
                }
                Ok(Value::Hash(all.finish()))
            }
            other => Ok(other),
        }
    }

    /// Calls a backend written in the Puppet language; none where it says that there is nothing.
    fn call_backend(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        entry: &Entry<'c>,
        n: usize,
        argument: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let name = entry.function.as_str();
        if name == "eyaml_lookup_key" {
            return self.eyaml(vm, inv, entry, n, argument);
        }
        self.hiera.memos.spoil();
        let from = name.split_once("::").map_or("", |(module, _)| module);
        let Some(closure) = self.find_function(vm, name, from)? else {
            if self.find_ruby(name, from).is_some_and(|found| !found.old) {
                let args = self.backend_arguments(vm, inv, layer, entry, n, argument)?;
                let scope = vm.top;
                let call = bunraku_vm::function::Call { args: &args, block: None, scope };
                let value = self.call_ruby(vm, name, from, call).map(|value| value.unwrap_or(Value::Undef));
                return super::context::found(value);
            }
            let message = format!("Unable to find '{}' function named '{name}'", entry.kind.name());
            let file = layer.config.path.as_ref().map(|path| path.to_string_lossy().into());
            let place = bunraku_vm::diagnostic::Place { file, line: None, column: None };
            let diagnostic = bunraku_vm::diagnostic::Diagnostic::error(message).at(place);
            return Err(Flow::formed(diagnostic.with_code("HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND")));
        };
        let args = self.backend_arguments(vm, inv, layer, entry, n, argument)?;
        super::context::found(vm.call(closure, &args))
    }

    /// What a backend is called with: the key where it takes one, the options, the context.
    fn backend_arguments(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        entry: &Entry<'c>,
        n: usize,
        argument: Option<Value<'c>>,
    ) -> Eval<'c, Vec<Value<'c>>> {
        let mut options = HashBuilder::with(self.arena, entry.options);
        if let Some(location) = entry.locations.as_ref().map(|all| &all[n]) {
            let key = if location.is_uri { "uri" } else { "path" };
            options.insert_str(key, vm.string(&location.text));
        }
        let context = self.make_context(vm, inv, layer.module, &entry.contexts[n])?;
        let mut args: Vec<_> = argument.into_iter().collect();
        args.extend([Value::Hash(options.finish()), context]);
        Ok(args)
    }
}

/// Whether a value is what most data is, and needs no type to be told so.
fn is_plain(value: Value<'_>) -> bool {
    match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Array(items) => items.items().iter().all(|item| is_plain(*item)),
        Value::Hash(hash) => {
            hash.entries().iter().all(|(key, item)| matches!(key, Value::Str(_)) && is_plain(*item))
        }
        _ => false,
    }
}

fn segment_value<'c>(vm: &Vm<'c>, segment: &Segment) -> Value<'c> {
    match segment {
        Segment::Name(name) => vm.string(name),
        Segment::Index(n) => Value::Int(*n),
    }
}

/// Wraps a value so that the segments lead to it.
fn undig<'c>(vm: &mut Vm<'c>, segments: &[Segment], value: Value<'c>) -> Value<'c> {
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
