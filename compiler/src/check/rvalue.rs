//! Expressions that have no value, where one is needed.

use super::Checker;
use crate::ast::{Expr, ExprKind, HashEntry};
use crate::label::a_an_uc;
use bunraku_vm::cause::Cause;

impl<'a> Checker<'_, '_> {
    /// Needs a value of an expression.
    pub(super) fn rvalue(&mut self, expr: &Expr<'a>) {
        match expr.kind {
            kind if kind.is_definition() || matches!(kind, ExprKind::Collect { .. }) => self.report.error(
                "NOT_RVALUE",
                expr.span,
                format!("Invalid use of expression. {} does not produce a value", a_an_uc(expr)),
            ),
            ExprKind::Paren(inner) | ExprKind::Unary { expr: inner, .. } | ExprKind::Render(inner) => {
                self.rvalue(inner);
            }
            _ => {}
        }
    }

    pub(super) fn rvalues(&mut self, exprs: &[Expr<'a>]) {
        for expr in exprs {
            self.rvalue(expr);
        }
    }

    /// A side of an arrow: a collector or another arrow will do, too.
    pub(super) fn relation_side(&mut self, expr: &Expr<'a>) {
        if !matches!(expr.kind, ExprKind::Collect { .. } | ExprKind::Relation { .. }) {
            self.rvalue(expr);
        }
    }

    pub(super) fn hash_entry(&mut self, entry: &HashEntry<'a>) {
        self.rvalue(&entry.key);
        if matches!(entry.value.kind, ExprKind::Nop) {
            self.report.crash(
                Cause::Other,
                "Visitor Error: the configured receiver (Puppet::Pops::Validation::Checker4_0) can't handle \
                 instance of: NilClass",
                "`* =>` stands in braces after a name, where no resource is",
            );
            return;
        }
        self.rvalue(&entry.value);
    }
}
