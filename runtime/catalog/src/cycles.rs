//! Dependency cycles: groups of resources none of which can be first.
//! Source: how `puppet apply` orders containers and words its report.

use crate::graph::{CatalogGraph, Digraph, Expanded, Point};
use hashbrown::HashMap;
use std::collections::VecDeque;
use std::fmt::{Display, Formatter};

/// The cycles of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// Of each the way round: references of resources, the first once more at the end.
    pub paths: Vec<Vec<String>>,
    /// Which cycle each vertex of the expanded graph is in.
    groups: Vec<Option<usize>>,
}

impl Display for Cycles {
    /// Puppet's report.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let plural = if self.paths.len() == 1 { "" } else { "s" };
        write!(f, "Found {} dependency cycle{plural}:", self.paths.len())?;
        self.paths.iter().try_for_each(|path| write!(f, "\n({})", path.join(" => ")))
    }
}

impl Cycles {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether an edge between two vertices of the expanded graph is a part of a cycle.
    pub fn joins(&self, from: usize, to: usize) -> bool {
        self.groups.get(from).is_some_and(|group| group.is_some() && self.groups.get(to) == Some(group))
    }

    /// Whether a vertex of the expanded graph is.
    pub fn has(&self, vertex: usize) -> bool {
        self.groups.get(vertex).is_some_and(Option::is_some)
    }
}

impl CatalogGraph {
    /// The dependency cycles of a catalog, whose expanded graph that is, in Puppet's order.
    pub fn cycles(&self, expanded: &Expanded) -> Cycles {
        let name = |vertex: usize| match expanded.points.get(vertex).copied().flatten() {
            // Those are in no edge.
            None => String::new(),
            Some(Point::Resource(number)) => self.resources[number].reference(),
            Some(Point::Begin(number)) => format!("Whit[admissible_{}]", self.resources[number].reference()),
            Some(Point::End(number)) => format!("Whit[completed_{}]", self.resources[number].reference()),
        };
        let shown = |vertex: usize| match expanded.points.get(vertex).copied().flatten() {
            None => String::new(),
            Some(Point::Resource(n) | Point::Begin(n) | Point::End(n)) => self.resources[n].reference(),
        };
        let mut found: Vec<Vec<(String, usize)>> = expanded
            .graph
            .groups()
            .into_iter()
            .map(|group| {
                let mut group: Vec<_> = group.into_iter().map(|vertex| (name(vertex), vertex)).collect();
                group.sort();
                group
            })
            .collect();
        found.sort();
        let mut groups = vec![None; if found.is_empty() { 0 } else { expanded.graph.len() }];
        let mut paths = Vec::with_capacity(found.len());
        for (number, group) in found.iter().enumerate() {
            let group: Vec<usize> = group.iter().map(|(_, vertex)| *vertex).collect();
            paths.push(expanded.graph.path(&group).into_iter().map(shown).collect());
            group.into_iter().for_each(|vertex| groups[vertex] = Some(number));
        }
        Cycles { paths, groups }
    }
}

impl Digraph {
    /// Groups of vertices that reach each other, and vertices that reach themselves (Tarjan's algorithm, without
    /// recursion).
    fn groups(&self) -> Vec<Vec<usize>> {
        const NONE: usize = usize::MAX;
        let count = self.len();
        let (mut index, mut low, mut on_stack) = (vec![NONE; count], vec![0; count], vec![false; count]);
        let (mut stack, mut next, mut found) = (Vec::new(), 0, Vec::new());
        for root in 0..count {
            if index[root] != NONE {
                continue;
            }
            let mut work = vec![(root, 0)];
            while let Some((vertex, child)) = work.pop() {
                if child == 0 {
                    (index[vertex], low[vertex]) = (next, next);
                    next += 1;
                    stack.push(vertex);
                    on_stack[vertex] = true;
                } else {
                    let done = self.targets(vertex)[child - 1];
                    if on_stack[done] {
                        low[vertex] = low[vertex].min(low[done]);
                    }
                }
                match self.targets(vertex).get(child) {
                    Some(target) => {
                        work.push((vertex, child + 1));
                        if index[*target] == NONE {
                            work.push((*target, 0));
                        }
                    }
                    None if low[vertex] == index[vertex] => {
                        let mut group = Vec::new();
                        while let Some(top) = stack.pop() {
                            on_stack[top] = false;
                            group.push(top);
                            if top == vertex {
                                break;
                            }
                        }
                        if group.len() > 1 || self.targets(vertex).contains(&vertex) {
                            found.push(group);
                        }
                    }
                    None => {}
                }
            }
        }
        found
    }

    /// The way from the first vertex of a group that comes back to itself soonest: what Puppet draws. Of ways that
    /// many, only as many are followed as are quickly looked at; then the shortest back to the first vertex.
    fn path(&self, group: &[usize]) -> Vec<usize> {
        const MOST_WAYS: usize = 20_000;
        let mut members = vec![false; self.len()];
        group.iter().for_each(|vertex| members[*vertex] = true);
        let next = |vertex: usize| self.targets(vertex).iter().copied().filter(|target| members[*target]);
        let mut ways = VecDeque::from([vec![group[0]]]);
        while let Some(way) = ways.pop_front() {
            let last = way[way.len() - 1];
            if way[..way.len() - 1].contains(&last) {
                return way;
            }
            if ways.len() > MOST_WAYS {
                break;
            }
            ways.extend(next(last).map(|target| way.iter().copied().chain([target]).collect::<Vec<_>>()));
        }
        let first = group[0];
        let mut from = HashMap::new();
        let mut queue = VecDeque::from([first]);
        while let Some(vertex) = queue.pop_front() {
            for target in next(vertex) {
                if target == first {
                    let mut path = vec![target];
                    let mut at = vertex;
                    while at != first {
                        path.push(at);
                        at = from[&at];
                    }
                    path.push(first);
                    path.reverse();
                    return path;
                }
                if target != first && !from.contains_key(&target) {
                    from.insert(target, vertex);
                    queue.push_back(target);
                }
            }
        }
        group.to_vec()
    }
}
