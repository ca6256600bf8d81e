//! `if`, `unless` and `case`.

use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{CaseOption, Expr, ExprKind, Span};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// `if … { } elsif … { } else { }`, from `if` or `elsif` on
    pub(super) fn if_expr(&mut self) -> ParseResult<Expr<'a>> {
        let (first, mut elsifs, links) = (self.condition()?, Vec::new(), self.links);
        while self.kind() == Tok::Elsif {
            self.link()?;
            elsifs.push(self.condition()?);
        }
        self.links = links;
        let mut otherwise = self.optional_else()?;
        while let Some(condition) = elsifs.pop() {
            let elsif = self.if_of(condition, otherwise);
            otherwise = Some(self.alloc(elsif));
        }
        Ok(self.if_of(first, otherwise))
    }

    /// `if … { }` or `elsif … { }`: the test, what is done then, where both stand.
    fn condition(&mut self) -> ParseResult<(&'a Expr<'a>, &'a Expr<'a>, Span)> {
        let start = self.bump().start;
        let test = self.expression()?;
        let then = self.block_or_expr()?;
        Ok((self.alloc(test), then, self.span_from(start)))
    }

    /// An `else` with nothing in it is as good as none.
    fn if_of(
        &self,
        (test, then, span): (&'a Expr<'a>, &'a Expr<'a>, Span),
        otherwise: Option<&'a Expr<'a>>,
    ) -> Expr<'a> {
        let span = if otherwise.is_some() { self.span_from(span.start) } else { span };
        Expr { span, kind: ExprKind::If { negated: false, test, then, otherwise } }
    }

    /// `unless … { } else { }`
    pub(super) fn unless_expr(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let test = self.expression()?;
        let then = self.block_or_expr()?;
        let span = self.span_from(start);
        let otherwise = self.optional_else()?;
        let kind = ExprKind::If { negated: true, test: self.alloc(test), then, otherwise };
        Ok(Expr { span, kind })
    }

    /// `else { }`; an empty one is as good as none.
    fn optional_else(&mut self) -> ParseResult<Option<&'a Expr<'a>>> {
        if !self.eat(Tok::Else) {
            return Ok(None);
        }
        let body = self.block_or_expr()?;
        Ok((!matches!(body.kind, ExprKind::Block([]))).then_some(body))
    }

    /// `case … { values: { } }`
    pub(super) fn case_expr(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let test = self.expression()?;
        self.expect(Tok::LBrace)?;
        let options = self.list(|parser, _: &List<CaseOption<'a>>| {
            loop {
                let option = parser.case_option()?;
                parser.push(option);
                if parser.kind() == Tok::RBrace {
                    return Ok(());
                }
            }
        })?;
        self.expect(Tok::RBrace)?;
        let kind = ExprKind::Case { test: self.alloc(test), options };
        Ok(Expr { span: self.span_from(start), kind })
    }

    fn case_option(&mut self) -> ParseResult<CaseOption<'a>> {
        let values = self.list(|parser, _: &List<Expr<'a>>| {
            loop {
                let value = parser.expression()?;
                parser.push(value);
                if !parser.eat(Tok::Comma) {
                    return Ok(());
                }
            }
        })?;
        let start = self.here();
        self.expect(Tok::Colon)?;
        let body = self.body_at(start)?;
        Ok(CaseOption { span: self.span_from(start), values, body })
    }
}
