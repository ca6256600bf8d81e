//! Expressions: each is lowered into a given register.

use super::body::{BodyLowering, Reg};
use super::constant::{constant, is_checked, is_constant_type};
use super::points::Fork;
use crate::ast::{BinaryOp, Expr, ExprKind, Part, Span, UnaryOp};
use crate::visit::deeper;
use bunraku_vm::isa::Op;
use bunraku_vm::symbol::is_reserved;
use bunraku_vm::unit::writer::Const;
use std::borrow::Cow;

/// Elements are gathered in registers this many at a time.
const BATCH: usize = 32;

/// Whether the value of an expression is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultUse {
    Used,
    Unused,
}

impl BodyLowering<'_, '_> {
    /// Lowers `expr` into a register of its own.
    pub(super) fn value(&mut self, expr: &Expr<'_>) -> Reg {
        let to = self.take();
        self.expr(expr, to);
        to
    }

    /// Lowers the left side of an operator whose result ends in `to`. What is a chain itself ends there, too: however long the
    /// chain is, it needs no more registers.
    pub(super) fn left(&mut self, lhs: &Expr<'_>, to: Reg) -> Reg {
        match lhs.kind {
            ExprKind::Binary { .. } | ExprKind::Relation { .. } => {
                self.expr(lhs, to);
                to
            }
            _ => self.value(lhs),
        }
    }

    /// Lowers `expr` so that its value ends in `to`.
    pub(super) fn expr(&mut self, expr: &Expr<'_>, to: Reg) {
        self.last(expr, to, ResultUse::Used);
    }

    /// Lowers `expr` so that its value ends in `to`; where the value is not used, what is made for it alone may be
    /// left out. The last expression of a block, or of a branch, is used where the block or branch is.
    pub(super) fn last(&mut self, expr: &Expr<'_>, to: Reg, result: ResultUse) {
        deeper(|| self.lower(expr, to, result));
    }

    fn lower(&mut self, expr: &Expr<'_>, to: Reg, result: ResultUse) {
        let span = expr.span;
        let mark = self.mark();
        let from = self.code_len();
        if let Some(value) = constant(expr, self.low.text) {
            self.load(to, &value, span);
            return self.note_constant(expr, from, to);
        }
        match &expr.kind {
            ExprKind::Concat(parts) => self.concat(expr, parts, to),
            ExprKind::Heredoc { syntax, text } => self.heredoc(expr, syntax, text, to),
            ExprKind::Paren(inner) => self.last(inner, to, result),
            ExprKind::TypeName(name) => self.type_name(expr, name, to),
            ExprKind::Reserved(word) => {
                let name = self.low.unit.name(word);
                self.abx(Op::ReservedWord, to, name, span);
                self.position(expr);
            }
            ExprKind::Var(name) => self.variable(expr, name, to),
            ExprKind::Array(items) => self.array(items, to, span),
            ExprKind::Hash(entries) => {
                for (n, batch) in entries.chunks(BATCH).enumerate() {
                    let mark = self.mark();
                    let from = Reg(self.mark());
                    for entry in batch {
                        self.value(&entry.key);
                        self.value(&entry.value);
                    }
                    let op = if n == 0 { Op::NewHash } else { Op::PutHash };
                    self.abc(op, to, from, batch.len() as u32, span);
                    self.release(mark);
                }
            }
            ExprKind::Unary { op, expr: inner } => {
                let value = self.value(inner);
                match op {
                    UnaryOp::Not => self.abc(Op::Not, to, value, 0, span),
                    UnaryOp::Minus => {
                        self.abc(Op::Negate, to, value, 0, span);
                        self.position_of(expr, &[inner.span, inner.span]);
                    }
                    UnaryOp::Unfold => {
                        self.abc(Op::NewArray, to, Reg(0), 0, span);
                        self.abc(Op::Splat, to, value, 0, span);
                        self.position(expr);
                    }
                }
            }
            ExprKind::Binary { op: BinaryOp::And, lhs, rhs } => {
                self.logical(Fork::And, (expr.span, lhs, rhs), to)
            }
            ExprKind::Binary { op: BinaryOp::Or, lhs, rhs } => {
                self.logical(Fork::Or, (expr.span, lhs, rhs), to)
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let left = self.left(lhs, to);
                let right = self.value(rhs);
                self.abc(binary_op(*op), to, left, right.0, span);
                self.position_of(expr, &[lhs.span, rhs.span]);
                self.matches += u32::from(matches!(op, BinaryOp::Match | BinaryOp::NotMatch));
            }
            ExprKind::Assign { lhs, rhs, .. } => {
                self.expr(rhs, to);
                self.assign(expr, lhs, rhs, to);
            }
            ExprKind::Relation { .. } => self.relation(expr, to),
            ExprKind::Access { left, keys } => self.access(expr, left, keys, to),
            ExprKind::Selector { left, arms } => self.selector(expr, left, arms, to),
            ExprKind::Case { test, options } => self.case(expr, test, options, to, result),
            ExprKind::If { .. } => self.conditional(expr, to, result),
            ExprKind::Call { .. } => self.call(expr, to),
            ExprKind::MethodCall { .. } => self.method_call(expr, to),
            ExprKind::Lambda(lambda) => self.closure(lambda, to),
            ExprKind::Resource { .. }
            | ExprKind::ResourceDefaults { .. }
            | ExprKind::ResourceOverride { .. }
            | ExprKind::Collect { .. } => self.resource_statement(expr, to, result),
            ExprKind::Block(statements) => match statements.split_last() {
                None => self.load(to, &Const::Undef, span),
                Some((last, before)) => {
                    for statement in before {
                        self.last(statement, to, ResultUse::Unused);
                    }
                    self.last(last, to, result);
                }
            },
            ExprKind::RenderText(text) => {
                let text = self.low.unit.constant(&Const::Str((*text).to_owned()));
                self.abx(Op::RenderText, Reg(0), text, span);
                self.load(to, &Const::Undef, span);
            }
            ExprKind::Render(inner) => {
                self.expr(inner, to);
                self.abc(Op::Render, to, Reg(0), 0, span);
                self.load(to, &Const::Undef, span);
            }
            // Definitions stand beside the code; where they stand in it they are worth `undef`. The others are
            // constants, dealt with above.
            ExprKind::Class { .. }
            | ExprKind::Define(_)
            | ExprKind::Function { .. }
            | ExprKind::Plan { .. }
            | ExprKind::Node { .. }
            | ExprKind::TypeAlias { .. }
            | ExprKind::TypeDefinition { .. }
            | ExprKind::TypeMapping { .. }
            | ExprKind::Epp { .. }
            | ExprKind::Nop
            | ExprKind::Undef
            | ExprKind::Default
            | ExprKind::Bool(_)
            | ExprKind::Int { .. }
            | ExprKind::IntOverflow(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Regex(_)
            | ExprKind::Name(_) => self.load(to, &Const::Undef, span),
        }
        self.note(expr, from, to);
        self.release(mark);
    }

    /// A heredoc whose text is checked when it has been made, or, if it is constant, when the unit is loaded.
    fn heredoc(&mut self, expr: &Expr<'_>, syntax: &str, text: &Expr<'_>, to: Reg) {
        self.expr(text, to);
        let op = match &text.kind {
            _ if syntax.is_empty() => return,
            ExprKind::Str(_) if is_checked(syntax) => return,
            ExprKind::Str(_) => {
                self.low.unit.note_syntax();
                Op::NoteSyntax
            }
            _ => Op::CheckSyntax,
        };
        let name = self.low.unit.name(syntax);
        self.abx(op, to, name, expr.span);
        self.position_of(expr, &[text.span]);
    }

    fn concat(&mut self, expr: &Expr<'_>, parts: &[Part<'_>], to: Reg) {
        let mark = self.mark();
        let from = Reg(self.mark());
        // Long strings are joined from strings of about the same length: the text so far in front of each batch would
        // be copied as often as there are batches.
        let mut each = 1;
        while parts.len() > BATCH * each {
            each *= BATCH;
        }
        for some in parts.chunks(each) {
            match some {
                [Part::Text(text, span)] => {
                    let reg = self.take();
                    self.load(reg, &Const::Str((*text).to_owned()), *span);
                }
                [Part::Expr(inner)] => {
                    self.value(inner);
                }
                many => {
                    let reg = self.take();
                    self.concat(expr, many, reg);
                }
            }
        }
        let count = self.mark() - mark;
        self.abc(Op::Concat, to, from, count, expr.span);
        self.position(expr);
        self.release(mark);
    }

    /// Fails with a message where an expression is, which is known without running it.
    pub(super) fn failure(&mut self, message: String, of: &Expr<'_>) {
        let message = self.low.unit.constant(&Const::Str(message));
        self.abx(Op::Fail, Reg(0), message, of.span);
        self.position(of);
    }

    pub(super) fn type_name(&mut self, expr: &Expr<'_>, name: &str, to: Reg) {
        let name = self.type_names.resolve(name);
        let name = self.low.unit.name(&name);
        let op = if self.lenient { Op::TypeReference } else { Op::TypeName };
        self.abx(op, to, name, expr.span);
        self.position(expr);
    }

    fn variable(&mut self, expr: &Expr<'_>, name: &str, to: Reg) {
        let span = expr.span;
        if name.bytes().all(|b| b.is_ascii_digit()) {
            let group = name.parse::<u32>().unwrap_or(u32::MAX).min(u32::from(u16::MAX));
            return self.abx(Op::GetMatch, to, group, span);
        }
        let number = self.low.unit.name(name);
        if name.contains("::") {
            self.abx(Op::GetQualified, to, number, span);
        } else {
            match self.resolve(name) {
                Some((0, slot)) => self.abx(Op::GetSlot, to, slot, span),
                Some((up, slot)) if up < 256 && slot < 256 => {
                    self.abcw(Op::GetUp, to, Reg(up), slot, number, span);
                }
                _ => self.abx(Op::GetVar, to, number, span),
            }
        }
        self.position(expr);
    }

    /// `[a, *b, c]` into `to`; also the arguments of a call with a splat.
    pub(super) fn array(&mut self, items: &[Expr<'_>], to: Reg, span: Span) {
        let mut fresh = true;
        let mut rest = items;
        while !rest.is_empty() || fresh {
            let mark = self.mark();
            let from = Reg(self.mark());
            let plain = rest.iter().take(BATCH).take_while(|item| unfolded(item).is_none()).count();
            for item in &rest[..plain] {
                self.value(item);
            }
            self.abc(if fresh { Op::NewArray } else { Op::Append }, to, from, plain as u32, span);
            self.release(mark);
            fresh = false;
            rest = &rest[plain..];
            if let Some(inner) = rest.first().and_then(unfolded) {
                let value = self.value(inner);
                self.abc(Op::Splat, to, value, 0, span);
                self.position(&rest[0]);
                self.release(mark);
                rest = &rest[1..];
            }
        }
    }

    /// `and`, `or`: the right side is evaluated only if the left one does not decide, which a jump goes over it for.
    fn logical(&mut self, fork: Fork, (span, lhs, rhs): (Span, &Expr<'_>, &Expr<'_>), to: Reg) {
        self.expr(lhs, to);
        self.abc(Op::Truth, to, to, 0, lhs.span);
        let end = self.jump(Some((to, fork == Fork::Or)), lhs.span);
        self.note_jump(fork, span, rhs.span);
        self.expr(rhs, to);
        self.abc(Op::Truth, to, to, 0, rhs.span);
        self.land(end);
    }

    /// Assigns the value in `from`.
    fn assign(&mut self, expr: &Expr<'_>, lhs: &Expr<'_>, rhs: &Expr<'_>, from: Reg) {
        match &lhs.kind {
            ExprKind::Paren(inner) => self.assign(expr, inner, rhs, from),
            ExprKind::Var(name) => {
                // What only the compile itself sets is refused when it comes to it.
                match self.resolve(name) {
                    Some((0, slot)) if !is_reserved(name) => self.abx(Op::SetSlot, from, slot, expr.span),
                    _ => {
                        let name = self.low.unit.name(name);
                        self.abx(Op::SetVar, from, name, expr.span);
                    }
                }
                self.position_of(expr, &[lhs.span, rhs.span]);
            }
            ExprKind::Array(targets) => {
                let mark = self.mark();
                let first = Reg(self.mark());
                let names: Vec<u32> = targets
                    .iter()
                    .map(|target| {
                        self.take();
                        let name = match &target.kind {
                            ExprKind::Var(name) => Cow::Borrowed(*name),
                            _ => Cow::Owned(names_shown(target)),
                        };
                        self.low.unit.name(&name)
                    })
                    .collect();
                let list = self.low.unit.list(&names);
                self.abcw(Op::Unpack, first, from, names.len() as u32, list, expr.span);
                let mut parts = vec![lhs.span, rhs.span];
                parts.extend(targets.iter().map(|target| target.span));
                self.position_of(expr, &parts);
                for (n, target) in targets.iter().enumerate() {
                    self.assign(expr, target, rhs, Reg(first.0 + n as u32));
                }
                self.release(mark);
            }
            // The checks have refused every other left side.
            _ => {}
        }
    }

    fn access(&mut self, expr: &Expr<'_>, left: &Expr<'_>, keys: &[Expr<'_>], to: Reg) {
        if self.is_repeated() && is_constant_type(expr) {
            let chunk = self.low.expression_chunk(expr, vec![]);
            self.abx(Op::Once, to, chunk, expr.span);
            return self.position(expr);
        }
        let from = self.value(left);
        let is_class = matches!(left.kind, ExprKind::TypeName("Class"));
        for key in keys {
            match &key.kind {
                // In `Class[Foo]` an unknown name is no error yet.
                ExprKind::TypeName(name) if is_class => {
                    let reg = self.take();
                    let name = self.low.unit.name(name);
                    self.abx(Op::TypeReference, reg, name, key.span);
                    self.position(key);
                }
                _ => {
                    self.value(key);
                }
            }
        }
        self.abc(Op::Access, to, from, keys.len() as u32, expr.span);
        let parts: Vec<Span> = std::iter::once(left).chain(keys).map(|part| part.span).collect();
        self.position_of(expr, &parts);
    }
}

/// What stands behind the `*` of a splat, through parentheses.
pub(super) fn unfolded<'e>(expr: &'e Expr<'_>) -> Option<&'e Expr<'e>> {
    match &expr.kind {
        ExprKind::Unary { op: UnaryOp::Unfold, expr } => Some(expr),
        ExprKind::Paren(inner) => unfolded(inner),
        _ => None,
    }
}

fn binary_op(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Sub,
        BinaryOp::Mul => Op::Mul,
        BinaryOp::Div => Op::Div,
        BinaryOp::Mod => Op::Mod,
        BinaryOp::ShiftLeft => Op::ShiftLeft,
        BinaryOp::ShiftRight => Op::ShiftRight,
        BinaryOp::Eq => Op::Equal,
        BinaryOp::NotEq => Op::NotEqual,
        BinaryOp::Less => Op::Less,
        BinaryOp::LessEq => Op::LessEqual,
        BinaryOp::Greater => Op::Greater,
        BinaryOp::GreaterEq => Op::GreaterEqual,
        BinaryOp::Match => Op::Match,
        BinaryOp::NotMatch => Op::NotMatch,
        BinaryOp::In => Op::In,
        BinaryOp::And | BinaryOp::Or => Op::Truth,
    }
}

/// The names of a multiple assignment within another, as Ruby shows an array of them: that is the key that a hash is asked for.
fn names_shown(target: &Expr<'_>) -> String {
    match &target.kind {
        ExprKind::Paren(inner) => names_shown(inner),
        ExprKind::Var(name) => format!("\"{name}\""),
        ExprKind::Array(targets) => {
            let names: Vec<String> = targets.iter().map(names_shown).collect();
            format!("[{}]", names.join(", "))
        }
        _ => String::new(),
    }
}
