//! What compiles find out about a unit that is a function of files alone: kept beside the unit by whoever keeps the
//! files, so that the next compile need not find it out again. Nothing of a compile is in it.

use crate::error::Eval;
use crate::isa::{Op, decode};
use crate::names;
use crate::symbol::{Interner, KeptName, Symbol};
use crate::types::{LastingType, is_instance};
use crate::unit::ChunkRef;
use crate::unit::reader::Unit;
use crate::vm::Vm;
use std::sync::OnceLock;

/// What is known of a unit.
#[derive(Debug, Default)]
pub struct Learned {
    /// By chunk.
    chunks: OnceLock<Box<[OnceLock<Sound>]>>,
    /// By number: each is found to be text, and hashed, once.
    names: OnceLock<Box<[OnceLock<KeptName>]>>,
    /// By number of the constant: each that is a text is found to be one once.
    texts: OnceLock<Box<[OnceLock<Box<str>>]>>,
}

/// What is known of a chunk whose parameters' types are in order, and the same whoever evaluates them.
#[derive(Debug)]
pub struct Sound {
    /// By parameter, its type.
    pub types: Box<[LastingType]>,
    /// By parameter, whether its default is a plain value that is of its type.
    pub fits: Box<[bool]>,
}

impl Learned {
    pub(crate) fn get(&self, chunk: u32) -> Option<&Sound> {
        self.chunks.get()?.get(chunk as usize)?.get()
    }

    fn keep(&self, chunks: u32, chunk: u32, sound: Sound) {
        let all = self.chunks.get_or_init(|| (0..chunks).map(|_| OnceLock::new()).collect());
        if let Some(place) = all.get(chunk as usize) {
            let _ = place.set(sound);
        }
    }

    /// The symbol of the n-th name, where it has one in the base of the environment.
    #[inline]
    pub(crate) fn symbol(&self, symbols: &Interner<'_>, number: u32) -> Option<Symbol> {
        self.names.get()?.get(number as usize)?.get()?.symbol(symbols)
    }

    /// The text that a constant of the unit is, which lies at `string`.
    pub(crate) fn text(&self, unit: &Unit<'_>, number: u32, string: u32) -> Option<&str> {
        let all = self.texts.get_or_init(|| (0..unit.consts()).map(|_| OnceLock::new()).collect());
        let place = all.get(number as usize)?;
        match place.get() {
            Some(text) => Some(text),
            None => {
                let text = unit.string(string).ok()?;
                Some(place.get_or_init(|| text.into()))
            }
        }
    }

    /// The n-th name of the unit.
    pub(crate) fn name(&self, unit: &Unit<'_>, number: u32) -> Option<&KeptName> {
        let all = self.names.get_or_init(|| (0..unit.names()).map(|_| OnceLock::new()).collect());
        let place = all.get(number as usize)?;
        match place.get() {
            Some(name) => Some(name),
            None => {
                let name = KeptName::new(unit.name(number).ok()?);
                Some(place.get_or_init(|| name))
            }
        }
    }
}

impl<'c> Vm<'c> {
    /// What an earlier compile has learned of a chunk, as long as types mean what their files say.
    pub fn sound(&self, chunk: ChunkRef) -> Option<&'c Sound> {
        self.units[chunk.unit.0 as usize].learned.filter(|_| !self.own_types)?.get(chunk.chunk)
    }

    /// Whether what is learned of a chunk is kept at all.
    pub fn learns(&self, chunk: ChunkRef) -> bool {
        !self.own_types && self.units[chunk.unit.0 as usize].learned.is_some()
    }

    /// Remembers that the types of a chunk's parameters, which have been evaluated, depend on files alone.
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
                linked.chunk.param(n).default_chunk.and_then(|n| linked.unit.literal(self.arena, n));
            fits.push(literal.is_some_and(|value| is_instance(self, ty, value)));
        }
        learned.keep(
            linked.unit.unit.chunks(),
            chunk.chunk,
            Sound { types: types.into(), fits: fits.into() },
        );
        Ok(())
    }

    /// The chunks of the declared types of a chunk's parameters.
    ///
    /// # Errors
    /// When the chunk does not verify.
    pub fn type_chunks(&self, chunk: ChunkRef) -> Eval<'c, Vec<ChunkRef>> {
        let record = self.link(chunk)?.chunk;
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
        while let Some((ins, next)) = decode(linked.chunk.code, pc) {
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
