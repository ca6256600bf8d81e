//! What can be assigned to, and where.

use super::Checker;
use super::names::is_numeric_variable;
use crate::ast::{AssignOp, Expr, ExprKind};
use crate::label::a_an;
use crate::visit::{Lambdas, each_child};

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
                op.symbol()
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
        each_child(expr, Lambdas::Skip, &mut |child| self.no_assignment(child));
    }
}
