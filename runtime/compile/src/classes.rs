//! Classes and nodes: putting them into the catalog once, evaluating their bodies, `include` and its kin.

use crate::compile::{Compile, Contained, contain};
use crate::state::definitions::{Definition, DefinitionKind};
use crate::state::recorded::{Given, Led, LedHow};
use crate::stats::Kind as Counted;
use bunraku_catalog::tags::Tags;
use bunraku_catalog::{Inherited, Kind, Origin, Param, Params, Progress, Resource};
use bunraku_data::names;
use bunraku_data::rich;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::host::Include;
use bunraku_vm::raised::PUPPET_ERROR;
use bunraku_vm::scope::{ResourceId, Scope, ScopeKind, ScopeSpec};
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::borrow::Cow;

impl<'c> Compile<'c> {
    /// `include`, `contain`, `require`: declares and evaluates classes; yields references to them.
    pub(crate) fn include_classes(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        how: Include,
        classes: &[Value<'c>],
    ) -> Eval<'c> {
        let mut class_names = Vec::new();
        self.class_names(vm, classes, &mut class_names)?;
        if let Some(recorded) = self.recorded {
            let led = Led { how: LedHow::Function(how), by: self.resource_of(scope), site: vm.site() };
            let mut all = recorded.led.borrow_mut();
            for name in &class_names {
                all.entry(names::key(name).into_owned()).or_default().push(led);
            }
        }
        let ids = self.evaluate_classes(vm, scope, &class_names)?;
        match how {
            Include::Include => {}
            Include::Contain => {
                if let Some(container) = self.resource_of(scope) {
                    let mut catalog = self.catalog.borrow_mut();
                    ids.iter().for_each(|id| catalog.add_edge(container, *id));
                }
            }
            Include::Require => {
                if let Some(container) = self.resource_of(scope) {
                    for id in &ids {
                        self.add_requirement(vm, container, *id);
                        if let Some(recorded) = self.recorded {
                            recorded.give(container, "require", Given::Require(vm.site()));
                        }
                    }
                }
            }
        }
        let references: Vec<_> = class_names
            .iter()
            .map(|name| Value::Type(self.arena.alloc(Type::Class(Some(self.text(&names::key(name)))))))
            .collect();
        Ok(vm.array(&references))
    }

    fn add_requirement(&self, vm: &mut Vm<'c>, container: ResourceId, required: ResourceId) {
        let mut catalog = self.catalog.borrow_mut();
        let title = catalog[required].title;
        let reference = Value::Type(self.arena.alloc(Type::Class(Some(self.text(&title.to_lowercase())))));
        let mut all = match catalog[container].param("require") {
            Some(Value::Array(items)) => items.items().to_vec(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        all.push(reference);
        let source = catalog[container].origin.source;
        let value = vm.array(&all);
        catalog[container].set(Param { name: "require", value, at: None, append: false, source });
    }

    /// The names that arguments of `include` mean: strings, class references, arrays of them.
    fn class_names(&self, vm: &mut Vm<'c>, values: &[Value<'c>], into: &mut Vec<String>) -> Eval<'c, ()> {
        for value in values {
            match value {
                Value::Array(items) => self.class_names(vm, items, into)?,
                Value::Str(name) if name.is_empty() => {
                    return Err(Flow::raw("Cannot use empty string as a class name"));
                }
                Value::Str(name) => into.push(absolute(name)),
                Value::Type(Type::Class(Some(name))) => into.push(absolute(name)),
                Value::Type(Type::Class(None)) => {
                    return Err(Flow::raw("Cannot use an unspecific Class[] Type"));
                }
                Value::Type(Type::Resource { type_name: Some(ty), title: Some(title), .. })
                    if ty.eq_ignore_ascii_case("class") =>
                {
                    into.push(absolute(title));
                }
                Value::Type(Type::Resource { type_name: Some(ty), .. }) if !ty.is_empty() => {
                    let printed = types::print(match value {
                        Value::Type(ty) => ty,
                        _ => &Type::CatalogEntry,
                    });
                    return Err(Flow::raw(format!(
                        "Illegal Class name reference, expected Class[name], got {printed}"
                    )));
                }
                Value::Undef => return Err(Flow::raw("Cannot use undef as a class name")),
                other => {
                    let actual = vm.type_text(*other);
                    return Err(Flow::raw(format!(
                        "Expected a String or a Class type reference, got {actual}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Declares classes without parameters and evaluates those that are new. Resources of those that were there
    /// before come first, as in Puppet.
    pub(crate) fn evaluate_classes(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        class_names: &[String],
    ) -> Eval<'c, Vec<ResourceId>> {
        let mut found = Vec::new();
        for name in class_names {
            match self.find_class(vm, name)? {
                Some(definition) => found.push(definition),
                None => {
                    let message = format!("Could not find class {name} for {}", self.options.node_name);
                    return Err(Flow::of_class(PUPPET_ERROR, message));
                }
            }
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for definition in found {
            let evaluated =
                self.scopes.of_classes.borrow().get(definition.name).and_then(|scope| scope.resource.get());
            match evaluated {
                Some(id) => old.push(id),
                None => new.push(self.ensure_class(vm, scope, definition, None)?),
            }
        }
        for id in &new {
            self.evaluate_resource(vm, *id)?;
        }
        old.extend(new);
        Ok(old)
    }

    /// The resource of a class or node, made if it is not in the catalog. With parameters it must be new.
    pub(crate) fn ensure_class(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        definition: &'c Definition<'c>,
        params: Option<Params<'c>>,
    ) -> Eval<'c, ResourceId> {
        let (type_name, title) = match definition.kind {
            DefinitionKind::Node => ("Node", definition.name),
            _ => ("Class", self.text(&names::capitalize(definition.name))),
        };
        let there = self.catalog.borrow().find(type_name, title);
        if let (None, Some(id)) = (&params, there) {
            return Ok(id);
        }
        let params = params.unwrap_or_else(|| Params::new_in(self.arena));
        let mut resource = self.new_resource(vm, type_name, title, scope, params)?;
        resource.origin.source = definition.number;
        resource.origin.body = Some(definition.number);
        self.instantiate(vm, scope, definition, &mut resource)?;
        self.add_resource(scope, resource)
    }

    /// What comes before a class is added: its parent is in the catalog, its tags are the catalog's too.
    pub(crate) fn instantiate(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        definition: &'c Definition<'c>,
        resource: &mut Resource<'c>,
    ) -> Eval<'c, ()> {
        if let Some(parent) = definition.parent {
            let title = names::capitalize(parent);
            let there = self.catalog.borrow().find(resource.type_name, &title);
            if there.is_none() {
                self.check_inheritance(vm, definition)?;
                let parent = self.parent_class(vm, definition)?;
                self.ensure_class(vm, scope, parent, None)?;
            }
        }
        if matches!(definition.kind, DefinitionKind::Class | DefinitionKind::Node) {
            self.catalog.borrow_mut().tags.add_each(resource.tags.symbols());
        }
        Ok(())
    }

    /// The class that `known` inherits.
    fn parent_class(&self, vm: &mut Vm<'c>, definition: &'c Definition<'c>) -> Eval<'c, &'c Definition<'c>> {
        let name = definition.parent.unwrap_or_default();
        match self.find_class(vm, name)? {
            Some(parent) => Ok(parent),
            None => {
                let environment = &self.environment.name;
                let message = format!(
                    "Could not find parent resource type '::{name}' of type hostclass in {environment}"
                );
                Err(self.placed_error(message, definition.manifest.file, definition.line))
            }
        }
    }

    /// A class may not inherit itself, however many others stand between.
    fn check_inheritance(&self, vm: &mut Vm<'c>, definition: &'c Definition<'c>) -> Eval<'c, ()> {
        let mut ancestor = definition;
        let mut seen = vec![definition.number];
        while ancestor.parent.is_some() {
            ancestor = self.parent_class(vm, ancestor)?;
            if seen.contains(&ancestor.number) {
                // Puppet has no words of its own for this.
                let flow = self.placed_error("stack level too deep".to_owned(), None, 0);
                return Err(flow.because(Cause::StackTooDeep));
            }
            seen.push(ancestor.number);
        }
        Ok(())
    }

    /// Evaluates the body of a class, node or defined-type resource, once.
    pub(crate) fn evaluate_resource(&self, vm: &mut Vm<'c>, id: ResourceId) -> Eval<'c, ()> {
        if std::mem::replace(&mut self.catalog.borrow_mut()[id].progress.evaluated, true) {
            return Ok(());
        }
        if vm.observer.is_none() {
            return self.evaluate_now(vm, id);
        }
        let (type_name, title) = {
            let catalog = self.catalog.borrow();
            (catalog[id].type_name, catalog[id].title)
        };
        // A node definition is the main manifest's, and no class that a module could have.
        let (kind, name) = match type_name {
            "Node" => return self.evaluate_now(vm, id),
            "Class" => (Counted::Class, title),
            _ => (Counted::Define, type_name),
        };
        self.accounts.counter.count(kind, name, || self.evaluate_now(vm, id))
    }

    fn evaluate_now(&self, vm: &mut Vm<'c>, id: ResourceId) -> Eval<'c, ()> {
        let (type_name, outer, body) = {
            let catalog = self.catalog.borrow();
            let resource = &catalog[id];
            (resource.type_name, resource.origin.scope, resource.origin.body)
        };
        let definition = match body {
            Some(number) => self.definition(number),
            None => match self.find_define(vm, type_name)? {
                Some(definition) => definition,
                None => return Err(Flow::raw(format!("Cannot find definition {type_name}"))),
            },
        };
        self.add_scope_tags(id);
        let inherited = match definition.parent {
            Some(_) => Some(self.evaluate_parent(vm, definition)?),
            None => None,
        };
        let declared_in = inherited.unwrap_or_else(|| outer.container());
        let parent = inherited.unwrap_or_else(|| enclosing(declared_in));
        let kind = match definition.kind {
            DefinitionKind::Class | DefinitionKind::Main => ScopeKind::Class,
            DefinitionKind::Define => ScopeKind::Define,
            DefinitionKind::Node => ScopeKind::Node,
        };
        let spec = ScopeSpec {
            kind,
            names: &[],
            parent: Some(parent),
            declared_in: Some(declared_in),
            name: definition.name,
            module: definition.module,
        };
        let scope = match definition.chunk {
            Some(chunk) => vm.body_scope(chunk, spec)?,
            None => vm.new_scope(spec),
        };
        scope.resource.set(Some(id));
        scope.source.set(Some(definition.number));
        if definition.kind != DefinitionKind::Define {
            self.catalog.borrow_mut().add_class(&self.tags.names, definition.name);
        }
        self.set_parameters(vm, id, definition, scope)?;
        self.add_edge_to_stage(id)?;
        if definition.kind == DefinitionKind::Node {
            self.scopes.of_node.set(Some(scope));
        }
        if let Some(chunk) = definition.chunk {
            let groups = self.node_groups(vm, definition)?;
            contain(vm, Contained::Body, |vm| vm.run_body(chunk, scope, &groups))?;
        }
        Ok(())
    }

    fn evaluate_parent(&self, vm: &mut Vm<'c>, definition: &'c Definition<'c>) -> Eval<'c, &'c Scope<'c>> {
        let parent = self.parent_class(vm, definition)?;
        let id = self.catalog.borrow().find("Class", &names::capitalize(parent.name));
        if let Some(id) = id {
            self.evaluate_resource(vm, id)?;
        }
        let scope = self.scopes.of_classes.borrow().get(parent.name).copied();
        scope.ok_or_else(|| Flow::raw(format!("Could not find scope for {}", parent.name)))
    }

    /// The edge from a class's stage, main's unless a `stage` parameter (its own or its container's) says otherwise.
    pub(crate) fn add_edge_to_stage(&self, id: ResourceId) -> Eval<'c, ()> {
        let mut catalog = self.catalog.borrow_mut();
        if !catalog[id].is_class() {
            return Ok(());
        }
        let own = catalog[id].param("stage");
        let container = catalog[id].origin.scope.container().resource.get();
        let inherited = container.filter(|c| *c != id).and_then(|c| catalog[c].param("stage"));
        let name =
            own.or(inherited).map_or(Cow::Borrowed("main"), |stage| format::to_interpolated(stage).into());
        let Some(stage) = catalog.find("Stage", &name) else {
            let reference = catalog[id].reference();
            let given = own.map_or_else(|| "main".to_owned(), rich::text_or_reference);
            return Err(Flow::raw(format!("Could not find stage {given} specified by {reference}")));
        };
        if own.is_none() && name != "main" {
            let title = catalog[stage].title;
            let value = Value::Str(bunraku_vm::value::Str::wrap(self.arena, title));
            let source = catalog[id].origin.source;
            catalog[id].set(Param { name: "stage", value, at: None, append: false, source });
        }
        catalog.add_edge(stage, id);
        Ok(())
    }

    /// Adds the tags of the container whose body declared a resource.
    pub(crate) fn add_scope_tags(&self, id: ResourceId) {
        let mut catalog = self.catalog.borrow_mut();
        let resource = &mut catalog[id];
        if resource.progress.scope_tagged.is_some() {
            return;
        }
        resource.progress.scope_tagged = Some(Inherited::NONE);
        if let Some(container) = resource.origin.scope.container().resource.get().filter(|c| *c != id) {
            let mut tags = std::mem::replace(&mut resource.tags, Tags::new(self.arena));
            let of_container = &catalog.resources[container.0 as usize].tags;
            tags.inherit(of_container, container, &mut self.tags.marks.borrow_mut());
            let inherited = Inherited { container: Some(container), count: of_container.count() as u32 };
            let resource = &mut catalog[id];
            (resource.tags, resource.progress.scope_tagged) = (tags, Some(inherited));
        }
    }

    /// A resource of a class, node or stage that no code declares directly.
    pub(crate) fn new_resource(
        &self,
        vm: &mut Vm<'c>,
        type_name: &'c str,
        title: &'c str,
        scope: &'c Scope<'c>,
        params: Params<'c>,
    ) -> Eval<'c, Resource<'c>> {
        let mut resource = Resource {
            type_name,
            title,
            title_value: None,
            ty: self.environment.types.get(type_name),
            kind: Kind::Unknown,
            file: None,
            line: 0,
            is_virtual: false,
            exported: Some(false),
            params,
            parsed: None,
            sensitive: &[],
            tags: Tags::new(self.arena),
            origin: Origin { scope, source: self.source_of(scope), body: None },
            progress: Progress::default(),
            of_type: 0,
        };
        self.initialize_alone(vm, &mut resource)?;
        Ok(resource)
    }
}

/// A class's name as `include` looks it up and names it in errors: from the top.
fn absolute(name: &str) -> String {
    ["::", &*names::key(name)].concat()
}

/// Where variables of a class or defined type declared in `scope` are looked up next: the node's scope if it was
/// declared under it, else top scope.
pub(crate) fn enclosing<'c>(scope: &'c Scope<'c>) -> &'c Scope<'c> {
    let mut scope = scope;
    while !matches!(scope.kind, ScopeKind::Top | ScopeKind::Node) {
        match scope.declared_in.or(scope.parent) {
            Some(outer) => scope = outer,
            None => break,
        }
    }
    scope
}
