//! The report for terminals: coloured where asked, folded to a width.

use super::{Head, Line, counted, lines, names, place, summary, title};
use crate::diff::StateKind;
use crate::grouping::Groups;
use std::fmt::Write;

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// How many nodes of a change are named.
const NODES: usize = 8;

/// Writes the report. Lines are folded to `width` characters where that is said; `by_node` adds what becomes of each node that does not stay the
/// same.
pub fn text(head: &Head, groups: &Groups, (width, color): (Option<usize>, bool), by_node: bool) -> String {
    let paint = |color_of: &str, text: &str| match color {
        true => format!("{color_of}{text}{PLAIN}"),
        false => text.to_owned(),
    };
    let mut out = String::new();
    let mut put = |indent: usize, color_of: &str, text: &str| {
        for (number, line) in
            folded(text, width.map(|width| width.saturating_sub(indent).max(20))).iter().enumerate()
        {
            let more = if number > 0 { 2 } else { 0 };
            let line = if color_of.is_empty() { line.clone() } else { paint(color_of, line) };
            let _ = writeln!(out, "{}{line}", " ".repeat(indent + more));
        }
    };
    put(0, BOLD, &format!("{} -> {}", head.from, head.to));
    put(0, "", &summary(groups));
    for change in &groups.changes {
        put(0, "", "");
        let nodes = counted(change.nodes.len(), "node");
        put(0, BOLD, &format!("{} ({nodes})", title(change)));
        for line in lines(change) {
            let (color_of, text) = match &line {
                Line::Gone(text) => (RED, format!("- {text}")),
                Line::New(text) => (GREEN, format!("+ {text}")),
                Line::Said(text) => ("", format!("  {text}")),
            };
            put(2, color_of, &text);
        }
        if let Some(place) = place(change) {
            put(2, DIM, &format!("at {place}"));
        }
        put(2, DIM, &format!("on {}", names(&change.nodes, NODES)));
    }
    if by_node {
        put(0, "", "");
        for node in groups.nodes.iter().filter(|node| node.state != StateKind::Same) {
            let changes = match node.changes.len() {
                // What it fails with is no change.
                _ if matches!(node.state, StateKind::Fails | StateKind::FailsBefore) => String::new(),
                0 => String::new(),
                count => format!(" ({})", counted(count, "change")),
            };
            put(0, "", &format!("{}: {}{changes}", node.name, node.state.name()));
        }
    }
    out
}

/// A text in lines of at most so many characters, broken at spaces where there are any.
fn folded(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return vec![text.to_owned()] };
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(width) {
        let indent = rest.len() - rest.trim_start().len();
        let at = rest[..end].rfind(' ').filter(|at| *at > indent).unwrap_or(end);
        lines.push(rest[..at].to_owned());
        rest = rest[at..].trim_start();
    }
    lines.push(rest.to_owned());
    lines
}
