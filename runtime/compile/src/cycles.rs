//! The graph of a finished catalog, and its dependency cycles: what an agent would refuse to apply, told at compile time where that is
//! asked for. Looked at are `require`, `before`, `notify`, `subscribe` and containment, stages included; what resource types relate by
//! themselves (a file to its folder) is not known here.

use crate::compile::Compile;
use crate::declare::flatten;
use bunraku_catalog::Catalog;
use bunraku_catalog::graph::{CatalogGraph, Relation, Vertex};
use bunraku_data::names;
use bunraku_data::rich;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::ResourceId;

/// The metaparameters that relate resources, in the order in which an agent looks at them.
const RELATING: [&str; 4] = ["require", "subscribe", "before", "notify"];

impl<'c> Compile<'c> {
    /// Fails with every dependency cycle drawn, if there is one. Puppet's advice to draw a graph is left out.
    pub(crate) fn check_cycles(&self) -> Eval<'c, ()> {
        let graph = self.catalog_graph();
        let cycles = graph.cycles(&graph.expanded());
        match cycles.is_empty() {
            true => Ok(()),
            false => Err(self.placed_error(cycles.to_string(), None, 0)),
        }
    }

    /// The catalog as a graph.
    pub(crate) fn catalog_graph(&self) -> CatalogGraph {
        let catalog = self.catalog.borrow();
        let mut graph = CatalogGraph::default();
        let mut numbers = vec![None; catalog.resources.len()];
        for (resource, number) in
            catalog.resources.iter().zip(&mut numbers).filter(|(one, _)| !one.is_virtual)
        {
            *number = Some(graph.resources.len());
            let is_container =
                resource.type_name == "Stage" || self.environment.types.get(resource.type_name).is_none();
            graph.resources.push(Vertex {
                type_name: resource.type_name.to_owned(),
                title: resource.title.to_owned(),
                is_container,
            });
        }
        for (id, number) in numbers.iter().enumerate() {
            let Some(content) = *number else { continue };
            let containers = catalog.containers(ResourceId(id as u32));
            graph.contains.extend(containers.filter_map(|id| Some((numbers[id.0 as usize]?, content))));
            self.add_relations(&catalog, &numbers, (ResourceId(id as u32), content), &mut graph.relations);
        }
        graph
    }

    /// Adds what a resource says of what comes before and behind it.
    fn add_relations(
        &self,
        catalog: &Catalog<'c>,
        numbers: &[Option<usize>],
        (id, own): (ResourceId, usize),
        relations: &mut Vec<Relation>,
    ) {
        for name in RELATING {
            let mut references = Vec::new();
            catalog[id].param(name).into_iter().for_each(|value| flatten(value, &mut references));
            for reference in references {
                let text = rich::text_or_reference(reference);
                let found = names::split_reference(&text)
                    .and_then(|(ty, title)| self.find_in(catalog, ty, title))
                    .and_then(|id| numbers[id.0 as usize]);
                let Some(other) = found else { continue };
                let notify = matches!(name, "subscribe" | "notify");
                let (from, to) =
                    if matches!(name, "require" | "subscribe") { (other, own) } else { (own, other) };
                relations.push(Relation { from, to, notify });
            }
        }
    }
}
