//! A part of a picture: what is around a resource, or in a class.

use super::{Drawn, Graph, Picture};
use std::collections::HashSet;

/// A part of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Resources, by number, and what is at most so many lines away from them, whatever way the lines lead. Stages are left out, which
    /// contain all: by them everything would be near.
    Around(Vec<usize>, usize),
    /// A resource that contains others, by number, and all that is in it.
    Within(usize),
}

impl Picture {
    /// Leaves out what is not in a part, with its lines.
    pub(super) fn keep(&mut self, graph: &Graph, part: Part) {
        let kept = match part {
            Part::Within(container) => {
                let within = graph.within(container);
                self.vertices.iter().map(|one| within.contains(&one.resource)).collect()
            }
            Part::Around(resources, depth) => self.around(graph, &resources, depth),
        };
        self.retain(&kept);
    }

    fn around(&self, graph: &Graph, resources: &[usize], depth: usize) -> Vec<bool> {
        let is_meant = |drawn: &Drawn| resources.contains(&drawn.resource);
        let is_stage = |drawn: &Drawn| graph.resources()[drawn.resource].type_name == "Stage";
        let is_passed = |vertex: usize| {
            let drawn = &self.vertices[vertex];
            is_meant(drawn) || !is_stage(drawn)
        };
        let mut near = vec![Vec::new(); self.vertices.len()];
        for line in self.lines.iter().filter(|line| is_passed(line.from) && is_passed(line.to)) {
            near[line.from].push(line.to);
            near[line.to].push(line.from);
        }
        let mut kept: Vec<bool> = self.vertices.iter().map(is_meant).collect();
        let mut edge: Vec<usize> = (0..kept.len()).filter(|vertex| kept[*vertex]).collect();
        for _ in 0..depth {
            let mut next = Vec::new();
            for vertex in edge.iter().flat_map(|vertex| &near[*vertex]) {
                if !std::mem::replace(&mut kept[*vertex], true) {
                    next.push(*vertex);
                }
            }
            if next.is_empty() {
                break;
            }
            edge = next;
        }
        kept
    }

    fn retain(&mut self, kept: &[bool]) {
        let mut numbers = Vec::with_capacity(kept.len());
        let mut count = 0;
        for is_kept in kept {
            numbers.push(is_kept.then_some(count));
            count += usize::from(*is_kept);
        }
        let mut each = kept.iter();
        self.vertices.retain(|_| each.next() == Some(&true));
        self.lines.retain_mut(|line| match (numbers[line.from], numbers[line.to]) {
            (Some(from), Some(to)) => {
                (line.from, line.to) = (from, to);
                true
            }
            _ => false,
        });
    }
}

impl Graph {
    /// A resource and all that it contains.
    fn within(&self, container: usize) -> HashSet<usize> {
        let containment = self.catalog.containment();
        let mut within = HashSet::from([container]);
        let mut open = vec![container];
        while let Some(next) = open.pop() {
            open.extend(containment.targets(next).iter().copied().filter(|content| within.insert(*content)));
        }
        within
    }
}
