//! Tells at the end of a compile where everything in its catalog comes from: what the catalog knows of places, and what was noted.

use super::written::{Body, Sources};
use super::{
    ArrowTold, Code, CodePlace, Declared, Expression, How, Leaf, Origins, Parameter, ParameterOrigin, Step,
    Via,
};
use crate::compile::Compile;
use crate::declare::flatten;
use crate::inputs::Node;
use crate::state::definitions::DefinitionKind;
use crate::state::recorded::{Given, LedHow, Recorded};
use bunraku_catalog::{Kind, Param};
use bunraku_compiler::written::WrittenKind;
use bunraku_data::{json as data, names, rich};
use bunraku_hiera::query::origin::Origin;
use bunraku_resource_types::is_relationship;
use bunraku_vm::host::{Include, Lookup, Site};
use bunraku_vm::scope::ResourceId;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::collections::HashMap;

/// What is told of the value of a sensitive parameter.
const REDACTED: &str = "Sensitive [value redacted]";

impl<'c> Compile<'c> {
    /// Where everything comes from; none where nothing was to be noted. `code` was given in place of manifests.
    pub(crate) fn tell_origins(&self, vm: &mut Vm<'c>, node: &Node, code: Option<&str>) -> Option<Origins> {
        let recorded = self.recorded?;
        let count = self.catalog.borrow().resources.len();
        let mut teller =
            Teller { compile: self, recorded, node, sources: Sources::new(self, code), heirs: self.heirs() };
        let resources = (0..count).map(|number| teller.declared(vm, ResourceId(number as u32))).collect();
        let arrows = recorded
            .arrows
            .borrow()
            .iter()
            .map(|arrow| ArrowTold {
                from: arrow.from.0 as usize,
                to: arrow.to.0 as usize,
                notify: arrow.notify,
                place: place(arrow.site),
            })
            .collect();
        Some(Origins { node: node.name.clone(), resources, arrows })
    }

    /// The classes that inherit others, by the names of these.
    fn heirs(&self) -> HashMap<&'c str, ResourceId> {
        let mut heirs = HashMap::new();
        for (number, resource) in self.catalog.borrow().resources.iter().enumerate() {
            if let Some(body) = resource.origin.body
                && let Some(parent) = self.definition(body).parent
            {
                heirs.entry(parent).or_insert(ResourceId(number as u32));
            }
        }
        heirs
    }
}

struct Teller<'t, 'c> {
    compile: &'t Compile<'c>,
    recorded: &'t Recorded<'c>,
    node: &'t Node,
    sources: Sources<'t, 'c>,
    heirs: HashMap<&'c str, ResourceId>,
}

fn place(site: Site<'_>) -> CodePlace {
    CodePlace { file: site.file.filter(|file| !file.is_empty()).map(str::to_owned), line: site.line }
}

fn place_of((file, line): (Option<&str>, u32)) -> CodePlace {
    place(Site { file, line, column: 0 })
}

impl<'c> Teller<'_, 'c> {
    fn declared(&mut self, vm: &mut Vm<'c>, id: ResourceId) -> Declared {
        let (type_name, title, params, sensitive, is_virtual, tags) = {
            let catalog = self.compile.catalog.borrow();
            let resource = &catalog[id];
            let mut tags: Vec<String> =
                resource.tags.iter(&self.compile.tags.names).map(str::to_owned).collect();
            tags.sort();
            let params: Vec<Param<'c>> = resource.params.iter().copied().collect();
            (resource.type_name, resource.title, params, resource.sensitive, resource.is_virtual, tags)
        };
        let mut parameters = Vec::new();
        for param in params.iter().filter(|param| !param.value.is_undef()) {
            let (json, value) = match sensitive.contains(&param.name) {
                true => ("null".to_owned(), REDACTED.to_owned()),
                false => data::describe(vm, param.value),
            };
            let origin = self.origin(vm, id, param);
            let names = if is_relationship(param.name) { self.named(param.value) } else { Vec::new() };
            parameters.push(Parameter { name: param.name.to_owned(), value, json, origin, names });
        }
        let mut steps = self.steps(id);
        steps.iter_mut().for_each(|step| self.add_data(vm, title, step));
        let realized = self.recorded.realized.borrow();
        let realized = realized.get(&id).into_iter().flatten().map(|site| place(*site)).collect();
        let catalog = self.compile.catalog.borrow();
        let containers = catalog.containers(id).map(|id| id.0 as usize).collect();
        drop(catalog);
        Declared {
            type_name: type_name.to_owned(),
            title: title.to_owned(),
            steps,
            realized,
            is_virtual,
            parameters,
            tags,
            containers,
        }
    }

    /// The resources that a relationship names.
    fn named(&self, value: Value<'c>) -> Vec<usize> {
        let mut all = Vec::new();
        flatten(value, &mut all);
        let text = |value: Value<'c>| match value {
            Value::Type(ty) => rich::reference(ty),
            other => other.as_str().map(str::to_owned),
        };
        let found = |text: String| {
            let (ty, title) = names::split_reference(&text)?;
            self.compile.find_resource(ty, title).map(|id| id.0 as usize)
        };
        all.into_iter().filter_map(text).filter_map(found).collect()
    }

    /// Why a resource is there.
    fn steps(&self, id: ResourceId) -> Vec<Step> {
        let catalog = self.compile.catalog.borrow();
        let resource = &catalog[id];
        let by = resource.origin.scope.container().resource.get().filter(|by| *by != id);
        let by = by.map(|id| id.0 as usize);
        let own = |how| Step { how, place: place_of((resource.file, resource.line)), by, data: Vec::new() };
        if let Some([node, ..]) = self.compile.resources.taken_in.borrow().get(&id) {
            return vec![own(How::Exported((*node).to_owned()))];
        }
        match resource.kind {
            Kind::Compilable | Kind::Defined if resource.type_name != "Stage" || resource.file.is_some() => {
                return vec![own(if resource.exported.is_none() {
                    How::CreateResources
                } else {
                    How::Expression
                })];
            }
            _ => {}
        }
        let known = resource.origin.body.map(|number| self.compile.definition(number));
        let name = names::key(resource.title);
        let mut steps = Vec::new();
        if resource.kind == Kind::Class {
            steps.push(own(if resource.exported.is_none() { How::CreateResources } else { How::Expression }));
        }
        if let Some(known) = known.filter(|known| known.kind == DefinitionKind::Node) {
            steps.push(Step {
                how: How::Node,
                place: place_of((known.file, known.line)),
                by: None,
                data: Vec::new(),
            });
        }
        for led in self.recorded.led.borrow().get(&*name).into_iter().flatten() {
            let how = match led.how {
                LedHow::Function(Include::Include) => How::Include,
                LedHow::Function(Include::Contain) => How::Contain,
                LedHow::Function(Include::Require) => How::Require,
                LedHow::Classifier => How::Classifier,
            };
            steps.push(Step {
                how,
                place: place(led.site),
                by: led.by.map(|id| id.0 as usize),
                data: Vec::new(),
            });
        }
        if let Some(heir) = self.heirs.get(&*name).filter(|_| resource.is_class()) {
            let known = catalog[*heir].origin.body.map(|number| self.compile.definition(number));
            let place = known.map_or_else(CodePlace::default, |known| place_of((known.file, known.line)));
            steps.push(Step { how: How::Inherited, place, by: Some(heir.0 as usize), data: Vec::new() });
        }
        if steps.is_empty() {
            steps.push(Step { how: How::Always, place: CodePlace::default(), by: None, data: Vec::new() });
        }
        steps
    }

    /// Where in Hiera's data a class is named that code takes from there.
    fn add_data(&mut self, vm: &mut Vm<'c>, class: &str, step: &mut Step) {
        if !matches!(step.how, How::Include | How::Contain | How::Require) {
            return;
        }
        let Some(key) = self.sources.looked_up(&step.place) else { return };
        let top = vm.top;
        let merge = Some(Value::str(self.compile.arena, "unique"));
        let lookup = Lookup { key: &key, merge, ..Lookup::default() };
        // What fails now has not failed before, when other variables were there: then nothing is told.
        let Ok(Some((_, origins))) = self.compile.traced_lookup(vm, top, &lookup) else { return };
        let names = |origin: &&Origin<'c>| {
            origin.value.as_str().is_some_and(|name| names::key(name) == names::key(class))
        };
        step.data = origins.iter().filter(names).map(|origin| leaf(vm, origin)).collect();
    }

    /// What set a parameter.
    fn origin(&mut self, vm: &mut Vm<'c>, id: ResourceId, param: &Param<'c>) -> ParameterOrigin {
        if let Some([node, ..]) = self.compile.resources.taken_in.borrow().get(&id) {
            return ParameterOrigin::Exported((*node).to_owned());
        }
        let given = self.recorded.given.borrow().get(&(id, param.name)).cloned();
        match given {
            None => self.by_place(id, param),
            Some(Given::Hiera { key, origins, shadowed }) => {
                let mut leaves = |all: &[Origin<'c>]| all.iter().map(|origin| leaf(vm, origin)).collect();
                ParameterOrigin::Hiera { key, leaves: leaves(&origins), shadowed: leaves(&shadowed) }
            }
            Some(Given::Classifier) => ParameterOrigin::Classifier,
            Some(Given::Override) => ParameterOrigin::Override(self.code(id, param)),
            Some(Given::Collector(site)) => ParameterOrigin::Collector(self.code(id, param), place(site)),
            Some(Given::Arrows(sites)) => ParameterOrigin::Arrows(sites.into_iter().map(place).collect()),
            Some(Given::Changed) => ParameterOrigin::Changed,
            Some(Given::Require(site)) => ParameterOrigin::Require(place(site)),
            Some(Given::Container(container)) => ParameterOrigin::Container(container.0 as usize),
        }
    }

    fn by_place(&mut self, id: ResourceId, param: &Param<'c>) -> ParameterOrigin {
        let (type_name, own, body, scope) = {
            let catalog = self.compile.catalog.borrow();
            let resource = &catalog[id];
            let own = place_of((resource.file, resource.line));
            (resource.type_name, own, resource.origin.body, resource.origin.scope)
        };
        if param.at.is_some() {
            let code = self.code(id, param);
            return match self.scope_of_default(type_name, param) {
                Some(scope) => ParameterOrigin::ResourceDefault(code, scope),
                None => ParameterOrigin::Attribute(code),
            };
        }
        match body {
            Some(number) if number == param.source => {
                let known = self.compile.definition(number);
                if param.name == "stage" {
                    return match scope.container().resource.get().filter(|container| *container != id) {
                        Some(container) => ParameterOrigin::Container(container.0 as usize),
                        None => ParameterOrigin::Own,
                    };
                }
                let body = Body { definition: known.name, id: Some(id) };
                let code = self.sources.default((known.file, known.line), param.name, body);
                ParameterOrigin::Definition(self.with_facts(code))
            }
            _ if own.line != 0 => ParameterOrigin::CreateResources(own),
            _ => ParameterOrigin::Own,
        }
    }

    /// The code of a parameter that has a place.
    fn code(&mut self, id: ResourceId, param: &Param<'c>) -> Code {
        let Some(spot) = param.at else { return Code { place: CodePlace::default(), written: None } };
        let known = self.compile.definition(param.source);
        let around = {
            let catalog = self.compile.catalog.borrow();
            let around = catalog[id].origin.scope.container().resource.get();
            around.filter(|around| catalog[*around].origin.body == Some(param.source))
        };
        let (definition, id) = match known.kind {
            DefinitionKind::Class => {
                (known.name, around.or_else(|| self.compile.find_resource("Class", known.name)))
            }
            DefinitionKind::Define => (known.name, around),
            DefinitionKind::Main | DefinitionKind::Node => ("", None),
        };
        let code = self.sources.attribute(spot.site(), Body { definition, id });
        self.with_facts(code)
    }

    /// Names what of the code's variables is a fact or comes from the classifier.
    fn with_facts(&self, mut code: Code) -> Code {
        if let Some(Expression { kind, via: via @ None, .. }) = &mut code.written
            && let WrittenKind::Variable(name) | WrittenKind::Part(name, _) = kind
        {
            *via = match () {
                () if self.node.parameters.contains_key(name) => {
                    Some(Box::new(Via::Classifier(name.clone())))
                }
                () if self.node.facts.map().contains_key(name) => Some(Box::new(Via::Fact(name.clone()))),
                () => None,
            };
        }
        code
    }

    /// Whether a parameter is a default of its type: then the class that has it, if it is one's.
    fn scope_of_default(&self, type_name: &str, param: &Param<'c>) -> Option<Option<String>> {
        let site = |param: &Param<'c>| {
            param.at.map(|spot| spot.site()).map(|site| (site.file, site.line, site.column))
        };
        let defaults = self.compile.resources.defaults.borrow();
        let of_type = defaults.get(type_name)?;
        let (scope, _) = of_type
            .iter()
            .find(|(_, all)| all.iter().any(|one| one.name == param.name && site(one) == site(param)))?;
        let classes = self.compile.scopes.of_classes.borrow();
        let class = classes.values().find(|class| class.id == *scope).map(|class| class.name.to_owned());
        Some(class)
    }
}

fn leaf<'c>(vm: &mut Vm<'c>, origin: &Origin<'c>) -> Leaf {
    let value = match origin.value {
        Value::Sensitive(_) => REDACTED.to_owned(),
        value => data::describe(vm, value).1,
    };
    Leaf { key: origin.key.clone(), value, places: origin.places.clone() }
}
