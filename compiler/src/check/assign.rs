//! What can be assigned to, and where.

use super::Checker;
use super::label::a_an;
use super::names::is_numeric_variable;
use crate::ast::{AssignOp, Attribute, Expr, ExprKind, Part};
use crate::dump::assign_symbol;

impl<'a> Checker<'_, '_> {
    pub(super) fn assignment(&mut self, expr: &Expr<'a>, op: AssignOp, lhs: &Expr<'a>, rhs: &Expr<'a>) {
        if op == AssignOp::Set {
            self.assignable(lhs);
            self.rvalue(rhs);
            return;
        }
        self.report.error(
            "APPENDS_DELETES_NO_LONGER_SUPPORTED",
            expr.span,
            format!(
                "The operator '{}' is no longer supported. See http://links.puppet.com/remove-plus-equals",
                assign_symbol(op)
            ),
        );
    }

    /// Needs something that can be assigned to.
    fn assignable(&mut self, expr: &Expr<'a>) {
        match expr.kind {
            ExprKind::Var(name) => {
                if is_numeric_variable(name) {
                    self.report.error(
                        "ILLEGAL_NUMERIC_ASSIGNMENT",
                        expr.span,
                        format!(
                            "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric \
                             variables are not assignable"
                        ),
                    );
                }
                if name.contains("::") {
                    self.report.error(
                        "CROSS_SCOPE_ASSIGNMENT",
                        expr.span,
                        format!(
                            "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces"
                        ),
                    );
                }
            }
            ExprKind::Access { .. } => self.report.error(
                "ILLEGAL_INDEXED_ASSIGNMENT",
                expr.span,
                "Illegal attempt to assign via [index/key]. Not an assignable reference",
            ),
            ExprKind::Array(values) => {
                for value in values {
                    self.assignable(value);
                }
            }
            _ => self.report.error(
                "ILLEGAL_ASSIGNMENT",
                expr.span,
                format!("Illegal attempt to assign to '{}'. Not an assignable reference", a_an(expr)),
            ),
        }
    }

    /// Nothing may be assigned in the default of a parameter, but in a lambda.
    pub(super) fn no_assignment(&mut self, expr: &Expr<'a>) {
        if matches!(expr.kind, ExprKind::Assign { .. }) {
            self.report.error("ILLEGAL_ASSIGNMENT_CONTEXT", expr.span, "Assignment not allowed here");
            return;
        }
        each_child(expr, &mut |child| self.no_assignment(child));
    }
}

/// Calls back for each expression directly in another, in the model's order. Lambdas are left out.
fn each_child<'a>(expr: &Expr<'a>, visit: &mut impl FnMut(&Expr<'a>)) {
    let attributes = |attributes: &[Attribute<'a>], visit: &mut dyn FnMut(&Expr<'a>)| {
        for attribute in attributes {
            let (Attribute::Named { value, .. } | Attribute::Splat { value, .. }) = attribute;
            visit(value);
        }
    };
    match expr.kind {
        ExprKind::Paren(inner)
        | ExprKind::Unary { expr: inner, .. }
        | ExprKind::Render(inner)
        | ExprKind::Heredoc { text: inner, .. }
        | ExprKind::TypeAlias { body: inner, .. }
        | ExprKind::TypeDefinition { body: inner, .. } => visit(inner),
        ExprKind::Concat(parts) => {
            for part in parts {
                if let Part::Expr(inner) = part {
                    visit(inner);
                }
            }
        }
        ExprKind::Array(values) | ExprKind::Block(values) => values.iter().for_each(visit),
        ExprKind::Hash(entries) => {
            for entry in entries {
                visit(&entry.key);
                visit(&entry.value);
            }
        }
        ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Assign { lhs, rhs, .. }
        | ExprKind::Relation { lhs, rhs, .. }
        | ExprKind::TypeMapping { left: lhs, right: rhs } => {
            visit(lhs);
            visit(rhs);
        }
        ExprKind::Access { left, keys } => {
            visit(left);
            keys.iter().for_each(visit);
        }
        ExprKind::Selector { left, arms } => {
            visit(left);
            for arm in arms {
                visit(&arm.matching);
                visit(&arm.value);
            }
        }
        ExprKind::Case { test, options } => {
            visit(test);
            for option in options {
                option.values.iter().for_each(&mut *visit);
                visit(option.body);
            }
        }
        ExprKind::If { test, then, otherwise, .. } => {
            visit(test);
            visit(then);
            otherwise.into_iter().for_each(visit);
        }
        ExprKind::Call { functor: first, args, .. } | ExprKind::MethodCall { receiver: first, args, .. } => {
            visit(first);
            args.iter().for_each(visit);
        }
        ExprKind::Resource { type_expr, bodies, .. } => {
            visit(type_expr);
            for body in bodies {
                visit(&body.title);
                attributes(body.attributes, visit);
            }
        }
        ExprKind::ResourceDefaults { type_expr: first, attributes: rest, .. }
        | ExprKind::ResourceOverride { resources: first, attributes: rest, .. } => {
            visit(first);
            attributes(rest, visit);
        }
        ExprKind::Collect { type_expr, query, attributes: rest } => {
            visit(type_expr);
            query.expr.into_iter().for_each(&mut *visit);
            attributes(rest, visit);
        }
        ExprKind::Class { def, .. }
        | ExprKind::Define(def)
        | ExprKind::Function { def, .. }
        | ExprKind::Plan { def, .. } => {
            def.params.iter().filter_map(|param| param.default).for_each(&mut *visit);
            visit(def.body);
        }
        ExprKind::Node { body, .. } => visit(body),
        _ => {}
    }
}
