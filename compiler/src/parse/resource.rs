//! Resources: with titles, defaults, overrides; virtual and exported ones.

use super::scratch::List;
use super::{ParseResult, Parser};
use crate::ast::{AttrOp, Attribute, Expr, ExprKind, HashEntry, ResourceBody, ResourceForm, Span};
use crate::lex::token::Tok;

impl<'a> Parser<'_, 'a> {
    /// An expression and the resource bodies after it.
    pub(super) fn resource(&mut self) -> ParseResult<Expr<'a>> {
        let mut left = match self.kind() {
            Tok::At => {
                return self.marked(
                    ResourceForm::Virtual,
                    "Virtual (@) can only be applied to a Resource Expression",
                );
            }
            Tok::AtAt => {
                return self.marked(
                    ResourceForm::Exported,
                    "Exported (@@) can only be applied to a Resource Expression",
                );
            }
            Tok::Class if self.next_kind() == Tok::LBrace => self.nested(Self::class_resource)?,
            _ => self.expression()?,
        };
        let depth = self.depth;
        while self.kind() == Tok::LBrace {
            self.depth = self.depth.checked_sub(1).ok_or_else(|| self.too_deep())?;
            left = self.with_body(left)?;
            self.resource_end = self.at;
        }
        self.depth = depth;
        Ok(left)
    }

    /// `@resource`, `@@resource`
    fn marked(&mut self, mark: ResourceForm, refusal: &'static str) -> ParseResult<Expr<'a>> {
        let start = self.bump().start;
        let mut marked = self.nested(Self::resource)?;
        match &mut marked.kind {
            ExprKind::Resource { form, type_expr, bodies } => {
                *form = mark;
                // Bodies are placed where the resource is, and so is the word `class`.
                if type_expr.span.start == marked.span.start
                    && let ExprKind::Name("class") = type_expr.kind
                {
                    let span = Span { start, ..type_expr.span };
                    *type_expr = self.arena.alloc(Expr { span, kind: type_expr.kind });
                }
                let moved = bodies.iter().map(|body| {
                    let span = Span { start, ..body.span };
                    ResourceBody { span, ..*body }
                });
                *bodies = self.arena.alloc_slice_fill_iter(moved);
            }
            ExprKind::ResourceDefaults { form, .. } | ExprKind::ResourceOverride { form, .. } => *form = mark,
            _ => return Err(self.refuse(start, refusal)),
        }
        marked.span.start = start;
        Ok(marked)
    }

    /// `class { title: … }`
    fn class_resource(&mut self) -> ParseResult<Expr<'a>> {
        let word = self.bump();
        self.bump();
        let bodies = self.list(|parser, _: &List<ResourceBody<'a>>| parser.bodies(word.start))?;
        self.expect(Tok::RBrace)?;
        self.resource_end = self.at;
        let name = Span { start: word.start, end: word.end };
        let type_expr = self.alloc(Expr { span: name, kind: ExprKind::Name(word.text) });
        let kind = ExprKind::Resource { form: ResourceForm::Regular, type_expr, bodies };
        Ok(Expr { span: self.span_from(word.start), kind })
    }

    /// What stands in braces after an expression: bodies with titles, or attributes alone.
    fn with_body(&mut self, left: Expr<'a>) -> ParseResult<Expr<'a>> {
        let brace = self.bump();
        if self.starts_attributes() {
            let attributes = self.attributes()?;
            self.expect(Tok::RBrace)?;
            return self.untitled(left, brace.start, attributes);
        }
        let start = left.span.start;
        let bodies = self.list(|parser, _: &List<ResourceBody<'a>>| parser.bodies(start))?;
        self.expect(Tok::RBrace)?;
        let kind = ExprKind::Resource { form: ResourceForm::Regular, type_expr: self.alloc(left), bodies };
        Ok(Expr { span: self.span_from(start), kind })
    }

    /// Bodies between semicolons, the last of which may be followed by one.
    fn bodies(&mut self, start: u32) -> ParseResult<()> {
        loop {
            let title = self.expression()?;
            self.expect(Tok::Colon)?;
            let attributes = self.attributes()?;
            let span = Span { start, end: self.here() };
            self.push(ResourceBody { span, title, attributes });
            if !self.eat(Tok::Semicolon) || self.kind() == Tok::RBrace {
                return Ok(());
            }
        }
    }

    /// What an expression with attributes but no title is.
    fn untitled(
        &mut self,
        left: Expr<'a>,
        brace: u32,
        attributes: &'a [Attribute<'a>],
    ) -> ParseResult<Expr<'a>> {
        let span = self.span_from(left.span.start);
        let form = ResourceForm::Regular;
        let kind = match left.kind {
            ExprKind::Name(_) => {
                let hash = self.attributes_as_hash(brace, attributes).ok_or_else(|| {
                    self.refuse_now(brace, "Syntax error resource body without title or hash with +>")
                })?;
                return Ok(self.name_and_hash(left, hash, span));
            }
            ExprKind::TypeName(_) => {
                ExprKind::ResourceDefaults { form, type_expr: self.alloc(left), attributes }
            }
            ExprKind::Access { .. } => {
                ExprKind::ResourceOverride { form, resources: self.alloc(left), attributes }
            }
            _ => {
                return Err(self.refuse_now(
                    left.span.start,
                    "Expression is not valid as a resource, resource-default, or resource-override",
                ));
            }
        };
        Ok(Expr { span, kind })
    }

    /// Attributes after a name as the hash that they look like; none if one of them is `+>`.
    fn attributes_as_hash(&mut self, brace: u32, attributes: &[Attribute<'a>]) -> Option<Expr<'a>> {
        let span = self.span_from(brace);
        let nothing = Expr { span, kind: ExprKind::Nop };
        let mut entries = bumpalo::collections::Vec::with_capacity_in(attributes.len(), self.arena);
        for attribute in attributes {
            entries.push(match *attribute {
                Attribute::Named { op: AttrOp::Append, .. } => return None,
                Attribute::Named { name, value, .. } => {
                    HashEntry { span, key: Expr { span, kind: ExprKind::Str(name) }, value }
                }
                Attribute::Splat { .. } => HashEntry { span, key: nothing, value: nothing },
            });
        }
        Some(Expr { span, kind: ExprKind::Hash(entries.into_bump_slice()) })
    }

    /// Whether attributes follow, rather than a title. Only the arrow tells a name from a title.
    fn starts_attributes(&self) -> bool {
        let arrow = || matches!(self.next_kind(), Tok::FArrow | Tok::PArrow);
        match self.kind() {
            Tok::RBrace | Tok::Comma => true,
            Tok::And | Tok::Else | Tok::Elsif | Tok::In | Tok::Inherits | Tok::Or => true,
            Tok::Name | Tok::Times => arrow(),
            kind => is_attribute_name(kind) && arrow(),
        }
    }

    /// Attributes, maybe none, maybe with a comma at the end (or alone).
    pub(super) fn attributes(&mut self) -> ParseResult<&'a [Attribute<'a>]> {
        self.list(|parser, _: &List<Attribute<'a>>| {
            if starts_attribute(parser.kind()) {
                let attribute = parser.attribute()?;
                parser.push(attribute);
            }
            while parser.eat(Tok::Comma) && starts_attribute(parser.kind()) {
                let attribute = parser.attribute()?;
                parser.push(attribute);
            }
            Ok(())
        })
    }

    fn attribute(&mut self) -> ParseResult<Attribute<'a>> {
        let word = self.bump();
        if word.kind == Tok::Times {
            self.expect(Tok::FArrow)?;
            let value = self.expression()?;
            return Ok(Attribute::Splat { span: self.span_from(word.start), value });
        }
        let op = match self.kind() {
            Tok::FArrow => AttrOp::Set,
            Tok::PArrow => AttrOp::Append,
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let value = self.expression()?;
        Ok(Attribute::Named { span: self.span_from(word.start), name: word.text, op, value })
    }
}

fn starts_attribute(kind: Tok) -> bool {
    kind == Tok::Times || is_attribute_name(kind)
}

/// Names and keywords other than `true` and `false`.
fn is_attribute_name(kind: Tok) -> bool {
    kind == Tok::Name || kind.is_keyword() && kind != Tok::Boolean
}
