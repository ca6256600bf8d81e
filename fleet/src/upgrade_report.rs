//! The report of an upgrade: as text for people, as JSON for programs, as Markdown for tickets.

use super::causes::{Cause, CausePlace};
use super::compare::Difference;
use super::upgrade::{Report, State, StateKind};
use bunraku::Place;
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Plain text.
    Text,
    /// One JSON document.
    Json,
    /// Markdown.
    Markdown,
}

/// Writes a report. At most `places` places of each cause and differences of each node are shown in text and Markdown, and
/// the rest is counted; JSON has all.
pub fn print(report: &Report, form: Form, places: usize) -> String {
    match form {
        Form::Text => text(report, places),
        Form::Json => json_of(report).to_string() + "\n",
        Form::Markdown => markdown(report, places),
    }
}

fn head(report: &Report) -> String {
    let counts: Vec<String> = StateKind::ALL
        .into_iter()
        .map(|state| (report.count(state), state))
        .filter(|(count, _)| *count > 0)
        .map(|(count, state)| {
            format!("{count} {}", if count == 1 { state.singular() } else { state.plural() })
        })
        .collect();
    format!("{}: {}", counted(report.nodes.len(), "node"), counts.join(", "))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A place as `file:line:column`; a word for none.
fn shown(place: &Place) -> String {
    let Some(file) = &place.file else {
        return place.line.map_or_else(|| "no place known".to_owned(), |line| format!("line {line}"));
    };
    let mut out = file.to_string();
    for number in [place.line, place.line.and(place.column)].into_iter().flatten() {
        out += &format!(":{number}");
    }
    out
}

fn title(cause: &Cause) -> String {
    match cause.subject.as_str() {
        "" => cause.kind.to_owned(),
        subject => format!("{} {}", cause.kind, line(subject)),
    }
}

/// What to write instead, where that is the same at all places.
fn common(places: &[CausePlace]) -> Option<&str> {
    let first = places.first()?.instead.as_str();
    places.iter().all(|place| place.instead == first).then_some(first)
}

fn text(report: &Report, most: usize) -> String {
    let mut out = format!("Puppet {} -> {}: {}\n", report.from, report.to, head(report));
    for (name, state) in &report.nodes {
        let _ = writeln!(out, "  {name}: {}", state.kind().name());
        for line in details(state, most) {
            let _ = writeln!(out, "    {line}");
        }
    }
    for cause in &report.causes {
        let hits = counted(cause.nodes.len(), "node");
        let _ = writeln!(out, "\n{} ({hits}, {})", title(cause), counted(cause.places.len(), "place"));
        let _ = writeln!(out, "  {}", line(&cause.effect));
        let same = common(&cause.places);
        if let Some(instead) = same {
            let _ = writeln!(out, "  instead: {instead}");
        }
        for place in cause.places.iter().take(most) {
            let instead = same.map_or_else(|| format!(" instead: {}", place.instead), |_| String::new());
            let nodes = counted(place.nodes, "node");
            let _ = writeln!(out, "  {} ({nodes}){instead}", shown(&place.place));
        }
        if cause.places.len() > most {
            let _ = writeln!(out, "  and {}", counted(cause.places.len() - most, "more place"));
        }
    }
    out
}

/// What is said of a node below its state.
fn details(state: &State, most: usize) -> Vec<String> {
    match state {
        State::Same => Vec::new(),
        State::Fails(error) | State::FailedBefore(error) => vec![error.message.clone()],
        State::Changed(differences) => {
            let mut lines = said(differences);
            let count = lines.len();
            if count > most {
                lines.truncate(most);
                lines.push(format!("and {}", counted(count - most, "more difference")));
            }
            lines
        }
    }
}

/// Differences, a line each.
fn said(differences: &[Difference]) -> Vec<String> {
    differences.iter().flat_map(Difference::by_parameter).map(|one| one.to_string()).collect()
}

fn json_of(report: &Report) -> Json {
    let nodes = report.nodes.iter().map(|(name, state)| {
        let mut node = json!({ "node": name, "state": state.kind().name() });
        match state {
            State::Same => {}
            State::Fails(error) | State::FailedBefore(error) => {
                node["error"] = json!({ "message": error.message, "place": place_json(&error.place) });
            }
            State::Changed(differences) => {
                node["differences"] = said(differences).into();
            }
        }
        node
    });
    let causes = report.causes.iter().map(|cause| {
        let places = cause.places.iter().map(|place| {
            json!({ "place": place_json(&place.place), "instead": place.instead, "nodes": place.nodes })
        });
        json!({
            "kind": cause.kind, "subject": cause.subject, "effect": cause.effect,
            "nodes": cause.nodes, "places": places.collect::<Vec<_>>(),
        })
    });
    let counts: serde_json::Map<String, Json> = StateKind::ALL
        .into_iter()
        .map(|state| (state.name().to_owned(), report.count(state).into()))
        .collect();
    json!({
        "from": report.from.number(), "to": report.to.number(), "counts": counts,
        "nodes": nodes.collect::<Vec<_>>(), "causes": causes.collect::<Vec<_>>(),
    })
}

fn place_json(place: &Place) -> Json {
    json!({ "file": place.file.as_deref(), "line": place.line, "column": place.column })
}

fn markdown(report: &Report, most: usize) -> String {
    let mut out = format!("# Puppet {} to {}\n\n{}.\n", report.from, report.to, head(report));
    if !report.causes.is_empty() {
        out += "\n## Causes\n\n| cause | nodes | places | what it does |\n| --- | --- | --- | --- |\n";
    }
    for cause in &report.causes {
        let (nodes, places) = (cause.nodes.len(), cause.places.len());
        let _ = writeln!(out, "| {} | {nodes} | {places} | {} |", cell(&title(cause)), cell(&cause.effect));
    }
    for cause in &report.causes {
        let _ = writeln!(out, "\n### {}\n", line(&title(cause)));
        for place in cause.places.iter().take(most) {
            let nodes = counted(place.nodes, "node");
            let _ = writeln!(out, "- `{}` ({nodes}): {}", shown(&place.place), code(&place.instead));
        }
        if cause.places.len() > most {
            let _ = writeln!(out, "- and {}", counted(cause.places.len() - most, "more place"));
        }
    }
    out += "\n## Nodes\n\n| node | state | what |\n| --- | --- | --- |\n";
    for (name, state) in &report.nodes {
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            cell(name),
            state.kind().name(),
            cell(&details(state, most).join("; "))
        );
    }
    out
}

/// Text in one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}

/// What to write instead, as code where it is code.
fn code(instead: &str) -> String {
    match instead.starts_with(['$', '@', '%']) {
        true => format!("`{instead}`"),
        false => line(instead),
    }
}
