//! Binding the parameters of classes and defined types: what was given, what data gives, defaults, types.
//! Source: puppet-specifications, "Parameters"; `Puppet::Resource::Type` for the order of it all.

use crate::compile::Compile;
use crate::state::definitions::{Definition, DefinitionKind};
use crate::state::recorded::Given;
use bunraku_catalog::{Param, Resource};
use bunraku_data::names;
use bunraku_resource_types::is_metaparameter;
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::compat::Rule;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Fault, Flow, Stage};
use bunraku_vm::host::Lookup;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::symbol::known;
use bunraku_vm::types::mismatch::{Parameter, describe_parameters};
use bunraku_vm::types::{self, is_instance, take_check_fault};
use bunraku_vm::unit::ChunkRef;
use bunraku_vm::value::Value;
use bunraku_vm::vm::{ParamInfo, Vm};

/// The value of `$module_name`.
pub(crate) fn module_name<'c>(vm: &Vm<'c>, module: &'c str) -> Value<'c> {
    match module.is_empty() && !vm.host.holds(Rule::EmptyTextsAreFrozen) {
        true => vm.string(module),
        false => vm.frozen_string(module),
    }
}

impl<'c> Compile<'c> {
    /// Sets the variables a body starts with: its names, its parameters. What data or defaults give is set on the
    /// resource as well.
    pub(crate) fn set_parameters(
        &self,
        vm: &mut Vm<'c>,
        id: ResourceId,
        definition: &'c Definition<'c>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c, ()> {
        scope.set(known::MODULE_NAME, module_name(vm, definition.module));
        if let Some(outer) = scope.declared_in {
            let caller = self.definition(self.source_of(outer)).module;
            scope.set(known::CALLER_MODULE_NAME, vm.string(caller));
        }
        let Some(chunk) = definition.chunk else { return Ok(()) };
        if definition.kind == DefinitionKind::Class {
            self.look_up_parameters(vm, id, definition, chunk, scope)?;
        }
        self.set_names(vm, id, definition, scope);
        if definition.kind == DefinitionKind::Node {
            self.scopes.of_classes.borrow_mut().insert(definition.name, scope);
            return Ok(());
        }
        let (mut given, subject) = {
            let resource = &self.catalog.borrow()[id];
            (resource.params.clone(), resource.named())
        };
        let params = vm.params(chunk)?;
        if let Some(message) = ParamInfo::refused(params) {
            return Err(at_definition(Flow::formed(Diagnostic::error(message)), definition));
        }
        let mut all_known = true;
        // The names have been set. A title that was given is complained of in the end.
        let has_title = given.iter().any(|param| param.name == "title");
        given.retain(|param| !matches!(param.name, "name" | "title"));
        for param in &given {
            // What Ruby changes of arrays and hashes in place is not changed elsewhere, for a resource has its own.
            let value = types::held(self.arena, param.value);
            match position(params, param.name) {
                Some(n) => scope.slots[params[n].slot as usize].set(Some(value)),
                None => {
                    scope.set(vm.symbols.intern(param.name), value);
                    all_known = all_known && is_metaparameter(param.name);
                }
            }
        }
        self.catalog.borrow_mut()[id].params.reserve(params.len().saturating_sub(given.len()));
        let checked = vm.checked_params(chunk);
        // The parameters whose values may not be of their types.
        let mut doubtful = Vec::with_capacity(params.len());
        for (n, param) in params.iter().enumerate() {
            let slot = &scope.slots[param.slot as usize];
            if !param.has_default || slot.get().is_some_and(|v| !v.is_undef()) {
                if param.typed || slot.get().is_none() {
                    doubtful.push(n);
                }
                continue;
            }
            if param.typed && !checked.is_some_and(|checked| checked.fits[n]) {
                doubtful.push(n);
            }
            let is_given = slot.take().is_some();
            let value = vm
                .param_default(chunk, n, scope, &subject)
                .map_err(|flow| at_definition(flow, definition))?;
            let param = Param { name: param.name, value, at: None, append: false, source: definition.number };
            match is_given {
                true => self.set_param(id, param)?,
                false => self.add_param(id, param)?,
            }
            slot.set(Some(types::held(self.arena, value)));
        }
        let value_of = |n: usize| scope.slots[params[n].slot as usize].get();
        self.validate(vm, id, chunk, &value_of, (&given, all_known), &doubtful)?;
        // These have been set before any parameter.
        let set =
            |param: &&ParamInfo<'_>| matches!(param.symbol, known::MODULE_NAME | known::CALLER_MODULE_NAME);
        if let Some(param) = params.iter().find(set) {
            let message = format!("Cannot reassign variable '${}'", param.name);
            return Err(at_definition(Flow::formed(Diagnostic::error(message)), definition));
        }
        self.catalog.borrow_mut()[id].progress.validated = !has_title;
        scope.begin_body();
        Ok(())
    }

    /// Checks the parameters of a class or defined type whose body is not evaluated with them: one that stayed
    /// virtual, or that was given others afterwards.
    pub(crate) fn validate_as_given(&self, vm: &mut Vm<'c>, id: ResourceId) -> Eval<'c, ()> {
        let (definition, given) = {
            let resource = &self.catalog.borrow()[id];
            let definition = match resource.type_name {
                "Class" => self.class_named(&names::lower(resource.title)),
                other => self.define_named(&names::lower(other)),
            };
            (definition, resource.params.clone())
        };
        let Some(chunk) = definition.and_then(|definition| definition.chunk) else { return Ok(()) };
        let params = vm.params(chunk)?;
        let value_of =
            |n: usize| given.iter().find(|param| param.name == params[n].name).map(|param| param.value);
        let all_known = given
            .iter()
            .all(|param| needs_none(param.name) || params.iter().any(|declared| declared.name == param.name));
        let set: Vec<usize> =
            (0..params.len()).filter(|n| !params[*n].has_default || value_of(*n).is_some()).collect();
        self.validate(vm, id, chunk, &value_of, (&given, all_known), &set)
    }

    /// Sets `$title` and `$name`.
    fn set_names(&self, vm: &Vm<'c>, id: ResourceId, definition: &'c Definition<'c>, scope: &'c Scope<'c>) {
        let title = self.catalog.borrow()[id].title;
        let title_value = self.catalog.borrow()[id].title_value.unwrap_or_else(|| vm.string(title));
        let name = self.catalog.borrow()[id].param("name").unwrap_or(title_value);
        if definition.kind == DefinitionKind::Class {
            let title = vm.string(&names::lower(title));
            scope.set(known::TITLE, title);
            scope.set(known::NAME, title);
            self.scopes.of_classes.borrow_mut().insert(definition.name, scope);
        } else {
            for (variable, value) in [(known::TITLE, title_value), (known::NAME, name)] {
                scope.set(variable, value.as_str().map_or(value, |text| vm.frozen_string(text)));
            }
        }
    }

    /// Gives a resource a parameter, in place of the one of that name that it may have.
    fn set_param(&self, id: ResourceId, param: Param<'c>) -> Eval<'c, ()> {
        let resource = &mut self.catalog.borrow_mut()[id];
        self.tag_if_named_so(resource, &param)?;
        resource.set(param);
        Ok(())
    }

    /// Gives a resource a parameter that it does not have: defaults are many, and so are the parameters that would be searched
    /// for each.
    fn add_param(&self, id: ResourceId, param: Param<'c>) -> Eval<'c, ()> {
        let resource = &mut self.catalog.borrow_mut()[id];
        self.tag_if_named_so(resource, &param)?;
        resource.params.push(param);
        Ok(())
    }

    /// A parameter may be called `tag`, and tags as the metaparameter does.
    fn tag_if_named_so(&self, resource: &mut Resource<'c>, param: &Param<'c>) -> Eval<'c, ()> {
        if param.name == "tag" { self.tag_by_parameter(resource, param.value) } else { Ok(()) }
    }

    /// Automatic parameter look-up: what Hiera has for a class parameter that was not given.
    fn look_up_parameters(
        &self,
        vm: &mut Vm<'c>,
        id: ResourceId,
        definition: &'c Definition<'c>,
        chunk: ChunkRef,
        scope: &'c Scope<'c>,
    ) -> Eval<'c, ()> {
        let params = vm.params(chunk)?;
        let mut key = [definition.name, "::"].concat();
        let prefix = key.len();
        for param in params {
            if self.catalog.borrow()[id].param(param.name).is_some_and(|value| !value.is_undef()) {
                continue;
            }
            key.truncate(prefix);
            key.push_str(param.name);
            let lookup = Lookup { key: &key, ..Lookup::default() };
            let found = match self.recorded {
                None => vm.host.lookup(vm, scope, &lookup)?,
                Some(recorded) => self.noted_lookup(vm, scope, &key)?.map(|noted| {
                    let value = noted.value;
                    recorded.give(id, param.name, Given::Hiera(noted));
                    value
                }),
            };
            if let Some(value) = found
                && !(value.is_undef() && param.has_default)
            {
                let (name, source) = (param.name, definition.number);
                self.set_param(id, Param { name, value, at: None, append: false, source })?;
            }
        }
        Ok(())
    }

    /// Checks the parameters by name and type, in Puppet's order: unknown ones first, then the declared ones. Of those
    /// given it is known whether all are declared; of the declared, which may not be of their types, and what their
    /// values are.
    fn validate(
        &self,
        vm: &mut Vm<'c>,
        id: ResourceId,
        chunk: ChunkRef,
        value_of: &dyn Fn(usize) -> Option<Value<'c>>,
        (given, all_known): (&[Param<'c>], bool),
        doubtful: &[usize],
    ) -> Eval<'c, ()> {
        let params = vm.params(chunk)?;
        // Nearly always all is well, and nobody asks in which order.
        let mut fits = true;
        for n in doubtful {
            let ty = vm.param_type(chunk, *n)?;
            fits = fits && value_of(*n).is_some_and(|value| is_instance(vm, ty, value));
        }
        let is_deferred = |n| matches!(value_of(n), Some(Value::Object(o)) if o.type_name == "Deferred");
        let fits = fits && !(0..params.len()).any(is_deferred);
        if fits && all_known {
            return Ok(());
        }
        let mut parameters = Vec::with_capacity(params.len());
        for (n, param) in params.iter().enumerate() {
            let ty = vm.param_type(chunk, n)?;
            parameters.push(Parameter { name: param.name, ty, optional: param.has_default });
        }
        let mut values: Vec<(&str, Value<'c>)> = Vec::new();
        for param in given {
            if !needs_none(param.name) {
                values.push((param.name, param.value));
            }
        }
        for (n, param) in params.iter().enumerate() {
            if let Some(value) = value_of(n) {
                match values.iter_mut().find(|(name, _)| *name == param.name) {
                    Some(known) => known.1 = value,
                    None => values.push((param.name, value)),
                }
            }
        }
        let subject = self.catalog.borrow()[id].named();
        let described = describe_parameters(vm, &subject, &parameters, &values)?;
        if let Some(message) = take_check_fault() {
            return Err(match self.catalog.borrow()[id].type_name {
                "Class" => Flow::raw(message),
                // Nothing is being evaluated by then that Puppet would put around it.
                _ => {
                    let message =
                        format!("Puppet::Parser::Compiler failed with error ArgumentError: {message}");
                    Flow::formed(Diagnostic::error(message).because(Cause::LateParameters))
                }
            });
        }
        match described {
            Some(message) => Err(Flow::raw(message)),
            None => Ok(()),
        }
    }
}

/// An error of a default without a place gets that of the definition (`Puppet::Util::Errors#exceptwrap`).
#[cold]
fn at_definition<'c>(mut flow: Box<Flow<'c>>, definition: &Definition<'c>) -> Box<Flow<'c>> {
    if let Flow::Fault(Fault { diagnostic, stage: Stage::Formed, .. }) = &mut *flow
        && diagnostic.place.line.is_none()
        && diagnostic.code != Some(UNCAUGHT)
    {
        diagnostic.place = Place {
            file: definition.manifest.file.map(Into::into),
            line: Some(definition.line),
            column: None,
        };
    }
    flow
}

/// Whether any class or defined type takes it, declared or not.
fn needs_none(name: &str) -> bool {
    name == "name" || is_metaparameter(name)
}

/// Which parameter has a name. Names of a compile lie in one place each: mostly it is found without reading any.
fn position(params: &[ParamInfo<'_>], name: &str) -> Option<usize> {
    let place = names::address(name);
    let there = params.iter().position(|param| names::address(param.name) == place);
    there.or_else(|| params.iter().position(|param| param.name == name))
}
