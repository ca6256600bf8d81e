//! Calls and what else may follow an operand: methods, lambdas, selectors, collectors.

use super::args::LastComma;
use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, Lambda, Query, SelectorArm, Span};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// `functor(args)` and a lambda
    pub(super) fn call(&mut self, functor: Expr<'a>) -> ParseResult<Expr<'a>> {
        self.expect(Tok::LParen)?;
        let args = self.call_args(LastComma::Allowed)?;
        let lambda = self.optional_lambda()?;
        let span = self.span_from(functor.span.start);
        Ok(Expr { span, kind: ExprKind::Call { functor: self.alloc(functor), args, lambda, rvalue: true } })
    }

    /// `receiver.name(args)` and a lambda
    pub(super) fn method_call(&mut self, receiver: Expr<'a>) -> ParseResult<Expr<'a>> {
        let mut start = self.here();
        self.bump();
        if !matches!(self.kind(), Tok::Name | Tok::Type) {
            return Err(self.unexpected());
        }
        let word = self.bump();
        let name = Expr { span: Span { start, end: word.end }, kind: ExprKind::Name(word.text) };
        let args = if self.kind() == Tok::LParen {
            // A call is placed at its parenthesis.
            start = self.here();
            self.bump();
            self.call_args(LastComma::Refused)?
        } else {
            &[]
        };
        let lambda = self.optional_lambda()?;
        let (receiver, name) = (self.alloc(receiver), self.alloc(name));
        Ok(Expr { span: self.span_from(start), kind: ExprKind::MethodCall { receiver, name, args, lambda } })
    }

    fn optional_lambda(&mut self) -> ParseResult<Option<&'a Lambda<'a>>> {
        if self.kind() != Tok::Pipe {
            return Ok(None);
        }
        self.nested(Self::lambda).map(Some)
    }

    /// `|params| >> Type { … }`
    fn lambda(&mut self) -> ParseResult<&'a Lambda<'a>> {
        let start = self.here();
        let params = self.piped_params()?;
        let return_type = self.return_type()?;
        let body = self.body_at(start)?;
        Ok(self.arena.alloc(Lambda { span: self.span_from(start), params, return_type, body }))
    }

    /// A body with its braces that is placed where its definition is.
    pub(super) fn body_at(&mut self, start: u32) -> ParseResult<&'a Expr<'a>> {
        let statements = self.braced_statements()?;
        let span = self.span_from(start);
        Ok(self.alloc(Expr { span, kind: ExprKind::Block(statements) }))
    }

    /// `left ? { … }`, `left ? value => value`
    pub(super) fn selector(&mut self, left: Expr<'a>) -> ParseResult<Expr<'a>> {
        self.bump();
        let arms = if self.eat(Tok::SelBrace) {
            let arms = self.list(|parser, _: &List<SelectorArm<'a>>| {
                loop {
                    let arm = parser.selector_arm()?;
                    parser.push(arm);
                    if !parser.eat(Tok::Comma) || parser.kind() == Tok::RBrace {
                        return Ok(());
                    }
                }
            })?;
            self.expect(Tok::RBrace)?;
            arms
        } else {
            let arm = self.selector_arm()?;
            self.arena.alloc_slice_copy(&[arm])
        };
        let span = self.span_from(left.span.start);
        Ok(Expr { span, kind: ExprKind::Selector { left: self.alloc(left), arms } })
    }

    fn selector_arm(&mut self) -> ParseResult<SelectorArm<'a>> {
        let matching = self.expression()?;
        let span = self.span();
        self.expect(Tok::FArrow)?;
        let value = self.expression()?;
        Ok(SelectorArm { span, matching, value })
    }

    /// `Type <| query |> { overrides }`
    pub(super) fn collect(&mut self, type_expr: Expr<'a>) -> ParseResult<Expr<'a>> {
        let start = self.here();
        let exported = self.bump().kind == Tok::LLCollect;
        let close = if exported { Tok::RRCollect } else { Tok::RCollect };
        let expr = if self.kind() == close {
            None
        } else {
            let expr = self.expression()?;
            Some(self.alloc(expr))
        };
        self.expect(close)?;
        let query = Query { exported, expr, span: self.span_from(start) };
        let attributes = if self.eat(Tok::LBrace) {
            let attributes = self.attributes()?;
            self.expect(Tok::RBrace)?;
            attributes
        } else {
            &[]
        };
        let span = self.span_from(type_expr.span.start);
        Ok(Expr { span, kind: ExprKind::Collect { type_expr: self.alloc(type_expr), query, attributes } })
    }
}
