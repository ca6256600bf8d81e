//! The constant texts of a unit that are noted to be of a syntax: heredocs like `@(END:toml)`.

use super::layout::unpack_place;
use super::reader::{Unit, UnitFault};
use crate::isa::{Op, decode};

/// A text with its syntax and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeredocText<'u> {
    /// The syntax.
    pub syntax: &'u str,
    /// The text.
    pub text: &'u str,
    /// Line of the text, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}

/// All of a unit, chunk by chunk.
///
/// # Errors
/// A [`UnitFault`] where the words are out of range.
pub fn heredoc_texts<'u>(unit: &Unit<'u>) -> Result<Vec<HeredocText<'u>>, UnitFault> {
    let mut found = Vec::new();
    if !unit.has_heredoc_syntax() {
        return Ok(found);
    }
    for number in 0..unit.chunks() {
        let chunk = unit.chunk(number)?;
        let mut constant = None;
        let mut pc = 0;
        while pc < chunk.code.len() {
            let (ins, next) = decode(chunk.code, pc).ok_or(UnitFault::Instruction(number, pc as u32))?;
            match (ins.op, constant) {
                (Op::LoadConst, _) => constant = Some((ins.a, ins.x as u32)),
                (Op::NoteSyntax, Some((register, constant))) if register == ins.a => {
                    if let Some(text) = unit.constant_text(constant)? {
                        let parts =
                            unit.position(&chunk, next as u32).map_or(&[][..], |position| position.parts);
                        let (line, column) = parts.first().map_or((0, 0), |place| unpack_place(*place));
                        found.push(HeredocText { syntax: unit.name(ins.x as u32)?, text, line, column });
                    }
                }
                _ => {}
            }
            pc = next;
        }
    }
    Ok(found)
}
