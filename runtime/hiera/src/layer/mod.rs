//! A layer: the global one, the environment's, a module's. It is found once a compile; its entries are asked in order.

mod legacy_provider;

use crate::backend::data_source::Source;
use crate::config::Config;
use crate::data_file as file;
use crate::data_file::encoded::Traits;
use crate::explain::What;
use crate::hierarchy::entry::{At, Kind};
use crate::hierarchy::resolved::Resolved;
use crate::invocation::Invocation;
use crate::key::{Key, Segment, lookup_error};
use crate::merge::Strategy;
use crate::state::{LayerRead, Lookups};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::types;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::cell::RefCell;
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
    pub(crate) resolved: RefCell<Option<Rc<Resolved<'c>>>>,
}

impl<'c> Layer<'c> {
    /// A layer of this configuration.
    pub fn new(place: Place, module: Option<&'c str>, config: Config<'c>) -> Layer<'c> {
        Layer { place, module, config, resolved: RefCell::new(None) }
    }

    /// Its hierarchies as they were resolved last.
    pub(crate) fn resolved(&self) -> Option<Rc<Resolved<'c>>> {
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

impl<'c> Lookups<'_, 'c> {
    pub(crate) fn global_layer(&self, vm: &mut Vm<'c>) -> Eval<'c, LayerRead<'c>> {
        self.shared_layer(0, || {
            let file = self.around.environment().hiera_config.map(Path::to_path_buf);
            self.read_layer(vm, file, Place::Global, None)
        })
    }

    pub(crate) fn environment_layer(&self, vm: &mut Vm<'c>) -> Eval<'c, LayerRead<'c>> {
        self.shared_layer(1, || self.layer_of_environment(vm))
    }

    /// A layer of all modules, read once.
    fn shared_layer(
        &self,
        n: usize,
        read: impl FnOnce() -> Eval<'c, LayerRead<'c>>,
    ) -> Eval<'c, LayerRead<'c>> {
        if let Some(kept) = &self.state.shared.borrow()[n] {
            return Ok(kept.clone());
        }
        let layer = read()?;
        self.state.shared.borrow_mut()[n] = Some(layer.clone());
        Ok(layer)
    }

    pub(crate) fn module_layer(&self, vm: &mut Vm<'c>, module: &str) -> Eval<'c, LayerRead<'c>> {
        if let Some(kept) = self.state.modules.borrow().get(module) {
            return Ok(kept.clone());
        }
        let layer = self.layer_of_module(vm, module)?;
        self.state.modules.borrow_mut().insert(module.to_owned(), layer.clone());
        Ok(layer)
    }

    /// The layer that a file configures, or where that is not there Puppet's defaults.
    pub(crate) fn read_layer(
        &self,
        vm: &mut Vm<'c>,
        file: Option<PathBuf>,
        place: Place,
        module: Option<&str>,
    ) -> Eval<'c, LayerRead<'c>> {
        let Some(file) = file else { return Ok(None) };
        let config = self.read_config(vm, &file, place)?;
        let module = module.map(|module| &*self.arena.alloc_str(module));
        Ok(config.map(|config| Rc::new(Layer::new(place, module, config))))
    }

    /// What a layer has for a root key; `last` asks a module's default hierarchy.
    pub(crate) fn ask_layer(
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
                        let at = At { inv, layer, entry, n };
                        let mut ask = || self.ask_location(vm, at, key);
                        match at.location() {
                            Some(location) => explain.with(|| location.explained(), ask),
                            None => ask(),
                        }
                    })
                };
                explain.with(|| What::Entry(entry.explained()), ask)
            })
        };
        if last {
            self.resolve(vm, inv, layer)?;
        }
        explain.with(|| layer.explained(), || ask(vm))
    }

    /// What one location of an entry has, with what is to be said of it.
    fn ask_location(&self, vm: &mut Vm<'c>, at: At<'_, 'c>, key: &Key<'c>) -> Eval<'c, Option<Value<'c>>> {
        let At { inv, entry, .. } = at;
        if at.location().is_some_and(|location| !location.exists) {
            inv.explain.location_not_found();
            return Ok(None);
        }
        let found = self.ask_entry(vm, at, key)?;
        let whole = entry.kind.takes_whole_key();
        let name = if whole { key.text } else { &*key.root };
        Ok(match found {
            None => {
                inv.explain.not_found(name);
                None
            }
            Some(value) => {
                inv.explain.found(name, value);
                inv.explain.source(|| at.origin(value));
                Some(if whole { undig(vm, &key.segments, value) } else { value })
            }
        })
    }

    fn ask_entry(&self, vm: &mut Vm<'c>, at: At<'_, 'c>, key: &Key<'c>) -> Eval<'c, Option<Value<'c>>> {
        let At { inv, entry, .. } = at;
        // Words of errors: look-ups that go well need none.
        let place = || at.place();
        let full_name = || entry.full_name();
        match entry.kind {
            Kind::Hiera3 => Err(lookup_error(format!(
                "The backend '{}' is one of Hiera 3, in Ruby, which is not supported; it should be converted to a \
                 function",
                entry.function
            ))),
            Kind::DataHash | Kind::LegacyHash => {
                let found = match self.source(vm, at)? {
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
                let known = at.context().answers.borrow().get(name).copied();
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
                        let Some(value) = self.call_backend(vm, at, Some(argument))? else {
                            return Ok(None);
                        };
                        let subject = || {
                            let (function, place) = (full_name(), place());
                            format!("Value for key '{name}', returned from {function}{place}")
                        };
                        self.check_value(vm, subject, value)?;
                        at.context().answers.borrow_mut().insert(name.to_owned(), value);
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
        let symbol = crate::data_file::data::has_symbol(value);
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
}

/// So many bits.
fn mask(count: usize) -> u64 {
    1u64.checked_shl(count as u32).map_or(u64::MAX, |bit| bit - 1)
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
