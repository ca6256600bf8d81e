//! Primary expressions: literals, names, variables, and what starts with a keyword.

use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// A primary expression.
    pub(super) fn primary(&mut self) -> ParseResult<Expr<'a>> {
        let token = self.token();
        let kind = match token.kind {
            Tok::Name => ExprKind::Name(token.text),
            Tok::String | Tok::Word => ExprKind::Str(token.text),
            Tok::Variable => ExprKind::Var(token.text),
            Tok::ClassRef => ExprKind::TypeName(token.text),
            Tok::Regex => ExprKind::Regex(token.text),
            Tok::Boolean => ExprKind::Bool(token.text == "true"),
            Tok::Default => ExprKind::Default,
            Tok::Undef => ExprKind::Undef,
            Tok::Private | Tok::Attr => ExprKind::Reserved(token.text),
            Tok::RenderString => ExprKind::RenderText(token.text),
            Tok::Number => {
                self.bump();
                return self.number(token);
            }
            Tok::DqPre => return self.interpolated(),
            Tok::Heredoc => return self.heredoc(),
            Tok::LBrack | Tok::ListStart => return self.array(),
            Tok::LBrace => return self.hash(),
            Tok::Case => return self.case_expr(),
            Tok::If => return self.if_expr(),
            Tok::Unless => return self.unless_expr(),
            Tok::Class => return self.class(),
            Tok::Define => return self.define(),
            Tok::Function => return self.function(),
            Tok::Node => return self.node(),
            Tok::Type => return self.type_definition_or_call(),
            Tok::RenderExpr => return self.render(),
            _ => return Err(self.unexpected()),
        };
        let span = self.span();
        self.bump();
        Ok(Expr { span, kind })
    }
}
