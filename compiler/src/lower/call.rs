//! Calls of every form: prefix, statement, chained, `Type(…)`, with lambdas and splats.

use super::body::{BodyLowering, Reg};
use super::expr::unfolded;
use crate::ast::{Expr, ExprKind, Lambda};
use crate::label::{a_an, a_an_uc, label};
use bunraku_vm::isa::Op;
use bunraku_vm::unit::writer::Const;

impl BodyLowering<'_, '_> {
    /// `name(…)`, `Type(…)`.
    pub(super) fn call(&mut self, expr: &Expr<'_>, to: Reg) {
        let ExprKind::Call { functor, args, lambda, .. } = &expr.kind else { return };
        match &functor.kind {
            ExprKind::Name(name) => self.invoke(expr, name, None, (args, *lambda), to),
            ExprKind::TypeName(_) => self.invoke(expr, "new", Some(functor), (args, *lambda), to),
            ExprKind::Access { left, .. } if matches!(left.kind, ExprKind::TypeName(_)) => {
                self.invoke(expr, "new", Some(functor), (args, *lambda), to);
            }
            _ => self.bad_callee(expr, functor, "function name", to),
        }
    }

    /// `receiver.name(…)`
    pub(super) fn method_call(&mut self, expr: &Expr<'_>, to: Reg) {
        let ExprKind::MethodCall { receiver, name, args, lambda } = &expr.kind else { return };
        match &name.kind {
            ExprKind::Name(name) => self.invoke(expr, name, Some(receiver), (args, *lambda), to),
            _ => self.bad_callee(expr, name, "function name", to),
        }
    }

    fn bad_callee(&mut self, expr: &Expr<'_>, callee: &Expr<'_>, feature: &str, to: Reg) {
        let text =
            format!("Illegal expression. {} is unacceptable as {feature} in {}", a_an_uc(callee), a_an(expr));
        let text = self.low.unit.constant(&Const::Str(text));
        self.abx(Op::BadCallee, to, text, expr.span);
        self.position_as(&label(expr), callee.span, &[]);
    }

    fn invoke(
        &mut self,
        expr: &Expr<'_>,
        name: &str,
        first: Option<&Expr<'_>>,
        (args, lambda): (&[Expr<'_>], Option<&Lambda<'_>>),
        to: Reg,
    ) {
        let span = expr.span;
        let method = matches!(expr.kind, ExprKind::MethodCall { .. });
        let name = self.low.unit.name(name);
        let all = || first.into_iter().chain(args);
        let count = all().count();
        let from = Reg(self.mark());
        if count > 200 || all().any(|arg| unfolded(arg).is_some()) {
            let list = self.take();
            let owned: Vec<Expr<'_>> = all().copied().collect();
            self.array(&owned, list, span);
            if let Some(lambda) = lambda {
                let reg = self.take();
                self.closure(lambda, reg);
            }
            self.abcw(Op::CallSplat, to, from, u32::from(lambda.is_some()), name, span);
        } else {
            for arg in all() {
                self.value(arg);
            }
            let op = match lambda {
                Some(lambda) => {
                    let reg = self.take();
                    self.closure(lambda, reg);
                    if method { Op::CallMethodBlock } else { Op::CallBlock }
                }
                None if method => Op::CallMethod,
                None => Op::Call,
            };
            self.abcw(op, to, from, count as u32, name, span);
        }
        self.position(expr);
    }

    pub(super) fn closure(&mut self, lambda: &Lambda<'_>, to: Reg) {
        let shapes = std::mem::take(&mut self.shapes);
        let chunk = self.low.lambda(lambda, &shapes);
        self.shapes = shapes;
        self.abx(Op::Closure, to, chunk, lambda.span);
    }
}
