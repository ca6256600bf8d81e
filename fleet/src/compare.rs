//! How two catalogs of one node differ: resources by type and title, their parameters however deep, and what contains what.
//! The order of resources, their tags and the places of their declarations do not count: an agent does the same.

use bunraku::{Catalog, Data, Edge, Resource};
use std::collections::{BTreeSet, HashMap};
use std::fmt::{Display, Formatter};

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// A resource that only the second catalog has.
    Added {
        /// The resource as the second catalog has it.
        resource: Resource,
    },
    /// A resource that only the first has.
    Removed {
        /// The resource as the first catalog has it.
        resource: Resource,
    },
    /// A parameter with another value.
    Parameter {
        /// `Type[title]`
        resource: String,
        /// The parameter; below a hash or array its path, joined by dots.
        path: String,
        /// The value in the first; none where it has none.
        before: Option<Data>,
        /// The value in the second.
        after: Option<Data>,
        /// The manifest that declares the resource.
        file: Option<String>,
        /// The line there.
        line: Option<u32>,
    },
    /// What contains what, in one of them only.
    Contained {
        /// The edge.
        edge: Edge,
        /// Whether it is the second that has it.
        is_new: bool,
    },
}

impl Display for Difference {
    /// One line: what is gone behind `-`, what is new behind `+`, what is otherwise behind `~`.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let value = |value: &Option<Data>| value.as_ref().map_or_else(|| "nothing".to_owned(), Data::to_json);
        match self {
            Difference::Added { resource } => write!(f, "+ {resource}"),
            Difference::Removed { resource } => write!(f, "- {resource}"),
            Difference::Parameter { resource, path, before, after, .. } => {
                write!(f, "~ {resource} {path}: {} -> {}", value(before), value(after))
            }
            Difference::Contained { edge, is_new } => {
                let sign = if *is_new { '+' } else { '-' };
                write!(f, "{sign} {} contains {}", edge.source, edge.target)
            }
        }
    }
}

/// What differs between two catalogs, in the order of the first and then of the second. Where a resource is in one of them
/// only, what contains it is no difference of its own.
pub fn compare(before: &Catalog, after: &Catalog) -> Vec<Difference> {
    let (old, new) = (by_reference(before), by_reference(after));
    let mut found = Vec::new();
    for resource in before.resources() {
        match new.get(&resource.to_string()) {
            None => found.push(Difference::Removed { resource: resource.clone() }),
            Some(other) => parameters(resource, other, &mut found),
        }
    }
    for resource in after.resources() {
        if !old.contains_key(&resource.to_string()) {
            found.push(Difference::Added { resource: resource.clone() });
        }
    }
    let both = |edge: &Edge| {
        [&edge.source, &edge.target].into_iter().all(|name| old.contains_key(name) && new.contains_key(name))
    };
    for (one, other, is_new) in [(before, after, false), (after, before, true)] {
        let known: BTreeSet<(&str, &str)> =
            other.edges().iter().map(|edge| (&*edge.source, &*edge.target)).collect();
        let own = one.edges().iter().filter(|edge| !known.contains(&(&*edge.source, &*edge.target)));
        found.extend(
            own.filter(|edge| both(edge)).map(|edge| Difference::Contained { edge: edge.clone(), is_new }),
        );
    }
    found
}

fn by_reference(catalog: &Catalog) -> HashMap<String, &Resource> {
    catalog.resources().iter().map(|resource| (resource.to_string(), resource)).collect()
}

fn parameters(before: &Resource, after: &Resource, found: &mut Vec<Difference>) {
    let mut note = |path: &str, before_value: Option<&Data>, after_value: Option<&Data>| {
        found.push(Difference::Parameter {
            resource: before.to_string(),
            path: path.to_owned(),
            before: before_value.cloned(),
            after: after_value.cloned(),
            file: before.file.clone(),
            line: before.line,
        });
    };
    fields(&before.parameters, &after.parameters, "", &mut note);
    if before.exported != after.exported {
        let exported = |resource: &Resource| Data::from(resource.exported);
        note("exported", Some(&exported(before)), Some(&exported(after)));
    }
}

type Note<'a> = dyn FnMut(&str, Option<&Data>, Option<&Data>) + 'a;

fn fields(before: &[(String, Data)], after: &[(String, Data)], path: &str, note: &mut Note<'_>) {
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let find = |all: &[(String, Data)], name: &str| all.iter().position(|(own, _)| own == name);
    for (name, value) in before {
        match find(after, name) {
            Some(other) => values(value, &after[other].1, &at(name), note),
            None => note(&at(name), Some(value), None),
        }
    }
    for (name, value) in after.iter().filter(|(name, _)| find(before, name).is_none()) {
        note(&at(name), None, Some(value));
    }
}

fn values(before: &Data, after: &Data, path: &str, note: &mut Note<'_>) {
    match (before, after) {
        (Data::Map(before), Data::Map(after)) => fields(before, after, path, note),
        (Data::List(before), Data::List(after)) if before.len() == after.len() => {
            for (n, (before, after)) in before.iter().zip(after).enumerate() {
                values(before, after, &format!("{path}.{n}"), note);
            }
        }
        _ if before == after => {}
        _ => note(path, Some(before), Some(after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn catalog(resources: serde_json::Value, edges: serde_json::Value) -> Catalog {
        let catalog = json!({"name": "a", "resources": resources, "edges": edges, "classes": []});
        Catalog::from_json(catalog.to_string()).expect("it is one")
    }

    fn shown(before: &Catalog, after: &Catalog) -> Vec<String> {
        compare(before, after).iter().map(Difference::to_string).collect()
    }

    #[test]
    fn parameters_are_compared_however_deep() {
        let of = |port: u16| {
            let parameters = json!({"hash": {"list": [1, {"port": port}]}, "same": "x"});
            catalog(
                json!([{"type": "Web", "title": "a", "parameters": parameters, "tags": [port.to_string()]}]),
                json!([]),
            )
        };
        assert_eq!(shown(&of(80), &of(80)), Vec::<String>::new());
        assert_eq!(shown(&of(80), &of(81)), ["~ Web[a] hash.list.1.port: 80 -> 81"]);
    }

    #[test]
    fn what_is_gone_or_new_is_told_once() {
        let file = |title: &str| json!({"type": "File", "title": title, "parameters": {"mode": "0644"}});
        let edge = |title: &str| json!({"source": "Class[A]", "target": format!("File[{title}]")});
        let class = |name: &str| json!({"type": "Class", "title": name});
        let before =
            catalog(json!([class("A"), class("B"), file("/x"), file("/z")]), json!([edge("/x"), edge("/z")]));
        let other = json!({"source": "Class[B]", "target": "File[/z]"});
        let after =
            catalog(json!([class("A"), class("B"), file("/y"), file("/z")]), json!([edge("/y"), other]));
        let expected =
            ["- File[/x]", "+ File[/y]", "- Class[A] contains File[/z]", "+ Class[B] contains File[/z]"];
        assert_eq!(shown(&before, &after), expected);
    }
}
