//! YAML as Ruby's Psych writes it: how collections stand, where long scalars are folded; [`style`](super::style) says
//! which style a scalar gets. Sources: the behaviour of Psych 4 and of libyaml 0.2.5 beneath it; compared with them in `tests/tests/lookup.rs`.

use super::style::{Allowed, NodePosition, Style, escape, is_break, scalar_of, settle};
use crate::data_file::data::Data;
use std::collections::{HashMap, HashSet};

/// Columns after which a space becomes a line break.
const WIDTH: usize = 80;

/// Writes a document, its last line feed included.
pub fn dump(data: &Data) -> String {
    let anchors = Anchors::of(data);
    let mut emitter = Emitter { out: String::new(), column: 0, whitespace: true, indention: true, anchors };
    emitter.indicator("---", Indicator::Apart);
    emitter.node(data, -1, NodePosition::Root);
    if !emitter.out.ends_with('\n') {
        emitter.out.push('\n');
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
    anchors: Anchors,
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
        self.column = if c == '\n' { 0 } else { self.column + 1 };
    }

    fn write(&mut self, c: char) {
        self.put(c);
        self.whitespace = false;
        self.indention = false;
    }

    fn indent(&mut self, indent: i32) {
        let indent = usize::try_from(indent).unwrap_or_default();
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

    fn node(&mut self, data: &Data, indent: i32, place: NodePosition) {
        let below = if indent < 0 { 0 } else { indent + 2 };
        match data {
            Data::Object(address, data) => {
                if let Some(number) = self.anchors.met.get(address).copied().flatten() {
                    if !self.anchors.written.insert(*address) {
                        return self.indicator(&format!("*{number}"), Indicator::Apart);
                    }
                    self.indicator(&format!("&{number}"), Indicator::Apart);
                }
                self.node(data, indent, place);
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
                let below = if place == NodePosition::Value && !self.indention { indent } else { below };
                for item in items {
                    self.indent(below);
                    self.indicator("-", Indicator::Block);
                    self.node(item, below, NodePosition::Item);
                }
            }
            Data::Map(pairs) => {
                for (key, value) in pairs {
                    self.indent(below);
                    if is_simple(key) {
                        self.node(key, below, NodePosition::Key);
                        self.indicator(":", Indicator::Behind);
                    } else {
                        self.indicator("?", Indicator::Block);
                        self.node(key, below, NodePosition::Value);
                        self.indent(below);
                        self.indicator(":", Indicator::Block);
                    }
                    self.node(value, below, NodePosition::Value);
                }
            }
            _ => {
                let (text, style) = scalar_of(data);
                let allowed = Allowed::of(&text);
                let style = settle(style, &text, &allowed, place);
                let indent = if indent < 0 { 2 } else { indent + 2 };
                let folds = if place == NodePosition::Key { Folds::Never } else { Folds::Allowed };
                match style {
                    Style::Plain => self.plain(&text, indent, folds),
                    Style::Single => self.single(&text, indent, folds),
                    Style::Double => self.double(&text, indent, folds),
                    Style::Literal => self.literal(&text, indent),
                }
            }
        }
    }

    fn plain(&mut self, text: &str, indent: i32, folds: Folds) {
        if !self.whitespace && !text.is_empty() {
            self.put(' ');
        }
        let mut spaces = false;
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            if *c == ' ' {
                if folds == Folds::Allowed && !spaces && self.column > WIDTH && chars.get(n + 1) != Some(&' ')
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

    fn single(&mut self, text: &str, indent: i32, folds: Folds) {
        self.indicator("'", Indicator::Apart);
        let (mut spaces, mut breaks) = (false, false);
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            let inside = n > 0 && n + 1 < chars.len();
            match c {
                ' ' => {
                    let is_far = folds == Folds::Allowed && !spaces && self.column > WIDTH && inside;
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

    fn double(&mut self, text: &str, indent: i32, folds: Folds) {
        self.indicator("\"", Indicator::Apart);
        let mut spaces = false;
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            if let Some(escape) = escape(*c) {
                escape.chars().for_each(|c| self.put(c));
                spaces = false;
            } else if *c == ' ' {
                let inside = n > 0 && n + 1 < chars.len();
                if folds == Folds::Allowed && !spaces && self.column > WIDTH && inside {
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

    fn literal(&mut self, text: &str, indent: i32) {
        self.indicator("|", Indicator::Apart);
        if text.starts_with([' ', '\n', '\r']) {
            self.put('2');
        }
        if !text.ends_with(is_break) {
            self.put('-');
        } else {
            let mut back = text.chars().rev();
            back.next();
            if back.next().is_none_or(is_break) {
                self.put('+');
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
                self.write(c);
                breaks = false;
            }
        }
    }
}

/// Whether a key stands on the line of its colon.
fn is_simple(key: &Data) -> bool {
    match key {
        Data::Object(_, data) => is_simple(data),
        Data::List(items) => items.is_empty(),
        Data::Map(pairs) => pairs.is_empty(),
        scalar => {
            let (text, _) = scalar_of(scalar);
            text.len() <= 128 && !text.contains(is_break)
        }
    }
}
