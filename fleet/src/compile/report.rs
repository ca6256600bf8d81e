//! What came of a fleet: for people, with the same errors of several nodes told once; for programs as JSON, a line a node or in
//! one; for CI as JUnit has it.

use super::expected::{Expected, Verdict};
use super::{Failure, Node};
use crate::junit::{self, Outcome};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// What came of all nodes.
pub struct Summary<'s> {
    /// The nodes in the order of their names.
    pub nodes: &'s [Node],
    /// What was expected of them.
    pub expected: &'s Expected,
    /// Nodes that were expected to fail and are not among those that were compiled.
    pub absent: Vec<String>,
    /// How long all took; where it is not told, reports of the same are the same.
    pub wall: Option<Duration>,
}

/// An error and the nodes that have it.
struct Group<'s> {
    message: String,
    failure: &'s Failure,
    nodes: Vec<&'s Node>,
}

/// What stands in messages in the place of the node's name, where several nodes have the same.
const NODE: &str = "NODE";

impl<'s> Summary<'s> {
    /// What came of the nodes that were compiled, of those that were `asked` for.
    pub fn new(nodes: &'s [Node], expected: &'s Expected, wall: Option<Duration>) -> Summary<'s> {
        let is_there = |name: &String| nodes.binary_search_by(|node| node.name.cmp(name)).is_ok();
        let absent = expected.names().filter(|name| !is_there(name)).cloned().collect();
        Summary { nodes, expected, absent, wall }
    }

    /// Whether all is as expected.
    pub fn is_well(&self) -> bool {
        self.nodes.iter().all(|node| self.expected.of_node(node).is_well())
    }

    fn with(&self, verdict: Verdict) -> Vec<&'s Node> {
        self.nodes.iter().filter(|node| self.expected.of_node(node) == verdict).collect()
    }

    /// The errors, those first that hit most nodes; those that were expected left out where `all` is not asked for.
    fn groups(&self, all: bool) -> Vec<Group<'s>> {
        let mut groups: BTreeMap<String, Group> = BTreeMap::new();
        for node in self.nodes {
            let is_told = all || self.expected.of_node(node) != Verdict::FailsAsExpected;
            let Some(failure) = node.failure.as_ref().filter(|_| is_told) else { continue };
            let message = without_name(&failure.message, &node.name);
            let group = groups.entry(message.clone()).or_insert_with(|| Group {
                message,
                failure,
                nodes: Vec::new(),
            });
            group.nodes.push(node);
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        for group in &mut groups {
            if let [_] = group.nodes[..] {
                group.message.clone_from(&group.failure.message);
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.nodes.len()));
        groups
    }

    /// As text for people: no line with names is wider than `width`, and of each error at most `most` names are told.
    pub fn text(&self, width: usize, most: usize) -> String {
        let failed = self.nodes.iter().filter(|node| node.failure.is_some()).count();
        let mut out =
            format!("{}: {} compiled, {failed} failed", counted(self.nodes.len()), self.nodes.len() - failed);
        let as_expected = self.with(Verdict::FailsAsExpected).len();
        if as_expected > 0 {
            let _ = write!(
                out,
                ", {} as expected",
                if as_expected == failed { "all".to_owned() } else { as_expected.to_string() }
            );
        }
        if let Some(wall) = self.wall {
            let rate = self.nodes.len() as f64 / wall.as_secs_f64().max(1e-9);
            let _ = write!(out, "; {:.2} s, {rate:.0} a second", wall.as_secs_f64());
        }
        out.push('\n');
        for group in self.groups(false) {
            let _ = writeln!(out, "\n{}", group.message);
            let names: Vec<&str> = group.nodes.iter().map(|node| node.name.as_str()).collect();
            put_names(&mut out, &names, width, most);
        }
        for (verdict, head) in [
            (Verdict::CompilesUnexpectedly, "expected to fail, and compiles"),
            (Verdict::FailsOtherwise, "expected to fail with another message"),
        ] {
            let nodes = self.with(verdict);
            if !nodes.is_empty() {
                let _ = writeln!(out, "\n{head}");
                put_names(
                    &mut out,
                    &nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(),
                    width,
                    most,
                );
            }
        }
        if !self.absent.is_empty() {
            let _ = writeln!(out, "\nexpected to fail, and not among the nodes that were compiled");
            put_names(&mut out, &self.absent.iter().map(String::as_str).collect::<Vec<_>>(), width, most);
        }
        out
    }

    /// As one JSON document.
    pub fn json(&self) -> String {
        let failed = self.nodes.iter().filter(|node| node.failure.is_some()).count();
        let names =
            |nodes: &[&Node]| nodes.iter().map(|node| Json::from(node.name.as_str())).collect::<Json>();
        let errors: Json = self
            .groups(true)
            .iter()
            .map(|group| json!({ "message": group.message, "nodes": names(&group.nodes), "place": place(group.failure) }))
            .collect();
        let mut all = json!({
            "nodes": self.nodes.len(), "compiled": self.nodes.len() - failed, "failed": failed, "errors": errors,
            "failed_as_expected": names(&self.with(Verdict::FailsAsExpected)),
            "failed_otherwise_than_expected": names(&self.with(Verdict::FailsOtherwise)),
            "compiled_unexpectedly": names(&self.with(Verdict::CompilesUnexpectedly)),
            "expected_but_absent": self.absent,
        });
        if let Some(wall) = self.wall {
            all["seconds"] = wall.as_secs_f64().into();
        }
        format!("{all}\n")
    }

    /// As JUnit: a test a node. Expected failures are skipped ones.
    pub fn junit(&self) -> String {
        let count = |of: fn(Verdict) -> bool| {
            self.nodes.iter().filter(|node| of(self.expected.of_node(node))).count()
        };
        let (failures, skipped) =
            (count(|verdict| !verdict.is_well()), count(|verdict| verdict == Verdict::FailsAsExpected));
        let seconds = self.nodes.iter().map(|node| node.time.as_secs_f64()).sum::<f64>();
        let mut out = junit::begin(
            "bunraku fleet compile",
            &[
                ("tests", self.nodes.len().to_string()),
                ("failures", failures.to_string()),
                ("errors", "0".to_owned()),
                ("skipped", skipped.to_string()),
                ("time", format!("{seconds:.3}")),
            ],
        );
        for node in self.nodes {
            let message =
                node.failure.as_ref().map_or("expected to fail, and compiles", |failure| &failure.message);
            let outcome = match self.expected.of_node(node) {
                Verdict::Compiles => Outcome::Passed(String::new()),
                Verdict::FailsAsExpected => Outcome::Skipped(message.to_owned()),
                _ => Outcome::Failed(message.to_owned(), String::new()),
            };
            out += &junit::case("catalog", &node.name, Some(node.time.as_secs_f64()), &outcome);
        }
        out + junit::end()
    }
}

/// A message with a word in the place of a node's name, where that stands as a word of its own.
fn without_name(message: &str, name: &str) -> String {
    let is_word =
        |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '-'));
    let (mut out, mut rest) = (String::with_capacity(message.len()), message);
    while let Some(at) = rest.find(name) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        let own = is_word(before.chars().next_back()) || is_word(behind.chars().next());
        out += before;
        out += if own { name } else { NODE };
        rest = behind;
    }
    out + rest
}

/// What came of a node as one line of JSON, without a line feed.
pub fn line(node: &Node, verdict: Verdict) -> String {
    let mut all = Map::new();
    let mut put = |name: &str, value: Json| all.insert(name.to_owned(), value);
    put("node", node.name.as_str().into());
    put("state", if node.failure.is_some() { "failed" } else { "compiled" }.into());
    put("expected", verdict.is_well().into());
    put("milliseconds", ((node.time.as_secs_f64() * 1e6).round() / 1e3).into());
    match &node.failure {
        Some(failure) => {
            put("message", failure.message.as_str().into());
            put("place", place(failure));
        }
        None => {
            put("resources", node.resources.into());
        }
    }
    if let Some(saved) = &node.saved {
        put("sha256", saved.sha256.as_str().into());
    }
    Json::Object(all).to_string()
}

fn place(failure: &Failure) -> Json {
    let place = &failure.place;
    json!({ "file": place.file.as_deref(), "line": place.line, "column": place.column })
}

fn counted(count: usize) -> String {
    format!("{count} node{}", if count == 1 { "" } else { "s" })
}

/// Names below an error: as many in a line as it takes.
fn put_names(out: &mut String, names: &[&str], width: usize, most: usize) {
    let mut head = format!("  {}: ", counted(names.len()));
    let mut column = head.len();
    let more = names.len().saturating_sub(most);
    let tail = format!("and {more} more");
    let shown = names.iter().take(most).copied().chain((more > 0).then_some(tail.as_str()));
    let mut is_first = true;
    for name in shown {
        if !is_first {
            let fits = column + 2 + name.len() <= width;
            head += if fits { ", " } else { ",\n    " };
            column = if fits { column + 2 } else { 4 };
        }
        head += name;
        column += name.len();
        is_first = false;
    }
    let _ = writeln!(out, "{head}");
}

#[cfg(test)]
mod tests;
