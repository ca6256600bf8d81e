//! The catalog of a node as a graph that can be drawn: resources, what contains what, what comes before what; its dependency cycles.
//! A [`Graph`] is asked for a [`Picture`]: all of it or a part, with what is many put together. That is written as [DOT](dot), which
//! [Graphviz](svg) draws.

mod collapse;
pub mod dot;
mod picture;
mod select;
pub mod svg;

use crate::bench::Target;
use crate::compiler::{Compilation, Compiler};
use bunraku_catalog::graph::{CatalogGraph, Expanded};
use bunraku_compile::origins;

pub use bunraku_catalog::cycles::Cycles;
pub use bunraku_catalog::graph::{Relation, Vertex};
pub use picture::{Drawn, Line, LineKind, Picture, Shape};
pub use select::Part;

/// What is drawn of a catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// What contains what, and what comes before what.
    #[default]
    All,
    /// What contains what: Puppet's `resources.dot`.
    Resources,
    /// What comes before what, as code says it: `relationships.dot`.
    Relationships,
    /// The same with a beginning and an end in the place of what contains others: `expanded_relationships.dot`.
    Expanded,
}

impl Kind {
    /// The name that Puppet gives to such a graph.
    pub fn name(self) -> &'static str {
        match self {
            Kind::All => "Catalog",
            Kind::Resources => "Resources",
            Kind::Relationships => "Relationships",
            Kind::Expanded => "Expanded_relationships",
        }
    }
}

/// The graph of a node's catalog.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The node's name.
    pub node: String,
    catalog: CatalogGraph,
    expanded: Expanded,
    cycles: Cycles,
}

impl Compiler {
    /// Compiles a node's catalog, which no store takes in, and gives its graph. What an agent adds by itself is not in it: schedules, a
    /// file bucket, and what types of resources relate on their own (a file to its folder).
    pub fn graph(&self, target: &Target) -> Compilation<Graph> {
        let Compilation { result, logs, stats, reads, spent } = self.graphed(target);
        let result = result.map(|catalog| Graph::new(target.node.name().to_owned(), catalog));
        Compilation { result, logs, stats, reads, spent }
    }
}

impl Graph {
    fn new(node: String, catalog: CatalogGraph) -> Graph {
        let expanded = catalog.expanded();
        let cycles = catalog.cycles(&expanded);
        Graph { node, catalog, expanded, cycles }
    }

    /// The resources, by number.
    pub fn resources(&self) -> &[Vertex] {
        &self.catalog.resources
    }

    /// What contains what, by number, the container first.
    pub fn contains(&self) -> &[(usize, usize)] {
        &self.catalog.contains
    }

    /// What comes before what.
    pub fn relations(&self) -> &[Relation] {
        &self.catalog.relations
    }

    /// The dependency cycles.
    pub fn cycles(&self) -> &Cycles {
        &self.cycles
    }

    /// The number of a resource by its reference, `Type[title]` in any case of the type, title quoted or not.
    ///
    /// # Errors
    /// Names of resources that are called something like it.
    pub fn find(&self, reference: &str) -> Result<usize, Vec<String>> {
        origins::find(reference, || self.catalog.resources.iter().map(Vertex::reference))
    }
}
