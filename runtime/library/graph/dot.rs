//! Pictures as DOT, the language of Graphviz: in the words of the files that `puppet agent --graph` writes, or with colours and shapes.
//! Source of the first form: `puppet/external/dot.rb`, `puppet/graph/simple_graph.rb`.

use super::{Drawn, Line, LineKind, Picture, Shape};
use std::fmt::Write as _;

/// How many characters of a name are drawn.
const LONGEST: usize = 60;

/// As Puppet writes it. What is in a cycle is red, and backslashes are doubled in labels: Graphviz would take them for its own.
pub fn as_puppet(picture: &Picture) -> String {
    let red = |in_cycle: bool, comma: &str| match in_cycle {
        true => format!("{comma}\n        color = red"),
        false => String::new(),
    };
    let mut text = format!("digraph {} {{\n    label = \"{0}\"\n", picture.kind.name());
    let mut parts = Vec::with_capacity(picture.vertices.len() + picture.lines.len());
    let name = |vertex: usize| quoted(&picture.vertices[vertex].name, false);
    for (number, drawn) in picture.vertices.iter().enumerate() {
        let (name, label) = (name(number), quoted(&labelled(drawn, usize::MAX), true));
        let color = red(drawn.in_cycle, ",");
        parts.push(format!("    {name} [\n        fontsize = 8{color},\n        label = {label}\n    ]\n"));
    }
    for line in &picture.lines {
        let color = red(line.in_cycle, "");
        parts.push(format!(
            "    {} -> {} [\n        fontsize = 8{color}\n    ]\n",
            name(line.from),
            name(line.to)
        ));
    }
    text.push_str(&parts.join("\n"));
    text.push_str("\n}\n");
    text
}

/// With colours: classes blue, defined types yellow, stages and nodes grey. What contains something has dashed lines to it, what is
/// told of changes thick ones, and what is in a cycle is red.
pub fn as_picture(picture: &Picture) -> String {
    let Picture { kind, node, vertices, lines, of } = picture;
    let title = match vertices.len() + vertices.iter().map(|one| one.holds).sum::<usize>() {
        all if all >= *of => format!("{node}: {of} resources"),
        some => format!("{node}: {some} of {of} resources"),
    };
    let title = format!("{title}\ndashed: contains, thin: comes before, thick: is told of changes");
    let mut text = format!(
        "digraph {} {{\n  graph [rankdir=LR, ranksep=0.8, nodesep=0.12, fontname=\"Helvetica\", fontsize=14, labelloc=t, \
         labeljust=l, label={}];\n  node [shape=box, style=\"filled,rounded\", fillcolor=white, color=\"#555555\", \
         fontname=\"Helvetica\", fontsize=10, height=0.3, margin=\"0.1,0.04\"];\n  edge [color=\"#333333\", arrowsize=0.6];\n",
        kind.name(),
        label(&title)
    );
    for (number, drawn) in vertices.iter().enumerate() {
        let _ = writeln!(
            text,
            "  n{number} [label={}, tooltip={}{}];",
            label(&labelled(drawn, LONGEST)),
            label(&drawn.name),
            look(drawn)
        );
    }
    for line in lines {
        let _ = writeln!(text, "  n{} -> n{}{};", line.from, line.to, line_look(line));
    }
    text.push_str("}\n");
    text
}

/// A text as a label, on one line of the source.
fn label(text: &str) -> String {
    quoted(text, true).replace('\n', "\\n")
}

fn look(drawn: &Drawn) -> String {
    let mut look = match drawn.shape {
        Shape::Class => ", fillcolor=\"#cfe2f3\"",
        Shape::Defined => ", fillcolor=\"#fff2cc\"",
        Shape::Frame => ", fillcolor=\"#d9d9d9\"",
        Shape::Plain => "",
    }
    .to_owned();
    if drawn.in_cycle {
        look.push_str(", color=red, penwidth=2");
    }
    look
}

fn line_look(line: &Line) -> String {
    let mut looks = match line.kind {
        LineKind::Contains => vec!["style=dashed", "arrowhead=none"],
        LineKind::Before => Vec::new(),
        LineKind::Notify => vec!["penwidth=2"],
    };
    match (line.in_cycle, line.kind) {
        (true, _) => looks.push("color=red"),
        (false, LineKind::Contains) => looks.push("color=\"#999999\""),
        (false, _) => {}
    }
    if looks.is_empty() { String::new() } else { format!(" [{}]", looks.join(", ")) }
}

/// What is written into a vertex.
fn labelled(drawn: &Drawn, longest: usize) -> String {
    let mut name = drawn.name.clone();
    if let Some((cut, _)) = name.char_indices().nth(longest) {
        name.truncate(cut);
        name.push('…');
    }
    match drawn.holds {
        0 => name,
        1 => format!("{name}\n1 resource in it"),
        holds => format!("{name}\n{holds} resources in it"),
    }
}

/// A text in quotes. In a label, where a backslash leads in something, it is doubled. What no picture can show is replaced.
fn quoted(text: &str, is_label: bool) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' if is_label => quoted.push_str("\\\\"),
            '\n' | '\t' => quoted.push(c),
            c if c.is_control() => quoted.push(char::REPLACEMENT_CHARACTER),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
