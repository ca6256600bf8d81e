//! Type aliases, mappings to Ruby types, and type definitions.

use super::Checker;
use super::names::is_type;
use super::walk::Around;
use crate::ast::{Expr, ExprKind};
use crate::label::{a_an, a_an_uc};

impl<'a> Checker<'_, '_> {
    pub(super) fn type_alias(&mut self, expr: &Expr<'a>, name: &str, body: &Expr<'a>, around: Around) {
        self.top_level(expr, around);
        if !is_type(name) {
            self.unacceptable_name(expr, name);
        }
        self.not_reserved_type(expr, name);
        self.type_reference(&a_an(expr), body);
    }

    /// `type Runtime[ruby, 'A'] = B`, `type Runtime[ruby, [/(.*)/, '\1']] = [/…/, '…']`
    pub(super) fn type_mapping(
        &mut self,
        expr: &Expr<'a>,
        left: &Expr<'a>,
        right: &Expr<'a>,
        around: Around,
    ) {
        self.top_level(expr, around);
        let pattern = match left.kind {
            ExprKind::Access { left: Expr { kind: ExprKind::TypeName("Runtime"), .. }, keys } => {
                keys.len() == 2 && is_replacement(&keys[1])
            }
            _ => return self.unsupported(expr),
        };
        let fits = if is_replacement(right) { pattern } else { is_type_reference(right) && !pattern };
        if !fits {
            let expected = if pattern { "Tuple[Regexp,String]" } else { "Type" };
            self.report.error(
                "ILLEGAL_TYPE_MAPPING",
                expr.span,
                format!(
                    "Illegal type mapping. Expected a {expected} on the left side, got {}",
                    a_an_uc(expr)
                ),
            );
        }
    }

    pub(super) fn type_definition(&mut self, expr: &Expr<'a>, around: Around) {
        self.top_level(expr, around);
        self.unsupported(expr);
    }

    fn unsupported(&mut self, expr: &Expr<'a>) {
        self.report.error(
            "UNSUPPORTED_EXPRESSION",
            expr.span,
            format!(
                "Expressions of type {} are not supported in this version of {}",
                a_an(expr),
                self.options.compat.product()
            ),
        );
    }
}

/// A pattern and what to put in its place.
fn is_replacement(expr: &Expr<'_>) -> bool {
    matches!(
        expr.kind,
        ExprKind::Array([Expr { kind: ExprKind::Regex(_), .. }, Expr { kind: ExprKind::Str(_), .. }])
    )
}

fn is_type_reference(expr: &Expr<'_>) -> bool {
    match expr.kind {
        ExprKind::Access { left, .. } => matches!(left.kind, ExprKind::TypeName(_)),
        kind => matches!(kind, ExprKind::TypeName(_)),
    }
}
