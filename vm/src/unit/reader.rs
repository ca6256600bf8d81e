//! Reads a unit where it lies. Whatever the words, nothing here panics: what is out of range is a [`UnitFault`].

use super::layout::{
    CAPTURES_REST, CHUNK_WORDS, DEF_WORDS, HEADER_WORDS, MAGIC, PARAM_WORDS, POSITION_WORDS, Section,
    VERSION, tag, unpack_place,
};
use super::writer::ChunkKind;
use super::{Def, DefKind, HostMatch};
use crate::regex::is_like_one;
use std::fmt;

/// What is wrong with a unit's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnitFault {
    NotAUnit,
    Version(u32),
    Truncated,
    Section(Section),
    Text,
    StringNumber(u32),
    NameNumber(u32),
    ConstNumber(u32),
    ChunkNumber(u32),
    ChunkRecord(u32),
    ListNumber(u32),
    ParamRecord(u32),
    DefRecord(u32),
    /// An instruction of a chunk, at a program counter.
    Instruction(u32, u32),
    /// An operand out of range, at a program counter of a chunk.
    Operand(u32, u32),
    /// A jump backwards, into the middle of an instruction or out of the chunk.
    JumpTarget(u32, u32),
    /// The last instruction does not end the chunk.
    FallsOff(u32),
}

impl fmt::Display for UnitFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnitFault::NotAUnit => write!(f, "not a Bunraku unit"),
            UnitFault::Version(v) => write!(f, "unit of format version {v}, expected {VERSION}"),
            UnitFault::Truncated => write!(f, "unit is shorter than its header says"),
            UnitFault::Section(s) => write!(f, "section {s:?} is out of range"),
            UnitFault::Text => write!(f, "a string of the unit is not UTF-8"),
            UnitFault::StringNumber(n) => write!(f, "no string {n}"),
            UnitFault::NameNumber(n) => write!(f, "no name {n}"),
            UnitFault::ConstNumber(n) => write!(f, "constant {n} is out of range or refers forward"),
            UnitFault::ChunkNumber(n) => write!(f, "no chunk {n}"),
            UnitFault::ChunkRecord(n) => write!(f, "record of chunk {n} is out of range"),
            UnitFault::ListNumber(n) => write!(f, "no list {n}"),
            UnitFault::ParamRecord(n) => write!(f, "parameter {n} is out of range"),
            UnitFault::DefRecord(n) => write!(f, "definition {n} is out of range"),
            UnitFault::Instruction(c, pc) => write!(f, "chunk {c} has no valid instruction at {pc}"),
            UnitFault::Operand(c, pc) => write!(f, "operand out of range in chunk {c} at {pc}"),
            UnitFault::JumpTarget(c, pc) => write!(f, "bad jump in chunk {c} at {pc}"),
            UnitFault::FallsOff(c) => write!(f, "chunk {c} does not end with Return"),
        }
    }
}

type Read<T> = Result<T, UnitFault>;

/// A view of a unit's words.
#[derive(Clone, Copy)]
pub struct Unit<'u> {
    sections: [&'u [u32]; Section::ALL.len()],
    has_heredoc_syntax: bool,
}

/// A chunk's record.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'u> {
    /// Its number.
    pub number: u32,
    /// What it is.
    pub kind: ChunkKind,
    /// Instructions.
    pub code: &'u [u32],
    /// Registers it uses.
    pub registers: u32,
    /// Name numbers of its scope's slots.
    pub shape: &'u [u32],
    /// Where the unit has that list: chunks of one body have it in common.
    pub shape_list: u32,
    /// Parameters.
    pub params: &'u [u32],
    /// Chunk of the return type.
    pub return_chunk: Option<u32>,
    positions: &'u [u32],
}

/// A parameter's record.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name number.
    pub name: u32,
    /// Slot.
    pub slot: u32,
    /// Written with `*`.
    pub captures_rest: bool,
    /// Chunk of the type.
    pub type_chunk: Option<u32>,
    /// Chunk of the default.
    pub default_chunk: Option<u32>,
    /// Line and column.
    pub at: (u32, u32),
}

/// A position's record.
#[derive(Clone, Copy, Debug)]
pub struct Position<'u> {
    /// What Puppet calls the expression.
    pub label: &'u str,
    /// Line and column; 0 where unknown.
    pub at: (u32, u32),
    /// Places of its parts, packed: left operand, right operand or keys.
    pub parts: &'u [u32],
}

impl<'u> Unit<'u> {
    /// A view of `words`. Only the header is checked here.
    pub fn open(words: &'u [u32]) -> Read<Self> {
        let header = words.get(..HEADER_WORDS).ok_or(UnitFault::NotAUnit)?;
        if header[0] != MAGIC {
            return Err(UnitFault::NotAUnit);
        }
        if header[1] != VERSION {
            return Err(UnitFault::Version(header[1]));
        }
        let words = words.get(..header[2] as usize).ok_or(UnitFault::Truncated)?;
        let mut sections: [&[u32]; Section::ALL.len()] = [&[]; Section::ALL.len()];
        for (n, section) in Section::ALL.iter().enumerate() {
            let fault = UnitFault::Section(*section);
            let at = HEADER_WORDS + 2 * n;
            let (start, len) = (*words.get(at).ok_or(fault)?, *words.get(at + 1).ok_or(fault)?);
            let end = (start as usize).checked_add(len as usize).ok_or(fault)?;
            sections[n] = words.get(start as usize..end).ok_or(fault)?;
        }
        Ok(Unit { sections, has_heredoc_syntax: header[3] != 0 })
    }

    /// Whether texts in it are noted to be of a syntax.
    pub fn has_heredoc_syntax(&self) -> bool {
        self.has_heredoc_syntax
    }

    fn section(&self, section: Section) -> &'u [u32] {
        self.sections[section as usize]
    }

    fn record(&self, section: Section, number: u32, words: usize) -> Option<&'u [u32]> {
        let start = (number as usize).checked_mul(words)?;
        self.section(section).get(start..start.checked_add(words)?)
    }

    /// The n-th string.
    pub fn string(&self, number: u32) -> Read<&'u str> {
        let record = self.record(Section::Strings, number, 2).ok_or(UnitFault::StringNumber(number))?;
        let bytes: &[u8] = bytemuck::cast_slice(self.section(Section::Text));
        let end = (record[0] as usize).checked_add(record[1] as usize).ok_or(UnitFault::Text)?;
        let bytes = bytes.get(record[0] as usize..end).ok_or(UnitFault::Text)?;
        std::str::from_utf8(bytes).map_err(|_| UnitFault::Text)
    }

    /// How many names there are.
    pub fn names(&self) -> u32 {
        self.section(Section::Names).len() as u32
    }

    /// Text of the n-th name.
    pub fn name(&self, number: u32) -> Read<&'u str> {
        let string =
            self.section(Section::Names).get(number as usize).ok_or(UnitFault::NameNumber(number))?;
        self.string(*string)
    }

    /// How many constants there are.
    pub fn consts(&self) -> u32 {
        (self.section(Section::Consts).len() / 2) as u32
    }

    /// Tag and payload of the n-th constant.
    pub fn constant(&self, number: u32) -> Read<(u32, u32)> {
        let record = self.record(Section::Consts, number, 2).ok_or(UnitFault::ConstNumber(number))?;
        Ok((record[0], record[1]))
    }

    /// The n-th constant, if it is a text.
    pub fn constant_text(&self, number: u32) -> Read<Option<&'u str>> {
        match self.constant(number)? {
            (tag::STRING | tag::QUOTED, payload) => self.string(payload).map(Some),
            _ => Ok(None),
        }
    }

    /// Its constant texts; what is damaged is left out.
    pub fn texts(&self) -> impl Iterator<Item = &'u str> + use<'_, 'u> {
        (0..self.consts()).filter_map(|number| self.constant_text(number).ok().flatten())
    }

    /// The sources of its regular expressions, and strings that may be some; what is damaged is left out.
    pub fn regexps(&self) -> impl Iterator<Item = &'u str> + use<'_, 'u> {
        let constants = (0..self.consts()).filter_map(|number| self.constant(number).ok());
        let constants = constants.filter_map(|(tag, payload)| match tag {
            tag::REGEXP => self.string(payload).ok(),
            tag::STRING | tag::QUOTED => self.string(payload).ok().filter(|text| is_like_one(text)),
            _ => None,
        });
        let definitions = (0..self.defs()).filter_map(|number| self.def(number).ok());
        let of_nodes = definitions.flat_map(|def| def.matches).filter_map(|of_node| match of_node {
            HostMatch::Regex(source) => Some(source),
            HostMatch::Name(_) | HostMatch::Default => None,
        });
        constants.chain(of_nodes)
    }

    /// Two words of the wide section as one number.
    pub fn wide_number(&self, at: u32) -> Read<u64> {
        let at = at as usize;
        match self.section(Section::Wide).get(at..at.saturating_add(2)) {
            Some([low, high]) => Ok(u64::from(*low) | u64::from(*high) << 32),
            _ => Err(UnitFault::Section(Section::Wide)),
        }
    }

    /// A run of the wide section: its length stands in front.
    pub fn wide_run(&self, at: u32) -> Read<&'u [u32]> {
        run(self.section(Section::Wide), at).ok_or(UnitFault::Section(Section::Wide))
    }

    /// The list that starts at `at`.
    pub fn list(&self, at: u32) -> Read<&'u [u32]> {
        run(self.section(Section::Lists), at).ok_or(UnitFault::ListNumber(at))
    }

    /// Words of all lists.
    pub fn list_words(&self) -> u32 {
        self.section(Section::Lists).len() as u32
    }

    /// Where the code of the n-th chunk begins in that of all.
    pub fn begin(&self, number: u32) -> Read<u32> {
        let record = self.record(Section::Chunks, number, CHUNK_WORDS);
        Ok(record.ok_or(UnitFault::ChunkNumber(number))?[0])
    }

    /// The code of all chunks.
    pub fn code(&self) -> &'u [u32] {
        self.section(Section::Code)
    }

    /// A number that is another one where the code or the places of its instructions are.
    pub fn fingerprint(&self) -> u64 {
        let add = |sum: u64, word: &u32| {
            (sum ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        };
        let code = self.code();
        code.iter().chain(self.section(Section::Positions)).fold(code.len() as u64, add)
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> u32 {
        (self.section(Section::Chunks).len() / CHUNK_WORDS) as u32
    }

    /// The n-th chunk.
    pub fn chunk(&self, number: u32) -> Read<Chunk<'u>> {
        let r = self.record(Section::Chunks, number, CHUNK_WORDS).ok_or(UnitFault::ChunkNumber(number))?;
        let fault = UnitFault::ChunkRecord(number);
        let slice = |section, start: u32, len: u32, words: usize| {
            let start = (start as usize).checked_mul(words)?;
            let end = start.checked_add((len as usize).checked_mul(words)?)?;
            self.section(section).get(start..end)
        };
        Ok(Chunk {
            number,
            kind: ChunkKind::from_word(r[9]).ok_or(fault)?,
            code: slice(Section::Code, r[0], r[1], 1).ok_or(fault)?,
            registers: r[2],
            shape: self.list(r[3])?,
            shape_list: r[3],
            params: slice(Section::Params, r[4], r[5], PARAM_WORDS).ok_or(fault)?,
            positions: slice(Section::Positions, r[6], r[7], POSITION_WORDS).ok_or(fault)?,
            return_chunk: r[8].checked_sub(1),
        })
    }

    /// How many definitions there are.
    pub fn defs(&self) -> u32 {
        (self.section(Section::Defs).len() / DEF_WORDS) as u32
    }

    /// The n-th definition.
    pub fn def(&self, number: u32) -> Read<Def<'u>> {
        let fault = UnitFault::DefRecord(number);
        let r = self.record(Section::Defs, number, DEF_WORDS).ok_or(fault)?;
        let kind = match r[0] {
            0 => DefKind::Class,
            1 => DefKind::Define,
            2 => DefKind::Function,
            3 => DefKind::TypeAlias,
            4 => DefKind::Node,
            5 => DefKind::ObjectType,
            6 => DefKind::TypeSet,
            _ => return Err(fault),
        };
        let matches = self
            .list(r[4])?
            .chunks_exact(2)
            .map(|m| match m[0] {
                0 => self.string(m[1]).map(HostMatch::Name),
                1 => self.string(m[1]).map(HostMatch::Regex),
                2 => Ok(HostMatch::Default),
                _ => Err(fault),
            })
            .collect::<Read<Vec<_>>>()?;
        let parent = r[3].checked_sub(1).map(|s| self.string(s)).transpose()?;
        let (line, column) = unpack_place(r[5]);
        Ok(Def { kind, name: self.string(r[1])?, chunk: r[2], parent, matches, line, column })
    }

    /// Position of the instruction that ends before `pc`, if it has one.
    pub fn position(&self, chunk: &Chunk<'u>, pc: u32) -> Option<Position<'u>> {
        let r = chunk.position(pc)?;
        Some(Position {
            label: self.string(r[1]).ok()?,
            at: unpack_place(r[2]),
            parts: self.list(r[3]).ok()?,
        })
    }
}

impl<'u> Chunk<'u> {
    /// The record of the instruction at `pc`.
    fn position(&self, pc: u32) -> Option<&'u [u32]> {
        let count = self.positions.len() / POSITION_WORDS;
        let record = |n: usize| &self.positions[n * POSITION_WORDS..(n + 1) * POSITION_WORDS];
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            if record(middle)[0] < pc { low = middle + 1 } else { high = middle }
        }
        (low < count).then(|| record(low)).filter(|r| r[0] == pc)
    }

    /// Line and column of the instruction at `pc`; 0 where unknown.
    pub fn place(&self, pc: u32) -> (u32, u32) {
        self.position(pc).map_or((0, 0), |record| unpack_place(record[2]))
    }

    /// How many parameters it has.
    pub fn param_count(&self) -> usize {
        self.params.len() / PARAM_WORDS
    }

    /// The n-th parameter; `n` must be in range.
    pub fn param(&self, n: usize) -> Param {
        let r = &self.params[n * PARAM_WORDS..(n + 1) * PARAM_WORDS];
        Param {
            name: r[0],
            slot: r[1],
            captures_rest: r[2] & CAPTURES_REST != 0,
            type_chunk: r[3].checked_sub(1),
            default_chunk: r[4].checked_sub(1),
            at: unpack_place(r[5]),
        }
    }
}

fn run(words: &[u32], at: u32) -> Option<&[u32]> {
    let at = at as usize;
    let len = *words.get(at)? as usize;
    words.get(at + 1..(at + 1).checked_add(len)?)
}
