//! Classes, defined types and functions.

use super::{ParseResult, Parser};
use crate::ast::{Definition, Expr, ExprKind, Span};
use crate::lex::token::{Tok, Token};

impl<'a> Parser<'_, 'a> {
    /// `class name (params) inherits parent { … }`
    pub(super) fn class(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let name = self.definition_name()?;
        // Inner definitions have the name in front of theirs.
        self.namespace.push(name.text);
        let params = self.optional_params()?;
        let parent = self.class_parent()?;
        let body = self.body_at(start)?;
        self.namespace.pop();
        let def = self.definition(self.qualified(name.text), name, params, body);
        Ok(self.defined(start, ExprKind::Class { def, parent }))
    }

    /// `define name (params) { … }`
    pub(super) fn define(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let name = self.definition_name()?;
        let params = self.optional_params()?;
        let body = self.body_at(start)?;
        let def = self.definition(self.qualified(name.text), name, params, body);
        Ok(self.defined(start, ExprKind::Define(def)))
    }

    /// `function name (params) >> Type { … }`
    pub(super) fn function(&mut self) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let name = self.definition_name()?;
        let params = self.optional_params()?;
        let return_type = self.return_type()?;
        let body = self.body_at(start)?;
        let def = self.definition(name.text, name, params, body);
        Ok(self.defined(start, ExprKind::Function { def, return_type }))
    }

    /// The name that is defined. Which names are legal is for the checks to say.
    fn definition_name(&mut self) -> ParseResult<Token<'a>> {
        match self.kind() {
            Tok::Name | Tok::Word | Tok::ClassRef => Ok(self.bump()),
            Tok::Class => Err(self.refuse_now(self.here(), "'class' keyword not allowed at this location")),
            Tok::String => Err(self.refuse_now(self.here(), "A quoted string is not valid as a name here")),
            _ => Err(self.unexpected()),
        }
    }

    fn class_parent(&mut self) -> ParseResult<Option<(&'a str, Span)>> {
        if !self.eat(Tok::Inherits) {
            return Ok(None);
        }
        let span = self.span();
        let name = if self.kind() == Tok::Default { self.bump() } else { self.definition_name()? };
        Ok(Some((name.text, span)))
    }

    /// The name with those of the classes around in front.
    fn qualified(&self, name: &'a str) -> &'a str {
        if self.namespace.is_empty() {
            return name;
        }
        let full = format!("{}::{name}", self.namespace.join("::"));
        self.arena.alloc_str(full.strip_prefix("::").unwrap_or(&full))
    }

    fn definition(
        &self,
        name: &'a str,
        word: Token<'a>,
        params: &'a [crate::ast::Param<'a>],
        body: &'a Expr<'a>,
    ) -> &'a Definition<'a> {
        let name_span = Span { start: word.start, end: word.end };
        self.arena.alloc(Definition { name, name_span, params, body })
    }

    /// Notes a definition that ends here.
    pub(super) fn defined(&mut self, start: u32, kind: ExprKind<'a>) -> Expr<'a> {
        let definition = Expr { span: self.span_from(start), kind };
        let noted = self.alloc(definition);
        self.definitions.push(noted);
        definition
    }
}
