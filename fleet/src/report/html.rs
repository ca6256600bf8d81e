//! The report as one HTML file without script: a picture of which change hits which nodes, then each change.

use super::{Head, Line, counted, lines, place, summary, title};
use crate::diff::StateKind;
use crate::grouping::Groups;
use crate::markup;
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222;background:#fff}\
pre{background:#f6f6f4;padding:.6em .8em;overflow-x:auto;font-size:13px}.gone{color:#a40000}.new{color:#226000}\
h2{font-size:1.05em;margin:1.6em 0 .3em;overflow-wrap:anywhere}.where{color:#666;font-size:13px}details{font-size:13px}\
svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:13px}td,th{padding:.15em .8em .15em 0;text-align:left}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}pre{background:#262626}.gone{color:#ff8a80}.new{color:#9ccc65}}";

/// A cell of the picture, in its own units.
const CELL: usize = 8;
/// How many changes and nodes the picture shows at most.
const MOST: (usize, usize) = (60, 160);

/// Writes the report.
pub fn html(head: &Head, groups: &Groups) -> String {
    let name = format!("{} → {}", head.from, head.to);
    let mut out = format!(
        "{}<h1>{}</h1>\n<p>{}.</p>\n",
        markup::begin_of_page(&escaped(&name), STYLE),
        escaped(&name),
        escaped(&summary(groups))
    );
    out += &picture(groups);
    for (number, change) in groups.changes.iter().enumerate() {
        let nodes = counted(change.nodes.len(), "node");
        let _ = writeln!(out, "<h2 id=\"c{number}\">{} ({nodes})</h2>", escaped(&title(change)));
        if let Some(place) = place(change) {
            let _ = writeln!(out, "<p class=\"where\">{}</p>", escaped(&place));
        }
        let lines = lines(change);
        if !lines.is_empty() {
            out += "<pre>";
            for line in lines {
                let text = escaped(line.text());
                let _ = match line {
                    Line::Gone(_) => writeln!(out, "<span class=\"gone\">- {text}</span>"),
                    Line::New(_) => writeln!(out, "<span class=\"new\">+ {text}</span>"),
                    Line::Said(_) => writeln!(out, "  {text}"),
                };
            }
            out += "</pre>\n";
        }
        let all: Vec<String> = change.nodes.iter().map(|node| escaped(node)).collect();
        let _ = writeln!(out, "<details><summary>{nodes}</summary>{}</details>", all.join(", "));
    }
    out += "<h2>Nodes</h2>\n<table><tr><th>node</th><th>state</th><th>changes</th></tr>\n";
    for node in groups.nodes.iter().filter(|node| node.state != StateKind::Same) {
        let (name, state, count) = (escaped(&node.name), node.state.name(), node.changes.len());
        let _ = writeln!(out, "<tr><td>{name}</td><td>{state}</td><td>{count}</td></tr>");
    }
    out + "</table>\n</body></html>\n"
}

/// Nodes from left to right, changes from top to bottom, a square where a change hits a node.
fn picture(groups: &Groups) -> String {
    let hit: Vec<&crate::grouping::Node> =
        groups.nodes.iter().filter(|node| !node.changes.is_empty()).collect();
    if hit.is_empty() {
        return String::new();
    }
    // Nodes of the same changes stand together.
    let mut sorted = hit.clone();
    sorted.sort_by(|one, other| one.changes.cmp(&other.changes).then_with(|| one.name.cmp(&other.name)));
    let (rows, columns) = (groups.changes.len().min(MOST.0), sorted.len().min(MOST.1));
    let (width, height) = (columns * CELL, rows * CELL);
    let mut out = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{}\" role=\"img\" aria-label=\"changes by node\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#8882\"/>\n",
        width * 2
    );
    for (column, node) in sorted.iter().take(columns).enumerate() {
        for row in node.changes.iter().filter(|row| **row < rows) {
            let change = &groups.changes[*row];
            let color = match change.state {
                StateKind::Fails | StateKind::FailsBefore => "#c62828",
                StateKind::Fixed => "#2e7d32",
                StateKind::Core => "#ef6c00",
                StateKind::Diff | StateKind::Skipped | StateKind::Same => "#1565c0",
            };
            let _ = writeln!(
                out,
                "<a href=\"#c{row}\"><rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" fill=\"{color}\"><title>{}</title></rect></a>",
                column * CELL,
                row * CELL,
                escaped(&format!("{}: {}", node.name, title(change))),
                side = CELL - 1,
            );
        }
    }
    out += "</svg>\n";
    let (more_rows, more_columns) = (groups.changes.len() - rows, sorted.len() - columns);
    let _ = writeln!(
        out,
        "<p class=\"where\">Each column a node, each row a change: failures red, resources orange, defined types and classes blue, \
         fixed green.{}</p>",
        match (more_rows, more_columns) {
            (0, 0) => String::new(),
            (rows, columns) =>
                format!(" Not in the picture: {}, {}.", counted(rows, "change"), counted(columns, "node")),
        }
    );
    out
}

fn escaped(text: &str) -> String {
    markup::escaped(text, |c| (c == '\'').then_some("&#39;"))
}
