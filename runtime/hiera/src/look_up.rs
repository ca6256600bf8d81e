//! A look-up from its key to its value: `lookup_options`, the layers in order, the default hierarchy of the key's
//! module, `convert_to`. Source: `Puppet::Pops::Lookup::LookupAdapter`.

use crate::config::version3;
use crate::data_file as file;
use crate::explain::What;
use crate::invocation::Invocation;
use crate::key::Key;
use crate::layer::{Layer, Place};
use crate::lookup_options as options;
use crate::lookup_options::LOOKUP_OPTIONS;
use crate::merge::Strategy;
use crate::state::Lookups;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::host::Lookup;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// A look-up as functions and class parameters ask for it.
    pub fn look_up(
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
            explain: self.state.explain.get(),
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
            return self.find(vm, &inv, self.arena.alloc_str(lookup.key), lookup.merge);
        };
        let memos = &self.state.memos;
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
        let found = self.find(vm, &inv, key, lookup.merge);
        memos.end(self.arena, hash, key, merge, found.as_ref().ok().copied());
        found
    }

    pub(crate) fn find(
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

    pub(crate) fn ask_global(
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
        self.state.guarded(key.text, ask).map_err(|flow| match &*flow {
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

    pub(crate) fn ask_environment(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key<'c>,
        strategy: &Strategy<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(layer) = self.environment_layer(vm)? else { return Ok(None) };
        self.state.guarded(key.text, || self.ask_layer(vm, inv, &layer, key, strategy, false))
    }

    pub(crate) fn ask_module(
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
            let is_there = || self.around.module(module).is_some();
            inv.explain.leaf(|| What::Module(module.to_owned(), is_there()));
            return Ok(None);
        };
        self.state.guarded(key.text, || self.ask_layer(vm, inv, &layer, key, strategy, last))
    }
}
