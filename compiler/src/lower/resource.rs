//! Resource expressions, defaults, overrides, collectors and relationships.

use super::body::{Body, Reg};
use super::label::label;
use crate::ast::{AttrOp, Attribute, BinaryOp, Expr, ExprKind, Query, RelationOp, ResourceForm, Span};
use bunraku_vm::isa::Op;
use bunraku_vm::unit::writer::Const;

impl Body<'_, '_> {
    pub(super) fn resource_statement(&mut self, expr: &Expr<'_>, to: Reg) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Resource { form, type_expr, bodies } => {
                let ty = self.value(type_expr);
                for body in *bodies {
                    let mark = self.mark();
                    let title = self.value(&body.title);
                    self.attributes(body.attributes);
                    self.abc(Op::Body, title, Reg(0), 0, body.span);
                    self.position_as(label(expr), body.span, &[]);
                    self.release(mark);
                }
                let form = match form {
                    ResourceForm::Regular => 0,
                    ResourceForm::Virtual => 1,
                    ResourceForm::Exported => 2,
                };
                self.abcw(Op::Resource, to, ty, form, bodies.len() as u32, span);
                let title = bodies.first().map_or(span, |body| body.title.span);
                self.position_of(expr, &[type_expr.span, title]);
            }
            ExprKind::ResourceDefaults { type_expr, attributes, .. } => {
                let ty = self.value(type_expr);
                self.attributes(attributes);
                self.abc(Op::Defaults, to, ty, 0, span);
                self.position_of(expr, &[type_expr.span, type_expr.span]);
            }
            ExprKind::ResourceOverride { resources, attributes, .. } => {
                let references = self.value(resources);
                self.attributes(attributes);
                self.abc(Op::Override, to, references, 0, span);
                self.position_of(expr, &[resources.span, resources.span]);
            }
            ExprKind::Collect { type_expr, query, attributes } => {
                self.collector(expr, type_expr, query, attributes, to);
            }
            _ => {}
        }
    }

    fn attributes(&mut self, attributes: &[Attribute<'_>]) {
        self.abc(Op::Attributes, Reg(0), Reg(0), 0, Span::default());
        for attribute in attributes {
            let mark = self.mark();
            match attribute {
                Attribute::Named { span, name, op, value } => {
                    let reg = self.value(value);
                    let name = self.low.unit.name(name);
                    let (op, sign) = match op {
                        AttrOp::Set => (Op::Attribute, "=>"),
                        AttrOp::Append => (Op::AttributeAppend, "+>"),
                    };
                    self.abx(op, reg, name, *span);
                    self.position_as(format!("'{sign}' expression"), *span, &[]);
                }
                Attribute::Splat { span, value } => {
                    let reg = self.value(value);
                    self.abc(Op::AttributeSplat, reg, Reg(0), 0, *span);
                    self.position_as(label(value), value.span, &[]);
                }
            }
            self.release(mark);
        }
    }

    fn collector(
        &mut self,
        expr: &Expr<'_>,
        type_expr: &Expr<'_>,
        query: &Query<'_>,
        attributes: &[Attribute<'_>],
        to: Reg,
    ) {
        let first = self.value(type_expr);
        let mut words = Vec::new();
        if let Some(query) = query.expr {
            self.query(query, first, &mut words);
        }
        let list = self.low.unit.list(&words);
        self.attributes(attributes);
        self.abcw(Op::Collect, to, first, u32::from(query.exported), list, expr.span);
        self.position_of(expr, &[type_expr.span, query.span]);
    }

    /// A query in postfix: triples of operation, attribute and the register of its value, counted from behind
    /// the type's.
    fn query(&mut self, expr: &Expr<'_>, first: Reg, words: &mut Vec<u32>) {
        match &expr.kind {
            ExprKind::Paren(inner) => self.query(inner, first, words),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs } => {
                self.query(lhs, first, words);
                self.query(rhs, first, words);
                words.extend([if *op == BinaryOp::And { 2 } else { 3 }, 0, 0]);
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let value = self.value(rhs);
                let attribute = match &lhs.kind {
                    ExprKind::Name(name) | ExprKind::Var(name) | ExprKind::Str(name) => name,
                    _ => "",
                };
                let name = self.low.unit.name(attribute);
                words.extend([u32::from(*op == BinaryOp::NotEq), name, value.0 - first.0 - 1]);
            }
            // The checks have refused everything else.
            _ => {}
        }
    }

    pub(super) fn relation(&mut self, expr: &Expr<'_>, to: Reg) {
        let ExprKind::Relation { op, lhs, rhs } = &expr.kind else {
            return self.load(to, &Const::Undef, expr.span);
        };
        let left = self.value(lhs);
        let right = self.value(rhs);
        let kind = match op {
            RelationOp::Before => 0,
            RelationOp::Notify => 1,
            RelationOp::After => 2,
            RelationOp::Subscribe => 3,
        };
        self.abcw(Op::Relate, to, left, right.0, kind, expr.span);
        self.position_of(expr, &[lhs.span, rhs.span]);
    }
}
