//! Sequences of statements, and calls without parentheses.
//!
//! `notice 'a', 'b'` reaches the parser as the name `notice` and a list of two expressions. Once the
//! statements of a block are all there, names of statement functions take what follows them as arguments.

use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, Span};
use crate::lex::token::Tok;

/// A list of expressions where no function takes it, and the place of its first comma.
struct LooseList<'a> {
    comma: u32,
    name: Option<&'a str>,
}

impl<'a> Parser<'_, 'a> {
    /// One or more statements. `first` is the start of the first where that has been parsed already.
    pub(super) fn statements(&mut self, first: Option<Expr<'a>>) -> ParseResult<&'a [Expr<'a>]> {
        let mut loose = None;
        let statements = self.list(|parser, list| {
            parser.statement(list, first, &mut loose)?;
            while parser.eat(Tok::Semicolon) || starts_expression(parser.kind()) {
                parser.statement(list, None, &mut loose)?;
            }
            Ok(())
        })?;
        match loose {
            None => Ok(statements),
            Some(LooseList { comma, name: Some(name) }) => Err(self.refuse(
                comma,
                format!(
                    "attempt to pass argument list to the function '{name}' which cannot be called without \
                     parentheses"
                ),
            )),
            Some(LooseList { comma, name: None }) => {
                Err(self.refuse(comma, "illegal comma separated argument list"))
            }
        }
    }

    /// The statements between braces, if any.
    pub(super) fn braced_statements(&mut self) -> ParseResult<&'a [Expr<'a>]> {
        self.expect(Tok::LBrace)?;
        let statements = if self.kind() == Tok::RBrace { &[] } else { self.statements(None)? };
        self.expect(Tok::RBrace)?;
        Ok(statements)
    }

    /// A body with its braces: a single statement stands for itself.
    pub(super) fn block_or_expr(&mut self) -> ParseResult<&'a Expr<'a>> {
        let start = self.here();
        let statements = self.braced_statements()?;
        let span = self.span_from(start);
        let body = self.block_or_single(statements, span);
        Ok(self.alloc(body))
    }

    pub(super) fn block_or_single(&self, statements: &'a [Expr<'a>], span: Span) -> Expr<'a> {
        match statements {
            [single] => *single,
            _ => Expr { span, kind: ExprKind::Block(statements) },
        }
    }

    /// One statement, added to the list or to the call that takes it as arguments.
    fn statement(
        &mut self,
        list: &List<Expr<'a>>,
        first: Option<Expr<'a>>,
        loose: &mut Option<LooseList<'a>>,
    ) -> ParseResult<()> {
        let mut expr = match first {
            Some(first) => first,
            None => self.assignment()?,
        };
        if self.kind() != Tok::Comma {
            let previous = self.items(list).last().copied();
            if let Some(name) = previous.filter(is_statement_function) {
                let args = self.arena.alloc_slice_copy(&[expr]);
                self.replace_last(list, self.statement_call(name, args));
                return Ok(());
            }
            if let ExprKind::Call { rvalue, .. } = &mut expr.kind {
                *rvalue = false;
            }
            self.push(expr);
            return Ok(());
        }
        let comma = self.here();
        let args = self.list(|parser, _: &List<Expr<'a>>| {
            parser.push(expr);
            while parser.eat(Tok::Comma) {
                let next = parser.assignment()?;
                parser.push(next);
            }
            Ok(())
        })?;
        let previous = self.items(list).last().copied();
        match previous {
            Some(name) if is_statement_function(&name) => {
                self.replace_last(list, self.statement_call(name, args));
            }
            _ if loose.is_none() => {
                let name = previous.and_then(|previous| match previous.kind {
                    ExprKind::Name(name) => Some(name),
                    _ => None,
                });
                *loose = Some(LooseList { comma, name });
            }
            _ => {}
        }
        Ok(())
    }

    fn replace_last(&mut self, list: &List<Expr<'a>>, call: Expr<'a>) {
        if let Some(last) = self.items(list).last_mut() {
            *last = call;
        }
    }

    fn statement_call(&self, functor: Expr<'a>, args: &'a [Expr<'a>]) -> Expr<'a> {
        let end = args.last().map_or(functor.span.end, |last| last.span.end);
        Expr {
            span: Span { start: functor.span.start, end },
            kind: ExprKind::Call { functor: self.alloc(functor), args, lambda: None, rvalue: false },
        }
    }

    /// What `name { key => value }` is: a call of a statement function, or two expressions that the checks
    /// will refuse as a resource without title.
    pub(super) fn name_and_hash(&self, name: Expr<'a>, hash: Expr<'a>, span: Span) -> Expr<'a> {
        if is_statement_function(&name) {
            let args = self.arena.alloc_slice_copy(&[hash]);
            Expr { span, ..self.statement_call(name, args) }
        } else {
            Expr { span, kind: ExprKind::Block(self.arena.alloc_slice_copy(&[name, hash])) }
        }
    }
}

/// Whether an expression is the name of a function that may be called without parentheses.
fn is_statement_function(expr: &Expr<'_>) -> bool {
    let ExprKind::Name(name) = expr.kind else { return false };
    matches!(
        name,
        "require"
            | "realize"
            | "include"
            | "contain"
            | "tag"
            | "debug"
            | "info"
            | "notice"
            | "warning"
            | "err"
            | "fail"
            | "import"
            | "break"
            | "next"
            | "return"
    )
}

/// Whether an expression can start with a token.
pub(super) fn starts_expression(kind: Tok) -> bool {
    matches!(
        kind,
        Tok::String
            | Tok::Word
            | Tok::Name
            | Tok::ClassRef
            | Tok::Number
            | Tok::Regex
            | Tok::Variable
            | Tok::DqPre
            | Tok::Heredoc
            | Tok::RenderString
            | Tok::RenderExpr
            | Tok::LBrack
            | Tok::ListStart
            | Tok::LBrace
            | Tok::LParen
            | Tok::WsLParen
            | Tok::Minus
            | Tok::Times
            | Tok::Not
            | Tok::At
            | Tok::AtAt
            | Tok::Case
            | Tok::Class
            | Tok::Default
            | Tok::Define
            | Tok::If
            | Tok::Node
            | Tok::Undef
            | Tok::Boolean
            | Tok::Unless
            | Tok::Function
            | Tok::Type
            | Tok::Attr
            | Tok::Private
    )
}
