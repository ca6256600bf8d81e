//! The constant texts that a unit's code gives to functions by name: `inline_template('<%= @a %>')`.

use super::reader::{Unit, UnitFault};
use crate::isa::{Op, decode};

/// A text, the function it is given to, and the line of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantArgument<'u> {
    /// The name of the function, as it is called.
    pub function: &'u str,
    /// The text.
    pub text: &'u str,
    /// The line of the call, from 1; 0 where it is not known.
    pub line: u32,
}

/// All texts that the unit gives to the functions of some names. Of an argument with several branches the text of the last one is told.
///
/// # Errors
/// A [`UnitFault`] where the words are out of range.
pub fn constant_arguments<'u>(
    unit: &Unit<'u>,
    functions: &[&str],
) -> Result<Vec<ConstantArgument<'u>>, UnitFault> {
    let mut found = Vec::new();
    let names = (0..unit.names()).filter(|name| unit.name(*name).is_ok_and(|name| functions.contains(&name)));
    let names: Vec<u32> = names.collect();
    if names.is_empty() {
        return Ok(found);
    }
    for number in 0..unit.chunks() {
        let chunk = unit.chunk(number)?;
        // The constant that each register has been given last.
        let mut constants = [None; 256];
        let mut pc = 0;
        while pc < chunk.code.len() {
            let (ins, next) = decode(chunk.code, pc).ok_or(UnitFault::Instruction(number, pc as u32))?;
            if matches!(ins.op, Op::Call | Op::CallMethod) && names.contains(&(ins.x as u32)) {
                let arguments = constants.iter().skip(usize::from(ins.b)).take(usize::from(ins.c));
                for constant in arguments.filter_map(|constant| *constant) {
                    if let Some(text) = unit.constant_text(constant)? {
                        let function = unit.name(ins.x as u32)?;
                        found.push(ConstantArgument { function, text, line: chunk.place(next as u32).0 });
                    }
                }
            }
            constants[usize::from(ins.a)] = (ins.op == Op::LoadConst).then_some(ins.x as u32);
            pc = next;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{abc, abx};
    use crate::unit::writer::{ChunkKind, ChunkSpec, Const, UnitWriter};
    use std::rc::Rc;

    #[test]
    fn texts_are_told_with_the_function_that_is_given_them() {
        let mut writer = UnitWriter::default();
        let (one, two) = (writer.name("one"), writer.name("two"));
        let [a, b, n] = [Const::Str("a".into()), Const::Str("b".into()), Const::Int(1 << 40)]
            .map(|value| writer.constant(&value) as u16);
        let main = writer.reserve_chunk();
        let mut code = vec![abx(Op::LoadConst, 0, a), abx(Op::LoadConst, 1, b), abx(Op::LoadConst, 2, n)];
        code.extend([abc(Op::Call, 0, 0, 3), one]);
        // What a call has answered, and what is moved, is no constant.
        code.extend([abc(Op::Call, 2, 0, 2), two, abc(Op::Move, 1, 2, 0), abc(Op::Call, 0, 1, 1), one]);
        code.extend([abx(Op::LoadConst, 5, a), abc(Op::CallMethod, 0, 5, 1), one, abc(Op::Return, 0, 0, 0)]);
        writer.chunk(
            main,
            ChunkSpec {
                kind: ChunkKind::Main,
                code,
                registers: 6,
                shape: Rc::default(),
                params: Vec::new(),
                return_chunk: None,
                positions: Vec::new(),
            },
        );
        let words = writer.finish();
        let unit = Unit::open(&words).expect("it is sound");
        let told = |functions: &[&str]| -> Vec<(String, String)> {
            let given = constant_arguments(&unit, functions).expect("it is sound").into_iter();
            given.map(|given| (given.function.to_owned(), given.text.to_owned())).collect()
        };
        let pair = |function: &str, text: &str| (function.to_owned(), text.to_owned());
        assert_eq!(told(&["one"]), [pair("one", "a"), pair("one", "b"), pair("one", "a")]);
        assert_eq!(told(&["two", "three"]), [pair("two", "b")]);
        assert_eq!(told(&[]), []);
    }
}
