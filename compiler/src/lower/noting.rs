//! Notes, while code is lowered, where expressions and arms are in it, if that is asked for.

use super::Lowering;
use super::body::{BodyLowering, Reg};
use super::points::{Arm, Fork, Point};
use crate::ast::{Expr, ExprKind, Span};
use crate::visit::{Lambdas, each_child};

impl Lowering<'_> {
    /// Lowers what is no code of the language; nothing of it is noted.
    pub(super) fn unnoted<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(noted) = &mut self.noted {
            noted.silent += 1;
        }
        let lowered = lower(self);
        if let Some(noted) = &mut self.noted {
            noted.silent -= 1;
        }
        lowered
    }
}

impl BodyLowering<'_, '_> {
    fn notes(&self) -> bool {
        self.low.noted.as_ref().is_some_and(|noted| noted.silent == 0)
    }

    /// Notes that an expression is what was lowered since the code was so long.
    #[inline]
    pub(super) fn note(&mut self, expr: &Expr<'_>, from: u32, to: Reg) {
        if self.low.noted.is_some() {
            self.note_point(expr, from, to);
        }
    }

    #[cold]
    fn note_point(&mut self, expr: &Expr<'_>, from: u32, to: Reg) {
        if !self.notes() || is_silent(expr) || self.code_len() == from {
            return;
        }
        let register = u8::try_from(to.0).ok();
        let point = Point { span: expr.span, from, to: self.code_len(), register };
        self.chunk_notes.points.push(point);
    }

    /// Notes a constant, and all that it consists of.
    #[inline]
    pub(super) fn note_constant(&mut self, expr: &Expr<'_>, from: u32, to: Reg) {
        if self.low.noted.is_some() {
            self.note_parts(expr, from, to);
        }
    }

    #[cold]
    fn note_parts(&mut self, expr: &Expr<'_>, from: u32, to: Reg) {
        self.note_point(expr, from, to);
        each_child(expr, Lambdas::Skip, &mut |child| self.note_parts(child, from, to));
    }

    /// Notes an attribute.
    pub(super) fn note_attribute(&mut self, span: Span, from: u32) {
        if self.notes() {
            let point = Point { span, from, to: self.code_len(), register: None };
            self.chunk_notes.points.push(point);
        }
    }

    /// Notes that an arm of a fork begins with the next instruction.
    pub(super) fn note_arm(&mut self, fork: Fork, of: Span, body: Option<Span>) {
        let at = self.code_len();
        self.push_arm(Arm { fork, of, body, at, by_jump: false });
    }

    /// Notes that a fork goes on behind the jump that was just emitted, or is over where that is taken.
    pub(super) fn note_jump(&mut self, fork: Fork, of: Span, right: Span) {
        let at = self.code_len();
        self.push_arm(Arm { fork, of, body: None, at: at.saturating_sub(1), by_jump: true });
        self.push_arm(Arm { fork, of, body: Some(right), at, by_jump: false });
    }

    fn push_arm(&mut self, arm: Arm) {
        if self.notes() {
            self.chunk_notes.arms.push(arm);
        }
    }
}

/// Whether no instruction stands for it where it is written: definitions, blocks (their expressions have some), empty expressions.
fn is_silent(expr: &Expr<'_>) -> bool {
    expr.kind.is_definition() || matches!(expr.kind, ExprKind::Block(_) | ExprKind::Nop)
}
