//! Collectors: what they collect and what their queries may ask.

use super::Checker;
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::label::{a_an, a_an_uc};

impl<'a> Checker<'_, '_> {
    pub(super) fn collected_type(&mut self, expr: &Expr<'a>, type_expr: &Expr<'a>) {
        if !matches!(type_expr.kind, ExprKind::TypeName(_)) {
            self.report.error(
                "ILLEGAL_EXPRESSION",
                type_expr.span,
                format!(
                    "Illegal expression. {} is unacceptable as type name in {}",
                    a_an_uc(type_expr),
                    a_an(expr)
                ),
            );
        }
    }

    /// Comparisons for equality, `and`, `or`, parentheses and plain values.
    pub(super) fn query(&mut self, expr: &Expr<'a>) {
        match expr.kind {
            ExprKind::Binary { op: BinaryOp::Eq | BinaryOp::NotEq, .. }
            | ExprKind::Var(_)
            | ExprKind::Name(_)
            | ExprKind::Int { .. }
            | ExprKind::IntOverflow(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::RenderText(_)
            | ExprKind::Bool(_) => {}
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, lhs, rhs } => {
                self.query(lhs);
                self.query(rhs);
            }
            ExprKind::Paren(inner) => self.query(inner),
            _ => self.report.error(
                "ILLEGAL_QUERY_EXPRESSION",
                expr.span,
                format!("Illegal query expression. {} cannot be used in a query", a_an_uc(expr)),
            ),
        }
    }
}
