//! The catalog under construction: resources, containment edges, classes, tags. What goes over the wire is
//! written by [`json`].

pub mod cycles;
pub mod graph;
pub mod json;
pub mod shown;
pub mod stored;
pub mod tags;
pub mod view;

mod titles;
mod value;

use bumpalo::{Bump, collections::Vec as List};
use bunraku_data::names;
use bunraku_resource_types::{ResourceType, is_metaparameter};
use bunraku_vm::host::Spot;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::symbol::Interner;
use bunraku_vm::value::Value;
use hashbrown::HashMap;
use std::fmt::{Display, Formatter};
use std::num::NonZeroU32;
use tags::{ManyTags, Tags};
use titles::Titles;

/// What a resource is made of: Puppet's `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A type in Ruby.
    Compilable,
    /// A defined type.
    Defined,
    /// `class { … }`
    Class,
    /// Classes that were included, nodes, main, settings.
    Unknown,
}

/// Parameters. What a resource consists of lies in its compile's arena: none of it is freed by itself.
pub type Params<'c> = List<'c, Param<'c>>;

/// A parameter of a resource.
#[derive(Clone, Copy)]
pub struct Param<'c> {
    /// Name.
    pub name: &'c str,
    /// Value; `undef` counts as not set.
    pub value: Value<'c>,
    /// Where the attribute stands; none where no code stands behind it.
    pub at: Option<Spot<'c>>,
    /// Written with `+>`.
    pub append: bool,
    /// Number of the class or defined type whose code set it.
    pub source: u32,
}

impl<'c> Param<'c> {
    /// File and line of the attribute: an empty name for code given as text, none where no code stands behind it, a
    /// line of 0 where it is unknown.
    pub fn place(&self) -> (Option<&'c str>, u32) {
        match self.at.map(Spot::site) {
            Some(site) => (Some(site.file.unwrap_or("")), site.line),
            None => (None, 0),
        }
    }
}

/// The tags that a resource has from the container it was declared in.
#[derive(Clone, Copy)]
pub struct Inherited {
    /// The container; none of main, and of what has been told to have none.
    pub container: Option<ResourceId>,
    /// How many those were: the first of the container's.
    pub count: u32,
}

impl Inherited {
    /// No tags.
    pub const NONE: Inherited = Inherited { container: None, count: 0 };
}

/// A resource.
pub struct Resource<'c> {
    /// Type name, capitalised.
    pub type_name: &'c str,
    /// Title.
    pub title: &'c str,
    /// The title as `create_resources` was given it, where that was no string: Puppet keeps it as it is.
    pub title_value: Option<Value<'c>>,
    /// Its type, where that is one in Ruby.
    pub ty: Option<&'c ResourceType>,
    /// What the type's title patterns make of the title, once asked.
    pub parsed: Option<&'c [(&'c str, &'c str)]>,
    /// See [`Kind`].
    pub kind: Kind,
    /// File of the declaration: none where no code stands behind it.
    pub file: Option<&'c str>,
    /// Line, 0 for unknown.
    pub line: u32,
    /// Not managed unless collected.
    pub is_virtual: bool,
    /// Whether exported; none for what `create_resources` makes, where Puppet leaves it unset.
    pub exported: Option<bool>,
    /// Parameters in order of setting.
    pub params: Params<'c>,
    /// Names of parameters whose value was Sensitive.
    pub sensitive: &'c [&'c str],
    /// Tags.
    pub tags: Tags<'c>,
    /// What declared it, and what builds it.
    pub origin: Origin<'c>,
    /// How far it is.
    pub progress: Progress,
    /// Number of its type: [`Catalog::number`].
    pub of_type: u32,
}

/// What declared a resource, and what builds it.
#[derive(Clone, Copy)]
pub struct Origin<'c> {
    /// The scope it was declared in.
    pub scope: &'c Scope<'c>,
    /// Number of the class or defined type whose code declared it.
    pub source: u32,
    /// Number of the class, node or defined type whose body builds it, where that is known.
    pub body: Option<u32>,
}

/// How far a resource is.
#[derive(Clone, Copy, Default)]
pub struct Progress {
    /// Whether its body has been evaluated.
    pub evaluated: bool,
    /// Whether its parameters, as they are, are known to be those that its class or defined type takes.
    pub validated: bool,
    /// Whether it has been finished.
    pub finished: bool,
    /// The tags it has from its container, once they have been added.
    pub scope_tagged: Option<Inherited>,
    /// When it may have changed last: the catalog's matter.
    changed: u64,
}

impl<'c> Resource<'c> {
    /// `Type[title]`
    pub fn reference(&self) -> String {
        [self.type_name, "[", self.title, "]"].concat()
    }

    /// The same, for a message that may not be needed.
    pub fn named(&self) -> Named<'c> {
        Named(self.type_name, self.title)
    }

    /// The value of a parameter; none if it is not set or `undef`.
    pub fn param(&self, name: &str) -> Option<Value<'c>> {
        self.params.iter().find(|p| p.name == name).map(|p| p.value).filter(|v| !v.is_undef())
    }

    /// Sets a parameter, in its place if it is set already.
    pub fn set(&mut self, param: Param<'c>) {
        match self.params.iter_mut().find(|p| p.name == param.name) {
            Some(old) => *old = param,
            None => self.params.push(param),
        }
    }

    /// Whether it is a class.
    pub fn is_class(&self) -> bool {
        self.type_name == "Class"
    }
}

/// Type and title of a resource; shown as `Type[title]`.
#[derive(Clone, Copy)]
pub struct Named<'c>(&'c str, &'c str);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.0, self.1)
    }
}

/// How many parameters that types take are remembered.
const TAKEN: usize = 1024;

/// The resources of a type.
#[derive(Default)]
struct OfType {
    in_order: Vec<ResourceId>,
    /// When one of them may have changed last.
    changed: u64,
}

/// A list of resources, by its number among the catalog's from one; none while it is empty.
#[derive(Clone, Copy, Default)]
struct Listed(Option<NonZeroU32>);

/// What contains a resource, in order: mostly one.
#[derive(Clone, Copy, Default)]
struct Containers {
    first: Option<ResourceId>,
    more: Listed,
}

/// What the resources of a type were like at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    retagged: u64,
    changed: u64,
}

/// The catalog under construction.
pub struct Catalog<'c> {
    /// Resources in order of creation.
    pub resources: Vec<Resource<'c>>,
    /// The time that changes are told apart by.
    clock: u64,
    types: Vec<OfType>,
    /// Their numbers, by name.
    index: HashMap<&'c str, u32>,
    titles: Titles<'c>,
    /// Those that may have a body that is still to be evaluated, in order.
    pub unevaluated: Vec<ResourceId>,
    /// Grows with the tags that resources get after they were added, those of their containers left out.
    pub retagged: u64,
    /// For each resource, the containers it has an edge from.
    containers: Vec<Containers>,
    /// For each resource, what it contains.
    contents: Vec<Listed>,
    lists: Vec<List<'c, ResourceId>>,
    /// Names of evaluated classes and nodes, in order.
    pub classes: Vec<&'c str>,
    /// Tags of the catalog itself.
    pub tags: ManyTags<'c>,
    /// The tags that its classes are.
    pub class_tags: ManyTags<'c>,
    /// Types by number and where names of parameters lie that they take: mostly the same code sets them.
    taken: Vec<(u32, (usize, usize))>,
    arena: &'c Bump,
}

impl<'c> Catalog<'c> {
    /// An empty catalog with room for so many resources.
    pub fn with_capacity(arena: &'c Bump, resources: usize) -> Self {
        Catalog {
            resources: Vec::with_capacity(resources),
            clock: 0,
            types: Vec::new(),
            index: HashMap::new(),
            titles: Titles::with_capacity(resources),
            unevaluated: Vec::new(),
            retagged: 0,
            containers: Vec::with_capacity(resources),
            contents: Vec::with_capacity(resources),
            lists: Vec::new(),
            classes: Vec::new(),
            tags: ManyTags::new(arena),
            class_tags: ManyTags::new(arena),
            taken: Vec::new(),
            arena,
        }
    }

    /// Adds a resource whose reference is free and whose type's number is set.
    #[inline]
    pub fn add(&mut self, resource: Resource<'c>) -> ResourceId {
        let id = ResourceId(self.resources.len() as u32);
        // It is moved once: resources are large.
        self.resources.push(resource);
        self.note_new(id);
        id
    }

    fn note_new(&mut self, id: ResourceId) {
        let resource = &mut self.resources[id.0 as usize];
        let of_type = &mut self.types[resource.of_type as usize];
        self.clock += 1;
        of_type.changed = self.clock;
        of_type.in_order.push(id);
        resource.progress.changed = self.clock;
        if resource.kind != Kind::Compilable {
            self.unevaluated.push(id);
        }
        self.titles.add(resource, id);
        self.containers.push(Containers::default());
        self.contents.push(Listed::default());
    }

    /// The number of a capitalised type, given to it where it has none.
    pub fn number(&mut self, type_name: &'c str) -> u32 {
        *self.index.entry(type_name).or_insert_with(|| {
            self.types.push(OfType::default());
            self.types.len() as u32 - 1
        })
    }

    fn known_type(&self, type_name: &str) -> Option<&OfType> {
        self.index.get(type_name).map(|number| &self.types[*number as usize])
    }

    /// What stays as it is while no resource of a type has changed, nor tags that it may have got from a container.
    pub fn state_of(&self, type_name: &str) -> State {
        let changed = self.known_type(type_name).map_or(0, |of_type| of_type.changed);
        State { retagged: self.retagged, changed }
    }

    /// Whether a resource may be another than it was in a state of its type.
    pub fn has_changed_since(&self, state: State, id: ResourceId) -> bool {
        state.retagged != self.retagged || self[id].progress.changed > state.changed
    }

    /// Makes a resource known under a further title. Gives back the other resource if the name is taken.
    pub fn alias(&mut self, id: ResourceId, title: &'c str) -> Result<(), ResourceId> {
        let of_type = self[id].of_type;
        match self.find_numbered(of_type, title) {
            Some(taken) if taken != id => return Err(taken),
            Some(_) => {}
            None => self.titles.add_alias(of_type, title, id),
        }
        Ok(())
    }

    /// The resource of a capitalised type and a title or alias.
    pub fn find(&self, type_name: &str, title: &str) -> Option<ResourceId> {
        self.find_numbered(*self.index.get(type_name)?, title)
    }

    /// The same, for the number of a type.
    pub fn find_numbered(&self, of_type: u32, title: &str) -> Option<ResourceId> {
        self.titles.find(&self.resources, of_type, title)
    }

    /// The first parameter of a resource that its type, one in Ruby, does not take.
    pub fn unknown_parameter(&mut self, id: ResourceId) -> Option<&'c str> {
        let resource = &self.resources[id.0 as usize];
        let ty = resource.ty?;
        // No text lies at nought.
        self.taken.resize(TAKEN, (0, (0, 0)));
        for name in resource.params.iter().map(|param| param.name) {
            let place = names::address(name);
            let taken = &mut self.taken[(place.0 / 8 + place.1 + resource.of_type as usize * 31) % TAKEN];
            if *taken != (resource.of_type, place) {
                if !ty.takes(name) && !is_metaparameter(name) {
                    return Some(name);
                }
                *taken = (resource.of_type, place);
            }
        }
        None
    }

    /// The resources of a capitalised type, in order of creation.
    pub fn of_type(&self, type_name: &str) -> &[ResourceId] {
        self.known_type(type_name).map_or(&[], |of_type| &of_type.in_order)
    }

    /// What contains a resource, in order.
    pub fn containers(&self, content: ResourceId) -> impl Iterator<Item = ResourceId> + '_ {
        let Containers { first, more } = self.containers[content.0 as usize];
        first.into_iter().chain(self.listed(more).iter().copied())
    }

    /// What a resource contains, in order.
    pub fn contents(&self, container: ResourceId) -> &[ResourceId] {
        self.listed(self.contents[container.0 as usize])
    }

    /// Adds a containment edge unless it is there.
    pub fn add_edge(&mut self, container: ResourceId, content: ResourceId) {
        if self.containers(content).any(|other| other == container) {
            return;
        }
        let Containers { first, more } = self.containers[content.0 as usize];
        self.containers[content.0 as usize] = match first {
            None => Containers { first: Some(container), more },
            Some(_) => Containers { first, more: self.with(more, container) },
        };
        self.contents[container.0 as usize] = self.with(self.contents[container.0 as usize], content);
    }

    fn listed(&self, list: Listed) -> &[ResourceId] {
        list.0.map_or(&[], |number| &self.lists[number.get() as usize - 1])
    }

    /// The list with one more.
    fn with(&mut self, list: Listed, id: ResourceId) -> Listed {
        if let Some(number) = list.0 {
            self.lists[number.get() as usize - 1].push(id);
            return list;
        }
        self.lists.push(bumpalo::vec![in self.arena; id]);
        Listed(NonZeroU32::new(self.lists.len() as u32))
    }

    /// Notes that a class has been evaluated, or that a classifier names it: it is listed for both.
    pub fn add_class(&mut self, words: &Interner<'c>, name: &'c str) {
        self.classes.push(name);
        // A node's name need not be a tag; Puppet's own check is made where the node is tagged.
        let known = self.class_tags.tags().count();
        self.class_tags.tag_if_valid(words, name);
        self.tags.add_each(&self.class_tags.tags().symbols()[known..]);
    }
}

impl<'c> std::ops::Index<ResourceId> for Catalog<'c> {
    type Output = Resource<'c>;
    fn index(&self, id: ResourceId) -> &Resource<'c> {
        &self.resources[id.0 as usize]
    }
}

impl<'c> std::ops::IndexMut<ResourceId> for Catalog<'c> {
    fn index_mut(&mut self, id: ResourceId) -> &mut Resource<'c> {
        let resource = &mut self.resources[id.0 as usize];
        self.clock += 1;
        resource.progress.changed = self.clock;
        self.types[resource.of_type as usize].changed = self.clock;
        resource
    }
}
