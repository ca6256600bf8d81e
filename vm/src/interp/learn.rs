//! Keeps what a compile has found out about the types of parameters, and finds what an earlier one has.

use crate::error::Eval;
use crate::isa::{Op, decode};
use crate::learned::CheckedParams;
use crate::names;
use crate::types::instance::is_instance;
use crate::types::lasting::LastingType;
use crate::unit::ChunkRef;
use crate::vm::Vm;

impl<'c> Vm<'c> {
    /// What an earlier compile has learned of a chunk, as long as types mean what their files say.
    pub fn checked_params(&self, chunk: ChunkRef) -> Option<&'c CheckedParams> {
        self.code.unit(chunk.unit).learned.filter(|_| !self.types.own_types)?.get(chunk.chunk)
    }

    /// Whether what is learned of a chunk is kept at all.
    pub fn learns(&self, chunk: ChunkRef) -> bool {
        !self.types.own_types && self.code.unit(chunk.unit).learned.is_some()
    }

    /// Keeps for later compiles that the types of a chunk's parameters, which have been evaluated, depend on files
    /// alone.
    ///
    /// # Errors
    /// When the chunk does not verify.
    pub fn learn(&mut self, chunk: ChunkRef) -> Eval<'c, ()> {
        let linked = self.link(chunk)?;
        let Some(learned) = linked.unit.learned else { return Ok(()) };
        let mut fits = Vec::with_capacity(linked.params.len());
        let mut types = Vec::with_capacity(linked.params.len());
        for n in 0..linked.params.len() {
            let ty = self.linked_param_type(linked, n)?;
            let Some(lasting) = LastingType::of(ty) else { return Ok(()) };
            types.push(lasting);
            let literal =
                linked.code.chunk.param(n).default_chunk.and_then(|n| linked.unit.literal(self.arena, n));
            fits.push(literal.is_some_and(|value| is_instance(self, ty, value)));
        }
        learned.keep(
            linked.unit.unit.chunks(),
            chunk.chunk,
            CheckedParams { types: types.into(), fits: fits.into() },
        );
        Ok(())
    }

    /// The chunks of the declared types of a chunk's parameters.
    ///
    /// # Errors
    /// When the chunk does not verify.
    pub fn type_chunks(&self, chunk: ChunkRef) -> Eval<'c, Vec<ChunkRef>> {
        let record = self.link(chunk)?.code.chunk;
        let types = (0..record.param_count()).filter_map(|n| record.param(n).type_chunk);
        Ok(types.map(|number| ChunkRef { chunk: number, ..chunk }).collect())
    }

    /// The names in a type expression that is made of names, literals and brackets only; none for any other.
    ///
    /// # Errors
    /// When the chunk does not verify.
    pub fn names_of_type(&self, chunk: ChunkRef) -> Eval<'c, Option<Vec<&'c str>>> {
        let linked = self.link(chunk)?;
        let mut names = Vec::new();
        let mut pc = 0;
        while let Some((ins, next)) = decode(linked.code.chunk.code, pc) {
            match ins.op {
                Op::TypeName | Op::TypeReference => names.push(names::bare(linked.unit.name(ins.x as u32))),
                Op::LoadConst | Op::LoadInt | Op::LoadUndef | Op::LoadDefault | Op::LoadBool | Op::Negate => {
                }
                Op::NewArray | Op::NewHash | Op::Access | Op::Return => {}
                _ => return Ok(None),
            }
            pc = next;
        }
        Ok(Some(names))
    }
}
