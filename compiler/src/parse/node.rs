//! Node definitions.

use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, HostMatch, Span};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// `node hosts inherits parent { … }`
    pub(super) fn node(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let matches = self.list(|parser, _: &List<HostMatch<'a>>| {
            loop {
                let host = parser.host()?;
                parser.push(host);
                if !parser.eat(Tok::Comma) || !starts_host(parser.kind()) {
                    return Ok(());
                }
            }
        })?;
        let parent = if self.eat(Tok::Inherits) {
            let host = self.host()?;
            Some(self.host_expr(host))
        } else {
            None
        };
        let body = self.body_at(start)?;
        Ok(self.defined(start, ExprKind::Node { matches, parent, body }))
    }

    fn host(&mut self) -> ParseResult<HostMatch<'a>> {
        let span = self.span();
        let token = self.token();
        Ok(match token.kind {
            Tok::Name | Tok::Number => return self.dotted_name(),
            Tok::String | Tok::Word => {
                self.bump();
                HostMatch::Name(token.text, span)
            }
            Tok::Regex => {
                self.bump();
                HostMatch::Regex(token.text, span)
            }
            Tok::Default => {
                self.bump();
                HostMatch::Default(span)
            }
            Tok::DqPre | Tok::Heredoc => {
                let expr = self.primary()?;
                HostMatch::Other(self.alloc(expr))
            }
            _ => return Err(self.unexpected()),
        })
    }

    /// `www.example.com`, `10.0.0.1`
    fn dotted_name(&mut self) -> ParseResult<HostMatch<'a>> {
        let first = self.bump();
        let mut span = Span { start: first.start, end: first.end };
        if self.kind() != Tok::Dot {
            return Ok(HostMatch::Name(first.text, span));
        }
        let mut name = bumpalo::collections::String::from_str_in(first.text, self.arena);
        while self.eat(Tok::Dot) {
            if !matches!(self.kind(), Tok::Name | Tok::Number) {
                return Err(self.unexpected());
            }
            let part = self.bump();
            name.extend([".", part.text]);
            span.end = part.end;
        }
        Ok(HostMatch::Name(name.into_bump_str(), span))
    }

    fn host_expr(&self, host: HostMatch<'a>) -> &'a Expr<'a> {
        match host {
            HostMatch::Name(name, span) => self.alloc(Expr { span, kind: ExprKind::Str(name) }),
            HostMatch::Regex(source, span) => self.alloc(Expr { span, kind: ExprKind::Regex(source) }),
            HostMatch::Default(span) => self.alloc(Expr { span, kind: ExprKind::Default }),
            HostMatch::Other(expr) => expr,
        }
    }
}

fn starts_host(kind: Tok) -> bool {
    matches!(
        kind,
        Tok::Name
            | Tok::Number
            | Tok::String
            | Tok::Word
            | Tok::Regex
            | Tok::Default
            | Tok::DqPre
            | Tok::Heredoc
    )
}
