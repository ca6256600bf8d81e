//! The lines of a HOCON text, of which JSON is a part.

use super::{Lines, OrderedPairs};
use hocon::{Token, TokenKind};
use std::rc::Rc;

/// The shape of HOCON, its keys in the order in which Ruby's gem has them.
pub(crate) fn of_tokens(tokens: &[Token]) -> Lines {
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

/// [`Lines`] while they are made.
enum Shape {
    Leaf,
    List(Vec<(u32, Shape)>),
    Map(OrderedPairs<Shape>),
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

/// Tokens and the place in them.
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
        let mut pairs = OrderedPairs::default();
        loop {
            self.skip(&[TokenKind::Newline, TokenKind::Comma]);
            let Some(first) = self.peek() else { break };
            if self.take(&TokenKind::RBrace) {
                break;
            }
            let line = u32::try_from(first.line).unwrap_or_default();
            let path = self.path();
            let sign = match self.peek().map(|token| &token.kind) {
                Some(TokenKind::PlusEquals) => Sign::Appends,
                _ => Sign::Sets,
            };
            self.skip(&[TokenKind::Colon, TokenKind::Equals, TokenKind::PlusEquals]);
            let before = self.at;
            let value = self.value();
            if self.at == before && path.is_empty() {
                // Neither key nor value: whatever it is, go on behind it.
                self.at += 1;
            } else {
                put(&mut pairs, &path, sign, (line, value));
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

/// How a key is given its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// `=`, `:` or an object.
    Sets,
    /// `+=`
    Appends,
}

/// Puts a value with its line where a path of keys leads to.
fn put(pairs: &mut OrderedPairs<Shape>, path: &[String], sign: Sign, (line, value): (u32, Shape)) {
    let Some((key, rest)) = path.split_first() else { return };
    let mut value = value;
    for key in rest.iter().rev() {
        let mut pairs = OrderedPairs::default();
        pairs.set(key.clone(), line, value);
        value = Shape::Map(pairs);
    }
    match pairs.all.get_mut(key) {
        Some((_, _, Shape::List(items))) if sign == Sign::Appends && rest.is_empty() => {
            items.push((line, value))
        }
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
