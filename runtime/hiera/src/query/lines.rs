//! Where in its file each value stands: the shape of a data file with a line for each key and item, read only when
//! somebody asks where a value came from.

use crate::data_file::cache::{Format, parse};
use crate::data_file::yaml::events::Events;
use hocon::{Token, TokenKind};
use libyaml_safer::{EventData as Event, Mark, ScalarStyle};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// What is in a file, line by line.
#[derive(Debug, Default)]
pub enum Lines {
    /// Neither a list nor a map.
    #[default]
    Leaf,
    /// Items, each with its line.
    List(Vec<(u32, Rc<Lines>)>),
    /// Keys as written, each with its line.
    Map(Vec<(String, u32, Rc<Lines>)>),
}

/// The lines of a file's content; none for what is not well formed.
pub fn lines(path: &Path, bytes: &[u8], format: Format) -> Option<Rc<Lines>> {
    // This is also what limits depth and size.
    parse(path, bytes, format).ok()?;
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Yaml => Yaml { events: Events::of(text), anchors: HashMap::new() }.document(),
        Format::Json | Format::Hocon => {
            let tokens = hocon::tokenize(text).ok()?;
            Some(Rc::new(of_hocon(&tokens)))
        }
    }
}

/// The shape of HOCON, its keys in the order in which Ruby's gem has them.
pub fn of_hocon(tokens: &[Token]) -> Lines {
    let mut hocon = Hocon { tokens, at: 0 };
    hocon.skip(&[TokenKind::Newline]);
    let lines = if hocon.take(&TokenKind::LBracket) {
        hocon.list()
    } else {
        hocon.take(&TokenKind::LBrace);
        hocon.object()
    };
    lines.finish()
}

/// Keys in an order of their own: a key that comes again keeps its place, or, merged, goes to the front.
#[derive(Debug)]
struct Pairs<T> {
    all: HashMap<String, (i64, u32, T)>,
    first: i64,
    last: i64,
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs { all: HashMap::new(), first: 0, last: 0 }
    }
}

impl<T> Pairs<T> {
    fn set(&mut self, key: String, line: u32, value: T) {
        self.last += 1;
        let place = self.all.get(&key).map_or(self.last, |(place, ..)| *place);
        self.all.insert(key, (place, line, value));
    }

    fn in_order(self) -> Vec<(String, u32, T)> {
        let mut all: Vec<_> = self.all.into_iter().collect();
        all.sort_by_key(|(_, (place, ..))| *place);
        all.into_iter().map(|(key, (_, line, value))| (key, line, value)).collect()
    }
}

fn line_of(mark: &Mark) -> u32 {
    u32::try_from(mark.line + 1).unwrap_or_default()
}

struct Yaml<'t> {
    events: Events<'t>,
    anchors: HashMap<String, Rc<Lines>>,
}

impl Yaml<'_> {
    fn next(&mut self) -> Option<(Event, Mark)> {
        self.events.next().ok()
    }

    fn document(&mut self) -> Option<Rc<Lines>> {
        loop {
            match self.next()? {
                (Event::StreamStart { .. } | Event::DocumentStart { .. }, _) => {}
                (Event::StreamEnd | Event::DocumentEnd { .. }, _) => return None,
                (event, _) => return self.node(event),
            }
        }
    }

    fn node(&mut self, event: Event) -> Option<Rc<Lines>> {
        let (lines, anchor) = match event {
            Event::SequenceStart { anchor, .. } => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, mark) => items.push((line_of(&mark), self.node(event)?)),
                    }
                }
                (Lines::List(items), anchor)
            }
            Event::MappingStart { anchor, .. } => (self.map()?, anchor),
            Event::Alias { anchor } => return self.anchors.get(&anchor).cloned(),
            Event::Scalar { anchor, .. } => (Lines::Leaf, anchor),
            _ => return None,
        };
        let lines = Rc::new(lines);
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, lines.clone());
        }
        Some(lines)
    }

    fn map(&mut self) -> Option<Lines> {
        let mut pairs = Pairs::default();
        loop {
            let (event, mark) = self.next()?;
            let (key, merges) = match &event {
                Event::MappingEnd => return Some(Lines::Map(pairs.in_order())),
                Event::Scalar { value, style: ScalarStyle::Plain, tag: None, .. } if value == "<<" => {
                    (String::new(), true)
                }
                // Symbols are names.
                Event::Scalar { value: text, style: ScalarStyle::Plain, .. } => {
                    (text.strip_prefix(':').filter(|name| !name.is_empty()).unwrap_or(text).to_owned(), false)
                }
                Event::Scalar { value: text, .. } => (text.clone(), false),
                _ => (String::new(), false),
            };
            self.node(event)?;
            let (event, _) = self.next()?;
            let value = self.node(event)?;
            let merged: Vec<&Rc<Lines>> = match &*value {
                Lines::Map(_) if merges => vec![&value],
                Lines::List(items) if merges => items.iter().rev().map(|(_, item)| item).collect(),
                _ => Vec::new(),
            };
            if merged.is_empty() {
                pairs.set(key, line_of(&mark), value);
                continue;
            }
            for map in merged {
                if let Lines::Map(other) = &**map {
                    other.iter().for_each(|(key, line, lines)| pairs.set(key.clone(), *line, lines.clone()));
                }
            }
        }
    }
}

/// [`Lines`] while they are made.
enum Shape {
    Leaf,
    List(Vec<(u32, Shape)>),
    Map(Pairs<Shape>),
}

impl Shape {
    fn finish(self) -> Lines {
        match self {
            Shape::Leaf => Lines::Leaf,
            Shape::List(items) => {
                Lines::List(items.into_iter().map(|(line, item)| (line, Rc::new(item.finish()))).collect())
            }
            Shape::Map(pairs) => {
                let pairs = pairs.in_order().into_iter();
                Lines::Map(pairs.map(|(key, line, value)| (key, line, Rc::new(value.finish()))).collect())
            }
        }
    }
}

/// HOCON, of which JSON is a part.
struct Hocon<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Hocon<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at).filter(|token| token.kind != TokenKind::Eof)
    }

    fn take(&mut self, kind: &TokenKind) -> bool {
        let is_there = self.peek().is_some_and(|token| token.kind == *kind);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip(&mut self, kinds: &[TokenKind]) {
        while self.peek().is_some_and(|token| kinds.contains(&token.kind)) {
            self.at += 1;
        }
    }

    fn object(&mut self) -> Shape {
        let mut pairs = Pairs::default();
        loop {
            self.skip(&[TokenKind::Newline, TokenKind::Comma]);
            let Some(first) = self.peek() else { break };
            if self.take(&TokenKind::RBrace) {
                break;
            }
            let line = u32::try_from(first.line).unwrap_or_default();
            let path = self.path();
            let appends = self.peek().is_some_and(|token| token.kind == TokenKind::PlusEquals);
            self.skip(&[TokenKind::Colon, TokenKind::Equals, TokenKind::PlusEquals]);
            let before = self.at;
            let value = self.value();
            if self.at == before && path.is_empty() {
                // Neither key nor value: whatever it is, go on behind it.
                self.at += 1;
            } else {
                put(&mut pairs, &path, line, value, appends);
            }
        }
        Shape::Map(pairs)
    }

    /// A key, which may be the way to one.
    fn path(&mut self) -> Vec<String> {
        let mut path = Vec::new();
        let mut part: Option<String> = None;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Unquoted => {
                    for (n, word) in token.value.split('.').enumerate() {
                        if n > 0 {
                            path.extend(part.take());
                        }
                        if !word.is_empty() {
                            let part = part.get_or_insert_default();
                            part.push_str(if part.is_empty() { "" } else { &token.preceding_whitespace });
                            part.push_str(word);
                        }
                    }
                }
                TokenKind::QuotedString | TokenKind::TripleQuotedString => {
                    part.get_or_insert_default().push_str(&token.value);
                }
                _ => break,
            }
            self.at += 1;
        }
        path.extend(part);
        path
    }

    fn list(&mut self) -> Shape {
        let mut items = Vec::new();
        loop {
            self.skip(&[TokenKind::Newline, TokenKind::Comma]);
            let Some(first) = self.peek() else { break };
            if self.take(&TokenKind::RBracket) {
                break;
            }
            let (line, before) = (u32::try_from(first.line).unwrap_or_default(), self.at);
            items.push((line, self.value()));
            self.at += usize::from(self.at == before);
        }
        Shape::List(items)
    }

    /// A value, which may be several in a row.
    fn value(&mut self) -> Shape {
        let mut value = Shape::Leaf;
        self.skip(&[TokenKind::Newline]);
        while let Some(token) = self.peek() {
            let next = match token.kind {
                TokenKind::Newline | TokenKind::Comma | TokenKind::RBrace | TokenKind::RBracket => break,
                TokenKind::LBrace => {
                    self.at += 1;
                    self.object()
                }
                TokenKind::LBracket => {
                    self.at += 1;
                    self.list()
                }
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            value = match (value, next) {
                (before @ Shape::Map(_), after @ Shape::Map(_)) => merged(before, after),
                (Shape::List(mut items), Shape::List(more)) => {
                    items.extend(more);
                    Shape::List(items)
                }
                (_, next) => next,
            };
        }
        value
    }
}

fn put(pairs: &mut Pairs<Shape>, path: &[String], line: u32, value: Shape, appends: bool) {
    let Some((key, rest)) = path.split_first() else { return };
    let mut value = value;
    for key in rest.iter().rev() {
        let mut pairs = Pairs::default();
        pairs.set(key.clone(), line, value);
        value = Shape::Map(pairs);
    }
    match pairs.all.get_mut(key) {
        Some((_, _, Shape::List(items))) if appends && rest.is_empty() => items.push((line, value)),
        Some((_, known, before)) => {
            *known = line;
            *before = merged(std::mem::replace(before, Shape::Leaf), value);
        }
        None => pairs.set(key.clone(), line, value),
    }
}

/// Objects under the same key are one object, in which what comes later stands first.
fn merged(before: Shape, after: Shape) -> Shape {
    let (mut pairs, after) = match (before, after) {
        (Shape::Map(before), Shape::Map(after)) => (before, after),
        (_, after) => return after,
    };
    let after = after.in_order();
    pairs.first -= after.len() as i64;
    for (place, (key, line, value)) in (pairs.first..).zip(after) {
        let value = match pairs.all.remove(&key) {
            Some((_, _, old)) => merged(old, value),
            None => value,
        };
        pairs.all.insert(key, (place, line, value));
    }
    Shape::Map(pairs)
}
