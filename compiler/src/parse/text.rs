//! Strings with interpolation, and heredocs.

use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, Part, Span};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// `"text${expr}text"`
    pub(super) fn interpolated(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.here();
        let parts = self.list(|parser, _: &List<Part<'a>>| {
            parser.text_part();
            loop {
                let expr = parser.nested(Self::assignment)?;
                let part = Part::Expr(parser.alloc(expr));
                parser.push(part);
                match parser.kind() {
                    Tok::DqMid => parser.text_part(),
                    Tok::DqPost => {
                        parser.text_part();
                        return Ok(());
                    }
                    _ => return Err(parser.unexpected()),
                }
            }
        })?;
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Concat(parts) })
    }

    /// Accepts a piece of text; an empty one is no part.
    fn text_part(&mut self) {
        let token = self.bump();
        if !token.text.is_empty() {
            self.push(Part::Text(token.text, Span { start: token.start, end: token.end }));
        }
    }

    /// `@(END)`
    pub(super) fn heredoc(&mut self) -> ParseResult<Expr<'a>> {
        let span = self.span();
        let syntax = self.bump().text;
        let text = if self.kind() == Tok::DqPre { self.interpolated()? } else { self.primary()? };
        Ok(Expr { span, kind: ExprKind::Heredoc { syntax, text: self.alloc(text) } })
    }
}
