//! Which of a fleet's nodes are meant: those that are named, by name, pattern or a query; of these, those that fit by their
//! facts, classes and resources; and of these, one of each kind. What is asked of classes and resources needs a compile of
//! each node: by the tree that is compiled, or where two are compared by the older one.

mod asked;

use super::nodes::{FleetNode, Nodes};
use super::pool;
use bunraku::bench::Target;
use bunraku::{CatalogView, Compiler};
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub use asked::{FactIs, Pattern, ResourceIs};

/// What is asked of nodes. Names, patterns and the query name nodes, and a node that one of them names is meant; without any
/// of them all are. All else must hold.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Certnames.
    pub names: Vec<String>,
    /// Patterns of certnames.
    pub patterns: Vec<Pattern>,
    /// A query in PQL: the nodes that PuppetDB finds.
    pub query: Option<String>,
    /// Facts and their values.
    pub facts: Vec<FactIs>,
    /// Classes that the node has.
    pub classes: Vec<String>,
    /// Resources that its catalog has.
    pub resources: Vec<ResourceIs>,
    /// Of nodes with the same classes, the first by name only.
    pub one_per_kind: bool,
}

/// What came of a choice.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// With one of each kind: how many nodes are of that of a node.
    pub kinds: BTreeMap<String, usize>,
    /// Nodes of which classes and resources are not known, since they don't compile: they are left out, but for one of each
    /// kind, where a message is a kind.
    pub failed: BTreeMap<String, String>,
}

/// Who looks at a catalog.
pub type See<'s> = dyn FnMut(&CatalogView<'_>) + 's;

/// Compiles a node to look at its catalog: what [`Choice::keep`] is given.
///
/// # Errors
/// The message of the error that ends the compile.
pub fn show(compiler: &Compiler, target: &Target, see: &mut See<'_>) -> Result<(), String> {
    compiler.see(target, |catalog| see(catalog)).result.map_err(|error| error.message)
}

/// What is looked at of a node that compiles: whether it is meant, and its classes.
type Seen = Result<Option<Vec<String>>, String>;

impl Choice {
    /// Whether nodes must be compiled to know which are meant.
    pub fn needs_catalogs(&self) -> bool {
        !self.classes.is_empty() || !self.resources.is_empty() || self.one_per_kind
    }

    /// Whether all nodes are meant.
    pub fn is_all(&self) -> bool {
        self.names.is_empty()
            && self.patterns.is_empty()
            && self.query.is_none()
            && self.facts.is_empty()
            && !self.needs_catalogs()
    }

    /// Keeps the nodes that are meant; `compile` shows a node's catalog, or says why there is none, and is called on so many
    /// threads.
    ///
    /// # Errors
    /// When a node that is named is not there, nothing fits a pattern, or none is left; when facts can't be read or the query
    /// is refused.
    pub fn keep(
        &self,
        nodes: &mut Nodes,
        threads: usize,
        compile: impl Fn(&FleetNode, &mut See<'_>) -> Result<(), String> + Sync,
    ) -> Result<Chosen, String> {
        self.keep_named(nodes)?;
        let mut chosen = Chosen::default();
        if self.facts.is_empty() && !self.needs_catalogs() {
            return Ok(chosen);
        }
        let (mut kept, mut first_of, mut failure) = (HashSet::new(), BTreeMap::new(), None);
        pool::run(
            nodes.names(),
            threads,
            |name| self.look(nodes, name, &compile),
            |name, seen| {
                let kind = match seen {
                    Err(message) => return failure = failure.take().or(Some(message)),
                    Ok(None) => return,
                    Ok(Some(Ok(None))) => None,
                    Ok(Some(Ok(Some(classes)))) => Some(Ok(classes)),
                    Ok(Some(Err(message))) => {
                        let message = message.replace(name, "NODE");
                        chosen.failed.insert(name.to_owned(), message.clone());
                        if !self.one_per_kind {
                            return;
                        }
                        Some(Err(message))
                    }
                };
                if let Some(kind) = kind.filter(|_| self.one_per_kind) {
                    let first = first_of.entry(kind).or_insert_with(|| name.to_owned());
                    *chosen.kinds.entry(first.clone()).or_insert(0) += 1;
                    if first != name {
                        return;
                    }
                }
                kept.insert(name.to_owned());
            },
        )?;
        if let Some(message) = failure {
            return Err(message);
        }
        nodes.retain(|name| kept.contains(name));
        match nodes.names().is_empty() {
            true if !chosen.failed.is_empty() => Err(format!(
                "None of the nodes that compile is what was asked for; {} do not compile",
                chosen.failed.len()
            )),
            true => Err("No node is what was asked for".to_owned()),
            false => Ok(chosen),
        }
    }

    /// Keeps what is named: by name, pattern, query.
    fn keep_named(&self, nodes: &mut Nodes) -> Result<(), String> {
        if self.names.is_empty() && self.patterns.is_empty() && self.query.is_none() {
            return Ok(());
        }
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for name in &self.names {
            match nodes.names().binary_search(name) {
                Ok(_) => wanted.insert(name.clone()),
                Err(_) => return Err(format!("There is no node {name} in {}", nodes.from())),
            };
        }
        for pattern in &self.patterns {
            let fitting = nodes.names().iter().filter(|name| pattern.fits(name));
            let before = wanted.len();
            let mut count = 0;
            wanted.extend(fitting.inspect(|_| count += 1).cloned());
            if count == 0 && wanted.len() == before {
                return Err(format!("No node of {} fits {}", nodes.from(), pattern.text()));
            }
        }
        if let Some(query) = &self.query {
            wanted.extend(nodes.find(query)?);
        }
        nodes.retain(|name| wanted.contains(name));
        match nodes.names().is_empty() {
            true => Err("The query finds no node that has facts".to_owned()),
            false => Ok(()),
        }
    }

    /// Looks at a node: none where its facts say that it is not meant; what is asked of its catalog where that is needed.
    fn look(
        &self,
        nodes: &Nodes,
        name: &str,
        compile: impl Fn(&FleetNode, &mut See<'_>) -> Result<(), String>,
    ) -> Result<Option<Seen>, String> {
        let node = nodes.node(name)?;
        if !self.facts.iter().all(|fact| fact.fits(&node)) {
            return Ok(None);
        }
        if !self.needs_catalogs() {
            return Ok(Some(Ok(None)));
        }
        let mut seen = None;
        let shown = compile(&node, &mut |catalog| seen = Some(self.classes_if_meant(catalog)));
        match (shown, seen) {
            (Err(error), _) => Ok(Some(Err(error))),
            (Ok(()), seen) => Ok(seen.flatten().map(|classes| Ok(Some(classes)))),
        }
    }

    /// The classes of a catalog, sorted: a kind is a set. None where it is not asked for.
    fn classes_if_meant(&self, catalog: &CatalogView<'_>) -> Option<Vec<String>> {
        let mut classes: Vec<String> = catalog.classes().into_iter().map(str::to_owned).collect();
        let has = |class: &String| {
            let class = class.trim_start_matches("::").to_lowercase();
            classes.iter().any(|own| own.to_lowercase() == class)
        };
        if !self.classes.iter().all(has) || !self.resources.iter().all(|one| one.fits(catalog)) {
            return None;
        }
        classes.sort();
        Some(classes)
    }
}

#[cfg(test)]
mod tests;
