//! Operators: assignment, relationships, and everything that has a value, by precedence.
//!
//! From loose to tight: `=`; `->` and its kin; resources; `or`; `and`; `?`; `<` and its kin; `==` and `!=`;
//! `<<`; `+`; `*`; `=~`; `in`; unary `-`; splat; `!`; then calls, access and collection.

use super::args::LastComma;
use super::{ParseResult, Parser};
use crate::ast::{AssignOp, BinaryOp, Expr, ExprKind, RelationOp, Span, UnaryOp};
use crate::lex::token::Tok;

/// How tightly `?` binds.
const SELECT: u8 = 3;
/// Anything goes.
pub(super) const LOOSEST: u8 = 1;

/// The operator that a token is between two operands, and how tightly it binds.
fn binary(kind: Tok) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        Tok::Or => (BinaryOp::Or, 1),
        Tok::And => (BinaryOp::And, 2),
        Tok::GreaterEqual => (BinaryOp::GreaterEq, 4),
        Tok::GreaterThan => (BinaryOp::Greater, 4),
        Tok::LessThan => (BinaryOp::Less, 4),
        Tok::LessEqual => (BinaryOp::LessEq, 4),
        Tok::NotEqual => (BinaryOp::NotEq, 5),
        Tok::IsEqual => (BinaryOp::Eq, 5),
        Tok::LShift => (BinaryOp::ShiftLeft, 6),
        Tok::RShift => (BinaryOp::ShiftRight, 6),
        Tok::Minus => (BinaryOp::Sub, 7),
        Tok::Plus => (BinaryOp::Add, 7),
        Tok::Times => (BinaryOp::Mul, 8),
        Tok::Div => (BinaryOp::Div, 8),
        Tok::Modulo => (BinaryOp::Mod, 8),
        Tok::Match => (BinaryOp::Match, 9),
        Tok::NoMatch => (BinaryOp::NotMatch, 9),
        Tok::In => (BinaryOp::In, 10),
        _ => return None,
    })
}

/// The operator that a token is before an operand, and how tightly it binds.
fn prefix(kind: Tok) -> Option<(UnaryOp, u8)> {
    Some(match kind {
        Tok::Minus => (UnaryOp::Minus, 11),
        Tok::Times => (UnaryOp::Unfold, 12),
        Tok::Not => (UnaryOp::Not, 13),
        _ => return None,
    })
}

impl<'a> Parser<'_, 'a> {
    /// `relationship`, `relationship = assignment`
    pub(super) fn assignment(&mut self) -> ParseResult<Expr<'a>> {
        let left = self.relationship()?;
        let op = match self.kind() {
            Tok::Equals => AssignOp::Set,
            Tok::Appends => AssignOp::Append,
            Tok::Deletes => AssignOp::Delete,
            _ => return Ok(left),
        };
        let span = self.span();
        self.bump();
        let right = self.nested(Self::assignment)?;
        Ok(Expr { span, kind: ExprKind::Assign { op, lhs: self.alloc(left), rhs: self.alloc(right) } })
    }

    /// `resource -> resource`
    fn relationship(&mut self) -> ParseResult<Expr<'a>> {
        let mut left = self.resource()?;
        let links = self.links;
        loop {
            let op = match self.kind() {
                Tok::InEdge => RelationOp::Before,
                Tok::InEdgeSub => RelationOp::Notify,
                Tok::OutEdge => RelationOp::After,
                Tok::OutEdgeSub => RelationOp::Subscribe,
                _ => break,
            };
            self.link()?;
            let span = self.span();
            self.bump();
            let right = self.resource()?;
            left =
                Expr { span, kind: ExprKind::Relation { op, lhs: self.alloc(left), rhs: self.alloc(right) } };
        }
        self.links = links;
        Ok(left)
    }

    /// An expression that has a value.
    pub(super) fn expression(&mut self) -> ParseResult<Expr<'a>> {
        self.operand(LOOSEST)
    }

    /// An expression whose operators bind at least as tightly as given.
    fn operand(&mut self, tightness: u8) -> ParseResult<Expr<'a>> {
        self.nested(|parser| {
            let first = parser.prefixed()?;
            parser.operators(first, tightness)
        })
    }

    /// What goes on from an expression that has been parsed already.
    pub(super) fn operators(&mut self, first: Expr<'a>, tightness: u8) -> ParseResult<Expr<'a>> {
        let mut left = first;
        let links = self.links;
        loop {
            let kind = self.kind();
            left = match kind {
                Tok::LParen => self.call(left)?,
                Tok::LBrack => self.access(left)?,
                Tok::Dot => self.method_call(left)?,
                Tok::LCollect | Tok::LLCollect => self.collect(left)?,
                Tok::QMark if tightness <= SELECT => self.selector(left)?,
                _ => match binary(kind) {
                    Some((op, binds)) if binds >= tightness => {
                        let span = self.span();
                        self.bump();
                        let right = self.operand(binds + 1)?;
                        let (lhs, rhs) = (self.alloc(left), self.alloc(right));
                        Expr { span, kind: ExprKind::Binary { op, lhs, rhs } }
                    }
                    _ => break,
                },
            };
            self.link()?;
        }
        self.links = links;
        Ok(left)
    }

    /// Counts a link of a chain, which the tree nests as deep as it is long.
    pub(super) fn link(&mut self) -> ParseResult<()> {
        self.links = self.links.checked_sub(1).ok_or_else(|| self.too_deep())?;
        Ok(())
    }

    /// A primary expression with the operators before it.
    fn prefixed(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.span();
        if let Some((op, binds)) = prefix(self.kind()) {
            self.bump();
            let expr = self.operand(binds)?;
            return Ok(Expr { span: start, kind: ExprKind::Unary { op, expr: self.alloc(expr) } });
        }
        if matches!(self.kind(), Tok::LParen | Tok::WsLParen) {
            self.bump();
            let inner = self.assignment()?;
            self.expect(Tok::RParen)?;
            return Ok(Expr { span: self.span_from(start.start), kind: ExprKind::Paren(self.alloc(inner)) });
        }
        self.primary()
    }

    /// `left[keys]`
    fn access(&mut self, left: Expr<'a>) -> ParseResult<Expr<'a>> {
        self.bump();
        let keys = self.access_args(LastComma::Allowed)?;
        Ok(self.access_node(left, keys))
    }

    pub(super) fn access_node(&self, left: Expr<'a>, keys: &'a [Expr<'a>]) -> Expr<'a> {
        let span: Span = self.span_from(left.span.start);
        Expr { span, kind: ExprKind::Access { left: self.alloc(left), keys } }
    }
}
