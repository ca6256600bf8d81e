//! Hiera: values by key from the global layer, the environment's and the module's. [`layer`] asks the entries of a
//! [`config`], whose [`files`] are [`yaml`], JSON or [`hocon`]; [`merge`] makes one value of several; [`options`] are
//! `lookup_options`; [`interpolate`] resolves `%{…}`. Here is the order of it all, and what a compile keeps.
//! Source: `Puppet::Pops::Lookup::LookupAdapter`.

mod at_once;
mod backend;
pub mod config;
pub mod context;
pub mod data;
pub mod deep;
pub mod encoded;
pub mod entry;
mod events;
pub mod explain;
mod eyaml;
pub mod file;
mod file_options;
pub mod files;
mod glob;
pub(crate) mod hocon;
mod hocon_faults;
mod hocon_size;
mod interpolate;
pub mod key;
pub mod layer;
mod lines;
mod memo;
pub mod merge;
pub mod options;
pub mod origin;
mod provider;
mod psych;
pub mod query;
pub mod render;
mod resolved;
mod scalar;
mod source;
mod version3;
mod words;
pub mod yaml;

pub(crate) use glob::glob;

use crate::compile::Compile;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::host::Lookup;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;
use context::Source;
use explain::{Explain, What};
use files::{DataFiles, Format};
use hashbrown::HashMap;
use key::Key;
use layer::{Layer, Place};
use merge::Strategy;
use options::LOOKUP_OPTIONS;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Look-ups that one look-up may lead to: texts that name each other can double at every step.
const MAX_ASKED: u32 = 100_000;

/// How deep they may nest; Ruby's stack ends before.
const MAX_NESTED: usize = 2_000;

/// What a look-up carries with it.
#[derive(Clone, Copy)]
pub struct Invocation<'c> {
    /// Where variables are seen from.
    pub scope: &'c Scope<'c>,
    /// Values that go before all others.
    pub overrides: Option<Hash<'c>>,
    /// Values that come after all others.
    pub defaults: Option<Hash<'c>>,
    /// Whether only the global layer is asked.
    pub global_only: bool,
    /// Whether one of the old functions asks.
    pub hiera: bool,
    /// The levels before all others that one of the old functions asks for.
    pub level: Option<Value<'c>>,
    /// Whether variables are seen as a version 3 configuration sees them.
    pub old_scope: bool,
    /// Who explains the look-up.
    pub explain: Explain<'c>,
}

type Kept<'c> = Option<Rc<Layer<'c>>>;

/// What one compile keeps of Hiera.
pub struct Hiera<'c> {
    files: &'c DataFiles,
    /// Keys being looked up, outermost first.
    stack: RefCell<Vec<&'c str>>,
    /// How many the outermost one has led to.
    asked: Cell<u32>,
    /// The global layer and the environment's, once they have been asked for.
    shared: RefCell<[Option<Kept<'c>>; 2]>,
    /// Layers of modules.
    modules: RefCell<HashMap<String, Kept<'c>>>,
    options: RefCell<options::Kept<'c>>,
    /// Data of files by path.
    sources: RefCell<HashMap<(String, Format), Source<'c>>>,
    contexts: RefCell<Vec<context::Given<'c>>>,
    /// Variables that the configuration being resolved has asked for.
    recorded: RefCell<Option<Vec<(String, Value<'c>)>>>,
    /// Who explains the look-ups that code asks for.
    explain: Cell<Explain<'c>>,
    /// The variable of `mapped_paths`.
    local: RefCell<Option<(String, Value<'c>)>>,
    memos: memo::Memos<'c>,
}

impl<'c> Hiera<'c> {
    /// Nothing read yet.
    pub fn new(files: &'c DataFiles) -> Hiera<'c> {
        Hiera {
            files,
            stack: RefCell::default(),
            asked: Cell::default(),
            shared: RefCell::default(),
            modules: RefCell::default(),
            options: RefCell::default(),
            sources: RefCell::default(),
            contexts: RefCell::default(),
            recorded: RefCell::default(),
            local: RefCell::default(),
            explain: Cell::default(),
            memos: memo::Memos::default(),
        }
    }

    /// Lets go of what lies outside of the arena.
    pub fn release(&self) {
        self.stack.take();
        self.shared.take();
        self.modules.take();
        self.options.take();
        self.sources.take();
        self.contexts.take();
        self.recorded.take();
        self.local.take();
        self.memos.release();
        if let Some(explainer) = self.explain.take().0 {
            explainer.release();
        }
    }

    /// Runs `ask` unless `name` is being looked up already. What goes wrong inside is an error of look-ups.
    fn guarded<T>(&self, name: &'c str, ask: impl FnOnce() -> Eval<'c, T>) -> Eval<'c, T> {
        if self.stack.borrow().contains(&name) {
            let names = self.stack.borrow().join(", ");
            return Err(key::lookup_error(format!("Recursive lookup detected in [{names}]")));
        }
        if self.stack.borrow().len() >= MAX_NESTED {
            let outermost = self.stack.borrow().first().copied().unwrap_or_default();
            let message = format!("The look-up of '{outermost}' nests more than {MAX_NESTED} others");
            return Err(key::lookup_error(message));
        }
        self.asked.set(if self.stack.borrow().is_empty() { 0 } else { self.asked.get() + 1 });
        if self.asked.get() > MAX_ASKED {
            let outermost = self.stack.borrow().first().copied().unwrap_or_default();
            return Err(key::lookup_error(format!(
                "The look-up of '{outermost}' leads to more than {MAX_ASKED} others"
            )));
        }
        self.stack.borrow_mut().push(name);
        let result = ask();
        self.stack.borrow_mut().pop();
        result.map_err(|mut flow| {
            if let Flow::Fault(fault) = &mut *flow
                && fault.stage == Stage::Raw
                && fault.diagnostic.code.is_none()
                && !is_plain_ruby(&fault.diagnostic.message)
            {
                fault.stage = Stage::Formed;
            }
            flow
        })
    }

    fn remember(&self, name: &str, root: &str, value: Value<'c>) {
        let is_local = self.local.borrow().as_ref().is_some_and(|(local, _)| local == root);
        if !is_local && let Some(all) = self.recorded.borrow_mut().as_mut() {
            all.push((name.to_owned(), value));
        }
    }

    /// Begins to note variables; gives what was being noted.
    fn record(&self) -> Option<Vec<(String, Value<'c>)>> {
        self.recorded.replace(Some(Vec::new()))
    }

    /// The variables noted since [`Hiera::record`], whose answer goes back in place.
    fn recorded(&self, outer: Option<Vec<(String, Value<'c>)>>) -> Vec<(String, Value<'c>)> {
        self.recorded.replace(outer).unwrap_or_default()
    }

    fn local(&self, name: &str) -> Option<Value<'c>> {
        self.local.borrow().as_ref().filter(|(local, _)| local == name).map(|(_, value)| *value)
    }

    fn has_local(&self) -> bool {
        self.local.borrow().is_some()
    }

    fn with_local<T>(&self, name: &str, value: Value<'c>, run: impl FnOnce() -> T) -> T {
        let outer = self.local.replace(Some((name.to_owned(), value)));
        let result = run();
        self.local.replace(outer);
        result
    }
}

/// Errors that Ruby raises on its own are no errors of Puppet's, and are left as they are.
fn is_plain_ruby(message: &str) -> bool {
    [
        "Undefined variable '",
        "Function Load Error",
        "undefined method",
        "comparison of ",
        "Unknown merge strategy",
        "'yaml_data' one of",
        "'json_data' one of",
        "'hocon_data' one of",
        "'eyaml_lookup_key': one of",
    ]
    .iter()
    .any(|start| message.starts_with(start))
}

impl<'c> Compile<'c> {
    /// A look-up as functions and class parameters ask for it.
    pub(crate) fn hiera_lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let mut inv = Invocation {
            scope,
            overrides: lookup.overrides,
            defaults: lookup.defaults,
            global_only: false,
            hiera: lookup.hiera,
            level: lookup.level,
            old_scope: false,
            explain: self.hiera.explain.get(),
        };
        if lookup.hiera {
            // The old functions see more than the global layer only where the environment has its own.
            inv.global_only = !self.environment_has_data(vm)?;
        }
        let merge = match lookup.merge {
            None => Some(""),
            Some(Value::Str(name)) => Some(name.as_str()),
            Some(_) => None,
        };
        let given = lookup.overrides.is_some() || lookup.defaults.is_some() || lookup.hiera;
        let Some(merge) = merge.filter(|_| !given && inv.explain.0.is_none()) else {
            return self.hiera_find(vm, &inv, self.arena.alloc_str(lookup.key), lookup.merge);
        };
        let memos = &self.hiera.memos;
        let hash = file::hash_of(lookup.key);
        let is_unchanged = |variable: &_| self.is_unchanged(vm, &inv, variable);
        if let Some(known) = memos.get(hash, lookup.key, merge, is_unchanged) {
            return Ok(known);
        }
        if merge.is_empty()
            && let Some(known) = self.known_at_once(vm, &inv, hash, lookup.key)
        {
            return Ok(known);
        }
        let key = self.arena.alloc_str(lookup.key);
        memos.begin();
        let found = self.hiera_find(vm, &inv, key, lookup.merge);
        memos.end(self.arena, hash, key, merge, found.as_ref().ok().copied());
        found
    }

    fn hiera_find(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        text: &'c str,
        merge: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let explain = inv.explain;
        if text == LOOKUP_OPTIONS || text.starts_with("lookup_options.") {
            explain.leaf(|| What::InvalidKey(LOOKUP_OPTIONS.to_owned()));
            return Ok(None);
        }
        let key = Key::parse(text)?;
        if explain.options_only() {
            self.ask_all(vm, inv, &options::key(), key.module(), &Strategy::Hash)?;
            return Ok(Some(Value::Undef));
        }
        let options = self.options_for(vm, inv, &key)?;
        let merge = match merge {
            Some(merge) => Some(merge),
            None => {
                let merge = options.and_then(|options| options.get_str("merge")).filter(|m| !m.is_undef());
                if merge.is_some() {
                    explain.leaf(|| What::MergeSource(LOOKUP_OPTIONS));
                }
                merge
            }
        };
        let found =
            explain.with(|| What::Search(key.text.to_owned()), || self.search(vm, inv, &key, merge))?;
        match found {
            Some(value) => self.convert_found(vm, inv, text, options, value).map(Some),
            None => Ok(None),
        }
    }

    /// Asks the layers, and the default hierarchy of the key's module after them.
    fn search(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key<'c>,
        merge: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let explain = inv.explain;
        let strategy = Strategy::of(vm, merge)?;
        if let Some(value) = self.ask_all(vm, inv, key, key.module(), &strategy)?
            && let Some(value) = key.dig(explain, value)?
        {
            return Ok(Some(value));
        }
        let Some(module) = key.module().filter(|_| !inv.global_only) else { return Ok(None) };
        let layer = self.module_layer(vm, module)?;
        if !layer.is_some_and(|layer| layer.config.has_default_hierarchy()) {
            return Ok(None);
        }
        let what = || What::Scope(format!("Searching default_hierarchy of module \"{module}\""));
        let found = explain.with(what, || {
            let merge = self.default_merge(vm, inv, module, key)?;
            let what = || What::Scope(format!("Searching for \"{}\"", key.text));
            explain.with(what, || {
                let strategy = Strategy::of(vm, merge)?;
                self.ask_module(vm, inv, Some(module), key, &strategy, true)
            })
        })?;
        match found {
            Some(value) => key.dig(explain, value),
            None => Ok(None),
        }
    }

    fn ask_all(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key<'c>,
        module: Option<&str>,
        strategy: &Strategy<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        if inv.global_only {
            return self.ask_global(vm, inv, key, strategy);
        }
        let places = [Place::Global, Place::Environment, Place::Module];
        strategy.over(vm, inv.explain, places.into_iter(), |vm, place| match place {
            Place::Global => self.ask_global(vm, inv, key, strategy),
            Place::Environment => self.ask_environment(vm, inv, key, strategy),
            Place::Module => self.ask_module(vm, inv, module, key, strategy, false),
        })
    }

    fn ask_global(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key<'c>,
        strategy: &Strategy<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let ask = || match self.global_layer(vm)? {
            Some(layer) if layer.config.version == version3::VERSION => {
                self.ask_version_3(vm, inv, &layer, key, strategy)
            }
            Some(layer) => self.ask_layer(vm, inv, &layer, key, strategy, false),
            None => {
                // Puppet has a global layer even where nothing configures it.
                let name = || "Global Data Provider (hiera configuration version 5)".to_owned();
                let not_found = || inv.explain.not_found(key.text);
                inv.explain.with(|| What::Layer(name(), None, None), not_found);
                Ok(None)
            }
        };
        self.hiera.guarded(key.text, ask).map_err(|flow| match &*flow {
            Flow::Fault(fault) if fault.stage == Stage::Formed && fault.diagnostic.code.is_none() => {
                let message = format!("Lookup of key '{}' failed: {}", key.text, fault.diagnostic.message);
                Flow::raw(message)
            }
            _ => flow,
        })
    }

    /// A version 3 configuration sees other variables, and looks no further unless the environment has data of its own.
    fn ask_version_3(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        key: &Key<'c>,
        strategy: &Strategy<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let mut inv = *inv;
        if !inv.old_scope {
            inv.old_scope = true;
            inv.global_only |= !self.environment_has_data(vm)?;
        }
        let strategy = match &layer.config.merge {
            Some(merge) if inv.hiera && matches!(strategy, Strategy::Hash) => merge,
            _ => strategy,
        };
        let found = self.ask_layer(vm, &inv, layer, key, strategy, false)?;
        if let Some(value) = found
            && inv.hiera
        {
            self.check_old_call(vm, key, strategy, value)?;
        }
        Ok(found)
    }

    fn environment_has_data(&self, vm: &mut Vm<'c>) -> Eval<'c, bool> {
        Ok(self.environment_layer(vm)?.is_some_and(|layer| layer.config.version >= 5))
    }

    fn ask_environment(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key<'c>,
        strategy: &Strategy<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(layer) = self.environment_layer(vm)? else { return Ok(None) };
        self.hiera.guarded(key.text, || self.ask_layer(vm, inv, &layer, key, strategy, false))
    }

    fn ask_module(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&str>,
        key: &Key<'c>,
        strategy: &Strategy<'c>,
        last: bool,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(module) = module else { return Ok(None) };
        let Some(layer) = self.module_layer(vm, module)? else {
            let is_there = || self.environment.modules.get(module).is_some();
            inv.explain.leaf(|| What::Module(module.to_owned(), is_there()));
            return Ok(None);
        };
        self.hiera.guarded(key.text, || self.ask_layer(vm, inv, &layer, key, strategy, last))
    }
}

/// Whether a plain YAML scalar is text, and no number, date or the like.
pub(crate) fn is_plain_text(text: &str) -> bool {
    matches!(scalar::scan(text), Ok(data::Data::Text(_)))
}
