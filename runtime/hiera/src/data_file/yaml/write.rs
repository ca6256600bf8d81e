//! YAML as Ruby's Psych writes it: which style a scalar gets, where long ones are folded, how collections stand.
//! Sources: the behaviour of Psych 4 and of libyaml 0.2.5 beneath it; compared with them in `tests/tests/lookup.rs`.

use crate::data_file::data::Data;
use crate::data_file::yaml::scalar;
use bunraku_vm::format::float_to_s;
use std::collections::{HashMap, HashSet};

/// Columns after which a space becomes a line break.
const WIDTH: usize = 80;

/// A document with its line feed.
pub fn dump(data: &Data) -> String {
    let anchors = Anchors::of(data);
    let mut emitter = Emitter { out: String::new(), column: 0, whitespace: true, indention: true, anchors };
    emitter.indicator("---", true, false, false);
    emitter.node(data, -1, NodePosition::Root);
    if !emitter.out.ends_with('\n') {
        emitter.out.push('\n');
    }
    emitter.out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodePosition {
    Root,
    Item,
    Key,
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

struct Emitter {
    out: String,
    column: usize,
    whitespace: bool,
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

    fn indicator(&mut self, text: &str, needs_space: bool, is_space: bool, is_indention: bool) {
        if needs_space && !self.whitespace {
            self.put(' ');
        }
        text.chars().for_each(|c| self.put(c));
        self.whitespace = is_space;
        self.indention = self.indention && is_indention;
    }

    fn node(&mut self, data: &Data, indent: i32, place: NodePosition) {
        let below = if indent < 0 { 0 } else { indent + 2 };
        match data {
            Data::Object(address, data) => {
                if let Some(number) = self.anchors.met.get(address).copied().flatten() {
                    if !self.anchors.written.insert(*address) {
                        return self.indicator(&format!("*{number}"), true, false, false);
                    }
                    self.indicator(&format!("&{number}"), true, false, false);
                }
                self.node(data, indent, place);
            }
            Data::List(items) if items.is_empty() => {
                self.indicator("[", true, true, false);
                self.indicator("]", false, false, false);
            }
            Data::Map(pairs) if pairs.is_empty() => {
                self.indicator("{", true, true, false);
                self.indicator("}", false, false, false);
            }
            Data::List(items) => {
                let below = if place == NodePosition::Value && !self.indention { indent } else { below };
                for item in items {
                    self.indent(below);
                    self.indicator("-", true, false, true);
                    self.node(item, below, NodePosition::Item);
                }
            }
            Data::Map(pairs) => {
                for (key, value) in pairs {
                    self.indent(below);
                    if is_simple(key) {
                        self.node(key, below, NodePosition::Key);
                        self.indicator(":", false, false, false);
                    } else {
                        self.indicator("?", true, false, true);
                        self.node(key, below, NodePosition::Value);
                        self.indent(below);
                        self.indicator(":", true, false, true);
                    }
                    self.node(value, below, NodePosition::Value);
                }
            }
            _ => {
                let (text, style) = scalar_of(data);
                let allowed = Allowed::of(&text);
                let style = settle(style, &text, &allowed, place == NodePosition::Key);
                let indent = if indent < 0 { 2 } else { indent + 2 };
                let breaks = place != NodePosition::Key;
                match style {
                    Style::Plain => self.plain(&text, indent, breaks),
                    Style::Single => self.single(&text, indent, breaks),
                    Style::Double => self.double(&text, indent, breaks),
                    Style::Literal => self.literal(&text, indent),
                }
            }
        }
    }

    fn plain(&mut self, text: &str, indent: i32, breaks: bool) {
        if !self.whitespace && !text.is_empty() {
            self.put(' ');
        }
        let mut spaces = false;
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            if *c == ' ' {
                if breaks && !spaces && self.column > WIDTH && chars.get(n + 1) != Some(&' ') {
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

    fn single(&mut self, text: &str, indent: i32, allow_breaks: bool) {
        self.indicator("'", true, false, false);
        let (mut spaces, mut breaks) = (false, false);
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            let inside = n > 0 && n + 1 < chars.len();
            match c {
                ' ' => {
                    let folds = allow_breaks && !spaces && self.column > WIDTH && inside;
                    if folds && chars.get(n + 1) != Some(&' ') {
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
        self.indicator("'", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn double(&mut self, text: &str, indent: i32, breaks: bool) {
        self.indicator("\"", true, false, false);
        let mut spaces = false;
        let chars: Vec<char> = text.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            if let Some(escape) = escape(*c) {
                escape.chars().for_each(|c| self.put(c));
                spaces = false;
            } else if *c == ' ' {
                let inside = n > 0 && n + 1 < chars.len();
                if breaks && !spaces && self.column > WIDTH && inside {
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
        self.indicator("\"", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn literal(&mut self, text: &str, indent: i32) {
        self.indicator("|", true, false, false);
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

/// The text of a scalar and the style that Psych asks for.
fn scalar_of(data: &Data) -> (String, Style) {
    match data {
        Data::Bool(b) => (b.to_string(), Style::Plain),
        Data::Int(n) => (n.to_string(), Style::Plain),
        Data::Float(f) if f.is_nan() => (".nan".to_owned(), Style::Plain),
        Data::Float(f) if f.is_infinite() => {
            ((if *f > 0.0 { ".inf" } else { "-.inf" }).to_owned(), Style::Plain)
        }
        Data::Float(f) => (float_to_s(*f), Style::Plain),
        Data::Symbol(text) => (format!(":{text}"), Style::Plain),
        Data::Text(text) => (text.clone(), style_of(text)),
        Data::Null | Data::List(_) | Data::Map(_) | Data::Object(..) => (String::new(), Style::Plain),
    }
}

fn style_of(text: &str) -> Style {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if body.contains('\n') {
        return Style::Literal;
    }
    if text == "<<" {
        return Style::Single;
    }
    if matches!(text, "y" | "n") {
        return Style::Double;
    }
    let mut chars = text.chars();
    let first = chars.next();
    let rest = chars.as_str().split('\n').next().unwrap_or_default();
    if first.is_some_and(|c| !c.is_alphanumeric() && c != '_') && !rest.contains('"') {
        return Style::Double;
    }
    let octal_like = text.strip_prefix('0').is_some_and(|rest| {
        rest.trim_start_matches(|c: char| ('0'..='7').contains(&c)).starts_with(['8', '9'])
    });
    if octal_like || !matches!(scalar::scan(text), Ok(Data::Text(_))) { Style::Single } else { Style::Plain }
}

/// The style that can hold the text.
fn settle(mut style: Style, text: &str, allowed: &Allowed, is_key: bool) -> Style {
    if is_key && allowed.multiline {
        style = Style::Double;
    }
    if style == Style::Plain && (!allowed.plain || (text.is_empty() && is_key)) {
        style = Style::Single;
    }
    if style == Style::Single && !allowed.single {
        style = Style::Double;
    }
    if style == Style::Literal && (!allowed.block || is_key) {
        style = Style::Double;
    }
    style
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank_or_end(c: Option<char>) -> bool {
    c.is_none_or(|c| c == ' ' || c == '\t' || c == '\0' || is_break(c))
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
        || c as u32 > 0xffff
}

fn escape(c: char) -> Option<String> {
    let short = match c {
        '\0' => "\\0",
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\t' => "\\t",
        '\n' => "\\n",
        '\x0b' => "\\v",
        '\x0c' => "\\f",
        '\r' => "\\r",
        '\x1b' => "\\e",
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{85}' => "\\N",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        c if is_printable(c) => return None,
        c if (c as u32) < 0x100 => return Some(format!("\\x{:02X}", c as u32)),
        c => return Some(format!("\\u{:04X}", c as u32)),
    };
    Some(short.to_owned())
}

/// What libyaml finds out about a text before it settles on a style.
struct Allowed {
    multiline: bool,
    plain: bool,
    single: bool,
    block: bool,
}

impl Allowed {
    fn of(text: &str) -> Allowed {
        if text.is_empty() {
            return Allowed { multiline: false, plain: true, single: true, block: false };
        }
        let chars: Vec<char> = text.chars().collect();
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut breaks, mut special, mut break_space, mut space_break) = (false, false, false, false);
        let (mut after_space, mut after_break) = (false, false);
        let mut tabs = false;
        for (n, c) in chars.iter().enumerate() {
            let before = n == 0 || is_blank_or_end(Some(chars[n - 1]));
            let behind = is_blank_or_end(chars.get(n + 1).copied());
            indicators |= match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                | '`'
                    if n == 0 =>
                {
                    true
                }
                '?' | '-' if n == 0 => behind,
                ':' => behind,
                '#' => before,
                _ => false,
            };
            tabs |= *c == '\t';
            special |= *c != '\t' && !is_printable(*c) && !is_break(*c);
            breaks |= is_break(*c);
            if *c == ' ' {
                break_space |= after_break;
                (after_space, after_break) = (true, false);
            } else if is_break(*c) {
                space_break |= after_space;
                (after_space, after_break) = (false, true);
            } else {
                (after_space, after_break) = (false, false);
            }
        }
        let edge = |c: Option<&char>| c.is_some_and(|c| *c == ' ' || is_break(*c));
        let edges = edge(chars.first()) || edge(chars.last());
        let odd = space_break || special;
        Allowed {
            multiline: breaks,
            plain: !(indicators || breaks || edges || break_space || odd || tabs),
            single: !(break_space || odd || tabs),
            block: !(odd || chars.last() == Some(&' ')),
        }
    }
}
