//! Explanations as text, in the words of `puppet lookup --explain`.

use super::{Explainer, FoundIn, Node, Outcome, SEARCH_FOR_OPTIONS, Step, name, without_strategy};
use crate::config::location::LocationKind;
use bunraku_vm::budget;
use bunraku_vm::value::Value;

impl Explainer<'_> {
    /// The explanation as text, each line with its line feed.
    pub fn to_text(&self) -> String {
        let nodes = self.nodes.borrow();
        let mut writer = Writer { nodes: &nodes, out: String::new() };
        for branch in &nodes[0].branches {
            writer.node(*branch, 0);
        }
        writer.texts(0, 0);
        writer.out
    }
}

struct Writer<'n, 'c> {
    nodes: &'n [Node<'c>],
    out: String,
}

impl<'n, 'c> Writer<'n, 'c> {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn texts(&mut self, number: usize, depth: usize) {
        let nodes = self.nodes;
        for text in &nodes[number].texts {
            self.line(depth, text);
        }
    }

    fn node(&mut self, number: usize, depth: usize) {
        let node = &self.nodes[number];
        if let (Step::Merge(..), [one]) = (&node.step, node.branches.as_slice()) {
            // What has nothing to merge is no merge.
            return self.node(*one, depth);
        }
        if !self.title(node, depth) {
            return;
        }
        let depth = match node.step {
            Step::Segment(_) => depth,
            _ => {
                for branch in &node.branches {
                    self.node(*branch, depth + 1);
                }
                depth + 1
            }
        };
        self.outcome(node, depth);
        if has_outcome(&node.step) {
            self.texts(number, depth);
        }
    }

    /// What stands above all that belongs to a node; whether there is anything more to say of it.
    fn title(&mut self, node: &Node<'c>, depth: usize) -> bool {
        let title = match &node.step {
            Step::Root | Step::Segment(_) => return true,
            Step::Search(key) => format!("Searching for \"{key}\""),
            Step::InvalidKey(key) => format!("Invalid key \"{key}\""),
            Step::MergeSource(source) => format!("Using merge options from \"{source}\" hash"),
            Step::ModuleWithoutData(name) => format!("Module data provider for module \"{name}\" not found"),
            Step::UnknownModule(name) => format!("Module \"{name}\" not found"),
            Step::Interpolation(text) => format!("Interpolation on \"{text}\""),
            Step::Merge(..) if node.branches.is_empty() => return false,
            Step::Merge(strategy, _) => format!("Merge strategy {strategy}"),
            Step::Layer { name, .. } | Step::Entry(name) | Step::Scope(name) => name.clone(),
            Step::SearchForOptions => SEARCH_FOR_OPTIONS.to_owned(),
            Step::Location(location) => match location.kind {
                LocationKind::Uri => format!("URI \"{}\"", location.text),
                LocationKind::File => format!("Path \"{}\"", location.text),
            },
            Step::SubKey(segments) => {
                let all: Vec<String> = segments.iter().map(name).collect();
                format!("Sub key: \"{}\"", all.join("."))
            }
        };
        self.line(depth, &title);
        self.below_title(&node.step, depth + 1);
        !matches!(
            node.step,
            Step::InvalidKey(_) | Step::MergeSource(_) | Step::ModuleWithoutData(_) | Step::UnknownModule(_)
        )
    }

    fn below_title(&mut self, step: &Step<'c>, depth: usize) {
        match step {
            Step::Merge(_, options) => {
                if let Some(options) = without_strategy(*options) {
                    let mut text = "Options: ".to_owned();
                    pairs(&mut text, depth, &options);
                    self.line(depth, &text);
                }
            }
            Step::Layer { config: Some(config), .. } => {
                self.line(depth, &format!("Using configuration \"{config}\""));
            }
            Step::Location(location) => {
                let kind = match location.kind {
                    LocationKind::Uri => "uri",
                    LocationKind::File => "path",
                };
                self.line(depth, &format!("Original {kind}: \"{}\"", location.original));
            }
            _ => {}
        }
    }

    fn outcome(&mut self, node: &Node<'c>, depth: usize) {
        let text = match (&node.outcome, &node.step) {
            (Some(Outcome::Result(value)), Step::Merge(..)) => {
                let mut text = "Merged result: ".to_owned();
                show(&mut text, depth, *value);
                text
            }
            (Some(Outcome::LocationNotFound), Step::Location(location)) => match location.kind {
                LocationKind::Uri => "URI not found".to_owned(),
                LocationKind::File => "Path not found".to_owned(),
            },
            (Some(Outcome::NotFound(key)), step) if has_outcome(step) => {
                format!("No such key: \"{}\"", name(key))
            }
            (Some(Outcome::Found(key, value, place)), step) if has_outcome(step) => {
                let mut text = format!("Found key: \"{}\" value: ", name(key));
                show(&mut text, depth, *value);
                text.push_str(match place {
                    FoundIn::Place => "",
                    FoundIn::Overrides => " in overrides",
                    FoundIn::Defaults => " in defaults",
                });
                text
            }
            _ => return,
        };
        self.line(depth, &text);
    }
}

/// Whether what a node found, and texts, are shown.
fn has_outcome(step: &Step<'_>) -> bool {
    matches!(
        step,
        Step::Layer { .. }
            | Step::Entry(_)
            | Step::Location(..)
            | Step::SubKey(_)
            | Step::Segment(_)
            | Step::Scope(_)
            | Step::SearchForOptions
    )
}

/// A value over several lines, strings as Ruby inspects them.
fn show(out: &mut String, depth: usize, value: Value<'_>) {
    budget::room(2 * out.len());
    budget::within(1, || match value {
        Value::Hash(hash) => pairs(out, depth, hash.entries()),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.items().iter().enumerate() {
                out.push_str(if n > 0 { ",\n" } else { "\n" });
                out.push_str(&"  ".repeat(depth + 1));
                show(out, depth + 1, *item);
            }
            last_line(out, depth, items.items());
            out.push(']');
        }
        other => out.push_str(&bunraku_vm::format::inspect::inspect(other)),
    })
}

fn pairs<'c>(out: &mut String, depth: usize, pairs: &[(Value<'c>, Value<'c>)]) {
    out.push('{');
    for (n, (key, value)) in pairs.iter().enumerate() {
        out.push_str(if n > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(depth + 1));
        show(out, depth + 1, *key);
        out.push_str(" => ");
        show(out, depth + 1, *value);
    }
    last_line(out, depth, pairs);
    out.push('}');
}

/// Begins the line of the closing bracket, where there is anything in the brackets.
fn last_line<T>(out: &mut String, depth: usize, items: &[T]) {
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
}
