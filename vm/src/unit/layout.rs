//! The byte form of a unit, drawn: what the writer writes and the reader reads in place.
//!
//! Everything is a little-endian 32-bit word; offsets count words from the unit's first word.
//!
//! ```text
//!  word 0  MAGIC
//!       1  VERSION
//!       2  words in the whole unit
//!       3  1 if texts in it are noted to be of a syntax (`NoteSyntax`), else 0
//!       4… (offset, length) of each section, in the order of `Section`
//!
//!  Strings    (byte offset, byte length) pairs into Text
//!  Text       UTF-8, padded to a word
//!  Names      string numbers: what becomes a symbol
//!  Consts     (tag, payload) pairs; see `tag`
//!  Wide       payloads larger than a word: two words for Int and Float, const numbers for arrays and hashes
//!  Chunks     CHUNK_WORDS words each
//!  Code       instructions of all chunks
//!  Params     PARAM_WORDS words each
//!  Lists      a length and that many words
//!  Defs       DEF_WORDS words each
//!  Positions  POSITION_WORDS words each, by chunk and program counter; read only for an error
//! ```

/// `BNRU`
pub const MAGIC: u32 = u32::from_le_bytes(*b"BNRU");
/// Version of the form.
pub const VERSION: u32 = 3;
/// Words in front of the section table.
pub const HEADER_WORDS: usize = 4;

/// Sections in file order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Section {
    Strings,
    Text,
    Names,
    Consts,
    Wide,
    Chunks,
    Code,
    Params,
    Lists,
    Defs,
    Positions,
}

impl Section {
    /// Every section.
    pub const ALL: [Section; 11] = [
        Section::Strings,
        Section::Text,
        Section::Names,
        Section::Consts,
        Section::Wide,
        Section::Chunks,
        Section::Code,
        Section::Params,
        Section::Lists,
        Section::Defs,
        Section::Positions,
    ];
}

/// Tags of constants.
#[allow(missing_docs)]
pub mod tag {
    pub const UNDEF: u32 = 0;
    pub const DEFAULT: u32 = 1;
    /// Payload 0 or 1.
    pub const BOOL: u32 = 2;
    /// Payload: place in Wide of low and high word.
    pub const INT: u32 = 3;
    /// Payload: place in Wide of low and high word of the bits.
    pub const FLOAT: u32 = 4;
    /// Payload: string number. Ruby may not change it, as no text in single quotes.
    pub const STRING: u32 = 5;
    /// Payload: string number of the source.
    pub const REGEXP: u32 = 6;
    /// Payload: place in Wide of a length and that many const numbers, each less than this constant's own.
    pub const ARRAY: u32 = 7;
    /// Likewise with keys and values in turn; the length counts both.
    pub const HASH: u32 = 8;
    /// Payload: string number of a text in double quotes or of a heredoc, which Ruby may change.
    pub const QUOTED: u32 = 9;
}

/// Words of a chunk record: code start, code length, registers, names list (the shape), first parameter,
/// parameters, first position, positions, return type's chunk + 1, kind.
pub const CHUNK_WORDS: usize = 10;
/// Words of a parameter: name, slot, flags, type's chunk + 1, default's chunk + 1, place.
pub const PARAM_WORDS: usize = 6;
/// Parameter flag: written with `*`.
pub const CAPTURES_REST: u32 = 1;
/// Words of a definition: kind, name's string, chunk, parent's string + 1, list of matches, place.
pub const DEF_WORDS: usize = 6;
/// Words of a position: program counter (of the word behind the instruction), label's string, place, list of
/// the places of its parts: left operand, right operand or keys.
pub const POSITION_WORDS: usize = 4;

/// A line and column in one word: 18 bits of line, 14 of column, both from 1, 0 for unknown, saturating.
pub fn pack_place(line: u32, column: u32) -> u32 {
    line.min((1 << 18) - 1) << 14 | column.min((1 << 14) - 1)
}

/// The line and column of a packed place.
pub fn unpack_place(word: u32) -> (u32, u32) {
    (word >> 14, word & ((1 << 14) - 1))
}
