//! Says where two results part: what kind of difference, and the difference itself in words.
//!
//! Both results are normalised ([`crate::canonical`]). The list is empty exactly when their
//! canonical texts are equal.

use serde_json::{Map, Value};

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What a report counts by; holds no names of resources or values.
    pub cause: String,
    /// The difference itself.
    pub detail: String,
}

fn difference(cause: impl Into<String>, detail: impl Into<String>) -> Difference {
    Difference { cause: cause.into(), detail: detail.into() }
}

/// Every difference between what was wanted and what came, the most telling first.
pub fn differences(want: &Value, got: &Value) -> Vec<Difference> {
    let ok = |result: &Value| result["ok"] == Value::Bool(true);
    let message = |result: &Value| result["error"]["message"].as_str().unwrap_or_default().to_owned();
    if got["died"] == Value::Bool(true) {
        return vec![difference(format!("died: {}", message(got)), message(got))];
    }
    match (ok(want), ok(got)) {
        (true, true) => catalogs(&want["catalog"], &got["catalog"]),
        (true, false) => vec![difference(format!("error: {}", shape(&message(got))), message(got))],
        (false, true) => {
            vec![difference(format!("compiles, where Puppet says: {}", shape(&message(want))), message(want))]
        }
        (false, false) if message(want) == message(got) => Vec::new(),
        (false, false) => vec![difference(
            format!("other error than: {}", shape(&message(want))),
            format!("- {}\n+ {}", message(want), message(got)),
        )],
    }
}

/// A message without what differs from case to case: places, quoted names, numbers.
pub fn shape(message: &str) -> String {
    let mut text = message.split(" on node ").next().unwrap_or_default().to_owned();
    while let Some(start) = text.find(" (file: ").or_else(|| text.find(" (line: ")) {
        let end = text[start..].find(')').map_or(text.len(), |at| start + at + 1);
        text.replace_range(start..end, "");
    }
    let mut out = String::new();
    let mut quote = None;
    let mut brackets = 0_usize;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => {
                quote = None;
                out.push('…');
                out.push(c);
            }
            (Some(_), _) => {}
            (None, '\'' | '"') if !out.ends_with(|c: char| c.is_alphanumeric()) => {
                quote = Some(c);
                out.push(c);
            }
            (None, '[') => {
                brackets += 1;
                if brackets == 1 {
                    out.push_str("[…]");
                }
            }
            (None, ']') => brackets = brackets.saturating_sub(1),
            (None, _) if brackets > 0 => {}
            (None, c) if c.is_ascii_digit() => {
                if !out.ends_with('0') {
                    out.push('0');
                }
            }
            (None, '\n') => break,
            (None, c) => out.push(c),
        }
    }
    out.chars().take(140).collect()
}

fn catalogs(want: &Value, got: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    resources(list(&want["resources"]), list(&got["resources"]), &mut found);
    sequence("edges", &edges(want), &edges(got), &mut found);
    sequence("classes", &strings(&want["classes"]), &strings(&got["classes"]), &mut found);
    sequence("catalog tags", &strings(&want["tags"]), &strings(&got["tags"]), &mut found);
    let (want_map, got_map) = (object(want), object(got));
    for (key, value) in want_map {
        if !["resources", "edges", "classes", "tags"].contains(&key.as_str())
            && got_map.get(key) != Some(value)
        {
            let came = got_map.get(key).unwrap_or(&Value::Null);
            found.push(difference(format!("catalog's {key} differs"), format!("- {value}\n+ {came}")));
        }
    }
    sequence("catalog's keys", &keys(want_map), &keys(got_map), &mut found);
    if found.is_empty() && !same_text(want, got) {
        found.push(difference("JSON differs", format!("- {want}\n+ {got}")));
    }
    found
}

fn resources(want: &[Value], got: &[Value], found: &mut Vec<Difference>) {
    let refs = |all: &[Value]| -> Vec<String> { all.iter().map(reference).collect() };
    let (want_refs, got_refs) = (refs(want), refs(got));
    for (resource, name) in want.iter().zip(&want_refs) {
        match got_refs.iter().position(|other| other == name) {
            None => found.push(difference(format!("resource missing: {}", kind(resource)), name.clone())),
            Some(at) => one_resource(name, resource, &got[at], found),
        }
    }
    for (resource, name) in got.iter().zip(&got_refs) {
        if !want_refs.contains(name) {
            found.push(difference(format!("resource too many: {}", kind(resource)), name.clone()));
        }
    }
    let same_set = want_refs.len() == got_refs.len() && want_refs.iter().all(|name| got_refs.contains(name));
    if same_set {
        sequence("resources", &want_refs, &got_refs, found);
    }
}

fn one_resource(name: &str, want: &Value, got: &Value, found: &mut Vec<Difference>) {
    let (want_map, got_map) = (object(want), object(got));
    let (want_params, got_params) = (object(&want["parameters"]), object(&got["parameters"]));
    let what = want["type"].as_str().unwrap_or_default();
    for (key, value) in want_params {
        match got_params.get(key) {
            None => found.push(difference(
                format!("parameter missing: {what}.{key}"),
                format!("{name}: {key} => {value}"),
            )),
            Some(other) if !same_text(other, value) => found.push(difference(
                format!("parameter differs: {what}.{key}"),
                format!("{name}: {key}\n- {value}\n+ {other}"),
            )),
            Some(_) => {}
        }
    }
    for (key, value) in got_params.iter().filter(|(key, _)| !want_params.contains_key(*key)) {
        found.push(difference(
            format!("parameter too many: {what}.{key}"),
            format!("{name}: {key} => {value}"),
        ));
    }
    sequence(&format!("parameters of {what}"), &keys(want_params), &keys(got_params), found);
    let before = found.len();
    sequence("tags", &strings(&want["tags"]), &strings(&got["tags"]), found);
    found[before..].iter_mut().for_each(|item| item.detail = format!("{name}: {}", item.detail));
    for key in ["type", "title", "file", "line", "exported", "kind", "sensitive_parameters"] {
        let (wanted, came) = (want_map.get(key), got_map.get(key));
        if wanted != came {
            let show = |value: Option<&Value>| value.map_or("none".to_owned(), Value::to_string);
            found.push(difference(
                format!("{key} differs"),
                format!("{name}: {key}\n- {}\n+ {}", show(wanted), show(came)),
            ));
        }
    }
    if keys(want_map) != keys(got_map) {
        found.push(difference(
            "order of a resource's keys",
            format!("{name}\n- {:?}\n+ {:?}", keys(want_map), keys(got_map)),
        ));
    }
}

/// `==` of two maps does not see the order of their keys; their texts do.
fn same_text(one: &Value, other: &Value) -> bool {
    let (one, other) = (one.to_string(), other.to_string());
    one == other
}

/// Two lists: other members, or the same in another order.
fn sequence(what: &str, want: &[String], got: &[String], found: &mut Vec<Difference>) {
    if want == got {
        return;
    }
    let missing: Vec<&String> = want.iter().filter(|item| !got.contains(item)).collect();
    let extra: Vec<&String> = got.iter().filter(|item| !want.contains(item)).collect();
    if missing.is_empty() && extra.is_empty() && want.len() == got.len() {
        let at = want.iter().zip(got).position(|(a, b)| a != b).unwrap_or(0);
        found.push(difference(
            format!("order differs: {what}"),
            format!("from {at}:\n- {}\n+ {}", window(want, at), window(got, at)),
        ));
    } else {
        let lines: Vec<String> = missing
            .iter()
            .map(|item| format!("- {item}"))
            .chain(extra.iter().map(|item| format!("+ {item}")))
            .collect();
        found.push(difference(format!("differ: {what}"), lines.join("\n")));
    }
}

fn window(items: &[String], at: usize) -> String {
    items[at..items.len().min(at + 4)].join(", ")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn strings(value: &Value) -> Vec<String> {
    list(value).iter().map(|item| item.as_str().unwrap_or_default().to_owned()).collect()
}

fn object(value: &Value) -> &Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}

fn keys(map: &Map<String, Value>) -> Vec<String> {
    map.keys().cloned().collect()
}

fn kind(resource: &Value) -> &str {
    resource["type"].as_str().unwrap_or_default()
}

fn reference(resource: &Value) -> String {
    format!("{}[{}]", kind(resource), resource["title"].as_str().unwrap_or_default())
}

fn edges(catalog: &Value) -> Vec<String> {
    let end = |edge: &Value, side: &str| edge[side].as_str().unwrap_or_default().to_owned();
    list(&catalog["edges"])
        .iter()
        .map(|edge| format!("{} -> {}", end(edge, "source"), end(edge, "target")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn catalog(resources: Value) -> Value {
        json!({"ok": true, "catalog": {"tags": [], "resources": resources, "edges": [], "classes": []}})
    }

    fn causes(want: Value, got: Value) -> Vec<String> {
        differences(&want, &got).into_iter().map(|found| found.cause).collect()
    }

    #[test]
    fn equal_catalogs_do_not_differ() {
        let one = catalog(json!([{"type": "File", "title": "/a", "parameters": {"mode": "0644"}}]));
        assert!(differences(&one, &one.clone()).is_empty());
    }

    #[test]
    fn a_float_is_no_integer() {
        let one = catalog(json!([{"type": "A", "title": "b", "parameters": {"c": 1}}]));
        let two = catalog(json!([{"type": "A", "title": "b", "parameters": {"c": 1.0}}]));
        assert_eq!(causes(one, two), ["parameter differs: A.c"]);
    }

    #[test]
    fn order_is_told_from_absence() {
        let (a, b) = (json!({"type": "A", "title": "a"}), json!({"type": "A", "title": "b"}));
        assert_eq!(causes(catalog(json!([a, b])), catalog(json!([b, a]))), ["order differs: resources"]);
        assert_eq!(causes(catalog(json!([a, b])), catalog(json!([a]))), ["resource missing: A"]);
        assert_eq!(causes(catalog(json!([a])), catalog(json!([a, b]))), ["resource too many: A"]);
    }

    #[test]
    fn shapes_drop_names_and_places() {
        let message = "Unknown variable: 'x::y'. (file: /a/b.pp, line: 3, column: 7) on node n.example.com";
        assert_eq!(shape(message), "Unknown variable: '…'.");
        assert_eq!(shape("expects size between 1 and 25, File[/a]"), "expects size between 0 and 0, File[…]");
    }
}
