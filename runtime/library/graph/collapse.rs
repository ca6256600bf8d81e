//! Pictures of many resources: each class is drawn as one, with all that is in it.

use super::{Graph, Line, LineKind, Picture, Shape};
use std::collections::HashMap;

/// Draws what is in a class as a part of that. What is in none (a stage) stays by itself.
pub(super) fn collapse(graph: &Graph, picture: &mut Picture) {
    let mut containers = HashMap::new();
    for (container, content) in graph.contains() {
        containers.entry(*content).or_insert(*container);
    }
    let mut vertices = Vec::new();
    let mut numbers = Vec::with_capacity(picture.vertices.len());
    let mut known = HashMap::new();
    for drawn in &picture.vertices {
        let frame = frame(graph, &containers, drawn.resource);
        let number = *known.entry(frame).or_insert_with(|| {
            let name = graph.resources()[frame].reference();
            vertices.push(graph.drawn(frame, name, false));
            vertices.len() - 1
        });
        numbers.push(number);
        vertices[number].holds += usize::from(drawn.resource != frame);
        vertices[number].in_cycle |= drawn.in_cycle;
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut at: HashMap<(usize, usize, bool), usize> = HashMap::new();
    for line in &picture.lines {
        let (from, to) = (numbers[line.from], numbers[line.to]);
        if from == to {
            continue;
        }
        let number = *at.entry((from, to, line.kind == LineKind::Contains)).or_insert_with(|| {
            lines.push(Line { from, to, ..*line });
            lines.len() - 1
        });
        lines[number].kind = lines[number].kind.max(line.kind);
        lines[number].in_cycle |= line.in_cycle;
    }
    (picture.vertices, picture.lines) = (vertices, lines);
}

/// The class that a resource is drawn as a part of: the nearest around it, itself where it is one.
fn frame(graph: &Graph, containers: &HashMap<usize, usize>, resource: usize) -> usize {
    let is_frame = |number: usize| matches!(graph.shape(number), Shape::Class | Shape::Frame);
    let mut at = resource;
    // As many steps as there are resources: what contains itself has no end.
    for _ in 0..=graph.resources().len() {
        if is_frame(at) {
            return at;
        }
        match containers.get(&at) {
            Some(container) => at = *container,
            None => return resource,
        }
    }
    resource
}
