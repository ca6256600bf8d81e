//! Resource defaults (`File { mode => … }`): kept by scope, looked up along the dynamic scope, nearest wins.
//! Source: the specification's "Resource Defaults"; applied when a resource is created, as the oracle does.

use crate::compile::Compile;
use crate::state::arena::List;
use bunraku_catalog::Param;
use bunraku_data::names;
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
        let tables = all.entry(type_name).or_insert_with(|| List::new_in(self.arena));
        let scope = scope.container().id;
        let at = tables.iter().position(|(id, _)| *id == scope).unwrap_or_else(|| {
            tables.push((scope, List::new_in(self.arena)));
            tables.len() - 1
        });
        let table = &mut tables[at].1;
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
    pub(crate) fn with_defaults<R>(
        &self,
        scope: &'c Scope<'c>,
        type_name: &str,
        then: impl FnOnce(&[Param<'c>]) -> R,
    ) -> R {
        let all = self.resources.defaults.borrow();
        let Some(of_type) = all.get(type_name) else { return then(&[]) };
        let around = |scope: &&'c Scope<'c>| scope.declared_in.map(Scope::container);
        let scopes = std::iter::successors(Some(scope.container()), around);
        let mut tables = scopes.filter_map(|scope| Some(&of_type.iter().find(|(id, _)| *id == scope.id)?.1));
        let Some(nearest) = tables.next() else { return then(&[]) };
        // Mostly the only one.
        let outer: Vec<_> = tables.collect();
        let Some((outermost, between)) = outer.split_last() else { return then(nearest) };
        let mut params = (*outermost).clone();
        for param in between.iter().rev().copied().chain([nearest]).flatten() {
            match params.iter_mut().find(|p| p.name == param.name) {
                Some(old) => *old = *param,
                None => params.push(*param),
            }
        }
        then(&params)
    }

    /// Whether a value is what the scope's defaults give.
    pub(crate) fn is_default(
        &self,
        scope: &'c Scope<'c>,
        type_name: &'c str,
        name: &str,
        value: Value<'c>,
    ) -> bool {
        let is = |p: &Param<'c>| p.name == name && p.value.same(value);
        self.with_defaults(scope, type_name, |defaults| defaults.iter().any(is))
    }
}
