//! Literal hashes.

use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, HashEntry};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// `{ key => value, … }`
    pub(super) fn hash(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.expect(Tok::LBrace)?.start;
        if self.eat(Tok::RBrace) {
            return Ok(Expr { span: self.span_from(start), kind: ExprKind::Hash(&[]) });
        }
        let key = self.pair_side()?;
        self.hash_after_key(start, key)
    }

    /// The same after the first key.
    pub(super) fn hash_after_key(&mut self, start: u32, key: Expr<'a>) -> ParseResult<Expr<'a>> {
        let entries = self.list(|parser, _: &List<HashEntry<'a>>| {
            let mut key = key;
            loop {
                let entry = parser.pair(key)?;
                parser.push(entry);
                if !parser.eat(Tok::Comma) || parser.kind() == Tok::RBrace {
                    return Ok(());
                }
                key = parser.pair_side()?;
            }
        })?;
        self.expect(Tok::RBrace)?;
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Hash(entries) })
    }
}
