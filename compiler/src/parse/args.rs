//! Lists of arguments, keys and elements. In them `key => value` needs no braces; neighbouring pairs are one
//! hash.

use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, HashEntry, Span};
use crate::lex::token::Tok;

/// What an element of a list is.
enum Element<'a> {
    Expr(Expr<'a>),
    Pair(HashEntry<'a>),
}

/// What kind of list it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// Arguments of a call: anything but a keyword.
    Arguments,
    /// Keys of an access: an assignment or relationship only before `=>`.
    Keys,
    /// Elements of an array: anything, and the words `type` and `function`.
    Elements,
}

/// Whether a comma may stand behind the last of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastComma {
    Allowed,
    Refused,
}

impl LastComma {
    /// What may stand behind a last comma: the closing token, where there may be one.
    fn before(self, close: Tok) -> Option<Tok> {
        (self == LastComma::Allowed).then_some(close)
    }
}

impl<'a> Parser<'_, 'a> {
    /// The arguments of a call after its parenthesis, with the closing one.
    pub(super) fn call_args(&mut self, last_comma: LastComma) -> ParseResult<&'a [Expr<'a>]> {
        if self.eat(Tok::RParen) {
            return Ok(&[]);
        }
        let args = self.elements(Rules::Arguments, last_comma.before(Tok::RParen))?;
        self.expect(Tok::RParen)?;
        Ok(args)
    }

    /// The keys of an access after its bracket, with the closing one.
    pub(super) fn access_args(&mut self, last_comma: LastComma) -> ParseResult<&'a [Expr<'a>]> {
        let keys = self.elements(Rules::Keys, last_comma.before(Tok::RBrack))?;
        self.expect(Tok::RBrack)?;
        Ok(keys)
    }

    /// An array.
    pub(super) fn array(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.here();
        self.bump();
        let elements =
            if self.kind() == Tok::RBrack { &[] } else { self.elements(Rules::Elements, Some(Tok::RBrack))? };
        self.expect(Tok::RBrack)?;
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Array(elements) })
    }

    /// One or more elements. Where `close` is given, a comma may stand before it.
    fn elements(&mut self, rules: Rules, close: Option<Tok>) -> ParseResult<&'a [Expr<'a>]> {
        self.list(|parser, _| {
            let mut next = parser.element(rules)?;
            loop {
                match next {
                    Element::Expr(expr) => {
                        parser.push(expr);
                        next = match parser.more(close) {
                            true => parser.element(rules)?,
                            false => return Ok(()),
                        };
                    }
                    Element::Pair(first) => {
                        let (hash, following) = parser.pairs(first, rules, close)?;
                        parser.push(hash);
                        match following {
                            Some(expr) => next = Element::Expr(expr),
                            None => return Ok(()),
                        }
                    }
                }
            }
        })
    }

    /// Accepts the comma before a further element; the one before the end, too.
    fn more(&mut self, close: Option<Tok>) -> bool {
        if self.kind() != Tok::Comma {
            return false;
        }
        match close {
            Some(close) if self.next_kind() == close => {
                self.bump();
                false
            }
            _ => {
                self.bump();
                true
            }
        }
    }

    /// Neighbouring pairs as one hash, and the expression that follows them.
    fn pairs(
        &mut self,
        first: HashEntry<'a>,
        rules: Rules,
        close: Option<Tok>,
    ) -> ParseResult<(Expr<'a>, Option<Expr<'a>>)> {
        let mut following = None;
        let entries = self.list(|parser, _: &List<HashEntry<'a>>| {
            parser.push(first);
            while parser.more(close) {
                match parser.element(rules)? {
                    Element::Pair(entry) => parser.push(entry),
                    Element::Expr(expr) => {
                        following = Some(expr);
                        break;
                    }
                }
            }
            Ok(())
        })?;
        let span = Span { start: first.span.start, end: entries.last().map_or(0, |last| last.span.end) };
        Ok((Expr { span, kind: ExprKind::Hash(entries) }, following))
    }

    fn element(&mut self, rules: Rules) -> ParseResult<Element<'a>> {
        let keyword = self.is_keyword_element();
        let first = self.pair_side()?;
        if self.kind() == Tok::FArrow {
            return Ok(Element::Pair(self.pair(first)?));
        }
        let fits = match rules {
            Rules::Elements => true,
            Rules::Arguments => !keyword,
            Rules::Keys => {
                !keyword
                    && !matches!(first.kind, ExprKind::Assign { .. } | ExprKind::Relation { .. })
                    && self.resource_end != self.at
            }
        };
        if fits { Ok(Element::Expr(first)) } else { Err(self.unexpected()) }
    }

    /// `key => value` after the key.
    pub(super) fn pair(&mut self, key: Expr<'a>) -> ParseResult<HashEntry<'a>> {
        let start = self.here();
        self.expect(Tok::FArrow)?;
        let value = self.pair_side()?;
        Ok(HashEntry { span: self.span_from(start), key, value })
    }

    /// A key or a value: an expression, or one of two keywords.
    pub(super) fn pair_side(&mut self) -> ParseResult<Expr<'a>> {
        if self.is_keyword_element() {
            let span = self.span();
            let word = self.bump();
            return Ok(Expr { span, kind: ExprKind::Str(word.text) });
        }
        self.assignment()
    }

    /// Whether the current token is `type` or `function` and starts neither a definition nor a call.
    fn is_keyword_element(&self) -> bool {
        match self.kind() {
            Tok::Type => !matches!(self.next_kind(), Tok::LParen | Tok::ClassRef),
            Tok::Function => {
                !matches!(self.next_kind(), Tok::Name | Tok::Word | Tok::ClassRef | Tok::Class | Tok::String)
            }
            _ => false,
        }
    }
}
