//! Answers about what the catalog has so far; tags.

use crate::compile::Compile;
use crate::query;
use bunraku_data::names;
use bunraku_resource_types::is_metaparameter;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::host::{CatalogPort, ClassPort};
use bunraku_vm::names::split_last;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::Type;
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// Whether a resource's type has a parameter of that name.
    fn has_parameter(&self, vm: &mut Vm<'c>, id: ResourceId, name: &str) -> Eval<'c, bool> {
        if name == "name" || is_metaparameter(name) {
            return Ok(true);
        }
        let type_name = self.catalog.borrow()[id].type_name;
        if let Some(ty) = self.environment.types.get(type_name) {
            return Ok(ty.takes(name));
        }
        let title = self.catalog.borrow()[id].title;
        let definition = match type_name {
            "Class" => self.find_class(vm, title)?,
            _ => self.find_define(vm, type_name)?,
        };
        match definition.and_then(|definition| definition.chunk) {
            Some(chunk) => Ok(vm.params(chunk)?.iter().any(|param| param.name == name)),
            None => Ok(false),
        }
    }
}

impl<'c> CatalogPort<'c> for Compile<'c> {
    fn defined(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, what: &[Value<'c>]) -> Eval<'c, bool> {
        for value in what {
            let found = match value {
                Value::Str(text) if text.starts_with('$') && text.len() > 1 => {
                    let name = &text[1..];
                    let bare = name.strip_prefix("::").unwrap_or(name);
                    // Unlike `$a::b`, this finds what is around the class, too.
                    if let Some((class, _)) = split_last(bare)
                        && self.class_scope(class).is_none()
                    {
                        self.find_class(vm, class)?;
                    }
                    let found = match split_last(bare) {
                        Some((class, leaf)) => self
                            .class_scope(class)
                            .is_some_and(|scope| scope.lookup(vm.symbols.intern(leaf)).is_some()),
                        None if name.len() > bare.len() => vm.find_qualified(name).is_some(),
                        None => scope.lookup(vm.symbols.intern(name)).is_some(),
                    };
                    found || vm.withheld_fact(bare).is_some()
                }
                Value::Str(text) if text.is_empty() => false,
                Value::Str(text) if text.as_str() == "main" => true,
                Value::Str(text) => {
                    let name = names::key(text);
                    self.is_resource_type_name(vm, &name)? || self.find_class(vm, &name)?.is_some()
                }
                Value::Type(Type::Resource { type_name: None, .. }) => {
                    return Err(Flow::raw("The given resource type is a reference to all kind of types"));
                }
                Value::Type(Type::Resource { type_name: Some(name), title: None, .. }) => {
                    self.is_resource_type_name(vm, &names::key(name))?
                }
                // Puppet looks for the class by a name in capitals, which none has.
                Value::Type(Type::Resource { type_name: Some("Class"), held: true, .. }) => false,
                Value::Type(Type::Resource { type_name: Some(name), title: Some(title), .. }) => {
                    self.find_resource(name, title).is_some()
                }
                Value::Type(Type::Class(None)) => {
                    return Err(Flow::raw("The given class type is a reference to all classes"));
                }
                Value::Type(Type::Class(Some(name))) => self.find_resource("Class", name).is_some(),
                Value::Type(Type::Type(inner)) => match inner {
                    Type::Class(Some(name)) => self.find_class(vm, name)?.is_some(),
                    Type::Resource { type_name: Some(name), title: None, .. } => {
                        self.is_resource_type_name(vm, &names::key(name))?
                    }
                    _ => false,
                },
                other => {
                    let actual = vm.type_text(*other);
                    return Err(Flow::raw(format!("Invalid argument of type '{actual}' to 'defined'")));
                }
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn tag(&self, _vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c> {
        if let Some(id) = Compile::resource_of(self, scope) {
            let mut catalog = self.catalog.borrow_mut();
            for tag in tags {
                catalog.retagged += 1;
                self.tag_value(&mut catalog[id], *tag)?;
            }
        }
        Ok(Value::Undef)
    }

    fn tagged(&self, _vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c, bool> {
        // An array is one tag, by a text that no tag has.
        Ok(tags.iter().all(|tag| {
            let tag = self.tags.names.intern(&format::to_interpolated(*tag).to_lowercase());
            self.catalog.borrow().tags.has(tag)
                || Compile::resource_of(self, scope)
                    .is_some_and(|id| query::is_tagged(&self.catalog.borrow(), id, tag))
        }))
    }

    fn resource_parameter(
        &self,
        vm: &mut Vm<'c>,
        _scope: &'c Scope<'c>,
        type_name: &str,
        title: &str,
        parameter: &str,
    ) -> Eval<'c, Option<Value<'c>>> {
        match self.find_resource(type_name, title) {
            Some(id) if self.has_parameter(vm, id, parameter)? => self.parameter_of(vm, id, parameter),
            Some(id) => {
                let catalog = self.catalog.borrow();
                let ty = catalog[id].type_name;
                let title = if ty == "Class" { title } else { catalog[id].title };
                let message =
                    format!("The resource {ty}['{title}'] does not have a parameter called '{parameter}'");
                Err(Flow::issue("UNKNOWN_RESOURCE_PARAMETER", message))
            }
            None => Err(self.unknown_resource(type_name, title)),
        }
    }

    fn titles(&self, type_name: &str) -> Vec<&'c str> {
        let catalog = self.catalog.borrow();
        catalog.resources.iter().filter(|r| r.type_name == type_name).map(|r| r.title).collect()
    }

    fn declared(
        &self,
        vm: &mut Vm<'c>,
        type_name: &str,
        title: &str,
    ) -> Eval<'c, Option<(&'c str, &'c str, Hash<'c>)>> {
        let Some(id) = self.find_resource(type_name, title) else { return Ok(None) };
        let catalog = self.catalog.borrow();
        let resource = &catalog[id];
        let mut parameters = HashBuilder::new(vm.arena);
        for param in &resource.params {
            parameters.insert_str(param.name, param.value);
        }
        parameters.insert_str("title", self.string_value(resource.title));
        Ok(Some((resource.type_name, resource.title, parameters.finish())))
    }

    fn resource_of(&self, scope: &'c Scope<'c>) -> Option<(&'c str, &'c str)> {
        let id = Compile::resource_of(self, scope)?;
        let catalog = self.catalog.borrow();
        Some((catalog[id].type_name, catalog[id].title))
    }
}
