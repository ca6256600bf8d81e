//! Resolving the hierarchies of a layer: once, and again when a variable that they name has another value.

use super::resolved::ResolvedHierarchies;
use crate::answered::{SeenVariable, VariableName};
use crate::config::HierarchyName;
use crate::explain::Explain;
use crate::invocation::Invocation;
use crate::key::Key;
use crate::layer::Layer;
use crate::state::Lookups;
use bunraku_vm::error::Eval;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// Whether a variable that a scope finds keeps its value for the whole scope: one of top scope, or one that code can't assign.
fn is_settled(name: &str) -> bool {
    matches!(name, "facts" | "trusted") || name.strip_prefix("::").is_some_and(|name| !name.contains("::"))
}

impl<'c> Lookups<'_, 'c> {
    /// Whether all variables in which hierarchies name something are what they were when those were resolved.
    pub(crate) fn still_holds(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        kept: &ResolvedHierarchies<'c>,
    ) -> bool {
        let is_plain = !inv.old_scope;
        if is_plain && kept.settled_in.get() == Some(inv.scope.id) {
            kept.roots.iter().for_each(|root| self.state.answered.asked_for(*root));
            return true;
        }
        if !kept.roots.iter().all(|root| self.is_unchanged(vm, inv, root)) {
            return false;
        }
        let settled =
            |root: &SeenVariable<'c>| root.value.is_some() && is_settled(vm.symbols.text(root.name.symbol));
        if is_plain && kept.roots.iter().all(settled) {
            kept.settled_in.set(Some(inv.scope.id));
        }
        true
    }

    /// The hierarchies of a layer as the variables stand now.
    ///
    /// # Errors
    /// Those of the configuration and of variables it names.
    pub(crate) fn resolve(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
    ) -> Eval<'c, Rc<ResolvedHierarchies<'c>>> {
        if let Some(kept) = layer.resolved() {
            if self.still_holds(vm, inv, &kept) {
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
        let plain = Invocation { explain: Explain::default(), ..inv.without_given() };
        let (entries, variables) = self.state.configured_variables.noting(|| -> Eval<'c, _> {
            let entries = self.resolve_entries(vm, &plain, &layer.config, HierarchyName::Main)?;
            let default = self.resolve_entries(vm, &plain, &layer.config, HierarchyName::Default)?;
            Ok((entries, default))
        });
        let variables: Vec<(Key<'c>, Value<'c>)> = variables
            .into_iter()
            .filter_map(|(name, value)| Some((Key::split(self.arena.alloc_str(&name))?, value)))
            .collect();
        let mut roots: Vec<SeenVariable<'c>> = Vec::new();
        for (key, _) in &variables {
            let symbol = vm.symbols.intern(&key.root);
            if !roots.iter().any(|root| root.name.symbol == symbol) {
                let value = self.find_variable(vm, inv, &key.root);
                let name = VariableName { symbol, is_qualified: key.root.contains("::") };
                roots.push(SeenVariable { name, value });
            }
        }
        let (entries, default_entries) = entries?;
        let resolved = Rc::new(ResolvedHierarchies {
            entries,
            default_entries,
            variables,
            roots,
            settled_in: Cell::new(None),
            index: OnceCell::new(),
        });
        *layer.resolved.borrow_mut() = Some(resolved.clone());
        Ok(resolved)
    }
}
