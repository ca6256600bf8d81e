//! A finished catalog in memory, as an agent would get it: for those who compare catalogs and want no JSON. What it has is
//! what the JSON of the same catalog would have, by [`shown`]: virtual resources are left out, and parameters that are not
//! shown.

use super::shown::{self, Shown};
use super::stored::{KnownBy, StoredParameters};
use super::{Catalog, Kind, value};
use bunraku_data::rich;
use bunraku_vm::budget;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::symbol::{Interner, Symbol};
use bunraku_vm::types::Type;
use bunraku_vm::value::Value;
use std::ops::Range;

/// A finished catalog in memory. It lives as long as the arena of its compile.
pub struct View<'c> {
    /// Resources in order of creation.
    pub resources: Vec<Seen<'c>>,
    /// Resources that are exported and that the node itself does not get: its catalog does not have them.
    pub only_exported: Vec<Seen<'c>>,
    /// What contains what: numbers of resources, the container first; in the order of the JSON.
    pub edges: Vec<(u32, u32)>,
    /// Names of evaluated classes and nodes, in order.
    pub classes: Vec<&'c str>,
    params: Vec<Parameter<'c>>,
    words: &'c Interner<'c>,
}

/// A resource of a [`View`].
pub struct Seen<'c> {
    /// Type name, capitalised.
    pub type_name: &'c str,
    /// Title.
    pub title: &'c str,
    /// What it is made of, as catalogs write it.
    pub kind: &'static str,
    /// File of the declaration: none where no code stands behind it.
    pub file: Option<&'c str>,
    /// Line, 0 for unknown.
    pub line: u32,
    /// Whether it is exported.
    pub exported: bool,
    /// Names of parameters whose value was Sensitive.
    pub sensitive: &'c [&'c str],
    tags: &'c [Symbol],
    params: Range<u32>,
    known_by: KnownBy<'c>,
}

/// A parameter of a resource of a [`View`].
#[derive(Clone, Copy)]
pub struct Parameter<'c> {
    /// Its name.
    pub name: &'c str,
    value: Shown<'c>,
}

impl<'c> View<'c> {
    /// The view of a catalog that no more is added to; `words` are those of its tags.
    pub fn of(catalog: Catalog<'c>, words: &'c Interner<'c>) -> View<'c> {
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(catalog.resources.len());
        let mut count = 0;
        for resource in &catalog.resources {
            let number = (!resource.is_virtual).then_some(count);
            count += u32::from(number.is_some());
            numbers.push(number);
        }
        let mut edges = Vec::with_capacity(numbers.len());
        for (at, target) in numbers.iter().enumerate() {
            let Some(target) = target else { continue };
            let containers = catalog.containers(ResourceId(at as u32));
            edges.extend(containers.filter_map(|id| Some((numbers[id.0 as usize]?, *target))));
        }
        let mut params = Vec::with_capacity(numbers.len() * 4);
        let classes = catalog.classes;
        let (mut resources, mut only_exported) = (Vec::with_capacity(count as usize), Vec::new());
        for resource in catalog.resources {
            let list = match (resource.is_virtual, resource.exported) {
                (false, _) => &mut resources,
                (true, Some(true)) => &mut only_exported,
                (true, _) => continue,
            };
            let from = params.len() as u32;
            shown::parameters(&resource, |name, value| params.push(Parameter { name, value }));
            list.push(Seen {
                type_name: resource.type_name,
                title: resource.title,
                kind: resource.kind.name(),
                file: resource.file,
                line: resource.line,
                exported: resource.exported == Some(true),
                sensitive: resource.sensitive,
                known_by: KnownBy::of(&resource),
                tags: resource.tags.into_symbols(),
                params: from..params.len() as u32,
            });
        }
        View { resources, only_exported, edges, classes, params, words }
    }

    /// The values of all parameters that are no text by themselves.
    pub fn values(&self) -> impl Iterator<Item = Value<'c>> + '_ {
        self.params.iter().filter_map(|parameter| match parameter.value {
            Shown::Value(value) => Some(value),
            Shown::Text(_) => None,
        })
    }

    /// The parameters of a resource, in order.
    pub fn parameters(&self, resource: &Seen<'c>) -> &[Parameter<'c>] {
        self.params.get(resource.params.start as usize..resource.params.end as usize).unwrap_or_default()
    }

    /// The parameters of a resource as a store of catalogs has them: an object of JSON, see [`StoredParameters`].
    pub fn stored_parameters(&self, resource: &Seen<'c>) -> String {
        let mut out = String::new();
        let mut stored = StoredParameters::new(&mut out, resource.known_by, resource.sensitive);
        self.parameters(resource).iter().for_each(|one| stored.add(one.name, one.value));
        stored.end();
        out
    }

    /// The tags of a resource, in order.
    pub fn tags(&self, resource: &Seen<'c>) -> impl Iterator<Item = &'c str> + '_ {
        resource.tags.iter().map(|tag| self.words.text(*tag))
    }
}

impl Kind {
    /// As catalogs write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Compilable => "compilable_type",
            Kind::Defined => "defined_type",
            Kind::Class => "class",
            Kind::Unknown => "unknown",
        }
    }
}

impl<'c> Parameter<'c> {
    /// The value as the catalog's JSON has it.
    pub fn json(&self) -> String {
        let mut out = String::new();
        value::shown(&mut out, self.name, self.value);
        out
    }

    /// The text, where the value is one.
    pub fn text(&self) -> Option<&'c str> {
        match self.value {
            Shown::Text(text) => Some(text),
            Shown::Value(value) => value.as_str(),
        }
    }

    /// Whether both are of one name and the JSON would have one text for both values. The other may be of another compile.
    pub fn is_same(&self, other: &Parameter<'_>) -> bool {
        if !is_same_text(self.name, other.name) {
            return false;
        }
        if let (Some(text), Some(other)) = (self.text(), other.text()) {
            return is_same_text(text, other);
        }
        match (self.value, other.value) {
            (Shown::Value(value), Shown::Value(other)) if is_plainly_same(value, other) => true,
            _ => self.json() == other.json(),
        }
    }
}

/// Whether two texts are the same. Texts of one file lie in one place for all compiles of a run (`bunraku_vm::learned`): those need not
/// be read, which for the catalogs of a node would be a megabyte.
fn is_same_text(one: &str, other: &str) -> bool {
    std::ptr::eq(one, other) || one == other
}

/// Whether two values are the same for certain; where they are not they may still be written in the same way.
fn is_plainly_same(one: Value<'_>, other: Value<'_>) -> bool {
    use Value::{Array, Bool, Default, Float, Hash, Int, Str, Undef};
    match (one, other) {
        (Undef, Undef) | (Default, Default) => true,
        (Bool(one), Bool(other)) => one == other,
        (Int(one), Int(other)) => one == other,
        (Float(one), Float(other)) => one.to_bits() == other.to_bits(),
        (Str(one), Str(other)) => is_same_text(one.as_str(), other.as_str()),
        (Array(one), Array(other)) => {
            let items = || one.iter().zip(other.iter()).all(|(one, other)| is_plainly_same(*one, *other));
            one.len() == other.len() && budget::within(one.len(), items)
        }
        (Hash(one), Hash(other)) => {
            let both = || one.entries().iter().zip(other.entries());
            let entries = || {
                both().all(|((key, value), (other_key, other))| {
                    is_plainly_same(*key, *other_key) && is_plainly_same(*value, *other)
                })
            };
            one.len() == other.len() && budget::within(one.len(), entries)
        }
        (Value::Type(one), Value::Type(other)) => is_same_entry(one, other),
        _ => false,
    }
}

/// Whether two types name one entry of the catalog.
fn is_same_entry(one: &Type<'_>, other: &Type<'_>) -> bool {
    match (one, other) {
        (
            Type::Resource { type_name: Some(one), title: Some(title), .. },
            Type::Resource { type_name: Some(other), title: Some(other_title), .. },
        ) => one == other && title == other_title,
        _ => rich::entry(one).is_some_and(|entry| rich::entry(other) == Some(entry)),
    }
}
