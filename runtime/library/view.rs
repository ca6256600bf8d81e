//! Finished catalogs in memory: what a catalog's JSON has, without the JSON. A view of a [`Catalog`] that was read or kept
//! looks the same.

use crate::catalog::{Catalog, Resource};
use crate::data::Data;
use bunraku_catalog::view::{Parameter, Seen, View};
use bunraku_stores::{self as stores, Exports};
use std::borrow::Cow;

/// A node's catalog as [`Compiler::see`](crate::Compiler::see) shows it, or a [`Catalog`].
pub struct CatalogView<'c>(Inner<'c>);

enum Inner<'c> {
    /// In the memory of a compile.
    Live(View<'c>),
    /// Of values.
    Read(&'c Catalog),
}

impl<'c> From<&'c Catalog> for CatalogView<'c> {
    fn from(catalog: &'c Catalog) -> Self {
        CatalogView(Inner::Read(catalog))
    }
}

impl<'c> CatalogView<'c> {
    pub(crate) fn live(view: View<'c>) -> Self {
        CatalogView(Inner::Live(view))
    }

    /// How many resources there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Inner::Live(view) => view.resources.len(),
            Inner::Read(catalog) => catalog.resources().len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The resources in the order they were declared.
    pub fn resources(&self) -> impl Iterator<Item = ResourceView<'_, 'c>> {
        let live = match &self.0 {
            Inner::Live(view) => Some(view.resources.iter().map(move |seen| Either::Live(view, seen))),
            Inner::Read(_) => None,
        };
        let read = match &self.0 {
            Inner::Live(_) => None,
            Inner::Read(catalog) => Some(catalog.resources().iter().map(Either::Read)),
        };
        live.into_iter().flatten().chain(read.into_iter().flatten()).map(ResourceView)
    }

    /// What the node, which has this name, exports, as a store would have it: parameters that are Sensitive are left out. A
    /// [`Catalog`] is what the node gets: what it only exports is not in it.
    pub fn exports(&self, node: &str) -> Exports {
        let only = match &self.0 {
            Inner::Live(view) => Some(view.only_exported.iter().map(move |seen| Either::Live(view, seen))),
            Inner::Read(_) => None,
        };
        let own = self.resources().filter(|resource| resource.exported());
        let all = own.chain(only.into_iter().flatten().map(ResourceView));
        Exports::new(all.map(|resource| resource.stored(node)).collect())
    }

    /// What contains what: numbers of resources in their order, the container first.
    pub fn edges(&self) -> Cow<'_, [(u32, u32)]> {
        let catalog = match &self.0 {
            Inner::Live(view) => return Cow::Borrowed(&view.edges),
            Inner::Read(catalog) => catalog,
        };
        let numbers: std::collections::HashMap<String, u32> =
            catalog.resources().iter().zip(0..).map(|(resource, at)| (resource.to_string(), at)).collect();
        let number = |name: &String| numbers.get(name).copied();
        let edges = catalog.edges().iter();
        edges.filter_map(|edge| Some((number(&edge.source)?, number(&edge.target)?))).collect()
    }

    /// Names of the classes, in the order they were evaluated.
    pub fn classes(&self) -> Vec<&str> {
        match &self.0 {
            Inner::Live(view) => view.classes.clone(),
            Inner::Read(catalog) => catalog.classes().iter().map(String::as_str).collect(),
        }
    }
}

/// A resource of a view.
#[derive(Clone, Copy)]
pub struct ResourceView<'v, 'c>(Either<'v, 'c>);

#[derive(Clone, Copy)]
enum Either<'v, 'c> {
    Live(&'v View<'c>, &'v Seen<'c>),
    Read(&'v Resource),
}

impl<'v, 'c> ResourceView<'v, 'c> {
    /// The type's name, capitalised.
    pub fn type_name(&self) -> &'v str {
        match self.0 {
            Either::Live(_, seen) => seen.type_name,
            Either::Read(resource) => &resource.type_name,
        }
    }

    /// Its title.
    pub fn title(&self) -> &'v str {
        match self.0 {
            Either::Live(_, seen) => seen.title,
            Either::Read(resource) => &resource.title,
        }
    }

    /// What it is made of, where that is known: `compilable_type`, `defined_type`, `class`, `unknown`.
    pub fn kind(&self) -> Option<&'v str> {
        match self.0 {
            Either::Live(_, seen) => Some(seen.kind),
            Either::Read(resource) => resource.kind.as_deref(),
        }
    }

    /// The manifest that declares it, and the line there.
    pub fn place(&self) -> (Option<&'v str>, Option<u32>) {
        match self.0 {
            Either::Live(_, seen) => (seen.file, (seen.line != 0).then_some(seen.line)),
            Either::Read(resource) => (resource.file.as_deref(), resource.line),
        }
    }

    /// Whether it is exported.
    pub fn exported(&self) -> bool {
        match self.0 {
            Either::Live(_, seen) => seen.exported,
            Either::Read(resource) => resource.exported,
        }
    }

    /// Its tags, in order.
    pub fn tags(&self) -> Vec<&'v str> {
        match self.0 {
            Either::Live(view, seen) => view.tags(seen).collect(),
            Either::Read(resource) => resource.tags.iter().map(String::as_str).collect(),
        }
    }

    /// Whether a parameter's value was Sensitive: it is there for comparing, not to be shown.
    pub fn is_sensitive(&self, parameter: &str) -> bool {
        match self.0 {
            Either::Live(_, seen) => seen.sensitive.contains(&parameter),
            Either::Read(resource) => resource.sensitive.iter().any(|name| name == parameter),
        }
    }

    /// Names of the parameters whose value was Sensitive, in order.
    pub fn sensitive(&self) -> Vec<&'v str> {
        match self.0 {
            Either::Live(_, seen) => seen.sensitive.to_vec(),
            Either::Read(resource) => resource.sensitive.iter().map(String::as_str).collect(),
        }
    }

    /// As a store has it that a node exports.
    fn stored(&self, node: &str) -> stores::Exported {
        let (file, line) = self.place();
        let parameters = match self.0 {
            // It was written by ourselves.
            Either::Live(view, seen) => {
                serde_json::from_str(&view.stored_parameters(seen)).unwrap_or_default()
            }
            Either::Read(resource) => {
                let kept = resource.parameters.iter().filter(|(name, _)| !self.is_sensitive(name));
                kept.map(|(name, value)| (name.clone(), value.json())).collect()
            }
        };
        stores::Exported {
            certname: node.to_owned(),
            type_name: self.type_name().to_owned(),
            title: self.title().to_owned(),
            tags: self.tags().into_iter().map(str::to_owned).collect(),
            file: file.map(str::to_owned),
            line,
            parameters,
        }
    }

    /// Parameters in order.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = ParameterView<'v, 'c>> + use<'v, 'c> {
        let (live, read): (&'v [Parameter<'c>], &'v [(String, Data)]) = match self.0 {
            Either::Live(view, seen) => (view.parameters(seen), &[]),
            Either::Read(resource) => (&[], &resource.parameters),
        };
        (0..live.len() + read.len()).map(move |at| match live.get(at) {
            Some(parameter) => ParameterView(One::Live(parameter)),
            None => ParameterView(One::Read(&read[at - live.len()])),
        })
    }

    /// Whether both have the same parameters in the same order, but for those whose names are `left_out`. The other may be of another
    /// compile.
    pub fn has_same_parameters(&self, other: &ResourceView<'_, '_>, left_out: impl Fn(&str) -> bool) -> bool {
        // Nearly all that is compared is of two compiles: nothing is asked there for each parameter but that.
        if let (Either::Live(view, seen), Either::Live(other, their)) = (self.0, other.0) {
            let own = view.parameters(seen).iter().filter(|one| !left_out(one.name));
            let theirs = other.parameters(their).iter().filter(|one| !left_out(one.name));
            return are_same(own, theirs, |one, other| one.is_same(other));
        }
        let own = self.parameters().filter(|one| !left_out(one.name()));
        let theirs = other.parameters().filter(|one| !left_out(one.name()));
        are_same(own, theirs, |one, other| one.is_same(&other))
    }

    /// A parameter by its name.
    pub fn parameter(&self, name: &str) -> Option<ParameterView<'v, 'c>> {
        self.parameters().find(|parameter| parameter.name() == name)
    }
}

fn are_same<T: Copy, U: Copy>(
    mut one: impl Iterator<Item = T>,
    mut other: impl Iterator<Item = U>,
    is_same: impl Fn(T, U) -> bool,
) -> bool {
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if is_same(one, other) => {}
            _ => return false,
        }
    }
}

/// A parameter of a resource of a view.
#[derive(Clone, Copy)]
pub struct ParameterView<'v, 'c>(One<'v, 'c>);

#[derive(Clone, Copy)]
enum One<'v, 'c> {
    Live(&'v Parameter<'c>),
    Read(&'v (String, Data)),
}

impl<'v> ParameterView<'v, '_> {
    /// Its name.
    pub fn name(&self) -> &'v str {
        match self.0 {
            One::Live(parameter) => parameter.name,
            One::Read((name, _)) => name,
        }
    }

    /// The text, where its value is a string; for a resource reference, which is a text in JSON, ask [`ParameterView::data`].
    pub fn text(&self) -> Option<&'v str> {
        match self.0 {
            One::Live(parameter) => parameter.text(),
            One::Read((_, value)) => value.as_str(),
        }
    }

    /// Its value.
    pub fn data(&self) -> Data {
        match self.0 {
            // It was written by ourselves.
            One::Live(parameter) => Data::from_json(&parameter.json()).unwrap_or_default(),
            One::Read((_, value)) => value.clone(),
        }
    }

    /// Whether both are of one name and of the same value.
    pub fn is_same(&self, other: &ParameterView<'_, '_>) -> bool {
        match (self.0, other.0) {
            (One::Live(one), One::Live(other)) => one.is_same(other),
            (One::Read(one), One::Read(other)) => one == other,
            _ => self.name() == other.name() && self.data() == other.data(),
        }
    }
}
