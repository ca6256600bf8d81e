//! Parameters and return types.

use super::args::LastComma;
use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, Param};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// `(params)` of a definition, or nothing
    pub(super) fn optional_params(&mut self) -> ParseResult<&'a [Param<'a>]> {
        if !self.eat(Tok::LParen) && !self.eat(Tok::WsLParen) {
            return Ok(&[]);
        }
        self.params_to(Tok::RParen)
    }

    /// `|params|`
    pub(super) fn piped_params(&mut self) -> ParseResult<&'a [Param<'a>]> {
        self.expect(Tok::Pipe)?;
        self.params_to(Tok::Pipe)
    }

    /// Parameters up to and with what closes them.
    fn params_to(&mut self, close: Tok) -> ParseResult<&'a [Param<'a>]> {
        if self.eat(close) {
            return Ok(&[]);
        }
        let params = self.list(|parser, _: &List<Param<'a>>| {
            loop {
                let param = parser.param()?;
                parser.push(param);
                if !parser.eat(Tok::Comma) || parser.kind() == close {
                    return Ok(());
                }
            }
        })?;
        self.expect(close)?;
        Ok(params)
    }

    /// `Type *$name = default`
    fn param(&mut self) -> ParseResult<Param<'a>> {
        let type_expr = if self.kind() == Tok::ClassRef {
            let type_expr = self.type_with_args()?;
            Some(self.alloc(type_expr))
        } else {
            None
        };
        let captures_rest = self.eat(Tok::Times);
        let span = self.span();
        let name = self.expect(Tok::Variable)?.text;
        let default = if self.eat(Tok::Equals) {
            let default = self.expression()?;
            Some(self.alloc(default))
        } else {
            None
        };
        Ok(Param { span, name, type_expr, default, captures_rest })
    }

    /// `Type`, `Type[args]`; no comma may precede the bracket.
    pub(super) fn type_with_args(&mut self) -> ParseResult<Expr<'a>> {
        let span = self.span();
        let name = self.expect(Tok::ClassRef)?;
        let type_name = Expr { span, kind: ExprKind::TypeName(name.text) };
        if !self.eat(Tok::LBrack) {
            return Ok(type_name);
        }
        let keys = self.access_args(LastComma::Refused)?;
        Ok(self.access_node(type_name, keys))
    }

    /// `>> Type`, or nothing
    pub(super) fn return_type(&mut self) -> ParseResult<Option<&'a Expr<'a>>> {
        if !self.eat(Tok::RShift) {
            return Ok(None);
        }
        let return_type = self.type_with_args()?;
        Ok(Some(self.alloc(return_type)))
    }
}
