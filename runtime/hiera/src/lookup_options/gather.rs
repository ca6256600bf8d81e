//! Asking layers for `lookup_options`, and merging what they say.

use super::table::{Options, OptionsTable, as_hash};
use super::{LOOKUP_OPTIONS, is_of_module, key};
use crate::config::HierarchyName;
use crate::data_file::hash_of;
use crate::explain::{FoundIn, Step};
use crate::fault::lookup_error;
use crate::hierarchy::ask::Question;
use crate::invocation::Invocation;
use crate::key::Key;
use crate::merge::MergeStrategy;
use crate::state::Lookups;
use bunraku_vm::error::Eval;
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// The options of a key; none where nothing is said of it.
    ///
    /// # Errors
    /// Those of layers, and what is wrong with the options of one.
    pub(crate) fn options_for(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key<'c>,
    ) -> Eval<'c, Option<Hash<'c>>> {
        let module = key.module();
        let known = self.state.options.borrow().of(module);
        let all = match known {
            Some(all) => all,
            None => {
                let plain = inv.without_given();
                let step = || Step::Search(LOOKUP_OPTIONS.to_owned());
                let all = match self.options_of_files(vm, &plain, module) {
                    Some(all) => all,
                    None => inv.explain.with(step, || self.gather_options(vm, &plain, module))?,
                };
                let mut options = self.state.options.borrow_mut();
                options.by_module.insert(module.unwrap_or_default().to_owned(), all);
                all
            }
        };
        match all {
            Some(all) => all.matching(hash_of(&key.root), &key.root),
            None => Ok(None),
        }
    }

    fn gather_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&str>,
    ) -> Eval<'c, Options<'c>> {
        let global = self.global_options(vm, inv)?;
        if inv.global_only {
            return global.map(|all| OptionsTable::merged(self.arena, all)).transpose();
        }
        let (shared, table) = self.environment_options(vm, inv, global)?;
        let Some(module) = module else { return Ok(table) };
        self.state.options.borrow_mut().by_module.entry(String::new()).or_insert(table);
        let own = self.module_options(vm, inv, module, HierarchyName::Main)?;
        let Some(own) = own else { return Ok(table) };
        let Some(shared) = shared else { return Ok(Some(OptionsTable::merged(self.arena, own)?)) };
        let own_name = format!("Module {module}");
        let both = [("Global and Environment", shared), (own_name.as_str(), own)];
        let merged = MergeStrategy::Hash.over(vm, inv.explain, both.into_iter(), |_, (name, options)| {
            let found = || inv.explain.found(LOOKUP_OPTIONS, Value::Hash(options), FoundIn::Place);
            inv.explain.with(|| Step::Scope(name.to_owned()), found);
            Ok(Some(Value::Hash(options)))
        })?;
        as_hash(merged).map(|all| OptionsTable::merged(self.arena, all)).transpose()
    }

    fn global_options(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>) -> Eval<'c, Option<Hash<'c>>> {
        let known = self.state.options.borrow().global;
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.ask_global(vm, for_options(inv, &key()))?;
        let found = checked(found, None)?;
        self.state.options.borrow_mut().global = Some(found);
        Ok(found)
    }

    fn environment_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        global: Option<Hash<'c>>,
    ) -> Eval<'c, (Option<Hash<'c>>, Options<'c>)> {
        let known = self.state.options.borrow().environment;
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.ask_environment(vm, for_options(inv, &key()))?;
        let both = match (global, checked(found, None)?) {
            (Some(global), Some(found)) => {
                as_hash(Some(MergeStrategy::Hash.merge(vm, Value::Hash(global), Value::Hash(found))?))
            }
            (global, found) => found.or(global),
        };
        let both = (both, both.map(|all| OptionsTable::merged(self.arena, all)).transpose()?);
        self.state.options.borrow_mut().environment = Some(both);
        Ok(both)
    }

    /// What one of the hierarchies of a module says, without other layers.
    fn module_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: &str,
        hierarchy: HierarchyName,
    ) -> Eval<'c, Option<Hash<'c>>> {
        let found = self.ask_module(vm, for_options(inv, &key()), module, hierarchy)?;
        checked(found, Some(module))
    }

    /// The merge that a module's default hierarchy asks for.
    ///
    /// # Errors
    /// As [`Lookups::options_for`].
    pub(crate) fn default_merge(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: &str,
        of: &Key,
    ) -> Eval<'c, Option<Value<'c>>> {
        let known = self.state.options.borrow().of_default_hierarchies.get(module).copied();
        let own = match known {
            Some(own) => own,
            None => {
                let plain = inv.without_given();
                let ask = || self.module_options(vm, &plain, module, HierarchyName::Default);
                let own = inv.explain.aside(|| Step::SearchForOptions, ask)?;
                let own = own.map(|all| OptionsTable::merged(self.arena, all)).transpose()?;
                let mut options = self.state.options.borrow_mut();
                options.of_default_hierarchies.insert(module.to_owned(), own);
                own
            }
        };
        let options = own.map(|own| own.matching(hash_of(&of.root), &of.root)).transpose()?.flatten();
        Ok(options.and_then(|options| options.get_str("merge")))
    }
}

/// What layers are asked for their options, which are always merged as hashes.
fn for_options<'a, 'c>(inv: &'a Invocation<'c>, key: &'a Key<'c>) -> Question<'a, 'c> {
    Question { inv, key, strategy: &MergeStrategy::Hash }
}

/// Options as a layer has them, a module's of its own keys only; undef says nothing.
///
/// # Errors
/// When they are no hash, or a module's are of other keys.
fn checked<'c>(options: Option<Value<'c>>, module: Option<&str>) -> Eval<'c, Option<Hash<'c>>> {
    let options = match options {
        Some(Value::Hash(options)) => options,
        None | Some(Value::Undef) => return Ok(None),
        Some(_) => return Err(lookup_error("value of lookup_options must be a hash")),
    };
    let Some(module) = module else { return Ok(Some(options)) };
    for (key, _) in options.entries() {
        let key = key.as_str().unwrap_or_default();
        if is_of_module(key.strip_prefix('^').unwrap_or(key), module) {
            continue;
        }
        return Err(lookup_error(match key.starts_with('^') {
            true => {
                format!("all lookup_options patterns must match a key starting with module name '{module}'")
            }
            false => format!("all lookup_options keys must start with module name '{module}'"),
        }));
    }
    Ok(Some(options))
}
