//! Overrides: `File['x'] { … }` and those of collectors. One for a resource that is not there yet waits for it.
//! Source: puppet-specifications, "Resource Override"; `Puppet::Parser::Resource#merge` for who may override what.

use crate::compile::Compile;
use crate::declare::{flatten, flatten_with_undef};
use crate::state::arena::List;
use crate::state::recorded::Given;
use crate::state::resources::Override;
use bunraku_catalog::Param;
use bunraku_data::names;
use bunraku_environment::taken::location;
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::{Attribute, Change, Site, Strict, WitnessPort};
use bunraku_vm::label;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::Type;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// An override expression.
    pub(crate) fn override_expression(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        resources: Value<'c>,
        attributes: &[Attribute<'c>],
        at: Site<'c>,
    ) -> Eval<'c, ()> {
        let mut all = Vec::new();
        flatten(resources, &mut all);
        for resource in all {
            let Value::Type(Type::Resource { type_name: Some(ty), title: Some(title), .. }) = resource else {
                let message = format!(
                    "Resource Override can only operate on resources, got: {}",
                    label::value(resource)
                );
                return Err(Flow::issue("ILLEGAL_OVERRIDDEN_TYPE", message));
            };
            let over = self.override_of(scope, attributes, at);
            let ty = names::capitalize(ty);
            self.check_override(&over, || format!("{ty}[{title}]"))?;
            self.add_override(vm, &ty, title, over)?;
        }
        Ok(())
    }

    /// What the attributes of an override or a collector set.
    pub(crate) fn override_of(
        &self,
        scope: &'c Scope<'c>,
        attributes: &[Attribute<'c>],
        at: Site<'c>,
    ) -> Override<'c> {
        Override {
            params: self.params_of(scope, attributes),
            twice: Attribute::set_twice(attributes),
            source: self.source_of(scope),
            file: Some(at.file.unwrap_or("")),
            line: at.line,
        }
    }

    /// Checks that an override sets nothing twice; Puppet does for each resource that it meets.
    pub(crate) fn check_override(
        &self,
        over: &Override<'c>,
        reference: impl FnOnce() -> String,
    ) -> Eval<'c, ()> {
        let Some(twice) = over.twice else { return Ok(()) };
        let message = format!("Duplicate parameter '{twice}' for on {}", reference());
        Err(self.placed_error(message, over.file, over.line))
    }

    /// Applies an override, now or when its resource appears.
    pub(crate) fn add_override(
        &self,
        vm: &mut Vm<'c>,
        ty: &str,
        title: &str,
        over: Override<'c>,
    ) -> Eval<'c, ()> {
        let found = self.catalog.borrow().find(ty, title);
        match found {
            Some(id) => self.merge(vm, id, &over),
            None => {
                let reference = self.joined(&[ty, "[", title, "]"]);
                let mut order = self.resources.override_order.borrow_mut();
                if !order.contains(&reference) {
                    order.push(reference);
                }
                let mut waiting = self.resources.overrides.borrow_mut();
                waiting.entry(reference).or_insert_with(|| List::new_in(self.arena)).push(over);
                Ok(())
            }
        }
    }

    /// Merges an override into a resource.
    pub(crate) fn merge(&self, _vm: &mut Vm<'c>, id: ResourceId, over: &Override<'c>) -> Eval<'c, ()> {
        let (own_source, evaluated, file, line) = {
            let catalog = self.catalog.borrow();
            let resource = &catalog[id];
            (resource.origin.source, resource.progress.evaluated, resource.file, resource.line)
        };
        if own_source != over.source && !self.is_child(over.source, own_source) {
            return Err(self.placed_error(
                "Only subclasses can override parameters".into(),
                over.file,
                over.line,
            ));
        }
        if evaluated && self.is_witness() {
            let place = Place { file: over.file.map(Into::into), line: Some(over.line), column: None };
            self.witness(Change::LateOverride, &self.catalog.borrow()[id].reference(), place);
        }
        if evaluated && self.options.settings.strict != Strict::Off {
            let at = location(file, line);
            let message = if at.is_empty() {
                "Attempt to override an already evaluated resource with new values".to_owned()
            } else {
                format!("Attempt to override an already evaluated resource, defined at {at}, with new values")
            };
            if self.options.settings.strict == Strict::Error {
                return Err(self.placed_error(message, over.file, over.line));
            }
            let here = location(over.file, over.line);
            let message = if here.is_empty() { message } else { format!("{message} {here}") };
            self.push_log(Severity::Warning, message, Place::default());
        }
        self.catalog.borrow_mut()[id].progress.validated = false;
        for param in &over.params {
            self.override_param(id, *param)?;
            if let Some(recorded) = self.recorded {
                recorded.give(id, param.name, Given::Override);
            }
        }
        Ok(())
    }

    /// Whether the code of `child` may override what the code of `parent` set: a class that inherits it, or one that
    /// has collected with overrides.
    fn is_child(&self, child: u32, parent: u32) -> bool {
        let mut definition = self.definition(child);
        // An inheritance loop cannot be declared, but a count costs nothing.
        for _ in 0..1000 {
            if definition.overrides.get() {
                return true;
            }
            let Some(name) = definition.parent else { return false };
            let Some(next) = self.definitions.classes.borrow().get(name).copied() else { return false };
            if next.number == parent {
                return true;
            }
            definition = next;
        }
        false
    }

    fn override_param(&self, id: ResourceId, param: Param<'c>) -> Eval<'c, ()> {
        let (current, type_name, scope, reference) = {
            let catalog = self.catalog.borrow();
            let resource = &catalog[id];
            let current = resource.params.iter().find(|p| p.name == param.name).copied();
            (current, resource.type_name, resource.origin.scope, resource.reference())
        };
        let Some(current) = current else { return self.set_resource_param(id, param) };
        if self.is_default(scope, type_name, param.name, param.value) {
            return Ok(());
        }
        let replaces_default =
            param.source == current.source && self.is_default(scope, type_name, param.name, current.value);
        if !self.is_child(param.source, current.source) && !replaces_default {
            let (file, line) = current.place();
            let at = location(file, line);
            let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
            // Puppet prints the object that set it, address and all.
            let message = format!(
                "Parameter '{}' is already set on {reference} by #<Puppet::Resource::Type:0x0>{at}; cannot redefine",
                param.name
            );
            let (file, line) = param.place();
            return Err(self.placed_error(message, file, line));
        }
        let mut param = param;
        if param.append {
            let mut all = Vec::new();
            flatten_with_undef(current.value, &mut all);
            flatten_with_undef(param.value, &mut all);
            param.value = Value::array(self.arena, &all);
        }
        self.set_resource_param(id, param)
    }

    /// Sets a parameter of a resource, with the tags it brings.
    pub(crate) fn set_resource_param(&self, id: ResourceId, param: Param<'c>) -> Eval<'c, ()> {
        let mut catalog = self.catalog.borrow_mut();
        if param.name == "tag" {
            catalog.retagged += 1;
            self.tag_by_parameter(&mut catalog[id], param.value)?;
        }
        if param.name == "alias" {
            self.resources.late_aliases.set(true);
        }
        catalog[id].set(param);
        Ok(())
    }

    /// The error for overrides whose resource never appeared.
    pub(crate) fn fail_on_unused_overrides(&self) -> Eval<'c, ()> {
        let overrides = self.resources.overrides.borrow();
        let mut left = Vec::new();
        let order = self.resources.override_order.borrow();
        for reference in order.iter() {
            let count = overrides.get(reference).map_or(0, |waiting| waiting.len());
            left.extend(std::iter::repeat_n(*reference, count));
        }
        if left.is_empty() {
            return Ok(());
        }
        let message = format!("Could not find resource(s) {} for overriding", left.join(", "));
        Err(self.placed_error(message, None, 0))
    }
}
