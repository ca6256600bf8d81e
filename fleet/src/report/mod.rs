//! Reports of what a change does to nodes: for people (text, Markdown, HTML) by change, then by node; for programs (JSON, JSON lines, JUnit) by node, as nodes
//! come.

mod html;
mod json;
mod junit;
mod markdown;
mod text;

pub use html::html;
pub use json::{document, node as json_of_node};
pub use junit::case;
pub use markdown::{MOST as MARKDOWN_BYTES, markdown};
pub use text::text;

use crate::compare::{Declared, Difference, Sign, text_lines};
use crate::diff::StateKind;
use crate::grouping::{Change, Groups};
use bunraku::Data;

/// What a report says of itself.
#[derive(Clone, Debug)]
pub struct Head {
    /// The first tree, as it was named.
    pub from: String,
    /// The second.
    pub to: String,
}

/// A line of a change: what is gone, what is new, or what is said of both.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Gone(String),
    New(String),
    Said(String),
}

impl Line {
    fn sign(&self) -> char {
        match self {
            Line::Gone(_) => '-',
            Line::New(_) => '+',
            Line::Said(_) => ' ',
        }
    }

    fn text(&self) -> &str {
        match self {
            Line::Gone(text) | Line::New(text) | Line::Said(text) => text,
        }
    }
}

/// How many lines around a change of a text are shown.
const AROUND: usize = 2;
/// How many lines of one value are shown.
const LINES: usize = 60;

/// A number of things, by the word for one of them.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How many nodes are in which state.
fn summary(groups: &Groups) -> String {
    let counts: Vec<String> = StateKind::ALL
        .into_iter()
        .map(|state| (groups.count(state), state))
        .filter(|(count, _)| *count > 0)
        .map(|(count, state)| {
            format!("{count} {}", if count == 1 { state.singular() } else { state.plural() })
        })
        .collect();
    match counts.is_empty() {
        true => "no nodes".to_owned(),
        false => format!("{}: {}", counted(groups.nodes.len(), "node"), counts.join(", ")),
    }
}

/// A text whose every sign can be seen, for whoever decides by it: what would move the cursor of a terminal, or turn the direction in which a
/// line is read, is written as the language writes it.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => out += "\\r",
            // Unicode's `Bidi_Control`.
            c if c.is_control()
                || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
            {
                out += &format!("\\u{{{:X}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// What a change is called: its resource, with the sign of one that came or went; the begin of a failure's message.
fn title(change: &Change) -> String {
    let title = match (change.differences.first(), &change.message) {
        (Some(first), _) if matches!(first.sign, Sign::Added | Sign::Removed) => {
            format!("{} {}", first.sign.text(), first.resource())
        }
        (Some(first), _) => format!("~ {}", first.resource()),
        (None, message) => {
            format!("{}: {}", change.state.singular(), message.as_deref().unwrap_or_default())
        }
    };
    visible(&title)
}

/// Where a change is declared: in the second tree, else in the first.
fn place(change: &Change) -> Option<String> {
    let first = change.differences.first()?;
    let Declared { file, line } = first.new_place.as_ref().or(first.old_place.as_ref())?;
    let file = file.as_deref()?;
    let file = visible(file);
    Some(line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")))
}

/// The lines of what differs in a resource.
fn lines(change: &Change) -> Vec<Line> {
    let seen = |line| match line {
        Line::Gone(text) => Line::Gone(visible(&text)),
        Line::New(text) => Line::New(visible(&text)),
        Line::Said(text) => Line::Said(visible(&text)),
    };
    change.differences.iter().flat_map(difference).map(seen).collect()
}

fn difference(one: &Difference) -> Vec<Line> {
    match one.sign {
        Sign::Added => parameters(one.new.as_ref()).into_iter().map(Line::New).collect(),
        Sign::Removed => Vec::new(),
        Sign::Changed | Sign::Nested => one.by_parameter().iter().flat_map(changed).collect(),
    }
}

/// The parameters of a resource that came, one a line.
fn parameters(whole: Option<&Data>) -> Vec<String> {
    let Some(Data::Map(all)) = whole.and_then(|whole| whole.get("parameters")) else { return Vec::new() };
    all.iter().map(|(name, value)| format!("{name} => {}", short(&value.to_json()))).collect()
}

/// A value in one line that is not too long.
fn short(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}… ({} characters)", &text[..at], text.chars().count()),
        None => text.to_owned(),
    }
}

fn changed(one: &Difference) -> Vec<Line> {
    let path = one.path();
    if let (Some(Data::Text(old)), Some(Data::Text(new))) = (&one.old, &one.new)
        && (old.contains('\n') || new.contains('\n'))
    {
        let mut all = vec![Line::Said(format!("{path}:"))];
        let lines = text_lines(old, new, AROUND);
        let more = lines.len().saturating_sub(LINES);
        all.extend(lines.into_iter().take(LINES).map(|line| match line.split_at_checked(1) {
            Some(("-", text)) => Line::Gone(format!("  {text}")),
            Some(("+", text)) => Line::New(format!("  {text}")),
            _ => Line::Said(format!("  {}", line.trim_end())),
        }));
        if more > 0 {
            all.push(Line::Said(format!("  and {}", counted(more, "more line"))));
        }
        return all;
    }
    let value = |value: &Data| short(&value.to_json());
    let mut all = Vec::new();
    all.extend(one.old.as_ref().map(|old| Line::Gone(format!("{path} => {}", value(old)))));
    all.extend(one.new.as_ref().map(|new| Line::New(format!("{path} => {}", value(new)))));
    all
}

/// Some names, and how many more there are.
fn names(all: &[String], most: usize) -> String {
    let shown: Vec<&str> = all.iter().take(most).map(String::as_str).collect();
    match all.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests;
