//! Dependency cycles: what an agent would refuse to apply, told at compile time where that is asked for. Looked at are
//! `require`, `before`, `notify`, `subscribe` and containment, stages included; what resource types relate by
//! themselves (a file to its folder) is not known here.
//! Source: how `puppet apply` orders containers and words its report.

use crate::compile::Compile;
use crate::declare::flatten;
use bunraku_data::names;
use bunraku_data::rich;
use bunraku_vm::error::Eval;
use bunraku_vm::format;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::value::Value;
use hashbrown::HashMap;
use std::collections::VecDeque;

/// A graph whose edges keep the order they came in.
#[derive(Default)]
struct Graph {
    out: Vec<Vec<usize>>,
    into: Vec<Vec<usize>>,
}

impl Graph {
    fn vertex(&mut self) -> usize {
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        self.out.len() - 1
    }

    fn add(&mut self, source: usize, target: usize) {
        if !self.out[source].contains(&target) {
            self.out[source].push(target);
            self.into[target].push(source);
        }
    }

    fn remove(&mut self, source: usize, target: usize) {
        self.out[source].retain(|other| *other != target);
        self.into[target].retain(|other| *other != source);
    }

    /// Groups of vertices that reach each other, and vertices that reach themselves (Tarjan's algorithm, without
    /// recursion).
    fn cycles(&self) -> Vec<Vec<usize>> {
        const NONE: usize = usize::MAX;
        let count = self.out.len();
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
                    let done = self.out[vertex][child - 1];
                    if on_stack[done] {
                        low[vertex] = low[vertex].min(low[done]);
                    }
                }
                match self.out[vertex].get(child) {
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
                        if group.len() > 1 || self.out[vertex].contains(&vertex) {
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
        let mut members = vec![false; self.out.len()];
        group.iter().for_each(|vertex| members[*vertex] = true);
        let next = |vertex: usize| self.out[vertex].iter().copied().filter(|target| members[*target]);
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

impl<'c> Compile<'c> {
    /// Fails with every dependency cycle drawn, if there is one.
    pub(crate) fn check_cycles(&self) -> Eval<'c, ()> {
        let catalog = self.catalog.borrow();
        let mut graph = Graph::default();
        // A name for sorting and one for showing.
        let mut labels = Vec::new();
        for resource in &catalog.resources {
            graph.vertex();
            labels.push((resource.reference(), resource.reference()));
        }
        labels.iter_mut().filter(|(name, _)| name == "Class[main]").for_each(|label| {
            *label = ("Class[Main]".to_owned(), "Class[Main]".to_owned());
        });
        for (source, resource) in catalog.resources.iter().enumerate().filter(|(_, r)| !r.is_virtual) {
            for name in ["require", "subscribe", "before", "notify"] {
                let mut references = Vec::new();
                resource.param(name).into_iter().for_each(|value| flatten(value, &mut references));
                for reference in references {
                    let text = match reference {
                        Value::Type(ty) => rich::reference(ty),
                        _ => None,
                    };
                    let text = text.unwrap_or_else(|| format::to_interpolated(reference));
                    let target = names::split_reference(&text)
                        .and_then(|(ty, title)| self.find_in(&catalog, ty, title))
                        .map(|id| id.0 as usize);
                    match target {
                        Some(target) if matches!(name, "require" | "subscribe") => graph.add(target, source),
                        Some(target) => graph.add(source, target),
                        None => {}
                    }
                }
            }
        }
        self.open_containers(&mut graph, &mut labels, &catalog);
        let mut groups = graph.cycles();
        for group in &mut groups {
            group.sort_by(|a, b| labels[*a].0.cmp(&labels[*b].0));
        }
        groups.sort_by(|a, b| {
            let names = |group: &[usize]| group.iter().map(|v| labels[*v].0.clone()).collect::<Vec<_>>();
            names(a).cmp(&names(b))
        });
        if groups.is_empty() {
            return Ok(());
        }
        let plural = if groups.len() == 1 { "" } else { "s" };
        let mut message = format!("Found {} dependency cycle{plural}:", groups.len());
        for group in &groups {
            let path: Vec<&str> = graph.path(group).into_iter().map(|v| labels[v].1.as_str()).collect();
            message.push_str(&format!("\n({})", path.join(" => ")));
        }
        Err(self.placed_error(message, None, 0))
    }

    /// Puts a beginning and an end in the place of every container: what comes before it comes before its beginning,
    /// and its contents lie between.
    fn open_containers(
        &self,
        graph: &mut Graph,
        labels: &mut Vec<(String, String)>,
        catalog: &bunraku_catalog::Catalog<'c>,
    ) {
        let mut ends: HashMap<usize, (usize, usize)> = HashMap::new();
        let is_container = |r: &bunraku_catalog::Resource<'c>| {
            !r.is_virtual && (r.type_name == "Stage" || self.environment.types.get(r.type_name).is_none())
        };
        let all = catalog.resources.iter().enumerate().filter(|(_, r)| is_container(r));
        let containers: Vec<usize> = all.map(|(n, _)| n).collect();
        for container in &containers {
            let shown = labels[*container].1.clone();
            for word in ["admissible", "completed"] {
                graph.vertex();
                labels.push((format!("Whit[{word}_{shown}]"), shown.clone()));
            }
            ends.insert(*container, (labels.len() - 2, labels.len() - 1));
        }
        let begin = |vertex: usize| ends.get(&vertex).map_or(vertex, |(begin, _)| *begin);
        let end = |vertex: usize| ends.get(&vertex).map_or(vertex, |(_, end)| *end);
        for container in &containers {
            let contents = catalog.contents(ResourceId(*container as u32));
            let contents = contents.iter().filter(|id| !catalog[**id].is_virtual);
            let contents: Vec<usize> = contents.map(|id| id.0 as usize).collect();
            if contents.is_empty() {
                graph.add(begin(*container), end(*container));
            }
            for content in contents {
                graph.add(begin(*container), begin(content));
                graph.add(end(content), end(*container));
            }
            for source in graph.into[*container].clone() {
                graph.add(end(source), begin(*container));
                graph.remove(source, *container);
            }
            for target in graph.out[*container].clone() {
                graph.add(end(*container), begin(target));
                graph.remove(*container, target);
            }
        }
    }
}
