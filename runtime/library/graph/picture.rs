//! What is drawn of a graph: vertices and lines, each once or, in Puppet's forms, as often as it is there.

use super::{Graph, Kind, collapse::collapse, select::Part};
use bunraku_catalog::graph::{Digraph, Point};
use std::collections::BTreeMap;

/// How a vertex is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A class.
    Class,
    /// A resource of a defined type.
    Defined,
    /// A stage or a node.
    Frame,
    /// A resource that contains nothing.
    Plain,
}

/// A vertex of a [`Picture`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// What it is called, unlike all others of the picture.
    pub name: String,
    /// How it is drawn.
    pub shape: Shape,
    /// How many resources are put together in it besides itself.
    pub holds: usize,
    /// Whether it is a part of a dependency cycle.
    pub in_cycle: bool,
    /// The number of its resource.
    pub(super) resource: usize,
}

/// What a line of a [`Picture`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    /// The first contains the other.
    Contains,
    /// The first comes before the other.
    Before,
    /// Likewise, and the other is told of changes.
    Notify,
}

/// A line of a [`Picture`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The vertex that it starts from.
    pub from: usize,
    /// The vertex that it leads to.
    pub to: usize,
    /// What it says.
    pub kind: LineKind,
    /// Whether it is a part of a dependency cycle.
    pub in_cycle: bool,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What kind of graph it is.
    pub kind: Kind,
    /// The node.
    pub node: String,
    /// Vertices in the catalog's order.
    pub vertices: Vec<Drawn>,
    /// Lines in Puppet's order.
    pub lines: Vec<Line>,
    /// How many resources the catalog has.
    pub of: usize,
}

impl Graph {
    /// What is to be drawn of a kind of graph: all of it, or a part. Where more vertices than `most` are left, each class is drawn
    /// with all it contains as one.
    pub fn picture(&self, kind: Kind, part: Option<Part>, most: Option<usize>) -> Picture {
        let mut picture = match kind {
            Kind::All => self.all(),
            Kind::Resources => self.of_digraph(kind, &self.catalog.containment()),
            Kind::Relationships => self.of_digraph(kind, &self.catalog.relationships()),
            Kind::Expanded => self.of_expanded(),
        };
        if let Some(part) = part {
            picture.keep(self, part);
        }
        if most.is_some_and(|most| picture.vertices.len() > most) {
            collapse(self, &mut picture);
        }
        picture
    }

    /// Whether a line between two resources is a part of a cycle.
    fn line_in_cycle(&self, kind: LineKind, from: usize, to: usize) -> bool {
        let ((from_begins, from_ends), (to_begins, to_ends)) =
            (self.expanded.ends(from), self.expanded.ends(to));
        let joins = |from, to| self.cycles.joins(from, to);
        match kind {
            LineKind::Contains => joins(from_begins, to_begins) || joins(to_ends, from_ends),
            LineKind::Before | LineKind::Notify => joins(from_ends, to_begins),
        }
    }

    /// How a resource is drawn.
    pub(super) fn shape(&self, resource: usize) -> Shape {
        let vertex = &self.catalog.resources[resource];
        match vertex.type_name.as_str() {
            "Class" => Shape::Class,
            "Stage" | "Node" => Shape::Frame,
            _ if vertex.is_container => Shape::Defined,
            _ => Shape::Plain,
        }
    }

    pub(super) fn drawn(&self, resource: usize, name: String, in_cycle: bool) -> Drawn {
        Drawn { name, shape: self.shape(resource), holds: 0, in_cycle, resource }
    }

    fn resources_drawn(&self) -> Vec<Drawn> {
        let all = self.catalog.resources.iter().enumerate();
        all.map(|(number, vertex)| {
            let (begin, end) = self.expanded.ends(number);
            self.drawn(number, vertex.reference(), self.cycles.has(begin) || self.cycles.has(end))
        })
        .collect()
    }

    fn of(&self, kind: Kind, vertices: Vec<Drawn>, lines: Vec<Line>) -> Picture {
        Picture { kind, node: self.node.clone(), vertices, lines, of: self.catalog.resources.len() }
    }

    /// Each line once: what notifies comes before, too.
    fn all(&self) -> Picture {
        let mut lines = BTreeMap::new();
        for (container, content) in self.catalog.contains.iter().copied() {
            lines.insert((false, container, content), LineKind::Contains);
        }
        for relation in &self.catalog.relations {
            let kind = if relation.notify { LineKind::Notify } else { LineKind::Before };
            let line = lines.entry((true, relation.from, relation.to)).or_insert(kind);
            *line = kind.max(*line);
        }
        let line =
            |((_, from, to), kind)| Line { from, to, kind, in_cycle: self.line_in_cycle(kind, from, to) };
        self.of(Kind::All, self.resources_drawn(), lines.into_iter().map(line).collect())
    }

    fn of_digraph(&self, kind: Kind, graph: &Digraph) -> Picture {
        let line_kind = if kind == Kind::Resources { LineKind::Contains } else { LineKind::Before };
        let line = |(from, to)| Line {
            from,
            to,
            kind: line_kind,
            in_cycle: self.line_in_cycle(line_kind, from, to),
        };
        self.of(kind, self.resources_drawn(), graph.edges().map(line).collect())
    }

    fn of_expanded(&self) -> Picture {
        let mut numbers = vec![0; self.expanded.graph.len()];
        let mut vertices = Vec::with_capacity(numbers.len());
        for (at, point) in self.expanded.points.iter().enumerate() {
            let Some(point) = *point else { continue };
            numbers[at] = vertices.len();
            let name = |number: usize| self.catalog.resources[number].reference();
            // The names that Puppet gives to the resources it puts there, in its case.
            let (resource, name) = match point {
                Point::Resource(number) => (number, name(number)),
                Point::Begin(number) => (number, format!("Whit[Admissible_{}]", lower_first(&name(number)))),
                Point::End(number) => (number, format!("Whit[Completed_{}]", lower_first(&name(number)))),
            };
            vertices.push(self.drawn(resource, name, self.cycles.has(at)));
        }
        let edges = self.expanded.graph.edges();
        let line = |(from, to)| Line {
            from: numbers[from],
            to: numbers[to],
            kind: LineKind::Before,
            in_cycle: self.cycles.joins(from, to),
        };
        self.of(Kind::Expanded, vertices, edges.map(line).collect())
    }
}

/// A reference as it ends up behind a prefix: Puppet takes both for one name of a type.
fn lower_first(reference: &str) -> String {
    let mut reference = reference.to_owned();
    if let Some(first) = reference.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    reference
}
