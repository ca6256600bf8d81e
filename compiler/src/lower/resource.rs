//! Resource expressions, defaults, overrides, collectors and relationships.

use super::body::{BodyLowering, Reg};
use super::expr::ResultUse;
use crate::ast::{AttrOp, Attribute, BinaryOp, Expr, ExprKind, Query, RelationOp, ResourceForm, Span};
use crate::label::label;
use bunraku_vm::isa::Op;
use bunraku_vm::operand::{self, CollectorKind, QueryStep, Relation, ResourceOperand};
use bunraku_vm::unit::writer::Const;

impl BodyLowering<'_, '_> {
    pub(super) fn resource_statement(&mut self, expr: &Expr<'_>, to: Reg, result: ResultUse) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Resource { form, type_expr, bodies } => {
                let ty = self.value(type_expr);
                let title = bodies.first().map_or(span, |body| body.title.span);
                if matches!(form, ResourceForm::Exported) {
                    self.abc(Op::Exporting, Reg(0), Reg(0), 0, span);
                    self.position_of(expr, &[type_expr.span, title]);
                }
                for body in *bodies {
                    let mark = self.mark();
                    let title = self.value(&body.title);
                    self.abc(Op::Title, title, Reg(0), 0, body.span);
                    self.position_as(&label(expr), body.title.span, &[]);
                    self.attributes(body.attributes);
                    self.abc(Op::Body, title, Reg(0), 0, body.span);
                    self.release(mark);
                }
                let form = match form {
                    ResourceForm::Regular => operand::ResourceForm::Regular,
                    ResourceForm::Virtual => operand::ResourceForm::Virtual,
                    ResourceForm::Exported => operand::ResourceForm::Exported,
                };
                // Only a name, a type or a type with brackets may say what is declared.
                let named = match &type_expr.kind {
                    ExprKind::Name(_) | ExprKind::TypeName(_) => true,
                    ExprKind::Access { left, .. } => matches!(left.kind, ExprKind::TypeName(_)),
                    _ => false,
                };
                let operand = ResourceOperand { form, unnamed: !named, unused: result == ResultUse::Unused };
                self.abcw(Op::Resource, to, ty, operand.word(), bodies.len() as u32, span);
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
            let (mark, from) = (self.mark(), self.code_len());
            match attribute {
                Attribute::Named { span, name, op, value } => {
                    let reg = self.value(value);
                    let name = self.low.unit.name(name);
                    let (op, sign) = match op {
                        AttrOp::Set => (Op::Attribute, "=>"),
                        AttrOp::Append => (Op::AttributeAppend, "+>"),
                    };
                    self.abx(op, reg, name, *span);
                    self.position_as(&format!("'{sign}' expression"), *span, &[]);
                    self.note_attribute(*span, from);
                }
                Attribute::Splat { span, value } => {
                    let reg = self.value(value);
                    self.abc(Op::AttributeSplat, reg, Reg(0), 0, *span);
                    self.position_as(&label(value), value.span, &[]);
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
        let first = self.take();
        match &type_expr.kind {
            // A collector takes the name as it stands: what it means is for the catalog to say.
            ExprKind::TypeName(name) => self.load(first, &Const::Str((*name).to_owned()), type_expr.span),
            _ => self.expr(type_expr, first),
        }
        // What the collector sets is evaluated before its query.
        self.attributes(attributes);
        let mut words = Vec::new();
        if let Some(query) = query.expr {
            self.query(expr, query, first, &mut words);
        }
        let list = self.low.unit.list(&words);
        let kind = if query.exported { CollectorKind::Exported } else { CollectorKind::Virtual };
        self.abcw(Op::Collect, to, first, kind.word(), list, expr.span);
        self.position_of(expr, &[type_expr.span, query.span]);
    }

    /// A query in postfix: triples of step, attribute and the register of its value, counted from behind
    /// the type's. `of` is the collector it belongs to.
    fn query(&mut self, of: &Expr<'_>, expr: &Expr<'_>, first: Reg, words: &mut Vec<u32>) {
        match &expr.kind {
            ExprKind::Paren(inner) => self.query(of, inner, first, words),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs } => {
                self.query(of, lhs, first, words);
                self.query(of, rhs, first, words);
                let step = if *op == BinaryOp::And { QueryStep::And } else { QueryStep::Or };
                words.extend([step.word(), 0, 0]);
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let attribute = match &lhs.kind {
                    ExprKind::Name(name) | ExprKind::Str(name) => name,
                    _ => {
                        // Evaluated for its faults; no attribute has such a name.
                        self.query_value(of, lhs);
                        ""
                    }
                };
                let value = self.query_value(of, rhs);
                let name = self.low.unit.name(attribute);
                let step = if *op == BinaryOp::NotEq { QueryStep::NotEq } else { QueryStep::Eq };
                words.extend([step.word(), name, value.0 - first.0 - 1]);
            }
            // The checks have refused everything else but a lone value.
            _ => {
                let value = self.query_value(of, expr);
                let name = self.low.unit.name("");
                words.extend([QueryStep::Lone.word(), name, value.0 - first.0 - 1]);
            }
        }
    }

    /// A value of a query: literals, variables, names and accesses; nothing that would have to be computed.
    fn query_value(&mut self, of: &Expr<'_>, expr: &Expr<'_>) -> Reg {
        let class = match &expr.kind {
            ExprKind::Paren(inner) => return self.query_value(of, inner),
            ExprKind::Binary { op, .. } => match op {
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight => "ArithmeticExpression",
                BinaryOp::Match | BinaryOp::NotMatch => "MatchExpression",
                BinaryOp::In => "InExpression",
                BinaryOp::And | BinaryOp::Or => return self.value(expr),
                _ => "ComparisonExpression",
            },
            ExprKind::Call { .. } => "CallNamedFunctionExpression",
            ExprKind::MethodCall { .. } => "CallMethodExpression",
            ExprKind::Array(_) => "LiteralList",
            ExprKind::Hash(_) => "LiteralHash",
            ExprKind::Regex(_) => "LiteralRegularExpression",
            ExprKind::TypeName(_) => "QualifiedReference",
            ExprKind::Default => "LiteralDefault",
            ExprKind::Selector { .. } => "SelectorExpression",
            ExprKind::Unary { op: crate::ast::UnaryOp::Not, .. } => "NotExpression",
            ExprKind::Unary { op: crate::ast::UnaryOp::Minus, .. } => "UnaryMinusExpression",
            ExprKind::Heredoc { .. } => "HeredocExpression",
            _ => return self.value(expr),
        };
        let message = format!("Cannot transform object of class Puppet::Pops::Model::{class}");
        self.failure(message, of);
        self.take()
    }

    pub(super) fn relation(&mut self, expr: &Expr<'_>, to: Reg) {
        let ExprKind::Relation { op, lhs, rhs } = &expr.kind else {
            return self.load(to, &Const::Undef, expr.span);
        };
        let left = self.left(lhs, to);
        let right = self.value(rhs);
        let kind = match op {
            RelationOp::Before => Relation::Before,
            RelationOp::Notify => Relation::Notify,
            RelationOp::After => Relation::After,
            RelationOp::Subscribe => Relation::Subscribe,
        };
        self.abcw(Op::Relate, to, left, right.0, kind.word(), expr.span);
        self.position_of(expr, &[lhs.span, rhs.span]);
    }
}
