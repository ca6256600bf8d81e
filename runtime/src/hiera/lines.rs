//! Where in its file each value stands: the shape of a data file with a line for each key and item, read only when
//! somebody asks where a value came from.

use super::files::{Format, parse};
use granit_parser::{Event, Parser, ScalarStyle, Span};
use hocon::{Token, TokenKind};
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
        Format::Yaml => Yaml { parser: Parser::new_from_str(text), anchors: HashMap::new() }.document(),
        Format::Json | Format::Hocon => {
            let tokens = hocon::tokenize(text).ok()?;
            Some(Rc::new(of_hocon(&tokens).0))
        }
    }
}

/// The shape of HOCON, its keys in the order in which Ruby's gem has them; and the line of the first colon that stands
/// in a value.
pub fn of_hocon(tokens: &[Token]) -> (Lines, Option<usize>) {
    let mut hocon = Hocon { tokens, at: 0, colon: None };
    hocon.skip(&[TokenKind::Newline]);
    let lines = if hocon.take(&TokenKind::LBracket) {
        hocon.list()
    } else {
        hocon.take(&TokenKind::LBrace);
        hocon.object()
    };
    (lines, hocon.colon)
}

/// Puts a key where it was, or at the end.
fn set(pairs: &mut Vec<(String, u32, Rc<Lines>)>, key: String, line: u32, lines: Rc<Lines>) {
    match pairs.iter_mut().find(|(other, ..)| *other == key) {
        Some(pair) => (pair.1, pair.2) = (line, lines),
        None => pairs.push((key, line, lines)),
    }
}

fn line_of(span: &Span) -> u32 {
    u32::try_from(span.start.line()).unwrap_or_default()
}

struct Yaml<'t> {
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    anchors: HashMap<usize, Rc<Lines>>,
}

impl<'t> Yaml<'t> {
    fn next(&mut self) -> Option<(Event<'t>, Span)> {
        loop {
            match self.parser.next()?.ok()? {
                (Event::Comment(..), _) => {}
                next => return Some(next),
            }
        }
    }

    fn document(&mut self) -> Option<Rc<Lines>> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, _) => return None,
                (event, _) => return self.node(event),
            }
        }
    }

    fn node(&mut self, event: Event<'t>) -> Option<Rc<Lines>> {
        let (lines, anchor) = match event {
            Event::SequenceStart(_, anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => items.push((line_of(&span), self.node(event)?)),
                    }
                }
                (Lines::List(items), anchor)
            }
            Event::MappingStart(_, anchor, _) => (self.map()?, anchor),
            Event::Alias(id) => return self.anchors.get(&id).cloned(),
            Event::Scalar(_, _, anchor, _) => (Lines::Leaf, anchor),
            _ => return None,
        };
        let lines = Rc::new(lines);
        if anchor != 0 {
            self.anchors.insert(anchor, lines.clone());
        }
        Some(lines)
    }

    fn map(&mut self) -> Option<Lines> {
        let mut pairs = Vec::new();
        loop {
            let (event, span) = self.next()?;
            let (key, merges) = match &event {
                Event::MappingEnd => return Some(Lines::Map(pairs)),
                Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<" => (String::new(), true),
                // Symbols are names.
                Event::Scalar(text, ScalarStyle::Plain, ..) => {
                    (text.strip_prefix(':').filter(|name| !name.is_empty()).unwrap_or(text).to_owned(), false)
                }
                Event::Scalar(text, ..) => (text.clone().into_owned(), false),
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
                set(&mut pairs, key, line_of(&span), value);
                continue;
            }
            for map in merged {
                if let Lines::Map(other) = &**map {
                    other
                        .iter()
                        .for_each(|(key, line, lines)| set(&mut pairs, key.clone(), *line, lines.clone()));
                }
            }
        }
    }
}

/// HOCON, of which JSON is a part.
struct Hocon<'t> {
    tokens: &'t [Token],
    at: usize,
    colon: Option<usize>,
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

    fn object(&mut self) -> Lines {
        let mut pairs = Vec::new();
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
        Lines::Map(pairs)
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

    fn list(&mut self) -> Lines {
        let mut items = Vec::new();
        loop {
            self.skip(&[TokenKind::Newline, TokenKind::Comma]);
            let Some(first) = self.peek() else { break };
            if self.take(&TokenKind::RBracket) {
                break;
            }
            let (line, before) = (u32::try_from(first.line).unwrap_or_default(), self.at);
            items.push((line, Rc::new(self.value())));
            self.at += usize::from(self.at == before);
        }
        Lines::List(items)
    }

    /// A value, which may be several in a row.
    fn value(&mut self) -> Lines {
        let mut value = Lines::Leaf;
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
                    if token.kind == TokenKind::Colon {
                        self.colon.get_or_insert(token.line);
                    }
                    self.at += 1;
                    continue;
                }
            };
            value = match (value, next) {
                (Lines::Map(before), Lines::Map(after)) => Lines::Map(merged(&before, &after)),
                (Lines::List(mut items), Lines::List(more)) => {
                    items.extend(more);
                    Lines::List(items)
                }
                (_, next) => next,
            };
        }
        value
    }
}

fn put(pairs: &mut Vec<(String, u32, Rc<Lines>)>, path: &[String], line: u32, value: Lines, appends: bool) {
    let Some((key, rest)) = path.split_first() else { return };
    let mut value = value;
    for key in rest.iter().rev() {
        value = Lines::Map(vec![(key.clone(), line, Rc::new(value))]);
    }
    if appends && let Some((.., before)) = pairs.iter_mut().find(|(other, ..)| other == key) {
        if let Lines::List(items) = &**before {
            let mut items = items.clone();
            items.push((line, Rc::new(value)));
            *before = Rc::new(Lines::List(items));
        }
        return;
    }
    put_rc(pairs, key.clone(), line, Rc::new(value));
}

/// Objects under the same key are one object.
fn put_rc(pairs: &mut Vec<(String, u32, Rc<Lines>)>, key: String, line: u32, value: Rc<Lines>) {
    let before = pairs.iter().find(|(other, ..)| *other == key).map(|(.., before)| before.clone());
    let value = match before.map(|before| both(&before, &value)) {
        Some(both) => both,
        None => value,
    };
    set(pairs, key, line, value);
}

fn both(before: &Rc<Lines>, after: &Rc<Lines>) -> Rc<Lines> {
    match (&**before, &**after) {
        (Lines::Map(before), Lines::Map(after)) => Rc::new(Lines::Map(merged(before, after))),
        _ => after.clone(),
    }
}

/// What comes later stands first.
fn merged(
    before: &[(String, u32, Rc<Lines>)],
    after: &[(String, u32, Rc<Lines>)],
) -> Vec<(String, u32, Rc<Lines>)> {
    let find = |all: &[(String, u32, Rc<Lines>)], key: &str| {
        all.iter().find(|(other, ..)| other == key).map(|(.., lines)| lines.clone())
    };
    let mut pairs = Vec::with_capacity(before.len() + after.len());
    for (key, line, lines) in after {
        let lines = find(before, key).map_or_else(|| lines.clone(), |old| both(&old, lines));
        pairs.push((key.clone(), *line, lines));
    }
    pairs.extend(before.iter().filter(|(key, ..)| find(after, key).is_none()).cloned());
    pairs
}
