//! What starts with `type`: aliases, mappings, definitions, and calls of the function `type`.

use super::args::LastComma;
use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, HashEntry, Span};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    pub(super) fn type_definition_or_call(&mut self) -> ParseResult<Expr<'a>> {
        let span = self.span();
        let word = self.bump();
        match self.kind() {
            // The parenthesis is taken as after any other operand.
            Tok::LParen => Ok(Expr { span, kind: ExprKind::Name(word.text) }),
            Tok::ClassRef if matches!(self.next_kind(), Tok::LBrace | Tok::Inherits) => {
                self.type_definition(span.start)
            }
            Tok::ClassRef => self.type_alias(),
            _ => Err(self.unexpected()),
        }
    }

    /// `type Name inherits Parent { … }`, which no version of Puppet supports
    fn type_definition(&mut self, start: u32) -> ParseResult<Expr<'a>> {
        let name = self.bump().text;
        let parent = if self.eat(Tok::Inherits) { Some(self.expect(Tok::ClassRef)?.text) } else { None };
        let body = self.body_at(start)?;
        Ok(self.defined(start, ExprKind::TypeDefinition { name, parent, body }))
    }

    /// `type Name = Type`, `type Name = { … }`, `type Runtime[…] = …`
    fn type_alias(&mut self) -> ParseResult<Expr<'a>> {
        let left = self.type_with_args()?;
        self.expect(Tok::Equals)?;
        let right = self.alias_target(left.span.start)?;
        let right = self.alloc(right);
        // The definition is placed at the name.
        let start = left.span.start;
        let kind = match left.kind {
            ExprKind::TypeName(name) => ExprKind::TypeAlias { name, body: self.as_type(start, right) },
            _ => ExprKind::TypeMapping { left: self.alloc(left), right },
        };
        Ok(self.defined(start, kind))
    }

    fn alias_target(&mut self, start: u32) -> ParseResult<Expr<'a>> {
        match self.kind() {
            Tok::LBrace => self.hash(),
            Tok::LBrack | Tok::ListStart => self.array(),
            Tok::ClassRef => {
                let span = self.span();
                let name = self.bump().text;
                let type_name = Expr { span, kind: ExprKind::TypeName(name) };
                match self.kind() {
                    Tok::LBrack => {
                        self.bump();
                        let keys = self.access_args(LastComma::Allowed)?;
                        Ok(self.placed(start, type_name, keys))
                    }
                    Tok::LBrace => {
                        let hash = self.hash()?;
                        Ok(self.object_type(start, type_name, hash))
                    }
                    _ => Ok(type_name),
                }
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `Parent { … }` is the object type that has this parent.
    fn object_type(&self, start: u32, parent: Expr<'a>, hash: Expr<'a>) -> Expr<'a> {
        let (ExprKind::TypeName(name), ExprKind::Hash(entries)) = (parent.kind, hash.kind) else {
            return parent;
        };
        if matches!(name, "Object" | "TypeSet") {
            return self.placed(start, parent, self.arena.alloc_slice_copy(&[hash]));
        }
        let span = hash.span;
        let key = Expr { span, kind: ExprKind::Name("parent") };
        let entry = HashEntry { span, key, value: parent };
        let entries =
            self.arena.alloc_slice_fill_iter(entries.iter().copied().chain([entry]).collect::<Vec<_>>());
        let hash = Expr { span, kind: ExprKind::Hash(entries) };
        let object = Expr { span: Span { start, end: start }, kind: ExprKind::TypeName("Object") };
        self.placed(start, object, self.arena.alloc_slice_copy(&[hash]))
    }

    /// `{ … }` is an object type; all else stands for itself.
    fn as_type(&self, start: u32, body: &'a Expr<'a>) -> &'a Expr<'a> {
        if !matches!(body.kind, ExprKind::Hash(_)) {
            return body;
        }
        let span = Span { start, end: start };
        let object = Expr { span, kind: ExprKind::TypeName("Object") };
        self.alloc(self.placed(start, object, self.arena.alloc_slice_copy(&[*body])))
    }

    /// An access that is placed where the definition is.
    fn placed(&self, start: u32, left: Expr<'a>, keys: &'a [Expr<'a>]) -> Expr<'a> {
        Expr { span: self.span_from(start), ..self.access_node(left, keys) }
    }
}
