//! The loop that runs bytecode. One flat match; what is rare or long lives in the neighbouring files, and is kept out
//! of the loop's code (`inline(never)`): it would take the registers of what is frequent, and the instruction cache.

mod bodies;
mod call;
mod declared;
mod fault;
mod learn;
mod operands;
mod resource;
mod run;
mod template;
mod variable;

use crate::access::access;
use crate::arith::{self, Arithmetic};
use crate::budget;
use crate::compare::Comparison;
use crate::coverage;
use crate::error::{Eval, Flow};
use crate::frame::Frame;
use crate::host::declaration::AttrOp;
use crate::isa::Op;
use crate::loaded::{Linked, broken};
use crate::matching;
use crate::scope::{Closure, Scope};
use crate::types::check_fault;
use crate::types::named::by_name;
use crate::unit::ChunkRef;
use crate::unit::reader;
use crate::value::Value;
use crate::vm::Vm;
use operands::{closure_of, concat, joined, put_hash, reserved_word};

impl<'c> Vm<'c> {
    /// Runs a linked chunk in a scope of its shape.
    pub(crate) fn execute(&mut self, linked: &'c Linked<'c>, scope: &'c Scope<'c>) -> Eval<'c> {
        self.count_call()?;
        if scope.slots.len() < linked.shape.len() {
            return Err(self.wrong_scope(linked));
        }
        let base = self.registers.len();
        self.registers.resize(base + linked.code.chunk.registers as usize, Value::Undef);
        self.frames.push(Frame { linked, pc: 0 });
        let (pending, templates) = (self.pending.mark(), self.texts.templates.len());
        let result = match self.frames.len() & self.running.between {
            0 => {
                let dispatch = self.running.dispatch;
                budget::on_grown_stack(|| dispatch(self, linked, scope, base))
            }
            _ => self.dispatch::<false>(linked, scope, base),
        };
        if result.is_err() {
            // What an error or a `return` jumped over.
            self.pending.reset(pending);
            self.texts.templates.truncate(templates);
        }
        let result = result.map_err(|flow| self.place_flow(flow));
        self.frames.pop();
        self.registers.truncate(base);
        result
    }

    /// The loop; `COVERS`: the one that notes what it runs.
    pub(crate) fn dispatch<const COVERS: bool>(
        &mut self,
        linked: &'c Linked<'c>,
        scope: &'c Scope<'c>,
        base: usize,
    ) -> Eval<'c> {
        let marks = if COVERS { self.marks_of(linked) } else { &[] };
        let code = linked.code.chunk.code;
        let unit = linked.unit;
        let arena = self.arena;
        let mut pc = 0usize;
        loop {
            let word = code[pc];
            if COVERS {
                self.look_at_watched(&marks[pc], linked, pc, base);
                marks[pc].set(marks[pc].get() | coverage::RAN);
            }
            pc += 1;
            let byte = |n: u32| (word >> (8 * n) & 0xff) as usize;
            let (op, a, b, c) = (byte(0), byte(1), byte(2), byte(3));
            let x = (word >> 16) as usize;
            // The verifier let no other byte through.
            let op = Op::ALL[op];

            macro_rules! reg {
                ($n:expr) => {
                    self.registers[base + $n]
                };
            }
            macro_rules! run {
                ($from:expr, $count:expr) => {
                    &self.registers[base + $from..base + $from + $count]
                };
            }
            macro_rules! wide {
                () => {{
                    let w = code[pc];
                    pc += 1;
                    w
                }};
            }
            // Everything that can fail, call out or log first says where it is.
            macro_rules! here {
                () => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.pc = pc as u32;
                    }
                };
            }
            macro_rules! jumped {
                () => {
                    if COVERS {
                        marks[pc - 1].set(marks[pc - 1].get() | coverage::JUMPED);
                    }
                };
            }
            // Integers the short way, and stored right here: a value that comes as a `Result` is put together in
            // pieces, and read again before they have arrived.
            macro_rules! arithmetic {
                ($op:expr, $quick:expr) => {{
                    let quick = match (&reg!(b), &reg!(c)) {
                        (&Value::Int(left), &Value::Int(right)) => $quick(left, right),
                        _ => None,
                    };
                    match quick {
                        Some(number) => reg!(a) = Value::Int(number),
                        None => {
                            here!();
                            let (left, right) = (reg!(b), reg!(c));
                            reg!(a) = arith::binary(self, $op, left, right)?;
                        }
                    }
                }};
            }
            macro_rules! ordering {
                ($op:expr) => {{
                    let holds = match (&reg!(b), &reg!(c)) {
                        (Value::Int(left), Value::Int(right)) => $op.holds(left.cmp(right)),
                        _ => {
                            here!();
                            let (left, right) = (reg!(b), reg!(c));
                            matching::compare(self, $op, left, right)?
                        }
                    };
                    reg!(a) = Value::Bool(holds);
                }};
            }

            match op {
                Op::LoadConst => reg!(a) = unit.constant(arena, x as u32),
                Op::LoadInt => reg!(a) = Value::Int(i64::from((word as i32) >> 16)),
                Op::LoadUndef => reg!(a) = Value::Undef,
                Op::LoadDefault => reg!(a) = Value::Default,
                Op::LoadBool => reg!(a) = Value::Bool(b != 0),
                Op::Move => reg!(a) = reg!(b),
                Op::GetSlot => match scope.slots[x].get() {
                    Some(value) => reg!(a) = value,
                    None => {
                        here!();
                        reg!(a) = self.outer_variable(linked.shape[x], scope)?;
                    }
                },
                Op::GetUp => {
                    let name = wide!();
                    here!();
                    reg!(a) = self.up_variable(linked, scope, b, c, name)?;
                }
                Op::GetVar => {
                    here!();
                    let name = unit.symbol(&self.symbols, x as u32);
                    reg!(a) = self.variable(name, scope)?;
                }
                Op::GetQualified => {
                    here!();
                    reg!(a) = self.qualified_variable(unit, x as u32)?;
                }
                Op::GetMatch => reg!(a) = self.match_group(x),
                Op::SetSlot => {
                    let slot = &scope.slots[x];
                    if slot.get().is_some() {
                        here!();
                        return Err(self.reassigned(linked.shape[x]));
                    }
                    slot.set(Some(reg!(a)));
                }
                Op::SetVar => {
                    here!();
                    let name = unit.symbol(&self.symbols, x as u32);
                    let value = reg!(a);
                    self.set_variable(name, value, scope)?;
                }
                Op::Unpack => {
                    let list = wide!();
                    here!();
                    let value = reg!(b);
                    self.unpack_to(unit, value, list, base + a)?;
                }
                Op::Add => arithmetic!(Arithmetic::Add, i64::checked_add),
                Op::Sub => arithmetic!(Arithmetic::Sub, i64::checked_sub),
                Op::Mul => arithmetic!(Arithmetic::Mul, i64::checked_mul),
                Op::Div => arithmetic!(Arithmetic::Div, arith::quick_div),
                Op::Mod => arithmetic!(Arithmetic::Mod, arith::quick_mod),
                Op::ShiftLeft => arithmetic!(Arithmetic::Shl, |_, _| None),
                Op::ShiftRight => arithmetic!(Arithmetic::Shr, |_, _| None),
                Op::Negate => {
                    here!();
                    let value = reg!(b);
                    reg!(a) = arith::negate(self, value)?;
                }
                Op::Not => reg!(a) = Value::Bool(!reg!(b).truthy()),
                Op::Truth => reg!(a) = Value::Bool(reg!(b).truthy()),
                Op::Equal | Op::NotEqual => {
                    let same = match (&reg!(b), &reg!(c)) {
                        (Value::Int(left), Value::Int(right)) => left == right,
                        (&left, &right) => {
                            here!();
                            let operator = if op == Op::Equal { "==" } else { "!=" };
                            matching::equal_operator(self, operator, left, right)?
                        }
                    };
                    reg!(a) = Value::Bool(same == (op == Op::Equal));
                }
                Op::Less => ordering!(Comparison::Less),
                Op::LessEqual => ordering!(Comparison::LessEqual),
                Op::Greater => ordering!(Comparison::Greater),
                Op::GreaterEqual => ordering!(Comparison::GreaterEqual),
                Op::Match | Op::NotMatch => {
                    here!();
                    let (left, right) = (reg!(b), reg!(c));
                    let matched = matching::match_operator(self, left, right)?;
                    reg!(a) = Value::Bool(matched == (op == Op::Match));
                }
                Op::In => {
                    here!();
                    let (left, right) = (reg!(b), reg!(c));
                    reg!(a) = Value::Bool(matching::includes(self, left, right)?);
                }
                Op::Jump => pc = pc.wrapping_add_signed(((word as i32) >> 8) as isize),
                Op::JumpIf => {
                    if reg!(a).truthy() {
                        jumped!();
                        pc = pc.wrapping_add_signed(((word as i32) >> 16) as isize);
                    }
                }
                Op::JumpUnless => {
                    if !reg!(a).truthy() {
                        jumped!();
                        pc = pc.wrapping_add_signed(((word as i32) >> 16) as isize);
                    }
                }
                Op::Option => {
                    here!();
                    let (value, option) = (reg!(b), reg!(c));
                    reg!(a) = Value::Bool(matching::matches_option(self, value, option)?);
                }
                Op::OptionAny => {
                    here!();
                    let (value, options) = (reg!(b), reg!(c));
                    reg!(a) = Value::Bool(self.matches_any(value, options)?);
                }
                Op::NoOption => {
                    here!();
                    return Err(self.unmatched_selector(reg!(b)));
                }
                Op::MarkMatches => reg!(a) = Value::Int(self.count_matches() as i64),
                Op::DropMatches => {
                    if let Value::Int(mark) = reg!(a) {
                        self.drop_matches(mark as usize);
                    }
                }
                Op::Concat => {
                    reg!(a) = concat(arena, &mut self.texts.scratch, &self.registers[base + b..base + b + c]);
                    if let Some(message) = check_fault::take() {
                        here!();
                        return Err(Flow::raw(message));
                    }
                }
                Op::NewArray => reg!(a) = Value::array(arena, run!(b, c)),
                Op::Append => reg!(a) = joined(arena, reg!(a), run!(b, c)),
                Op::Splat => {
                    here!();
                    let (items, value) = (reg!(a), reg!(b));
                    let more = self.splatted(value)?;
                    reg!(a) = joined(arena, items, &more);
                }
                Op::NewHash => reg!(a) = put_hash(arena, Value::Undef, run!(b, 2 * c)),
                Op::PutHash => reg!(a) = put_hash(arena, reg!(a), run!(b, 2 * c)),
                Op::Access => {
                    here!();
                    reg!(a) = match *run!(b, c + 1) {
                        [value, key] => access(self, scope, value, &[key])?,
                        _ => self.access_by_many(scope, base + b, c)?,
                    };
                }
                Op::TypeName => {
                    here!();
                    reg!(a) = self.type_name(unit, x as u32)?;
                }
                Op::TypeReference => {
                    here!();
                    reg!(a) = Value::Type(by_name(self, unit.name(x as u32))?);
                }
                Op::Once => {
                    here!();
                    reg!(a) = self.once(unit, x as u32)?;
                }
                Op::Call => {
                    let name = wide!();
                    here!();
                    reg!(a) = self.call_named(unit, name, base + b, c, None, scope)?;
                }
                Op::CallMethod => {
                    let name = wide!();
                    here!();
                    reg!(a) = self.call_method(unit, name, base + b, c, None, scope)?;
                }
                Op::CallMethodBlock => {
                    let name = wide!();
                    here!();
                    let block = closure_of(reg!(b + c));
                    reg!(a) = self.call_method(unit, name, base + b, c, block, scope)?;
                }
                Op::CallBlock => {
                    let name = wide!();
                    here!();
                    let block = closure_of(reg!(b + c));
                    reg!(a) = self.call_named(unit, name, base + b, c, block, scope)?;
                }
                Op::CallSplat => {
                    let name = wide!();
                    here!();
                    let block = if c == 1 { closure_of(reg!(b + 1)) } else { None };
                    let args = reg!(b);
                    reg!(a) = self.call_splat(unit, name, args, block, scope)?;
                }
                Op::Closure => {
                    let chunk = ChunkRef { unit: unit.id, chunk: x as u32 };
                    reg!(a) = Value::Closure(arena.alloc(Closure::new(chunk, scope.keep(), None)));
                }
                Op::Attributes => self.pending.open(),
                Op::Attribute | Op::AttributeAppend => {
                    here!();
                    let value = reg!(a);
                    let kind = if op == Op::AttributeAppend { AttrOp::Append } else { AttrOp::Set };
                    self.attribute(unit, x as u32, value, kind)?;
                }
                Op::AttributeSplat => {
                    here!();
                    let value = reg!(a);
                    self.splat_attributes(value)?;
                }
                Op::Title => {
                    here!();
                    let title = reg!(a);
                    self.check_title(title)?;
                }
                Op::Body => {
                    let title = reg!(a);
                    self.close_body(title);
                }
                Op::Resource => {
                    let count = wide!();
                    here!();
                    let ty = reg!(b);
                    reg!(a) = self.declare_resources(scope.keep(), ty, c, count as usize)?;
                }
                Op::Defaults => {
                    here!();
                    let ty = reg!(b);
                    self.set_defaults(scope, ty)?;
                    reg!(a) = ty;
                }
                Op::Override => {
                    here!();
                    let resources = reg!(b);
                    self.override_resources(scope, resources)?;
                    reg!(a) = resources;
                }
                Op::Collect => {
                    let list = wide!();
                    here!();
                    reg!(a) = self.collect(unit, scope.keep(), base + b, c, list)?;
                }
                Op::Relate => {
                    let kind = wide!();
                    here!();
                    let (left, right) = (reg!(b), reg!(c));
                    reg!(a) = self.relate(kind, left, right)?;
                }
                Op::RenderText => {
                    let text = unit.constant(arena, x as u32);
                    self.render_text(text.as_str().unwrap_or_default());
                }
                Op::Render => {
                    let value = reg!(a);
                    self.render_value(value);
                }
                Op::CheckSyntax => {
                    here!();
                    let text = reg!(a);
                    self.check_syntax(unit.name(x as u32), text)?;
                }
                Op::NoteSyntax => {}
                Op::Exporting => {
                    here!();
                    self.host.exporting(self.site());
                }
                Op::ReservedWord => {
                    here!();
                    return Err(reserved_word(unit.name(x as u32)));
                }
                Op::BadCallee => {
                    here!();
                    let text = unit.constant(arena, x as u32);
                    return Err(Flow::issue("ILLEGAL_EXPRESSION", text.as_str().unwrap_or_default()));
                }
                Op::Fail => {
                    here!();
                    let text = unit.constant(arena, x as u32);
                    return Err(Flow::raw(text.as_str().unwrap_or_default()));
                }
                Op::Return => return Ok(reg!(a)),
            }
        }
    }

    /// The error for an expression chunk run over a scope of another shape, which no compiler emits.
    #[cold]
    fn wrong_scope(&self, linked: &Linked<'c>) -> Box<Flow<'c>> {
        broken(linked.unit.file, reader::UnitFault::ChunkRecord(linked.code.chunk.number))
    }
}
