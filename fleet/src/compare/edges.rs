//! Edges compared by what can be reached: an edge that is gone is a difference only where the way from one end to the other is gone,
//! too. Containment: what a class or defined type holds. Relationships: `before`, `require`, `notify`, `subscribe`, each of a container for
//! all that is in it, as an agent takes them.

use super::{Declared, Difference, Edges, Rules, Sign};
use bunraku::{CatalogView, Data, ResourceView};
use std::collections::{HashMap, HashSet};

/// A catalog's resources with their edges, as numbers: a resource is where it begins and, behind that, where it ends.
struct Graph<'v> {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    heads: Vec<Head<'v>>,
    /// What contains what.
    contained: Vec<(usize, usize)>,
    /// What comes before what.
    ordered: Vec<(usize, usize)>,
}

/// What of the edges differs, in the order of the first catalog and then of the second. Edges of what one catalog has not are no
/// difference of their own.
pub(super) fn compare(before: &CatalogView<'_>, after: &CatalogView<'_>, rules: &Rules) -> Vec<Difference> {
    let (old, new) = (Graph::of(before), Graph::of(after));
    let mut found = Vec::new();
    if matches!(rules.edges, Edges::Containment | Edges::All) {
        found.extend(differing(&old, &new, "contains", |graph| (&graph.contained, graph.ways(false)), rules));
    }
    if matches!(rules.edges, Edges::Relationships | Edges::All) {
        found.extend(differing(&old, &new, "before", |graph| (&graph.ordered, graph.ways(true)), rules));
    }
    found
}

/// Type, title and kind of a resource, and where it is declared.
type Head<'v> = (&'v str, &'v str, Option<&'v str>, (Option<&'v str>, Option<u32>));

/// Where one can go from each place.
type Ways = Vec<Vec<usize>>;

/// Gives the edges of a kind, from number to number, and where one can go by them.
type EdgesOf = for<'g> fn(&'g Graph<'_>) -> (&'g [(usize, usize)], Ways);

fn differing(old: &Graph<'_>, new: &Graph<'_>, what: &str, edges: EdgesOf, rules: &Rules) -> Vec<Difference> {
    let mut found = Vec::new();
    for (own, other, is_new) in [(old, new, false), (new, old, true)] {
        let (list, _) = edges(own);
        let (_, ways) = edges(other);
        let mut reached: HashMap<usize, HashSet<usize>> = HashMap::new();
        for (source, target) in list {
            let ends = (other.numbers.get(&own.names[*source]), other.numbers.get(&own.names[*target]));
            let (Some(from), Some(to)) = ends else { continue };
            let begin = if what == "before" { from * 2 + 1 } else { from * 2 };
            let known = reached.entry(begin).or_insert_with(|| walk(&ways, begin));
            if known.contains(&(to * 2)) {
                continue;
            }
            let (type_name, title, kind, (file, line)) = own.heads[*source];
            let place = Some(Declared { file: file.map(str::to_owned), line });
            let value = Some(Data::from(own.names[*target].as_str()));
            let (old, new) = if is_new { (None, value) } else { (value, None) };
            let (old_place, new_place) = if is_new { (None, place) } else { (place, None) };
            let difference = Difference {
                sign: Sign::Changed,
                type_name: type_name.to_owned(),
                title: title.to_owned(),
                structure: vec![what.to_owned()],
                old,
                new,
                old_place,
                new_place,
                kind: kind.map(str::to_owned),
            };
            if !rules.ignores(&difference) {
                found.push(difference);
            }
        }
    }
    found
}

fn walk(ways: &Ways, from: usize) -> HashSet<usize> {
    let (mut seen, mut open) = (HashSet::from([from]), vec![from]);
    while let Some(at) = open.pop() {
        open.extend(ways[at].iter().copied().filter(|next| seen.insert(*next)));
    }
    seen.remove(&from);
    seen
}

impl<'v> Graph<'v> {
    fn of(catalog: &'v CatalogView<'_>) -> Self {
        let resources: Vec<ResourceView<'v, '_>> = catalog.resources().collect();
        let names: Vec<String> =
            resources.iter().map(|one| format!("{}[{}]", one.type_name(), one.title())).collect();
        let mut numbers = HashMap::new();
        for (number, resource) in resources.iter().enumerate() {
            for other in ["alias", if resource.type_name() == "File" { "path" } else { "name" }] {
                for title in resource.parameter(other).map(|value| texts(value.data())).unwrap_or_default() {
                    numbers.entry(format!("{}[{title}]", resource.type_name())).or_insert(number);
                }
            }
        }
        numbers.extend(names.iter().cloned().zip(0..));
        let contained = catalog.edges().iter().map(|(one, other)| (*one as usize, *other as usize)).collect();
        let mut ordered = Vec::new();
        for (number, resource) in resources.iter().enumerate() {
            for (name, comes_first) in
                [("before", true), ("notify", true), ("require", false), ("subscribe", false)]
            {
                let references =
                    resource.parameter(name).map(|value| texts(value.data())).unwrap_or_default();
                for other in references.iter().filter_map(|reference| numbers.get(reference)) {
                    ordered.push(if comes_first { (number, *other) } else { (*other, number) });
                }
            }
        }
        let head = |one: &ResourceView<'v, '_>| (one.type_name(), one.title(), one.kind(), one.place());
        Graph { names, numbers, heads: resources.iter().map(head).collect(), contained, ordered }
    }

    /// The ways by containment alone; `by_order`, by relationships, too, from the end of one to the begin of the next.
    fn ways(&self, by_order: bool) -> Ways {
        let mut ways = vec![Vec::new(); self.names.len() * 2];
        let mut holds = vec![false; self.names.len()];
        for (container, content) in &self.contained {
            holds[*container] = true;
            ways[container * 2].push(content * 2);
            if by_order {
                ways[content * 2 + 1].push(container * 2 + 1);
            }
        }
        if by_order {
            self.ordered.iter().for_each(|(first, then)| ways[first * 2 + 1].push(then * 2));
            (0..holds.len()).filter(|at| !holds[*at]).for_each(|at| ways[at * 2].push(at * 2 + 1));
        }
        ways
    }
}

/// The texts of a value that is one or a list of them.
fn texts(value: Data) -> Vec<String> {
    match value {
        Data::Text(text) => vec![text],
        Data::List(all) => all.into_iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
