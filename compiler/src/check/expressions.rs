//! Calls, selectors and `case`.

use super::Checker;
use crate::ast::{CaseOption, Expr, ExprKind, SelectorArm};
use crate::label::{a_an_uc, label};

impl<'a> Checker<'_, '_> {
    /// Names and types can be called.
    pub(super) fn functor(&mut self, call: &Expr<'a>, functor: &Expr<'a>) {
        match functor.kind {
            ExprKind::Name(_) | ExprKind::TypeName(_) => {}
            ExprKind::Access { left, .. } if matches!(left.kind, ExprKind::TypeName(_)) => {}
            ExprKind::RenderText(_) => self.report.error(
                "ILLEGAL_EPP_PARAMETERS",
                call.span,
                "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading \
                 whitespace",
            ),
            _ => self.report.error(
                "ILLEGAL_EXPRESSION",
                functor.span,
                format!(
                    "Illegal expression. {} is unacceptable as function name in a Function Call",
                    a_an_uc(functor)
                ),
            ),
        }
    }

    /// One `default` is enough.
    pub(super) fn selector(&mut self, expr: &Expr<'a>, left: &Expr<'a>, arms: &[SelectorArm<'a>]) {
        self.rvalue(left);
        let mut defaults = arms.iter().filter(|arm| matches!(arm.matching.kind, ExprKind::Default));
        if let Some(second) = defaults.nth(1) {
            self.duplicate_default(expr, &second.matching);
        }
    }

    pub(super) fn case(&mut self, expr: &Expr<'a>, test: &Expr<'a>, options: &[CaseOption<'a>]) {
        self.rvalue(test);
        let values = options.iter().flat_map(|option| option.values);
        for default in values.filter(|value| matches!(value.kind, ExprKind::Default)).skip(1) {
            self.duplicate_default(expr, default);
        }
    }

    fn duplicate_default(&mut self, container: &Expr<'a>, default: &Expr<'a>) {
        self.report.error(
            "DUPLICATE_DEFAULT",
            default.span,
            format!("This {} already has a 'default' entry - this is a duplicate", label(container)),
        );
    }
}
