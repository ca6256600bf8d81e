//! Passes on what running code does to the catalog.

use crate::compile::Compile;
use bumpalo::collections::Vec as List;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::Eval;
use bunraku_vm::host::{Attribute, Collect, Declaration, Relation, ResourcePort, Site};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Array, Hash, Value};
use bunraku_vm::vm::Vm;

impl<'c> ResourcePort<'c> for Compile<'c> {
    fn exporting(&self, at: Site<'c>) {
        if !self.stores_configs() {
            let message =
                "You cannot collect exported resources without storeconfigs being set; the export is ignored";
            self.log_with_place(Severity::Warning, message, at.place());
        }
    }

    fn declare(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, declaration: &Declaration<'c>) -> Eval<'c> {
        let creation = self.creation(declaration.form, declaration.type_name, declaration.at);
        let titles = || declaration.bodies.iter().map(|body| body.titles.len()).sum();
        let mut references = declaration.references.then(|| List::with_capacity_in(titles(), self.arena));
        for body in declaration.bodies {
            let params = self.params_of(scope, body.attributes);
            self.create(vm, scope, &creation, body.titles, params, references.as_mut())?;
        }
        let array =
            |references: List<'c, _>| Value::Array(Array::wrap(self.arena, references.into_bump_slice()));
        Ok(references.map_or(Value::Undef, array))
    }

    fn set_defaults(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        ty: Value<'c>,
        attributes: &'c [Attribute<'c>],
    ) -> Eval<'c> {
        self.define_defaults(vm, scope, ty, attributes)
    }

    fn override_resources(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        resources: Value<'c>,
        attributes: &'c [Attribute<'c>],
        at: Site<'c>,
    ) -> Eval<'c> {
        self.override_expression(vm, scope, resources, attributes, at)?;
        Ok(resources)
    }

    fn collect(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, collect: &Collect<'c>) -> Eval<'c> {
        self.add_collector(vm, scope, collect)
    }

    fn relate(&self, vm: &mut Vm<'c>, relation: Relation, left: Value<'c>, right: Value<'c>) -> Eval<'c> {
        self.add_relationship(vm, relation, left, right)
    }

    fn realize(&self, vm: &mut Vm<'c>, _scope: &'c Scope<'c>, references: &[Value<'c>]) -> Eval<'c> {
        self.add_realization(vm, references);
        Ok(Value::Undef)
    }

    fn create_resources(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        resources: Hash<'c>,
        defaults: Option<Hash<'c>>,
    ) -> Eval<'c> {
        self.create_from_hash(vm, scope, type_name, resources, defaults)
    }
}
