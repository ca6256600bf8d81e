//! Expressions without an effect: where only a value is produced and nothing is done with it.

use super::Checker;
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::label::{a_an_uc, label};

impl<'a> Checker<'_, '_> {
    /// Only the last expression of a block may be there for its value.
    pub(super) fn block(&mut self, block: &Expr<'a>, statements: &[Expr<'a>]) {
        if let Some(name) = untitled_resource(block) {
            self.report.error(
                "RESOURCE_WITHOUT_TITLE",
                block.span,
                format!(
                    "This expression is invalid. Did you try declaring a '{name}' resource without a title?"
                ),
            );
            return;
        }
        let Some((_, others)) = statements.split_last() else { return };
        if let Some(idle) = others.iter().find(|statement| is_idem(statement)) {
            self.report.error(
                "IDEM_EXPRESSION_NOT_LAST",
                idle.span,
                format!(
                    "This {} has no effect. A value was produced and then forgotten (one or more preceding \
                     expressions may have the wrong form)",
                    label(idle)
                ),
            );
        }
    }

    /// The body of a class, defined type or node has no value, so not even the last may.
    pub(super) fn no_idem_last(&mut self, container: &Expr<'a>, body: &Expr<'a>) {
        let last = match body.kind {
            ExprKind::Block([]) => return,
            ExprKind::Block([.., last]) => last,
            _ => body,
        };
        if is_idem(last) && untitled_resource(last).is_none() {
            self.report.error(
                "IDEM_NOT_ALLOWED_LAST",
                last.span,
                format!(
                    "This {} has no effect. {} can not end with a value-producing expression without other effect",
                    label(last),
                    a_an_uc(container)
                ),
            );
        }
    }
}

/// The type of what looks like a resource without title: a name and a hash.
fn untitled_resource<'a>(expr: &Expr<'a>) -> Option<&'a str> {
    match expr.kind {
        ExprKind::Block([Expr { kind: ExprKind::Name(name), .. }, Expr { kind: ExprKind::Hash(_), .. }]) => {
            Some(name)
        }
        _ => None,
    }
}

/// Whether an expression is known to change nothing.
fn is_idem(expr: &Expr<'_>) -> bool {
    match expr.kind {
        ExprKind::Nop
        | ExprKind::Undef
        | ExprKind::Default
        | ExprKind::Bool(_)
        | ExprKind::Int { .. }
        | ExprKind::IntOverflow(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Concat(_)
        | ExprKind::Heredoc { .. }
        | ExprKind::Regex(_)
        | ExprKind::Name(_)
        | ExprKind::TypeName(_)
        | ExprKind::Reserved(_)
        | ExprKind::Var(_)
        | ExprKind::Array(_)
        | ExprKind::Hash(_)
        | ExprKind::Unary { .. }
        | ExprKind::Access { .. }
        | ExprKind::Selector { .. } => true,
        // A match sets $0 and its kin.
        ExprKind::Binary { op, .. } => !matches!(op, BinaryOp::Match | BinaryOp::NotMatch),
        ExprKind::Paren(inner) => is_idem(inner),
        ExprKind::Block(statements) => statements.iter().all(is_idem),
        ExprKind::If { test, then, otherwise, .. } => {
            is_idem(test) && is_idem(then) && otherwise.is_none_or(is_idem)
        }
        ExprKind::Case { test, options } => {
            is_idem(test)
                && options.iter().all(|option| option.values.iter().all(is_idem) && is_idem(option.body))
        }
        _ => false,
    }
}
