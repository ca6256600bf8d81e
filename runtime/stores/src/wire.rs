//! A catalog as PuppetDB's command `replace catalog`, version 9, takes it.

use bunraku_vm::time::{calendar, strftime, timestamp};
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};

/// Metaparameters that are edges: which way, and PuppetDB's name for it.
const EDGES: [(&str, bool, &str); 4] = [
    ("before", true, "before"),
    ("notify", true, "notifies"),
    ("require", false, "required-by"),
    ("subscribe", false, "subscription-of"),
];

/// The command's payload for a catalog as stores have it (`bunraku_catalog::stored`): exported resources included, nothing Sensitive.
pub fn replace_catalog(catalog: &Json) -> Json {
    let no_resources = Vec::new();
    let resources = catalog["resources"].as_array().unwrap_or(&no_resources);
    let mut known: HashMap<String, (&Json, &Json)> = HashMap::new();
    for resource in resources {
        let name = (&resource["type"], &resource["title"]);
        let reference = |title: &str| format!("{}[{title}]", name.0.as_str().unwrap_or_default());
        known.insert(reference(name.1.as_str().unwrap_or_default()), name);
        for alias in words(&resource["parameters"]["alias"]) {
            known.entry(reference(&alias)).or_insert(name);
        }
    }
    let spec = |reference: &str| {
        let reference = match reference.strip_prefix("File[").and_then(|rest| rest.strip_suffix(']')) {
            // A folder is known without the slash that may stand behind it.
            Some(path) if path.ends_with('/') => format!("File[{}]", path.trim_end_matches('/')),
            _ if reference == "Class[Main]" => "Class[main]".to_owned(),
            _ => reference.to_owned(),
        };
        known.get(&reference).map(|(ty, title)| json!({"type": ty, "title": title}))
    };
    let mut edges = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |source: Option<Json>, target: Option<Json>, relationship: &str| {
        if let (Some(source), Some(target)) = (source, target) {
            let edge = json!({"source": source, "target": target, "relationship": relationship});
            if seen.insert(edge.to_string()) {
                edges.push(edge);
            }
        }
    };
    for edge in catalog["edges"].as_array().into_iter().flatten() {
        let end = |name: &str| spec(edge[name].as_str().unwrap_or_default());
        add(end("source"), end("target"), "contains");
    }
    // What the node itself does not get is in no relation.
    for resource in resources.iter().filter(|resource| resource["virtual"] != true) {
        let own = || Some(json!({"type": resource["type"], "title": resource["title"]}));
        for (name, forward, relationship) in EDGES {
            for other in words(&resource["parameters"][name]) {
                match forward {
                    true => add(own(), spec(&other), relationship),
                    false => add(spec(&other), own(), relationship),
                }
            }
        }
    }
    json!({
        "certname": catalog["name"],
        "version": text(&catalog["version"]),
        "environment": catalog["environment"],
        "transaction_uuid": null,
        "catalog_uuid": catalog["catalog_uuid"],
        "code_id": catalog["code_id"],
        "job_id": null,
        "producer_timestamp": now(),
        "producer": null,
        "resources": resources.iter().map(resource).collect::<Vec<_>>(),
        "edges": edges,
    })
}

fn resource(resource: &Json) -> Json {
    json!({
        "type": resource["type"],
        "title": resource["title"],
        "exported": resource["exported"] == true,
        "kind": resource["kind"],
        "file": resource["file"],
        "line": resource["line"],
        "tags": resource["tags"],
        "parameters": resource.get("parameters").cloned().unwrap_or_else(|| json!({})),
    })
}

/// A text, or the texts of a list however deep.
fn words(value: &Json) -> Vec<String> {
    match value {
        Json::String(text) => vec![text.clone()],
        Json::Array(items) => items.iter().flat_map(words).collect(),
        _ => Vec::new(),
    }
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn now() -> String {
    strftime::format(&calendar::parts(timestamp::now(), 0), "%Y-%m-%dT%H:%M:%S.%LZ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relationships_become_edges() {
        let catalog = json!({
            "name": "a", "version": 1, "environment": "production", "catalog_uuid": "u", "code_id": null,
            "resources": [
                {"type": "Class", "title": "main", "exported": false, "tags": ["class"]},
                {"type": "Notify", "title": "x", "exported": false, "tags": [], "line": 1,
                 "parameters": {"before": ["Notify[z]"], "require": ["Class[Main]", "File[/d//]"]}},
                {"type": "Notify", "title": "y", "exported": false, "tags": [], "parameters": {"alias": ["z"]}},
                {"type": "File", "title": "/e", "exported": true, "virtual": true, "tags": ["t"],
                 "parameters": {"require": "Notify[x]"}},
                {"type": "File", "title": "/d", "exported": true, "tags": [], "parameters": {"before": "Notify[y]"}},
            ],
            "edges": [{"source": "Class[Main]", "target": "Notify[x]"}],
        });
        let payload = replace_catalog(&catalog);
        let end = |title: &str| {
            let of_type = match title {
                "main" => "Class",
                title if title.starts_with('/') => "File",
                _ => "Notify",
            };
            json!({"type": of_type, "title": title})
        };
        assert_eq!(
            payload["edges"],
            json!([
                {"source": end("main"), "target": end("x"), "relationship": "contains"},
                {"source": end("x"), "target": end("y"), "relationship": "before"},
                {"source": end("main"), "target": end("x"), "relationship": "required-by"},
                {"source": end("/d"), "target": end("x"), "relationship": "required-by"},
                {"source": end("/d"), "target": end("y"), "relationship": "before"},
            ])
        );
        assert_eq!(payload["version"], "1");
        assert_eq!(payload["resources"][0]["parameters"], json!({}));
        assert_eq!(payload["resources"][2]["parameters"], json!({"alias": ["z"]}));
        assert_eq!(payload["resources"][3]["exported"], true);
        assert_eq!(payload["resources"][3].get("virtual"), None);
        assert!(payload["producer_timestamp"].as_str().is_some_and(|t| t.ends_with('Z') && t.len() == 24));
    }
}
