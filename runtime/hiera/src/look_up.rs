//! A look-up from its key to its value: `lookup_options`, the layers in order, the default hierarchy of the key's
//! module, `convert_to`. Source: `Puppet::Pops::Lookup::LookupAdapter`.

use crate::answered::Asked;
use crate::config::{HierarchyName, version3};
use crate::data_file::{hash_of, touch_of};
use crate::explain::Step;
use crate::hierarchy::ask::Question;
use crate::invocation::{InterpolatedInto, Invocation};
use crate::key::{Key, is_plain};
use crate::layer::{Layer, LayerKind};
use crate::lookup_options::{self, LOOKUP_OPTIONS};
use crate::merge::MergeStrategy;
use crate::state::Lookups;
use bunraku_files::reads::{self, Touch};
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::host::Lookup;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// A look-up as functions and class parameters ask for it; none where nothing defines the key.
    ///
    /// # Errors
    /// Puppet's, of the key, of configurations, data and functions.
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
            is_old_function: lookup.hiera,
            level: lookup.level,
            old_scope: false,
            interpolated_into: InterpolatedInto::Value,
            explain: self.state.explain.get(),
        };
        if lookup.hiera {
            // The old functions see more than the global layer only where the environment has its own.
            inv.global_only = !self.environment_has_data(vm)?;
        }
        let is_plain = is_plain(lookup.key);
        let merge = match lookup.merge {
            None => Some(""),
            Some(Value::Str(name)) => Some(name.as_str()),
            Some(_) => None,
        };
        let given = lookup.overrides.is_some() || lookup.defaults.is_some() || lookup.hiera;
        let Some(merge) = merge.filter(|_| !given && !inv.explain.is_on()) else {
            return self.find(vm, &inv, self.arena.alloc_str(lookup.key), lookup.merge);
        };
        let answered = &self.state.answered;
        let asked = Asked { hash: hash_of(lookup.key), key: lookup.key, merge };
        if let Some(known) = answered.get(asked, |variable| self.is_unchanged(vm, &inv, variable)) {
            return Ok(known);
        }
        if merge.is_empty()
            && is_plain
            && let Some(known) = self.quick_answer(vm, &inv, asked.hash, lookup.key)
        {
            reads::note(|| Touch::of_key(asked.hash));
            return Ok(known);
        }
        let asked = Asked { hash: asked.hash, key: self.arena.alloc_str(lookup.key), merge };
        answered.begin();
        let found = self.find(vm, &inv, asked.key, lookup.merge);
        answered.end(self.arena, asked, found.as_ref().ok().copied());
        found
    }

    /// The same for a look-up that another one may have led to, with a merge that goes before that of `lookup_options`.
    ///
    /// # Errors
    /// As [`Lookups::look_up`].
    pub(crate) fn find(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        text: &'c str,
        merge: Option<Value<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let explain = inv.explain;
        if text == LOOKUP_OPTIONS || text.starts_with("lookup_options.") {
            explain.leaf(|| Step::InvalidKey(LOOKUP_OPTIONS.to_owned()));
            return Ok(None);
        }
        let key = Key::parse(text)?;
        reads::note(|| touch_of(&key.root));
        if explain.options_only() {
            let options = lookup_options::key();
            let question = Question { inv, key: &options, strategy: &MergeStrategy::Hash };
            self.ask_all(vm, question, key.module())?;
            return Ok(Some(Value::Undef));
        }
        let options = self.options_for(vm, inv, &key)?;
        let merge = match merge {
            Some(merge) => Some(merge),
            None => {
                let merge = options.and_then(|options| options.get_str("merge")).filter(|m| !m.is_undef());
                if merge.is_some() {
                    explain.leaf(|| Step::MergeSource(LOOKUP_OPTIONS));
                }
                merge
            }
        };
        let found =
            explain.with(|| Step::Search(key.text.to_owned()), || self.search(vm, inv, &key, merge))?;
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
        let strategy = MergeStrategy::of(vm, merge)?;
        let question = Question { inv, key, strategy: &strategy };
        if let Some(value) = self.ask_all(vm, question, key.module())?
            && let Some(value) = key.dig(explain, value)?
        {
            return Ok(Some(value));
        }
        let Some(module) = key.module().filter(|_| !inv.global_only) else { return Ok(None) };
        let layer = self.module_layer(vm, module)?;
        if !layer.is_some_and(|layer| layer.config.has_default_hierarchy()) {
            return Ok(None);
        }
        let step = || Step::Scope(format!("Searching default_hierarchy of module \"{module}\""));
        let found = explain.with(step, || {
            let merge = self.default_merge(vm, inv, module, key)?;
            let step = || Step::Scope(format!("Searching for \"{}\"", key.text));
            explain.with(step, || {
                let strategy = MergeStrategy::of(vm, merge)?;
                let question = Question { inv, key, strategy: &strategy };
                self.ask_module(vm, question, module, HierarchyName::Default)
            })
        })?;
        match found {
            Some(value) => key.dig(explain, value),
            None => Ok(None),
        }
    }

    /// Asks every entry of all layers for a key, whatever they give: for an explanation that is under way.
    ///
    /// # Errors
    /// Those of entries that a look-up may not have come to.
    pub(crate) fn ask_every(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, text: &'c str) -> Eval<'c, ()> {
        let key = Key::parse(text)?;
        let question = Question { inv, key: &key, strategy: &MergeStrategy::Every };
        let step = || Step::Search(key.text.to_owned());
        inv.explain.with(step, || self.ask_all(vm, question, key.module())).map(|_| ())
    }

    /// Asks the global layer, the environment's and that of `module`, if there is one to ask.
    fn ask_all(
        &self,
        vm: &mut Vm<'c>,
        question: Question<'_, 'c>,
        module: Option<&str>,
    ) -> Eval<'c, Option<Value<'c>>> {
        if question.inv.global_only {
            return self.ask_global(vm, question);
        }
        let layers = [LayerKind::Global, LayerKind::Environment, LayerKind::Module];
        let ask = |vm: &mut Vm<'c>, layer| match (layer, module) {
            (LayerKind::Global, _) => self.ask_global(vm, question),
            (LayerKind::Environment, _) => self.ask_environment(vm, question),
            (LayerKind::Module, Some(module)) => self.ask_module(vm, question, module, HierarchyName::Main),
            (LayerKind::Module, None) => Ok(None),
        };
        question.strategy.over(vm, question.inv.explain, layers.into_iter(), ask)
    }

    /// Asks the global layer.
    ///
    /// # Errors
    /// As [`Lookups::ask_layer`]; those that look-ups raise name the key.
    pub(crate) fn ask_global(
        &self,
        vm: &mut Vm<'c>,
        question: Question<'_, 'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Question { inv, key, .. } = question;
        let ask = || match self.global_layer(vm)? {
            Some(layer) if layer.config.version == version3::VERSION => {
                self.ask_version_3(vm, question, &layer)
            }
            Some(layer) => self.ask_layer(vm, question, &layer, HierarchyName::Main),
            None => {
                // Puppet has a global layer even where nothing configures it.
                let step = || Step::Layer {
                    name: "Global Data Provider (hiera configuration version 5)".to_owned(),
                    config: None,
                    module: None,
                };
                inv.explain.with(step, || inv.explain.not_found(key.text));
                Ok(None)
            }
        };
        self.state.under_way.run(key.text, ask).map_err(|flow| match &*flow {
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
        question: Question<'_, 'c>,
        layer: &Layer<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Question { inv, key, strategy } = question;
        let mut inv = *inv;
        if !inv.old_scope {
            inv.old_scope = true;
            inv.global_only |= !self.environment_has_data(vm)?;
        }
        let strategy = match &layer.config.merge {
            Some(merge) if inv.is_old_function && matches!(strategy, MergeStrategy::Hash) => merge,
            _ => strategy,
        };
        let question = Question { inv: &inv, key, strategy };
        let found = self.ask_layer(vm, question, layer, HierarchyName::Main)?;
        if let Some(value) = found
            && inv.is_old_function
        {
            self.check_old_call(vm, key, strategy, value)?;
        }
        Ok(found)
    }

    /// Whether the environment has a `hiera.yaml` of version 5.
    fn environment_has_data(&self, vm: &mut Vm<'c>) -> Eval<'c, bool> {
        Ok(self.environment_layer(vm)?.is_some_and(|layer| layer.config.version >= 5))
    }

    /// Asks the environment's layer, if there is one.
    ///
    /// # Errors
    /// As [`Lookups::ask_layer`].
    pub(crate) fn ask_environment(
        &self,
        vm: &mut Vm<'c>,
        question: Question<'_, 'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(layer) = self.environment_layer(vm)? else { return Ok(None) };
        let ask = || self.ask_layer(vm, question, &layer, HierarchyName::Main);
        self.state.under_way.run(question.key.text, ask)
    }

    /// Asks one of the hierarchies of a module's layer, if there is one.
    ///
    /// # Errors
    /// As [`Lookups::ask_layer`].
    pub(crate) fn ask_module(
        &self,
        vm: &mut Vm<'c>,
        question: Question<'_, 'c>,
        module: &str,
        hierarchy: HierarchyName,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(layer) = self.module_layer(vm, module)? else {
            let step = || match self.around.module(module) {
                Some(_) => Step::ModuleWithoutData(module.to_owned()),
                None => Step::UnknownModule(module.to_owned()),
            };
            question.inv.explain.leaf(step);
            return Ok(None);
        };
        self.state.under_way.run(question.key.text, || self.ask_layer(vm, question, &layer, hierarchy))
    }
}
