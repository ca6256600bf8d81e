//! The disassembler: a unit's chunks as text, one instruction a line, operands named for what they are.

use super::reader::{Chunk, Unit, UnitFault};
use crate::isa::{Field, decode};
use crate::operand::{CollectorKind, Relation, ResourceOperand};
use std::fmt::Write;

/// The whole unit.
///
/// # Errors
/// A [`UnitFault`] where the words are out of range.
pub fn unit(unit: &Unit<'_>) -> Result<String, UnitFault> {
    let mut out = String::new();
    for number in 0..unit.chunks() {
        if number > 0 {
            out.push('\n');
        }
        out.push_str(&chunk(unit, number)?);
    }
    Ok(out)
}

/// One chunk: a heading, then its instructions.
///
/// # Errors
/// A [`UnitFault`] where the words are out of range.
pub fn chunk(unit: &Unit<'_>, number: u32) -> Result<String, UnitFault> {
    let chunk = unit.chunk(number)?;
    let mut out = String::new();
    let _ = write!(out, "chunk {number} {:?}, {} registers", chunk.kind, chunk.registers);
    for (n, name) in chunk.shape.iter().enumerate() {
        let _ = write!(out, "{} ${}", if n == 0 { ", slots" } else { "" }, unit.name(*name)?);
    }
    out.push('\n');
    for n in 0..chunk.param_count() {
        let param = chunk.param(n);
        let _ =
            write!(out, "  param {}${}", if param.captures_rest { "*" } else { "" }, unit.name(param.name)?);
        if let Some(chunk) = param.type_chunk {
            let _ = write!(out, " type C{chunk}");
        }
        if let Some(chunk) = param.default_chunk {
            let _ = write!(out, " default C{chunk}");
        }
        out.push('\n');
    }
    let mut pc = 0;
    while pc < chunk.code.len() {
        pc = instruction(unit, &chunk, pc, &mut out)?;
    }
    Ok(out)
}

fn instruction(unit: &Unit<'_>, chunk: &Chunk<'_>, pc: usize, out: &mut String) -> Result<usize, UnitFault> {
    let (ins, next) = decode(chunk.code, pc).ok_or(UnitFault::Instruction(chunk.number, pc as u32))?;
    let _ = write!(out, "{pc:5}  {:<15}", ins.op.name());
    let mut notes = String::new();
    for (n, (name, field)) in ins.op.fields().iter().enumerate() {
        let value = match *name {
            "a" => i64::from(ins.a),
            "b" => i64::from(ins.b),
            "c" => i64::from(ins.c),
            _ => ins.x,
        };
        out.push_str(if n == 0 { " " } else { ", " });
        let number = value as u32;
        let _ = match field {
            Field::Reg | Field::Run(_) | Field::Pairs => write!(out, "r{value}"),
            Field::Slot => {
                let name =
                    chunk.shape.get(number as usize).ok_or(UnitFault::Operand(chunk.number, pc as u32))?;
                write!(out, "${}", unit.name(*name)?)
            }
            Field::Const => {
                let _ = write!(notes, "{}", constant(unit, number, 0)?);
                write!(out, "k{value}")
            }
            Field::Name => write!(out, "`{}`", unit.name(number)?),
            Field::Chunk => write!(out, "C{value}"),
            Field::List => write!(out, "L{value}"),
            Field::Jump => write!(out, "→{}", next as i64 + value),
            Field::Resource => match ResourceOperand::from_word(number) {
                Some(operand) => write!(out, "{}", operand.text()),
                None => write!(out, "{value}"),
            },
            Field::Collector => {
                write!(out, "{}", CollectorKind::from_word(number).map_or("?", CollectorKind::text))
            }
            Field::Relation => write!(out, "{}", Relation::from_word(number).map_or("?", Relation::text)),
            Field::None | Field::Num | Field::Int => write!(out, "{value}"),
        };
    }
    if !notes.is_empty() {
        let _ = write!(out, "  ; {notes}");
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
    Ok(next)
}

fn constant(unit: &Unit<'_>, number: u32, depth: u32) -> Result<String, UnitFault> {
    use super::layout::tag;
    let (tag, payload) = unit.constant(number)?;
    Ok(match tag {
        tag::UNDEF => "undef".into(),
        tag::DEFAULT => "default".into(),
        tag::BOOL => (payload != 0).to_string(),
        tag::INT => (unit.wide_number(payload)? as i64).to_string(),
        tag::FLOAT => format!("{:?}", f64::from_bits(unit.wide_number(payload)?)),
        tag::STRING => format!("{:?}", unit.string(payload)?),
        tag::QUOTED => format!("quoted {:?}", unit.string(payload)?),
        tag::REGEXP => format!("/{}/", unit.string(payload)?),
        _ if depth > 3 => "…".into(),
        _ => {
            let parts = unit
                .wide_run(payload)?
                .iter()
                .map(|part| constant(unit, *part, depth + 1))
                .collect::<Result<Vec<_>, _>>()?;
            let (open, close) = if tag == tag::ARRAY { ('[', ']') } else { ('{', '}') };
            format!("{open}{}{close}", parts.join(", "))
        }
    })
}
