//! Checks a chunk before it first runs: every operand in range, every jump forward and to an instruction, an end
//! that returns. What passes can be run without a further check of its words.

use super::layout::tag;
use super::reader::{Chunk, Unit, UnitFault};
use crate::isa::{Field, Ins, Op, OperandFormat, decode};
use crate::learned::UnitTexts;
use crate::operand::{CollectorKind, QueryStep, Relation, ResourceOperand};
use hashbrown::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is known of a unit's words, kept beside these by whoever keeps them: which chunks have passed the verifier, so that none is
/// verified twice, and the unit's texts.
#[derive(Debug, Default)]
pub struct Passed {
    chunks: Bits,
    /// Names found to be texts; a body's chunks share its names.
    names: Bits,
    /// Shapes whose names are all in order.
    shapes: Bits,
    pub(crate) texts: UnitTexts,
}

/// One bit for each of a number of things: whether it has been checked.
#[derive(Debug, Default)]
struct Bits(OnceLock<Box<[AtomicU64]>>);

impl Bits {
    /// Whether the bit of a thing is set, or its check passes; then it is.
    fn check(
        &self,
        count: u32,
        number: u32,
        check: impl FnOnce() -> Result<(), UnitFault>,
    ) -> Result<(), UnitFault> {
        let words = || (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let Some(word) = self.0.get_or_init(words).get(number as usize / 64) else { return check() };
        let bit = 1 << (number % 64);
        if word.load(Relaxed) & bit == 0 {
            check()?;
            word.fetch_or(bit, Relaxed);
        }
        Ok(())
    }
}

impl Passed {
    /// Verifies a chunk unless it has passed before.
    ///
    /// # Errors
    /// As [`verify`].
    pub fn verify(&self, unit: &Unit<'_>, chunk: &Chunk<'_>) -> Result<(), UnitFault> {
        self.chunks.check(unit.chunks(), chunk.number, || self.anew(unit, chunk))
    }

    fn name(&self, unit: &Unit<'_>, number: u32) -> Result<(), UnitFault> {
        self.names.check(unit.names(), number, || unit.name(number).map(|_| ()))
    }

    fn anew(&self, unit: &Unit<'_>, chunk: &Chunk<'_>) -> Result<(), UnitFault> {
        let number = chunk.number;
        if chunk.registers > MAX_REGISTERS || chunk.code.is_empty() {
            return Err(UnitFault::ChunkRecord(number));
        }
        // Once for all chunks of a body: it may have thousands of names, and a default for each.
        self.shapes.check(unit.list_words(), chunk.shape_list, || {
            chunk.shape.iter().try_for_each(|name| self.name(unit, *name))
        })?;
        for n in 0..chunk.param_count() {
            let param = chunk.param(n);
            self.name(unit, param.name)?;
            let chunks_known =
                [param.type_chunk, param.default_chunk].iter().flatten().all(|c| *c < unit.chunks());
            if param.slot as usize >= chunk.shape.len() || !chunks_known {
                return Err(UnitFault::ParamRecord(n as u32));
            }
        }
        if chunk.return_chunk.is_some_and(|c| c >= unit.chunks()) {
            return Err(UnitFault::ChunkRecord(number));
        }
        let mut starts = vec![false; chunk.code.len() + 1];
        let mut jumps = Vec::new();
        let mut pc = 0;
        let mut last = None;
        while pc < chunk.code.len() {
            starts[pc] = true;
            let (ins, next) = decode(chunk.code, pc).ok_or(UnitFault::Instruction(number, pc as u32))?;
            if self.operands(unit, chunk, &ins, pc as u32)? {
                jumps.push((pc, next as i64 + ins.x));
            }
            last = Some(ins.op);
            pc = next;
        }
        if !matches!(last, Some(Op::Return)) {
            return Err(UnitFault::FallsOff(number));
        }
        for (pc, target) in jumps {
            // Forward only: the language loops by calling lambdas, so a chunk that passes always comes to its end.
            if !usize::try_from(target).is_ok_and(|t| t > pc && t < chunk.code.len() && starts[t]) {
                return Err(UnitFault::JumpTarget(number, pc as u32));
            }
        }
        Ok(())
    }

    /// Checks the operands of an instruction; whether it jumps.
    fn operands(&self, unit: &Unit<'_>, chunk: &Chunk<'_>, ins: &Ins, pc: u32) -> Result<bool, UnitFault> {
        let fault = UnitFault::Operand(chunk.number, pc);
        let registers = chunk.registers;
        let mut jumps = false;
        for (name, field) in ins.op.fields() {
            let index = match name.as_bytes() {
                b"a" => u32::from(ins.a),
                b"b" => u32::from(ins.b),
                b"c" => u32::from(ins.c),
                _ => u32::try_from(ins.x).unwrap_or(u32::MAX),
            };
            let ok = match field {
                Field::Reg => index < registers,
                Field::Run(more) => index + u32::from(ins.c) + u32::from(*more) <= registers,
                Field::Pairs => index + 2 * u32::from(ins.c) <= registers,
                Field::Slot => (index as usize) < chunk.shape.len(),
                Field::Const => is_constant(unit, index),
                Field::Name => self.name(unit, index).is_ok(),
                Field::Chunk => index < unit.chunks(),
                Field::List => list(unit, ins, index, registers),
                Field::Resource => ResourceOperand::from_word(index).is_some(),
                Field::Collector => CollectorKind::from_word(index).is_some(),
                Field::Relation => Relation::from_word(index).is_some(),
                Field::None | Field::Num | Field::Int => true,
                Field::Jump => {
                    jumps = true;
                    true
                }
            };
            if !ok {
                return Err(fault);
            }
        }
        debug_assert!(ins.op.format() != OperandFormat::Sx || ins.op == Op::Jump);
        // The lambda of a call stands behind its arguments.
        match ins.op {
            Op::CallSplat if u32::from(ins.b) + u32::from(ins.c.min(1)) >= registers => Err(fault),
            _ => Ok(jumps),
        }
    }
}

/// Registers a chunk may have.
pub const MAX_REGISTERS: u32 = 256;

/// Verifies one chunk of a unit.
///
/// # Errors
/// The first [`UnitFault`] found.
pub fn verify(unit: &Unit<'_>, chunk: &Chunk<'_>) -> Result<(), UnitFault> {
    Passed::default().anew(unit, chunk)
}

/// How deep a constant may nest, and how many values it may stand for when parts that are shared are counted as often
/// as they show. What the compiler writes stays far below.
const MAX_NESTING: u32 = 1000;
const MAX_VALUES: u64 = 1 << 24;

/// Nesting and number of values of a constant, by number.
type Measured = HashMap<u32, (u32, u64)>;

/// Whether a constant is sound.
fn is_constant(unit: &Unit<'_>, number: u32) -> bool {
    match unit.constant(number) {
        // Most are texts and numbers.
        Ok((tag::STRING | tag::QUOTED | tag::REGEXP, payload)) => unit.string(payload).is_ok(),
        Ok((tag::UNDEF | tag::DEFAULT | tag::BOOL, _)) => true,
        Ok((tag::INT | tag::FLOAT, payload)) => unit.wide_number(payload).is_ok(),
        _ => constant(unit, number, 0, &mut Measured::new()).is_some(),
    }
}

/// Measures a constant; none if it is not sound. Parts only refer to constants in front of it, so there is no cycle;
/// `depth` is how many lie around it.
fn constant(unit: &Unit<'_>, number: u32, depth: u32, seen: &mut Measured) -> Option<(u32, u64)> {
    if let Some(measured) = seen.get(&number) {
        return Some(*measured);
    }
    let (tag, payload) = unit.constant(number).ok().filter(|_| depth <= MAX_NESTING)?;
    let mut measured = (0, 1u64);
    match tag {
        tag::UNDEF | tag::DEFAULT | tag::BOOL => {}
        tag::INT | tag::FLOAT => _ = unit.wide_number(payload).ok()?,
        tag::STRING | tag::QUOTED | tag::REGEXP => _ = unit.string(payload).ok()?,
        tag::ARRAY | tag::HASH => {
            let run = unit.wide_run(payload).ok()?;
            if tag == tag::HASH && run.len() % 2 != 0 {
                return None;
            }
            for part in run {
                let inner = (*part < number).then(|| constant(unit, *part, depth + 1, seen))??;
                measured = (measured.0.max(inner.0 + 1), measured.1.saturating_add(inner.1));
            }
        }
        _ => return None,
    }
    if measured.0 > MAX_NESTING || measured.1 > MAX_VALUES {
        return None;
    }
    seen.insert(number, measured);
    Some(measured)
}

fn list(unit: &Unit<'_>, ins: &Ins, at: u32, registers: u32) -> bool {
    let Ok(words) = unit.list(at) else { return false };
    match ins.op {
        Op::Unpack => words.len() == ins.c as usize && words.iter().all(|n| unit.name(*n).is_ok()),
        // A query: postfix triples of step, name and register (counted from behind the type's).
        Op::Collect => {
            let mut depth = 0usize;
            for triple in words.chunks(3) {
                let [step, name, register] = triple else { return false };
                match QueryStep::from_word(*step) {
                    Some(QueryStep::Eq | QueryStep::NotEq | QueryStep::Lone) => {
                        let register = register.checked_add(u32::from(ins.b) + 1);
                        if unit.name(*name).is_err() || register.is_none_or(|r| r >= registers) {
                            return false;
                        }
                        depth += 1;
                    }
                    Some(QueryStep::And | QueryStep::Or) if depth >= 2 => depth -= 1,
                    _ => return false,
                }
            }
            depth <= 1
        }
        _ => true,
    }
}
