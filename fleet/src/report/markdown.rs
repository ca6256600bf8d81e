//! The report for merge requests: Markdown of no more characters than a forge's comment takes.

use super::{Head, Line, counted, lines, names, place, summary, title};
use crate::diff::StateKind;
use crate::grouping::{Change, Groups};
use std::fmt::Write;

/// How many characters there are at most: GitHub's comments take 65,536.
pub const MOST: usize = 60_000;
/// How many nodes of a change are named.
const NODES: usize = 20;
/// What is kept free for saying what was cut.
const ROOM: usize = 300;

/// Writes the report in at most `most` characters: what does not go in is counted.
pub fn markdown(head: &Head, groups: &Groups, most: usize) -> String {
    let mut out =
        format!("## Catalogs of `{}` → `{}`\n\n{}.\n", line(&head.from), line(&head.to), summary(groups));
    let mut length = out.chars().count() + ROOM;
    let mut cut: Vec<&Change> = Vec::new();
    for change in &groups.changes {
        let text = section(change);
        let count = text.chars().count();
        // What is smaller may still go in.
        if length + count > most {
            cut.push(change);
            continue;
        }
        length += count;
        out += &text;
    }
    if !cut.is_empty() {
        let mut nodes: Vec<&String> = cut.iter().flat_map(|change| &change.nodes).collect();
        nodes.sort();
        nodes.dedup();
        let (changes, nodes) = (counted(cut.len(), "more change"), counted(nodes.len(), "node"));
        let _ = writeln!(out, "\n**Left out, as this would be too long: {changes}, on {nodes}.**");
    }
    let mut table = String::from("\n| node | state | changes |\n| --- | --- | --- |\n");
    let rows: Vec<String> = StateKind::ALL
        .into_iter()
        .filter(|state| *state != StateKind::Same)
        .flat_map(|state| groups.nodes.iter().filter(move |node| node.state == state))
        .map(|node| format!("| {} | {} | {} |\n", cell(&node.name), node.state.name(), node.changes.len()))
        .collect();
    let mut written = 0;
    length += table.chars().count();
    for row in &rows {
        length += row.chars().count();
        if length > most {
            break;
        }
        table += row;
        written += 1;
    }
    if written > 0 {
        out += &table;
    }
    if written < rows.len() {
        let _ = writeln!(
            out,
            "\n**And {} that do not stay the same.**",
            counted(rows.len() - written, "more node")
        );
    }
    out
}

fn section(change: &Change) -> String {
    let mut out = format!("\n### {} ({})\n\n", code(&title(change)), counted(change.nodes.len(), "node"));
    let lines = lines(change);
    if !lines.is_empty() {
        let body: Vec<String> = lines.iter().map(shown).collect();
        // A fence that nothing in it ends.
        let longest = body.iter().map(|line| ticks(line)).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let _ = writeln!(out, "{fence}diff\n{}\n{fence}\n", body.join("\n"));
    }
    if let Some(place) = place(change) {
        let _ = writeln!(out, "Declared at {}.  ", code(&place));
    }
    let _ = writeln!(out, "On {}.", cell(&names(&change.nodes, NODES)));
    out
}

fn shown(line: &Line) -> String {
    format!("{} {}", line.sign(), line.text().replace(['\n', '\r'], " "))
}

/// The longest row of backticks in a text.
fn ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A text as code in a line, whatever it has.
fn code(text: &str) -> String {
    let text = line(text);
    let fence = "`".repeat(ticks(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text outside of code: what Markdown or HTML would read is escaped.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in line(text).chars() {
        if "\\`*_[]<>|#@&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
