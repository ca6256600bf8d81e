//! Questions about order: why one resource comes before another.

use super::{CodePlace, Origins, ParameterOrigin};
use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};

/// What an edge between two resources is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeReason {
    /// What comes first: the resource that was asked for, or one that contains it. By number.
    pub from: usize,
    /// What comes behind, likewise.
    pub to: usize,
    /// What says so.
    pub by: EdgeSource,
}

/// See [`EdgeReason`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeSource {
    /// An arrow, which tells of changes or not.
    Arrow(bool, CodePlace),
    /// A parameter of the resource of that number, by its name.
    Parameter(usize, String),
    /// The first contains the other.
    Containment,
}

/// A step of a chain: the edge that leads to a resource, and the resource before it in the chain.
struct Led {
    edge: (usize, usize),
    before: usize,
}

impl Origins {
    /// Why one resource comes before another: what is said of themselves first, and then of what contains them. Where nothing is
    /// said of the two, the shortest chain of edges that leads from the one to the other.
    pub fn edges(&self, from: usize, to: usize) -> Vec<EdgeReason> {
        let between = self.between(from, to);
        if between.is_empty() { self.chain_of_edges(from, to) } else { between }
    }

    /// What is said of two resources themselves, and of what contains them.
    pub(super) fn between(&self, from: usize, to: usize) -> Vec<EdgeReason> {
        let (befores, behinds) = (self.around(from), self.around(to));
        let mut found = Vec::new();
        for first in &befores {
            for second in &behinds {
                if first != second {
                    self.direct(*first, *second, &mut found);
                }
            }
        }
        if self.around(to)[1..].contains(&from) {
            found.insert(0, EdgeReason { from, to, by: EdgeSource::Containment });
        }
        found
    }

    /// A resource and all that contains it, itself first.
    fn around(&self, number: usize) -> Vec<usize> {
        let mut all = vec![number];
        let mut next = 0;
        while let Some(at) = all.get(next).copied() {
            for container in &self.resource(at).containers {
                // A stage contains all, and orders nothing by that.
                if !all.contains(container) && !self.reference(*container).starts_with("Stage[") {
                    all.push(*container);
                }
            }
            next += 1;
        }
        all
    }

    fn direct(&self, from: usize, to: usize, found: &mut Vec<EdgeReason>) {
        let arrows = self.arrows.iter().filter(|arrow| arrow.from == from && arrow.to == to);
        let mut has_arrow = [false; 2];
        for arrow in arrows {
            has_arrow[usize::from(arrow.notify)] = true;
            let by = EdgeSource::Arrow(arrow.notify, arrow.place.clone());
            found.push(EdgeReason { from, to, by });
        }
        let mut by_parameter = |owner: usize, other: usize, names: [&str; 2]| {
            for (n, name) in names.into_iter().enumerate() {
                let parameter = self.resource(owner).parameter(name);
                let Some(parameter) = parameter.filter(|one| one.names.contains(&other)) else { continue };
                // Arrows end up in parameters of what comes first.
                if !(has_arrow[n] && matches!(parameter.origin, ParameterOrigin::Arrows(_))) {
                    let by = EdgeSource::Parameter(owner, name.to_owned());
                    found.push(EdgeReason { from, to, by });
                }
            }
        };
        by_parameter(from, to, ["before", "notify"]);
        by_parameter(to, from, ["require", "subscribe"]);
    }

    /// The edges of the shortest chain between two resources, in order. What comes before a container comes before all that it
    /// contains.
    fn chain_of_edges(&self, from: usize, to: usize) -> Vec<EdgeReason> {
        let edges = self.all_edges();
        let mut contents: HashMap<usize, Vec<usize>> = HashMap::new();
        for number in 0..self.count() {
            for container in &self.resource(number).containers {
                contents.entry(*container).or_default().push(number);
            }
        }
        // By number: what leads to it; nothing leads to the first.
        let mut led: HashMap<usize, Option<Led>> = HashMap::from([(from, None)]);
        let mut left = VecDeque::from([from]);
        while let Some(at) = left.pop_front().filter(|_| !led.contains_key(&to)) {
            for first in self.around(at) {
                for second in edges.get(&first).into_iter().flatten() {
                    let mut reached = vec![*second];
                    while let Some(number) = reached.pop() {
                        if let Entry::Vacant(free) = led.entry(number) {
                            free.insert(Some(Led { edge: (first, *second), before: at }));
                            left.push_back(number);
                            reached.extend(contents.get(&number).into_iter().flatten());
                        }
                    }
                }
            }
        }
        let (mut chain, mut at) = (Vec::new(), to);
        while let Some(Some(Led { edge, before })) = led.get(&at) {
            chain.push(*edge);
            at = *before;
        }
        let mut found = Vec::new();
        chain.into_iter().rev().for_each(|(first, second)| self.direct(first, second, &mut found));
        found
    }

    /// By each resource: those that arrows and parameters put directly behind it.
    fn all_edges(&self) -> HashMap<usize, Vec<usize>> {
        let mut edges: HashMap<usize, Vec<usize>> = HashMap::new();
        for arrow in &self.arrows {
            edges.entry(arrow.from).or_default().push(arrow.to);
        }
        for owner in 0..self.count() {
            for parameter in &self.resource(owner).parameters {
                for named in &parameter.names {
                    let (first, second) = match &*parameter.name {
                        "before" | "notify" => (owner, *named),
                        _ => (*named, owner),
                    };
                    edges.entry(first).or_default().push(second);
                }
            }
        }
        edges
    }
}
