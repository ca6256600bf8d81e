//! The parser: tokens to the syntax tree.
//!
//! Recursive descent for constructs, precedence climbing for operators (`expr`). It stops at the first
//! token that nothing can go on with, which is the token Puppet's table-driven parser names, too; therefore
//! no function here looks at a token before everything in front of it has been accepted.

mod args;
mod call;
mod control;
mod definition;
mod expr;
mod fault;
mod hash;
mod node;
mod number;
mod params;
mod primary;
mod recover;
mod render;
mod resource;
mod scratch;
mod statements;
mod text;
mod typedef;

#[cfg(test)]
mod tests;

use crate::ast::{Expr, ExprKind, Program, Span};
use crate::lex::token::{Tok, Token};
use crate::lex::{self, Lexed};
use crate::source::{Places, SourceFile, SourceKind};
use bumpalo::Bump;
use bunraku_vm::diagnostic::{Diagnostic, Severity};
use fault::ParseFault;
use scratch::Scratch;

/// What the parser allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// How deep expressions may nest.
    pub nesting: u32,
    /// How many links chains (`a -> b -> c`, `1 + 2 + 3`, `if … elsif …`) may have in all where they stand in each other: the tree
    /// that they make is as deep.
    pub links: u32,
    /// How many syntax errors are told. Puppet stops at the first.
    pub errors: usize,
}

impl Default for ParseLimits {
    /// The first error; 400 levels, which fit on the 2 MB stack of a thread even in a debug build. Who has a larger
    /// stack may allow more, in proportion. Links take no stack while they are parsed, and whoever walks over the tree has as much
    /// as that needs.
    fn default() -> Self {
        ParseLimits { nesting: 400, links: 10_000, errors: 1 }
    }
}

/// A file that is syntactically right.
#[derive(Clone, Debug)]
pub struct Parsed<'a> {
    /// The tree.
    pub program: Program<'a>,
    /// What the lexer warned of: escapes that are none.
    pub warnings: Vec<Diagnostic>,
}

/// Parses a file. Only the syntax is looked at; [`crate::check::check`] does the rest.
///
/// # Errors
/// The warnings and the syntax errors, in the order of their places, as many as the limits allow. The first is Puppet's own.
pub fn parse<'a>(
    arena: &'a Bump,
    source: &SourceFile<'a>,
    limits: &ParseLimits,
) -> Result<Parsed<'a>, Vec<Diagnostic>> {
    let lexed = lex::lex(arena, source.text, source.kind, limits.nesting);
    let mut parser = Parser::new(arena, &lexed, limits);
    let result = parser.program();
    let reached = parser.at;
    let mut places = Places::new(source);
    let mut diagnostics: Vec<Diagnostic> = lexed
        .warnings
        .iter()
        .filter(|warning| result.is_ok() || warning.token <= reached)
        .map(|warning| {
            let mut diagnostic = Diagnostic::error(warning.message.clone()).with_code(warning.code);
            diagnostic.severity = Severity::Warning;
            diagnostic.at(fault::place(&mut places, warning.place))
        })
        .collect();
    match result {
        Ok(program) => Ok(Parsed { program, warnings: diagnostics }),
        Err(fault) => {
            diagnostics.push(fault.into_diagnostic(&mut places));
            if source.kind == SourceKind::Manifest && limits.errors > 1 {
                let further = recover::further_faults(arena, &lexed, source.text, limits, reached);
                diagnostics.extend(further.into_iter().map(|fault| fault.into_diagnostic(&mut places)));
            }
            Err(diagnostics)
        }
    }
}

type ParseResult<T> = Result<T, Box<ParseFault>>;

struct Parser<'p, 'a> {
    arena: &'a Bump,
    tokens: &'p [Token<'a>],
    /// Index of the current token.
    at: usize,
    lexed: &'p Lexed<'a>,
    /// Nesting that is still allowed.
    depth: u32,
    /// Links of chains that are still allowed.
    links: u32,
    /// Names of the classes around, as written.
    namespace: Vec<&'a str>,
    definitions: Vec<&'a Expr<'a>>,
    scratch: Scratch<'a>,
    /// Index of the token after the last resource, which is no operand.
    resource_end: usize,
}

impl<'p, 'a> Parser<'p, 'a> {
    fn new(arena: &'a Bump, lexed: &'p Lexed<'a>, limits: &ParseLimits) -> Self {
        Parser {
            arena,
            tokens: &lexed.tokens,
            at: 0,
            lexed,
            depth: limits.nesting,
            links: limits.links,
            namespace: Vec::new(),
            definitions: Vec::new(),
            scratch: Scratch::default(),
            resource_end: 0,
        }
    }

    /// The whole file.
    fn program(&mut self) -> ParseResult<Program<'a>> {
        let body = if self.kind() == Tok::EppStart {
            self.template()?
        } else if self.kind() == Tok::End {
            Expr { span: self.span(), kind: ExprKind::Nop }
        } else {
            let statements = self.statements(None)?;
            let start = statements.first().map_or(0, |first| first.span.start);
            self.block_or_single(statements, Span { start, end: self.here() })
        };
        if self.kind() != Tok::End {
            return Err(self.unexpected());
        }
        Ok(Program {
            body: self.arena.alloc(body),
            definitions: self.arena.alloc_slice_copy(&self.definitions),
        })
    }

    /// The kind of the current token.
    #[inline]
    fn kind(&self) -> Tok {
        self.tokens[self.at].kind
    }

    /// The kind of the token after the current one.
    #[inline]
    fn next_kind(&self) -> Tok {
        self.tokens.get(self.at + 1).map_or(Tok::End, |token| token.kind)
    }

    /// The current token.
    #[inline]
    fn token(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    /// Place of the current token.
    fn span(&self) -> Span {
        let token = &self.tokens[self.at];
        Span { start: token.start, end: token.end }
    }

    /// Where the current token starts.
    fn here(&self) -> u32 {
        self.tokens[self.at].start
    }

    /// From an offset to the end of the token before the current one.
    fn span_from(&self, start: u32) -> Span {
        let end = self.at.checked_sub(1).map_or(start, |at| self.tokens[at].end);
        Span { start, end }
    }

    /// Accepts the current token.
    #[inline]
    fn bump(&mut self) -> Token<'a> {
        let token = self.tokens[self.at];
        // The last token is never passed.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Accepts the current token if it is of this kind.
    #[inline]
    fn eat(&mut self, kind: Tok) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Accepts a token of this kind, and no other.
    #[inline]
    fn expect(&mut self, kind: Tok) -> ParseResult<Token<'a>> {
        if self.kind() == kind { Ok(self.bump()) } else { Err(self.unexpected()) }
    }

    /// Runs a parser one level deeper.
    #[inline]
    fn nested<T>(&mut self, parser: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        let depth = self.depth;
        self.depth = depth.checked_sub(1).ok_or_else(|| self.too_deep())?;
        let result = parser(self);
        self.depth = depth;
        result
    }

    #[inline]
    fn alloc(&self, expr: Expr<'a>) -> &'a Expr<'a> {
        self.arena.alloc(expr)
    }
}
