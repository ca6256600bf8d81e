//! `if`, `unless`, `case` and selectors: options in order, the match scopes they open closed behind them.

use super::body::{BodyLowering, Jump, Reg};
use super::constant::constant;
use super::expr::{ResultUse, unfolded};
use super::points::Fork;
use crate::ast::{CaseOption, Expr, ExprKind, SelectorArm};
use bunraku_vm::isa::Op;
use bunraku_vm::unit::writer::Const;

impl BodyLowering<'_, '_> {
    /// `if` and `unless`.
    pub(super) fn conditional(&mut self, expr: &Expr<'_>, to: Reg, result: ResultUse) {
        self.guarded(|body| {
            let (mut ends, mut left) = (Vec::new(), expr);
            // What follows a test that fails, `elsif` by `elsif`: what the tests match goes with all of them.
            while let ExprKind::If { negated, test, then, otherwise } = &left.kind {
                let mark = body.mark();
                let truth = body.value(test);
                let skip = body.jump(Some((truth, *negated)), test.span);
                body.release(mark);
                let fork = if *negated { Fork::Unless } else { Fork::If };
                body.note_arm(fork, left.span, Some(then.span));
                body.last(then, to, result);
                ends.push(body.jump(None, then.span));
                body.land(skip);
                body.note_arm(fork, left.span, otherwise.map(|otherwise| otherwise.span));
                match otherwise {
                    Some(elsif) if matches!(elsif.kind, ExprKind::If { .. }) => left = elsif,
                    Some(otherwise) => {
                        body.last(otherwise, to, result);
                        break;
                    }
                    None => {
                        body.load(to, &Const::Undef, test.span);
                        break;
                    }
                }
            }
            ends.into_iter().for_each(|end| body.land(end));
        });
    }

    pub(super) fn case(
        &mut self,
        expr: &Expr<'_>,
        test: &Expr<'_>,
        options: &[CaseOption<'_>],
        to: Reg,
        result: ResultUse,
    ) {
        self.guarded(|body| {
            let value = body.value(test);
            let mut default: Option<&Expr<'_>> = None;
            let mut ends = Vec::new();
            for option in options {
                let mut hits = Vec::new();
                for candidate in option.values {
                    if is_default(candidate) {
                        default = Some(option.body);
                    } else {
                        hits.push(body.option(expr, test, value, candidate));
                    }
                }
                if hits.is_empty() {
                    continue;
                }
                let next = body.jump(None, option.span);
                for hit in hits {
                    body.land(hit);
                }
                body.note_arm(Fork::Case, expr.span, Some(option.body.span));
                body.last(option.body, to, result);
                ends.push(body.jump(None, option.span));
                body.land(next);
            }
            body.note_arm(Fork::Case, expr.span, default.map(|default| default.span));
            match default {
                Some(default) => body.last(default, to, result),
                None => body.load(to, &Const::Undef, expr.span),
            }
            for end in ends {
                body.land(end);
            }
        });
    }

    pub(super) fn selector(&mut self, expr: &Expr<'_>, left: &Expr<'_>, arms: &[SelectorArm<'_>], to: Reg) {
        self.guarded(|body| {
            let value = body.value(left);
            let mut default: Option<&Expr<'_>> = None;
            let mut ends = Vec::new();
            for arm in arms {
                if is_default(&arm.matching) {
                    default = Some(&arm.value);
                    continue;
                }
                let hit = body.option(expr, left, value, &arm.matching);
                let next = body.jump(None, arm.span);
                body.land(hit);
                body.note_arm(Fork::Selector, expr.span, Some(arm.value.span));
                body.expr(&arm.value, to);
                ends.push(body.jump(None, arm.span));
                body.land(next);
            }
            body.note_arm(Fork::Selector, expr.span, default.map(|default| default.span));
            match default {
                Some(default) => body.expr(default, to),
                None => {
                    body.abc(Op::NoOption, Reg(0), value, 0, expr.span);
                    body.position_of(expr, &[left.span, left.span]);
                }
            }
            for end in ends {
                body.land(end);
            }
        });
    }

    /// Tests one option; the jump is taken when it fits.
    fn option(&mut self, expr: &Expr<'_>, test: &Expr<'_>, value: Reg, candidate: &Expr<'_>) -> Jump {
        let mark = self.mark();
        let fits = self.take();
        let (op, inner) = match unfolded(candidate) {
            Some(inner) => (Op::OptionAny, inner),
            None => (Op::Option, candidate),
        };
        let option = self.value(inner);
        self.abc(op, fits, value, option.0, candidate.span);
        self.position_of(expr, &[test.span, candidate.span]);
        // Only a regular expression, or what may be one, opens a match scope.
        let plain = matches!(constant(inner, self.low.text), Some(c) if !matches!(c, Const::Regexp(_) | Const::Array(_) | Const::Hash(_)));
        self.matches += u32::from(!plain);
        self.release(mark);
        self.jump(Some((fits, true)), candidate.span)
    }

    /// Lowers what `build` makes; match scopes opened in it are closed behind it.
    fn guarded(&mut self, build: impl FnOnce(&mut Self)) {
        let mark = self.take();
        self.abc(Op::MarkMatches, mark, Reg(0), 0, Default::default());
        let before = self.matches;
        build(self);
        if self.matches != before {
            self.abc(Op::DropMatches, mark, Reg(0), 0, Default::default());
        }
    }
}

fn is_default(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Default => true,
        ExprKind::Paren(inner) => is_default(inner),
        _ => false,
    }
}
