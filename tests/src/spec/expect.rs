//! Writes a result as the blocks a page expects.
//!
//! An `error` block has the message, then a line with place and issue code where there are any.
//! A `logs` block has one message a line. A `catalog` block leaves out the three resources that
//! every catalog begins with, and of the others all that is as usual. A `value` block has the
//! value as `String($value, '%p')` writes it; it stands where there is nothing else to say, or
//! where the case asks for it with `value`.

use std::fmt::Write as _;

use serde_json::Value;

use super::page::Case;

/// The expectation blocks of a result.
pub fn text(result: &Value, case: &Case) -> String {
    let mut out = String::new();
    let logs = list(&result["logs"]);
    if !logs.is_empty() {
        block(&mut out, "logs", &logs.iter().map(log).collect::<Vec<_>>().join("\n"));
    }
    if result["ok"] != Value::Bool(true) {
        block(&mut out, "error", &error(&result["error"]));
        return out;
    }
    if case.is_lookup {
        let lookup = &result["lookup"];
        let text = string(&lookup["text"]);
        let text =
            if lookup["found"] == Value::Bool(true) { text.trim_end_matches('\n') } else { "(status 1)" };
        block(&mut out, "output", text);
        return out;
    }
    let catalog = catalog(&result["catalog"], case);
    if !catalog.is_empty() && !case.flag("no-catalog") {
        block(&mut out, "catalog", catalog.trim_end());
    }
    if out.is_empty() || case.flag("value") {
        // Where Puppet's own text would be a Ruby object's, the value is shown as rich data.
        let time = matches!(result["value"]["__ptype"].as_str(), Some("Timespan" | "Timestamp"));
        let value = match result["repr"].as_str() {
            Some(text) if !time && !text.contains("#<Puppet::") => text.to_owned(),
            _ => format!("(rich data) {}", result["value"]),
        };
        block(&mut out, "value", &value);
    }
    out
}

fn block(out: &mut String, kind: &str, text: &str) {
    let fence = if text.lines().any(|line| line.starts_with("```")) { "````" } else { "```" };
    let _ = writeln!(out, "{fence}{kind}\n{text}\n{fence}");
}

/// A message with its level. Where in Puppet's own Ruby something deprecated is told, is left out: here there is no such
/// file.
fn log(log: &Value) -> String {
    let message = string(&log["message"]);
    let message = match message.split_once("(location: ") {
        Some((before, place)) if place.ends_with(')') => format!("{before}(location: …)"),
        _ => message.to_owned(),
    };
    format!("{}: {}", string(&log["level"]), message.replace('\\', "\\\\").replace('\n', "\\n"))
}

fn error(error: &Value) -> String {
    let mut place: Vec<String> = Vec::new();
    if let Some(file) = error["file"].as_str() {
        place.push(file.to_owned());
    }
    for key in ["line", "column"] {
        if let Some(number) = error[key].as_u64() {
            place.push(number.to_string());
        }
    }
    let mut tail = Vec::new();
    if !place.is_empty() {
        tail.push(format!("at {}", place.join(":")));
    }
    if let Some(code) = error["code"].as_str() {
        tail.push(code.to_owned());
    }
    let message = string(&error["message"]);
    let message = message.split("\n\n").next().unwrap_or_default();
    if tail.is_empty() { message.to_owned() } else { format!("{message}\n{}", tail.join(", ")) }
}

fn catalog(catalog: &Value, case: &Case) -> String {
    let mut out = String::new();
    let edges = list(&catalog["edges"]);
    for resource in list(&catalog["resources"]).iter().skip(3) {
        resource_text(&mut out, resource, edges, case);
    }
    let classes: Vec<&str> = list(&catalog["classes"]).iter().skip(1).filter_map(Value::as_str).collect();
    if !classes.is_empty() {
        let _ = writeln!(out, "classes: {}", classes.join(" "));
    }
    if case.flag("tags") {
        let _ = writeln!(out, "tags: {}", words(&catalog["tags"]));
    }
    out
}

fn resource_text(out: &mut String, resource: &Value, edges: &[Value], case: &Case) {
    let name = format!("{}[{}]", string(&resource["type"]), string(&resource["title"]));
    let _ = write!(out, "{name}");
    for edge in edges.iter().filter(|edge| edge["target"] == name.as_str()) {
        let source = string(&edge["source"]);
        let usual = if resource["type"] == "Class" { "Stage[main]" } else { "Class[main]" };
        if source != usual {
            let _ = write!(out, " in {source}");
        }
    }
    if let Some(file) = resource["file"].as_str().filter(|file| !file.is_empty()) {
        let _ = write!(out, ", {file}");
    }
    if let Some(line) = resource["line"].as_u64() {
        let _ = write!(out, ", line {line}");
    }
    if resource["exported"] == Value::Bool(true) {
        let _ = write!(out, ", exported");
    }
    out.push('\n');
    for (key, value) in resource["parameters"].as_object().into_iter().flatten() {
        let _ = writeln!(out, "  {key} => {value}");
    }
    if let Some(names) = resource["sensitive_parameters"].as_array() {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let _ = writeln!(out, "  sensitive: {}", names.join(" "));
    }
    if case.flag("tags") {
        let _ = writeln!(out, "  tags: {}", words(&resource["tags"]));
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn words(value: &Value) -> String {
    list(value).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}
