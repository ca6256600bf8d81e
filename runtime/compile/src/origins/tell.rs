//! Tells at the end of a compile where something in its catalog comes from, or everything: what the catalog knows of places, and what
//! was noted. A question is answered from what it asks about on: what leads there, and what values are made of.

use super::given::GivenByResource;
use super::names::Names;
use super::written::Sources;
use super::{About, ArrowTold, CodePlace, How, Leaf, Origins, Parameter, ParameterOrigin, Step, Via};
use crate::compile::Compile;
use crate::declare::flatten;
use crate::inputs::Node;
use crate::state::definitions::DefinitionKind;
use crate::state::recorded::{Arrow, LedHow, Recorded};
use bumpalo::Bump;
use bunraku_catalog::{Kind, Param};
use bunraku_data::{json as data, names, rich};
use bunraku_hiera::query::origin::{LinesRead, Origin};
use bunraku_resource_types::is_relationship;
use bunraku_vm::host::{Include, Lookup, Site};
use bunraku_vm::scope::ResourceId;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// What is told of the value of a sensitive parameter.
const REDACTED: &str = "Sensitive [value redacted]";

impl<'c> Compile<'c> {
    /// Where that comes from which is asked about; none where nothing was to be noted. `code` was given in place of manifests.
    pub(crate) fn tell_origins(
        &self,
        vm: &mut Vm<'c>,
        about: &About,
        (node, code): (&Node, Option<&str>),
    ) -> Option<Origins> {
        let recorded = self.recorded?;
        let names = Names::of(&self.catalog.borrow().resources);
        let arrows = match about {
            About::Resource(..) => Vec::new(),
            About::All | About::Edges(..) => recorded.arrows.borrow().iter().map(arrow).collect(),
        };
        let arena = Bump::new();
        let mut teller = Teller {
            compile: self,
            recorded,
            given: GivenByResource::new(recorded, names.len()),
            node,
            sources: Sources::new(self, &arena, code),
            lines: LinesRead::default(),
            heirs: self.heirs(),
            told: Origins { node: node.name.clone(), names, told: BTreeMap::new(), arrows },
            left: Vec::new(),
            chained: HashSet::new(),
            surrounded: HashSet::new(),
        };
        teller.tell(vm, about);
        Some(teller.told)
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

/// A part of an answer that is not told yet.
enum Left {
    /// Why a resource is there, and what leads to that.
    Chain(ResourceId),
    /// The same, and of all that contains it; with what parameters say of its place among others.
    Around(ResourceId),
    /// All parameters of a resource.
    Parameters(ResourceId),
    /// One of them.
    Parameter(ResourceId, String),
}

pub(super) struct Teller<'t, 'c> {
    pub(super) compile: &'t Compile<'c>,
    pub(super) recorded: &'t Recorded<'c>,
    pub(super) given: GivenByResource,
    pub(super) node: &'t Node,
    pub(super) sources: Sources<'t, 'c>,
    pub(super) lines: LinesRead,
    heirs: HashMap<&'c str, ResourceId>,
    told: Origins,
    left: Vec<Left>,
    /// Of which it is told why they are there.
    chained: HashSet<ResourceId>,
    /// Whose surroundings are told.
    surrounded: HashSet<ResourceId>,
}

fn arrow(arrow: &Arrow<'_>) -> ArrowTold {
    ArrowTold {
        from: arrow.from.0 as usize,
        to: arrow.to.0 as usize,
        notify: arrow.notify,
        place: place(arrow.site),
    }
}

pub(super) fn place(site: Site<'_>) -> CodePlace {
    CodePlace { file: site.file.filter(|file| !file.is_empty()).map(str::to_owned), line: site.line }
}

pub(super) fn place_of((file, line): (Option<&str>, u32)) -> CodePlace {
    place(Site { file, line, column: 0 })
}

impl<'c> Teller<'_, 'c> {
    fn tell(&mut self, vm: &mut Vm<'c>, about: &About) {
        // What has no such name is told to who asks, who has the names.
        let id = |reference: &str| self.told.find(reference).ok().map(|number| ResourceId(number as u32));
        match about {
            About::All => return self.all(vm),
            About::Resource(reference, parameter) => {
                let Some(id) = id(reference) else { return };
                let has = |name: &String| self.params(id).iter().any(|param| param.name == name);
                self.left = vec![match parameter.clone().filter(has) {
                    Some(name) => Left::Parameter(id, name),
                    None => Left::Parameters(id),
                }];
                self.left.push(Left::Chain(id));
            }
            About::Edges(from, to) => {
                self.left = [from, to].into_iter().filter_map(|one| id(one)).map(Left::Around).collect();
            }
        }
        self.tell_left(vm);
        if let About::Edges(from, to) = about
            && let (Ok(from), Ok(to)) = (self.told.find(from), self.told.find(to))
            && self.told.between(from, to).is_empty()
            && self.told.between(to, from).is_empty()
        {
            // A chain may lead from the one to the other, through any others.
            self.left =
                (0..self.told.count()).map(|number| Left::Around(ResourceId(number as u32))).collect();
            self.tell_left(vm);
        }
    }

    /// Tells what is left to tell, and what that leads to.
    fn tell_left(&mut self, vm: &mut Vm<'c>) {
        while let Some(left) = self.left.pop() {
            match left {
                Left::Chain(id) => self.chain(vm, id),
                Left::Around(id) => self.around(vm, id),
                Left::Parameters(id) => {
                    let params = self.params(id);
                    params.iter().for_each(|param| self.parameter(vm, id, param));
                }
                Left::Parameter(id, name) => {
                    let param = self.params(id).into_iter().find(|param| param.name == name);
                    param.iter().for_each(|param| self.parameter(vm, id, param));
                }
            }
        }
    }

    fn all(&mut self, vm: &mut Vm<'c>) {
        for id in (0..self.told.count()).map(|number| ResourceId(number as u32)) {
            self.chain(vm, id);
            self.params(id).iter().for_each(|param| self.parameter(vm, id, param));
            // What they lead to is among all.
            self.left.clear();
        }
    }

    /// The parameters of a resource that have values.
    fn params(&self, id: ResourceId) -> Vec<Param<'c>> {
        let catalog = self.compile.catalog.borrow();
        catalog[id].params.iter().filter(|param| !param.value.is_undef()).copied().collect()
    }

    fn chain(&mut self, vm: &mut Vm<'c>, id: ResourceId) {
        if !self.chained.insert(id) {
            return;
        }
        let mut steps = self.steps(id);
        let catalog = self.compile.catalog.borrow();
        let resource = &catalog[id];
        let (title, is_virtual) = (resource.title, resource.is_virtual);
        let mut tags: Vec<String> = resource.tags.iter(&self.compile.tags.names).map(str::to_owned).collect();
        tags.sort();
        let containers = catalog.containers(id).map(|id| id.0 as usize).collect();
        drop(catalog);
        steps.iter_mut().for_each(|step| self.add_data(vm, title, step));
        let by = steps.first().and_then(|step| step.by).map(|by| Left::Chain(ResourceId(by as u32)));
        self.left.extend(by);
        let realized = self.recorded.realized.borrow();
        let realized = realized.get(&id).into_iter().flatten().map(|site| place(*site)).collect();
        let told = self.told.told.entry(id.0 as usize).or_default();
        (told.steps, told.realized, told.is_virtual) = (steps, realized, is_virtual);
        (told.tags, told.containers) = (tags, containers);
    }

    fn around(&mut self, vm: &mut Vm<'c>, id: ResourceId) {
        if !self.surrounded.insert(id) {
            return;
        }
        self.chain(vm, id);
        let containers = &self.told.resource(id.0 as usize).containers;
        self.left.extend(containers.iter().map(|number| Left::Around(ResourceId(*number as u32))));
        let relationships = self.params(id).into_iter().filter(|param| is_relationship(param.name));
        relationships.for_each(|param| self.parameter(vm, id, &param));
    }

    fn parameter(&mut self, vm: &mut Vm<'c>, id: ResourceId, param: &Param<'c>) {
        if self.told.resource(id.0 as usize).parameter(param.name).is_some() {
            return;
        }
        let is_sensitive = self.compile.catalog.borrow()[id].sensitive.contains(&param.name);
        let (json, value) = match is_sensitive {
            true => ("null".to_owned(), REDACTED.to_owned()),
            false => data::describe(vm, param.value),
        };
        let origin = self.origin(vm, id, param);
        if let ParameterOrigin::Attribute(code)
        | ParameterOrigin::ResourceDefault(code, _)
        | ParameterOrigin::Override(code)
        | ParameterOrigin::Collector(code, _)
        | ParameterOrigin::Definition(code) = &origin
            && let Some(Via::Parameter(owner, name)) =
                code.written.as_ref().and_then(|written| written.via.as_deref())
        {
            self.left.push(Left::Parameter(ResourceId(*owner as u32), name.clone()));
        }
        let names = if is_relationship(param.name) { self.named(param.value) } else { Vec::new() };
        let name = param.name.to_owned();
        let told = self.told.told.entry(id.0 as usize).or_default();
        told.parameters.push(Parameter { name, value, json, origin, names });
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
        let definition = resource.origin.body.map(|number| self.compile.definition(number));
        let name = names::key(resource.title);
        let mut steps = Vec::new();
        if resource.kind == Kind::Class {
            steps.push(own(if resource.exported.is_none() { How::CreateResources } else { How::Expression }));
        }
        if let Some(definition) = definition.filter(|definition| definition.kind == DefinitionKind::Node) {
            steps.push(Step {
                how: How::Node,
                place: place_of((definition.manifest.file, definition.line)),
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
            let definition = catalog[*heir].origin.body.map(|number| self.compile.definition(number));
            let place = definition.map_or_else(CodePlace::default, |definition| {
                place_of((definition.manifest.file, definition.line))
            });
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
}

pub(super) fn leaf<'c>(vm: &mut Vm<'c>, origin: &Origin<'c>) -> Leaf {
    let value = match origin.value {
        Value::Sensitive(_) => REDACTED.to_owned(),
        value => data::describe(vm, value).1,
    };
    Leaf { key: origin.key.clone(), value, places: origin.places.clone() }
}
