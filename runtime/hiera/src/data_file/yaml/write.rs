//! YAML as Ruby's Psych writes it: how collections stand, where long scalars are folded; [`style`](super::style) says
//! which style a scalar gets. Sources: the behaviour of Psych 4 and of libyaml 0.2.5 beneath it; compared with them in `tests/tests/lookup.rs`
//! and on the pages `spec/lookup.md` and `spec/ruby-functions.md`.

use super::style::{Allowed, NodePosition, Scalar, Style, escape, is_break, scalar_of, settle};
use crate::data_file::data::Data;
use crate::data_file::from_value;
use bunraku_vm::budget;
use bunraku_vm::value::{Hash, Str, Value};
use std::collections::{HashMap, HashSet};

/// How a document is laid out.
#[derive(Clone, Copy)]
struct Layout {
    /// Columns of a level.
    indent: usize,
    /// Columns after which a space becomes a line break.
    width: usize,
    /// Characters of the longest text that is not folded (`>-`); none where the caller has not said how wide lines are.
    longest: Option<usize>,
}

impl Default for Layout {
    fn default() -> Self {
        Layout { indent: 2, width: 80, longest: None }
    }
}

impl Layout {
    /// What the options of `to_yaml` say; none for options other than `indentation` and `line_width`.
    fn of_options(options: &[(Value<'_>, Value<'_>)]) -> Option<Layout> {
        let mut layout = Layout::default();
        let width = layout.width;
        for (name, option) in options {
            match (name.as_str(), option) {
                (Some("indentation"), Value::Int(n)) => {
                    layout.indent = usize::try_from(*n).ok().filter(|n| (2..10).contains(n)).unwrap_or(2);
                }
                (Some("line_width"), Value::Int(-1)) => layout.width = usize::MAX,
                (Some("line_width"), Value::Int(n)) => {
                    let columns = usize::try_from(*n).ok()?;
                    layout.longest = Some(columns);
                    layout.width = Some(columns).filter(|n| *n > 2 * layout.indent).unwrap_or(width);
                }
                _ => return None,
            }
        }
        Some(layout)
    }

    /// Whether a text would be folded.
    fn folds(&self, text: &str) -> bool {
        self.longest.is_some_and(|longest| text.chars().count() > longest)
    }
}

/// Writes a document, its last line feed included.
pub fn dump(data: &Data) -> String {
    laid_out(data, Layout::default())
}

/// A value as the document that Ruby's `to_yaml` makes of it, with options by name. Of the strings `is_symbol` says which are symbols, written
/// with their colon. None where only Ruby knows: for options other than `indentation` and `line_width`, texts that are folded, and what is an
/// object of Ruby's there.
pub fn of_value<'c>(
    value: Value<'c>,
    options: Option<Hash<'c>>,
    is_symbol: &dyn Fn(Str<'c>) -> bool,
) -> Option<String> {
    let layout = Layout::of_options(options.map_or(&[][..], |options| options.entries()))?;
    let data = from_value::for_yaml(value, is_symbol, &|text| layout.folds(text))?;
    Some(laid_out(&data, layout))
}

fn laid_out(data: &Data, layout: Layout) -> String {
    let anchors = Anchors::of(data);
    let mut emitter = Emitter {
        out: String::new(),
        column: 0,
        whitespace: true,
        indention: true,
        is_open: false,
        anchors,
        layout,
    };
    emitter.indicator("---", Indicator::Apart);
    emitter.node(data, None, NodePosition::Root);
    if !emitter.out.ends_with('\n') {
        emitter.out.push('\n');
    }
    if emitter.is_open {
        emitter.out.push_str("...\n");
    }
    emitter.out
}

/// How an indicator (a bracket, a dash, a quote) stands beside what is around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Indicator {
    /// It stands apart from what is before it.
    Apart,
    /// The same, and nothing has to stand between it and what follows.
    FlowStart,
    /// It stands right behind what is before it.
    Behind,
    /// It stands apart, and what follows in its line may begin a collection.
    Block,
}

/// Whether a long text may go on in the next line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folds {
    Allowed,
    Never,
}

/// libyaml's emitter: the text so far, and what decides on spaces and lines.
struct Emitter {
    out: String,
    column: usize,
    /// Whether what was written last needs no space behind it.
    whitespace: bool,
    /// Whether the line so far is nothing but indention and indicators of blocks.
    indention: bool,
    /// Whether the last block keeps the empty lines behind it: libyaml ends the document then, whatever else was written since.
    is_open: bool,
    anchors: Anchors,
    layout: Layout,
}

/// The objects that stand in several places: they get numbers in the order in which they are met again.
#[derive(Default)]
struct Anchors {
    /// Each object met, with its number if it is met again.
    met: HashMap<(usize, usize), Option<usize>>,
    numbers: usize,
    /// Those that have been written.
    written: HashSet<(usize, usize)>,
}

impl Anchors {
    fn of(data: &Data) -> Anchors {
        let mut anchors = Anchors::default();
        anchors.meet(data);
        anchors
    }

    fn meet(&mut self, data: &Data) {
        match data {
            Data::Object(address, data) => match self.met.get_mut(address) {
                None => {
                    self.met.insert(*address, None);
                    self.meet(data);
                }
                Some(number) => {
                    if number.is_none() {
                        self.numbers += 1;
                        *number = Some(self.numbers);
                    }
                }
            },
            Data::Instance(_, variables) => self.meet(variables),
            Data::List(items) => items.iter().for_each(|item| self.meet(item)),
            Data::Map(pairs) => pairs.iter().for_each(|(key, value)| {
                self.meet(key);
                self.meet(value);
            }),
            _ => {}
        }
    }
}

impl Emitter {
    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column = if is_break(c) { 0 } else { self.column + 1 };
    }

    fn write(&mut self, c: char) {
        self.put(c);
        self.whitespace = false;
        self.indention = false;
    }

    fn indent(&mut self, indent: usize) {
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put('\n');
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn indicator(&mut self, text: &str, how: Indicator) {
        if how != Indicator::Behind && !self.whitespace {
            self.put(' ');
        }
        text.chars().for_each(|c| self.put(c));
        self.whitespace = how == Indicator::FlowStart;
        self.indention = self.indention && how == Indicator::Block;
    }

    /// Writes a node within a collection at a column, or at the top.
    fn node(&mut self, data: &Data, column: Option<usize>, place: NodePosition) {
        budget::room(2 * self.out.len());
        let below = column.map_or(0, |column| column + self.layout.indent);
        match data {
            Data::Object(address, data) => {
                if let Some(number) = self.anchors.met.get(address).copied().flatten() {
                    if !self.anchors.written.insert(*address) {
                        return self.indicator(&format!("*{number}"), Indicator::Apart);
                    }
                    self.indicator(&format!("&{number}"), Indicator::Apart);
                }
                self.node(data, column, place);
            }
            Data::Instance(class, variables) => {
                self.indicator(&format!("!ruby/object:{class}"), Indicator::Apart);
                self.node(variables, column, place);
            }
            Data::List(items) if items.is_empty() => {
                self.indicator("[", Indicator::FlowStart);
                self.indicator("]", Indicator::Behind);
            }
            Data::Map(pairs) if pairs.is_empty() => {
                self.indicator("{", Indicator::FlowStart);
                self.indicator("}", Indicator::Behind);
            }
            Data::List(items) => {
                let beside = column.filter(|_| place == NodePosition::Value && !self.indention);
                let below = beside.unwrap_or(below);
                for item in items {
                    self.indent(below);
                    self.indicator("-", Indicator::Block);
                    self.node(item, Some(below), NodePosition::Item);
                }
            }
            Data::Map(pairs) => {
                for (key, value) in pairs {
                    self.indent(below);
                    let is_alias =
                        matches!(key, Data::Object(address, _) if self.anchors.written.contains(address));
                    if is_alias || is_simple(key) {
                        self.node(key, Some(below), NodePosition::Key);
                        // A colon might belong to the name of an alias.
                        self.indicator(":", if is_alias { Indicator::Apart } else { Indicator::Behind });
                    } else {
                        self.indicator("?", Indicator::Block);
                        self.node(key, Some(below), NodePosition::Value);
                        self.indent(below);
                        self.indicator(":", Indicator::Block);
                    }
                    self.node(value, Some(below), NodePosition::Value);
                }
            }
            scalar => self.scalar(scalar, column, place),
        }
    }

    fn scalar(&mut self, data: &Data, column: Option<usize>, place: NodePosition) {
        let Scalar { text, style, tag } = scalar_of(data);
        let style = settle(style, &text, &Allowed::of(&text), place);
        if let Some(tag) = tag.written(style) {
            self.indicator(tag, Indicator::Apart);
        }
        let indent = column.unwrap_or_default() + self.layout.indent;
        let folds = if place == NodePosition::Key { Folds::Never } else { Folds::Allowed };
        match style {
            Style::Plain => self.plain(&text, indent, folds),
            Style::Single => self.single(&text, indent, folds),
            Style::Double => self.double(&text, indent, folds),
            Style::Literal => self.literal(&text, indent),
        }
    }

    fn plain(&mut self, text: &str, indent: usize, folds: Folds) {
        if !self.whitespace && !text.is_empty() {
            self.put(' ');
        }
        let mut spaces = false;
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            if *c == ' ' {
                if folds == Folds::Allowed
                    && !spaces
                    && self.column > self.layout.width
                    && chars.get(n + 1) != Some(&' ')
                {
                    self.indent(indent);
                } else {
                    self.write(*c);
                }
                spaces = true;
            } else {
                self.write(*c);
                spaces = false;
            }
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn single(&mut self, text: &str, indent: usize, folds: Folds) {
        self.indicator("'", Indicator::Apart);
        let (mut spaces, mut breaks) = (false, false);
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            let inside = n > 0 && n + 1 < chars.len();
            match c {
                ' ' => {
                    let is_far =
                        folds == Folds::Allowed && !spaces && self.column > self.layout.width && inside;
                    if is_far && chars.get(n + 1) != Some(&' ') {
                        self.indent(indent);
                    } else {
                        self.write(' ');
                    }
                    spaces = true;
                }
                c if is_break(*c) => {
                    if !breaks && *c == '\n' {
                        self.put('\n');
                    }
                    self.put(*c);
                    self.indention = true;
                    breaks = true;
                }
                c => {
                    if breaks {
                        self.indent(indent);
                    }
                    if *c == '\'' {
                        self.put('\'');
                    }
                    self.write(*c);
                    (spaces, breaks) = (false, false);
                }
            }
        }
        if breaks {
            self.indent(indent);
        }
        self.indicator("'", Indicator::Behind);
        self.whitespace = false;
        self.indention = false;
    }

    fn double(&mut self, text: &str, indent: usize, folds: Folds) {
        self.indicator("\"", Indicator::Apart);
        let mut spaces = false;
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            if let Some(escape) = escape(*c) {
                escape.chars().for_each(|c| self.put(c));
                spaces = false;
            } else if *c == ' ' {
                let inside = n > 0 && n + 1 < chars.len();
                if folds == Folds::Allowed && !spaces && self.column > self.layout.width && inside {
                    self.indent(indent);
                    if chars.get(n + 1) == Some(&' ') {
                        self.put('\\');
                    }
                } else {
                    self.write(' ');
                }
                spaces = true;
            } else {
                self.write(*c);
                spaces = false;
            }
        }
        self.indicator("\"", Indicator::Behind);
        self.whitespace = false;
        self.indention = false;
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.indicator("|", Indicator::Apart);
        if text.starts_with([' ', '\n', '\r']) {
            self.indicator(&self.layout.indent.to_string(), Indicator::Behind);
        }
        let mut is_open = false;
        if !text.ends_with(is_break) {
            self.put('-');
        } else {
            let mut back = text.chars().rev();
            back.next();
            if back.next().is_none_or(is_break) {
                self.put('+');
                is_open = true;
            }
        }
        self.put('\n');
        self.indention = true;
        self.whitespace = true;
        let mut breaks = true;
        for c in text.chars() {
            if is_break(c) {
                self.put(c);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.indent(indent);
                }
                self.put(c);
                self.indention = false;
                breaks = false;
            }
        }
        self.is_open = is_open;
    }
}

/// Whether a key stands on the line of its colon.
fn is_simple(key: &Data) -> bool {
    match key {
        Data::Object(_, data) => is_simple(data),
        Data::Instance(..) => false,
        Data::List(items) => items.is_empty(),
        Data::Map(pairs) => pairs.is_empty(),
        scalar => {
            let Scalar { text, .. } = scalar_of(scalar);
            text.len() <= 128 && !text.contains(is_break)
        }
    }
}
