//! One chunk under construction: code, registers, jumps, positions.

use super::Lowering;
use super::points::ChunkNotes;
use super::typedef::TypeNames;
use crate::ast::{Expr, Span};
use crate::label::label;
use bunraku_vm::isa::{self, Op, OperandFormat};
use bunraku_vm::unit::shape::Shape;
use bunraku_vm::unit::writer::{ChunkKind, ChunkSpec, Const, ParamSpec, Position};
use std::rc::Rc;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reg(pub u32);

/// A jump whose target is not known yet.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    at: usize,
    span: Span,
}

/// A chunk under construction.
pub(super) struct BodyLowering<'l, 't> {
    pub low: &'l mut Lowering<'t>,
    kind: ChunkKind,
    code: Vec<u32>,
    positions: Vec<Position>,
    /// Shapes from the outermost body to this one; lambdas see those in front.
    pub shapes: Vec<Rc<Shape>>,
    next: u32,
    most: u32,
    /// Whether an unknown type name is no error yet: in what an alias stands for.
    pub lenient: bool,
    /// What short names of types mean in a type set.
    pub type_names: TypeNames,
    /// How many instructions that may open a match scope were emitted.
    pub matches: u32,
    /// Where expressions are in it, if that is asked for.
    pub chunk_notes: ChunkNotes,
}

impl<'l, 't> BodyLowering<'l, 't> {
    pub fn new(low: &'l mut Lowering<'t>, kind: ChunkKind, shapes: Vec<Rc<Shape>>) -> Self {
        BodyLowering {
            low,
            kind,
            code: Vec::new(),
            positions: Vec::new(),
            shapes,
            next: 0,
            most: 0,
            lenient: false,
            type_names: TypeNames::default(),
            matches: 0,
            chunk_notes: ChunkNotes::default(),
        }
    }

    /// How many words of code there are.
    pub fn code_len(&self) -> u32 {
        self.code.len() as u32
    }

    /// Whether the chunk may run many times in a compile, so that what never changes is worth keeping.
    pub fn is_repeated(&self) -> bool {
        !self.lenient
            && matches!(
                self.kind,
                ChunkKind::Lambda | ChunkKind::Function | ChunkKind::Define | ChunkKind::Template
            )
    }

    /// The next register.
    pub fn take(&mut self) -> Reg {
        self.next += 1;
        self.most = self.most.max(self.next);
        Reg(self.next - 1)
    }

    /// How many registers are taken, for [`BodyLowering::release`].
    pub fn mark(&self) -> u32 {
        self.next
    }

    /// Gives back what was taken since `mark`.
    pub fn release(&mut self, mark: u32) {
        self.next = mark;
    }

    fn byte(&mut self, number: u32, span: Span) -> u8 {
        u8::try_from(number).unwrap_or_else(|_| {
            self.low
                .fail("This expression is too complex to compile: it needs more than 256 registers", span);
            0
        })
    }

    fn short(&mut self, number: u32, span: Span) -> u16 {
        u16::try_from(number).unwrap_or_else(|_| {
            self.low.fail("This file has more constants or names than one unit can hold (65536)", span);
            0
        })
    }

    /// Emits an instruction of format `abc`.
    pub fn abc(&mut self, op: Op, a: Reg, b: Reg, c: u32, span: Span) {
        let (a, b, c) = (self.byte(a.0, span), self.byte(b.0, span), self.byte(c, span));
        self.code.push(isa::abc(op, a, b, c));
    }

    /// Emits an instruction of format `abcw`.
    pub fn abcw(&mut self, op: Op, a: Reg, b: Reg, c: u32, w: u32, span: Span) {
        debug_assert_eq!(op.format(), OperandFormat::Abcw);
        self.abc(op, a, b, c, span);
        self.code.push(w);
    }

    /// Emits an instruction of format `abx`.
    pub fn abx(&mut self, op: Op, a: Reg, x: u32, span: Span) {
        let (a, x) = (self.byte(a.0, span), self.short(x, span));
        self.code.push(isa::abx(op, a, x));
    }

    /// Loads a constant.
    pub fn load(&mut self, to: Reg, value: &Const, span: Span) {
        match value {
            Const::Undef => self.abc(Op::LoadUndef, to, Reg(0), 0, span),
            Const::Default => self.abc(Op::LoadDefault, to, Reg(0), 0, span),
            Const::Bool(b) => self.abc(Op::LoadBool, to, Reg(u32::from(*b)), 0, span),
            Const::Int(n) if i16::try_from(*n).is_ok() => {
                let a = self.byte(to.0, span);
                self.code.push(isa::asx(Op::LoadInt, a, *n as i16));
            }
            other => {
                let number = self.low.unit.constant(other);
                self.abx(Op::LoadConst, to, number, span);
            }
        }
    }

    /// Emits a forward jump; `when` is the register tested and whether it must be true.
    pub fn jump(&mut self, when: Option<(Reg, bool)>, span: Span) -> Jump {
        let at = self.code.len();
        match when {
            None => self.code.push(isa::sx(Op::Jump, 0)),
            Some((reg, truth)) => {
                let a = self.byte(reg.0, span);
                self.code.push(isa::asx(if truth { Op::JumpIf } else { Op::JumpUnless }, a, 0));
            }
        }
        Jump { at, span }
    }

    /// Lets a jump go to the next instruction.
    pub fn land(&mut self, jump: Jump) {
        let distance = self.code.len() - jump.at - 1;
        let word = self.code[jump.at];
        let [op, a, ..] = word.to_le_bytes();
        if op == Op::Jump as u8 {
            if distance >= 1 << 23 {
                self.low.fail("This body is too large to compile: a jump goes too far", jump.span);
            }
            self.code[jump.at] = isa::sx(Op::Jump, distance as i32);
            return;
        }
        match i16::try_from(distance) {
            Ok(distance) => {
                let op = Op::from_byte(op).unwrap_or(Op::JumpIf);
                self.code[jump.at] = isa::asx(op, a, distance);
            }
            Err(_) => self.low.fail("This body is too large to compile: a jump goes too far", jump.span),
        }
    }

    /// Says what the instruction just emitted stands for: label and place of `expr`.
    pub fn position(&mut self, expr: &Expr<'_>) {
        self.position_as(&label(expr), expr.span, &[]);
    }

    /// The same with the places of its parts: left operand, right operand or keys.
    pub fn position_of(&mut self, expr: &Expr<'_>, parts: &[Span]) {
        self.position_as(&label(expr), expr.span, parts);
    }

    /// The same with a label and place of its own.
    pub fn position_as(&mut self, label: &str, at: Span, parts: &[Span]) {
        let parts = parts.iter().map(|span| self.low.at(*span)).collect();
        self.positions.push(Position {
            pc: self.code.len() as u32,
            label: label.to_owned(),
            at: self.low.at(at),
            parts,
        });
    }

    /// Where a variable lives: how many scopes out and in which slot; none where the name is not known here.
    pub fn resolve(&self, name: &str) -> Option<(u32, u32)> {
        self.shapes.iter().rev().enumerate().find_map(|(up, shape)| {
            let slot = shape.slot(name)?;
            Some((up as u32, slot))
        })
    }

    /// Writes the chunk. `result` is the register it returns.
    pub fn finish(mut self, number: u32, result: Reg, params: Vec<ParamSpec>, return_chunk: Option<u32>) {
        self.abc(Op::Return, result, Reg(0), 0, Span::default());
        if let Some(noted) = &mut self.low.noted {
            noted.take_in(number, std::mem::take(&mut self.chunk_notes));
        }
        let spec = ChunkSpec {
            kind: self.kind,
            code: self.code,
            registers: self.most,
            shape: self.shapes.pop().unwrap_or_default(),
            params,
            return_chunk,
            positions: self.positions,
        };
        self.low.unit.chunk(number, spec);
    }
}
