//! Templates: the whole, and `<%= … %>`.

use super::expr::LOOSEST;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// A template: its parameters and what it renders.
    pub(super) fn template(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let params = if self.kind() == Tok::Pipe { Some(self.piped_params()?) } else { None };
        let statements = if self.kind() == Tok::End { &[] } else { self.statements(None)? };
        let span = self.span_from(start);
        let body = self.alloc(Expr { span, kind: ExprKind::Block(statements) });
        Ok(Expr { span, kind: ExprKind::Epp { params, body } })
    }

    /// `<%= expression %>`, `<%= { statements } %>`
    pub(super) fn render(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let expr = if self.kind() == Tok::LBrace && self.next_kind() != Tok::RBrace {
            self.nested(Self::rendered_block)?
        } else {
            self.expression()?
        };
        if !matches!(self.kind(), Tok::EppEnd | Tok::EppEndTrim) {
            return Err(self.unexpected());
        }
        self.bump();
        let kind = ExprKind::Render(self.alloc(expr));
        Ok(Expr { span: self.span_from(start), kind })
    }

    /// What starts with a brace: a hash if an arrow follows the first expression, otherwise statements.
    fn rendered_block(&mut self) -> ParseResult<Expr<'a>> {
        let brace = self.bump().start;
        let first = self.pair_side()?;
        if self.kind() == Tok::FArrow {
            let hash = self.hash_after_key(brace, first)?;
            return self.operators(hash, LOOSEST);
        }
        let statements = self.statements(Some(first))?;
        self.expect(Tok::RBrace)?;
        Ok(self.block_or_single(statements, self.span_from(brace)))
    }
}
