//! Resource defaults (`File { mode => … }`): kept by scope, looked up along the dynamic scope, nearest wins.
//! Source: puppet-specifications, "Resource Defaults"; applied when a resource is created, as the oracle does.
//!
//! Puppet asks a scope for them by its method `lookupdefaults`, which a function in Ruby may write anew: such a scope has
//! a `noop` for each type, say. What lies around that scope is Ruby's to tell then, and the scopes in it add theirs.

use crate::compile::Compile;
use crate::state::arena::{List, Map};
use crate::state::resources::OfScope;
use bumpalo::collections::CollectIn;
use bunraku_catalog::Param;
use bunraku_data::names;
use bunraku_vm::budget;
use bunraku_vm::error::{Blame, Eval, Flow};
use bunraku_vm::host::Attribute;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// Sets defaults of a type in a scope; an attribute may be set once.
    pub(crate) fn define_defaults(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        ty: Value<'c>,
        attributes: &[Attribute<'c>],
    ) -> Eval<'c> {
        let type_name = match ty {
            Value::Type(Type::Resource { type_name: Some(name), title: None, .. }) => {
                self.text(&names::capitalize(name))
            }
            other => {
                let actual = match other {
                    Value::Type(ty) => types::print(ty),
                    other => vm.type_text(other),
                };
                let message = format!(
                    "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}"
                );
                return Err(Flow::issue_at(Blame::Left, "ILLEGAL_RESOURCE_TYPE", message));
            }
        };
        let params = self.params_of(scope, attributes);
        let mut all = self.resources.defaults.borrow_mut();
        let table = self.own_table(&mut all, scope, type_name);
        for param in params {
            if table.iter().any(|p| p.name == param.name) {
                let message =
                    format!("Default already defined for {type_name} {{ {} }}; cannot redefine", param.name);
                let (file, line) = param.place();
                return Err(self.placed_error(message, file, line));
            }
            table.push(param);
        }
        Ok(ty)
    }

    /// Hands on the defaults of a type as seen from a scope: the outermost scope's first, each attribute from the
    /// nearest.
    ///
    /// # Errors
    /// Those of a `lookupdefaults` in Ruby.
    pub(crate) fn with_defaults<R>(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        then: impl FnOnce(&[Param<'c>]) -> R,
    ) -> Eval<'c, R> {
        if !self.resources.defaults_in_ruby.borrow().is_empty() {
            return Ok(then(&self.defaults_with_ruby(vm, scope, type_name, None)?));
        }
        let all = self.resources.defaults.borrow();
        let Some(of_type) = all.get(type_name) else { return Ok(then(&[])) };
        let mut tables = outwards(scope).filter_map(|scope| table_of(of_type, scope.id));
        let Some(nearest) = tables.next() else { return Ok(then(&[])) };
        // Mostly the only one.
        let outer: Vec<_> = tables.collect();
        let Some((outermost, between)) = outer.split_last() else { return Ok(then(nearest)) };
        let mut params = (*outermost).clone();
        between.iter().rev().for_each(|table| put_over(&mut params, table));
        put_over(&mut params, nearest);
        Ok(then(&params))
    }

    /// The defaults of a type as a scope sees them, where functions in Ruby may have written `lookupdefaults` of some scopes anew. `own` is a scope whose method
    /// is meant to be Puppet's own all the same: the new one asks that.
    ///
    /// # Errors
    /// Those of a `lookupdefaults` in Ruby.
    #[cold]
    pub(crate) fn defaults_with_ruby(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        own: Option<&'c Scope<'c>>,
    ) -> Eval<'c, List<'c, Param<'c>>> {
        let mut inner = Vec::new();
        let mut params = List::new_in(self.arena);
        for scope in outwards(scope) {
            if let Some(written) = self.written_in_ruby(scope)
                && own.is_none_or(|own| own.id != written.id)
            {
                params = budget::within(1, || self.defaults_of_ruby(vm, written, type_name))?;
                break;
            }
            inner.push(scope.id);
        }
        let all = self.resources.defaults.borrow();
        let of_type = all.get(type_name).map_or(&[][..], |tables| tables);
        let nearer = inner.iter().rev().filter_map(|scope| table_of(of_type, *scope));
        nearer.for_each(|table| put_over(&mut params, table));
        Ok(params)
    }

    /// What Ruby's `lookupdefaults` of a scope gives. Those that it hands on are those that there are; others are the
    /// scope's.
    fn defaults_of_ruby(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
    ) -> Eval<'c, List<'c, Param<'c>>> {
        let told = self.talk().defaults_of(vm, scope, type_name)?;
        let all = self.resources.defaults.borrow();
        let of_type = all.get(type_name).map_or(&[][..], |tables| tables);
        let known = |name: &str, value: Value<'c>| {
            let mut tables = outwards(scope).filter_map(|scope| table_of(of_type, scope.id));
            tables.find_map(|table| table.iter().find(|p| p.name == name && p.value.same(value)))
        };
        let param = |(name, value): (&'c str, Value<'c>)| match known(name, value) {
            Some(param) => *param,
            None => self.param_of_ruby(scope, name, value),
        };
        Ok(told.into_iter().map(param).collect_in(self.arena))
    }

    fn param_of_ruby(&self, scope: &'c Scope<'c>, name: &'c str, value: Value<'c>) -> Param<'c> {
        Param { name, value, at: None, append: false, source: self.source_of(scope) }
    }

    /// The scope, by the one that Ruby knows it by, whose `lookupdefaults` Ruby has written anew.
    fn written_in_ruby(&self, scope: &'c Scope<'c>) -> Option<&'c Scope<'c>> {
        let written = self.resources.defaults_in_ruby.borrow();
        written.iter().copied().rfind(|written| written.container().id == scope.id)
    }

    /// Ruby has written `lookupdefaults` of a scope anew.
    pub(crate) fn note_defaults_in_ruby(&self, scope: &'c Scope<'c>) {
        let mut written = self.resources.defaults_in_ruby.borrow_mut();
        written.retain(|known| known.id != scope.id);
        written.push(scope.keep());
    }

    /// The defaults of a type that a scope itself has.
    pub(crate) fn own_defaults(&self, scope: &'c Scope<'c>, type_name: &str) -> List<'c, Param<'c>> {
        let all = self.resources.defaults.borrow();
        let table = all.get(type_name).and_then(|of_type| table_of(of_type, scope.container().id));
        table.map_or_else(|| List::new_in(self.arena), List::clone)
    }

    /// Ruby sets a default of a scope, in the place of any that there is.
    pub(crate) fn set_default(
        &self,
        scope: &'c Scope<'c>,
        type_name: &'c str,
        name: &'c str,
        value: Value<'c>,
    ) {
        let param = self.param_of_ruby(scope, name, value);
        let mut all = self.resources.defaults.borrow_mut();
        put_over(self.own_table(&mut all, scope, type_name), &[param]);
    }

    /// The table of a scope's own defaults of a type.
    fn own_table<'t>(
        &self,
        all: &'t mut Map<'c, &'c str, List<'c, OfScope<'c>>>,
        scope: &'c Scope<'c>,
        type_name: &'c str,
    ) -> &'t mut List<'c, Param<'c>> {
        let tables = all.entry(type_name).or_insert_with(|| List::new_in(self.arena));
        let scope = scope.container().id;
        let at = tables.iter().position(|(id, _)| *id == scope).unwrap_or_else(|| {
            tables.push((scope, List::new_in(self.arena)));
            tables.len() - 1
        });
        &mut tables[at].1
    }

    /// Whether a value is a default of a scope or of one around it, be there a nearer one or not.
    pub(crate) fn is_default(
        &self,
        scope: &'c Scope<'c>,
        type_name: &'c str,
        name: &str,
        value: Value<'c>,
    ) -> bool {
        let all = self.resources.defaults.borrow();
        let Some(of_type) = all.get(type_name) else { return false };
        let mut params = outwards(scope).filter_map(|scope| table_of(of_type, scope.id)).flatten();
        params.any(|p| p.name == name && p.value.same(value))
    }
}

/// A scope and those around it that defaults are looked up in, outwards.
fn outwards<'c>(scope: &'c Scope<'c>) -> impl Iterator<Item = &'c Scope<'c>> {
    std::iter::successors(Some(scope.container()), |scope| scope.declared_in.map(Scope::container))
}

/// The defaults that a scope itself has, among those of a type.
fn table_of<'t, 'c>(of_type: &'t [OfScope<'c>], scope: u32) -> Option<&'t List<'c, Param<'c>>> {
    of_type.iter().find(|(id, _)| *id == scope).map(|(_, table)| table)
}

/// Puts the parameters of a nearer scope in the place of those of the same names.
fn put_over<'c>(params: &mut List<'c, Param<'c>>, nearer: &[Param<'c>]) {
    for param in nearer {
        match params.iter_mut().find(|p| p.name == param.name) {
            Some(old) => *old = *param,
            None => params.push(*param),
        }
    }
}
