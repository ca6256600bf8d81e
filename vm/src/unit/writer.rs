//! Builds a unit's words. The compiler's lowering and the assembler of the tests call this.

use super::layout::{CAPTURES_REST, CHUNK_WORDS, HEADER_WORDS, MAGIC, Section, VERSION, pack_place, tag};
use super::shape::Shape;
use super::{DefKind, HostMatch};
use hashbrown::HashMap;
use std::hash::Hash;
use std::rc::Rc;

/// A constant to be written.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Const {
    Undef,
    Default,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    /// A text in double quotes or of a heredoc.
    Quoted(String),
    Regexp(String),
    Array(Vec<Const>),
    Hash(Vec<(Const, Const)>),
}

/// Kinds of chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ChunkKind {
    /// Top-level code of a manifest.
    Main,
    /// A class's body.
    Class,
    /// A defined type's body.
    Define,
    /// A node's body.
    Node,
    /// A function's body.
    Function,
    /// A lambda's body.
    Lambda,
    /// An EPP template.
    Template,
    /// A default value, a parameter's type, an alias's right side: an expression of another chunk's scope.
    Expression,
}

impl ChunkKind {
    /// The kind of a record's word.
    pub fn from_word(word: u32) -> Option<Self> {
        use ChunkKind::*;
        [Main, Class, Define, Node, Function, Lambda, Template, Expression].get(word as usize).copied()
    }
}

/// A parameter to be written.
#[derive(Clone, Debug)]
pub struct ParamSpec {
    /// Name without `$`.
    pub name: String,
    /// Slot it lives in.
    pub slot: u32,
    /// Written with `*`.
    pub captures_rest: bool,
    /// Chunk of the type expression.
    pub type_chunk: Option<u32>,
    /// Chunk of the default.
    pub default_chunk: Option<u32>,
    /// Line and column.
    pub at: (u32, u32),
}

/// Position of an instruction that can fail.
#[derive(Clone, Debug)]
pub struct Position {
    /// Program counter behind the instruction.
    pub pc: u32,
    /// What Puppet calls the expression: `Function Call`.
    pub label: String,
    /// Line and column.
    pub at: (u32, u32),
    /// Line and column of its parts: left operand, right operand or keys.
    pub parts: Vec<(u32, u32)>,
}

/// A chunk to be written.
#[derive(Clone, Debug)]
pub struct ChunkSpec {
    /// What it is.
    pub kind: ChunkKind,
    /// Instructions.
    pub code: Vec<u32>,
    /// Registers it uses, at most 256.
    pub registers: u32,
    /// Names of its scope's slots.
    pub shape: Rc<Shape>,
    /// Parameters.
    pub params: Vec<ParamSpec>,
    /// Chunk of the return type.
    pub return_chunk: Option<u32>,
    /// Positions, in order of `pc`.
    pub positions: Vec<Position>,
}

/// A definition to be written.
#[derive(Clone, Debug)]
pub struct DefSpec {
    /// What it defines.
    pub kind: DefKind,
    /// Full name.
    pub name: String,
    /// Its chunk.
    pub chunk: u32,
    /// `inherits`.
    pub parent: Option<String>,
    /// Host matches of a node.
    pub matches: Vec<HostMatch<'static>>,
    /// Texts of the matches (a name or a source), one for each that is not `Default`.
    pub match_texts: Vec<String>,
    /// Line and column.
    pub at: (u32, u32),
}

/// Things that are numbered in the order in which they are first met.
struct Numbered<T> {
    numbers: HashMap<T, u32>,
    list: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { numbers: HashMap::new(), list: Vec::new() }
    }
}

impl<T: Copy + Eq + Hash> Numbered<T> {
    /// The number of something.
    fn number(&mut self, thing: T) -> u32 {
        *self.numbers.entry(thing).or_insert_with(|| {
            self.list.push(thing);
            self.list.len() as u32 - 1
        })
    }
}

/// The strings of a unit: their text in one piece, and where in it each begins and how long it is.
#[derive(Default)]
struct Strings {
    numbers: HashMap<String, u32>,
    places: Vec<u32>,
    text: Vec<u8>,
}

impl Strings {
    /// The number of a string.
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        self.places.extend([self.text.len() as u32, text.len() as u32]);
        self.text.extend_from_slice(text.as_bytes());
        number
    }

    /// The text as words, the last filled up with zeroes.
    fn text_words(&self) -> Vec<u32> {
        let word = |bytes: &[u8]| {
            let mut four = [0; 4];
            four[..bytes.len()].copy_from_slice(bytes);
            u32::from_le_bytes(four)
        };
        self.text.chunks(4).map(word).collect()
    }
}

/// Collects the parts of a unit.
#[derive(Default)]
pub struct UnitWriter {
    strings: Strings,
    /// Names, by the numbers of their strings.
    names: Numbered<u32>,
    /// Tags of constants and what stands behind them.
    consts: Numbered<(u32, u32)>,
    wide: Vec<u32>,
    wide_index: HashMap<(u32, u64), u32>,
    /// None for a chunk that is still being made.
    chunks: Vec<Option<[u32; CHUNK_WORDS]>>,
    code: Vec<u32>,
    params: Vec<u32>,
    lists: Vec<u32>,
    list_index: HashMap<Vec<u32>, u32>,
    defs: Vec<u32>,
    positions: Vec<u32>,
    /// Whether a constant text is noted to be of a syntax.
    has_heredoc_syntax: bool,
}

impl UnitWriter {
    /// Number of a string.
    pub fn string(&mut self, text: &str) -> u32 {
        self.strings.number(text)
    }

    /// Number of a name (`N[…]`).
    pub fn name(&mut self, text: &str) -> u32 {
        let string = self.string(text);
        self.names.number(string)
    }

    /// Number of a constant (`K[…]`).
    pub fn constant(&mut self, value: &Const) -> u32 {
        let pair = match value {
            Const::Undef => (tag::UNDEF, 0),
            Const::Default => (tag::DEFAULT, 0),
            Const::Bool(b) => (tag::BOOL, u32::from(*b)),
            Const::Int(i) => (tag::INT, self.wide_number(tag::INT, *i as u64)),
            Const::Float(f) => (tag::FLOAT, self.wide_number(tag::FLOAT, f.to_bits())),
            Const::Str(s) => (tag::STRING, self.string(s)),
            Const::Quoted(s) => (tag::QUOTED, self.string(s)),
            Const::Regexp(s) => (tag::REGEXP, self.string(s)),
            Const::Array(items) => {
                let numbers: Vec<u32> = items.iter().map(|item| self.constant(item)).collect();
                (tag::ARRAY, self.wide_run(&numbers))
            }
            Const::Hash(entries) => {
                let numbers: Vec<u32> =
                    entries.iter().flat_map(|(k, v)| [self.constant(k), self.constant(v)]).collect();
                (tag::HASH, self.wide_run(&numbers))
            }
        };
        self.consts.number(pair)
    }

    fn wide_number(&mut self, tag: u32, bits: u64) -> u32 {
        *self.wide_index.entry((tag, bits)).or_insert_with(|| {
            let at = self.wide.len() as u32;
            self.wide.extend([bits as u32, (bits >> 32) as u32]);
            at
        })
    }

    fn wide_run(&mut self, numbers: &[u32]) -> u32 {
        let at = self.wide.len() as u32;
        self.wide.push(numbers.len() as u32);
        self.wide.extend_from_slice(numbers);
        at
    }

    /// Number of a list (`L[…]`).
    pub fn list(&mut self, words: &[u32]) -> u32 {
        if let Some(at) = self.list_index.get(words) {
            return *at;
        }
        let at = self.lists.len() as u32;
        self.lists.push(words.len() as u32);
        self.lists.extend_from_slice(words);
        self.list_index.insert(words.to_vec(), at);
        at
    }

    /// A number for a chunk that is still being made.
    pub fn reserve_chunk(&mut self) -> u32 {
        self.chunks.push(None);
        self.chunks.len() as u32 - 1
    }

    /// Writes a chunk under a reserved number.
    pub fn chunk(&mut self, number: u32, spec: ChunkSpec) {
        let shape = spec.shape.list.get().unwrap_or_else(|| {
            let names: Vec<u32> = spec.shape.names().map(|name| self.name(name)).collect();
            self.list(&names)
        });
        spec.shape.list.set(Some(shape));
        let first_param = (self.params.len() / super::layout::PARAM_WORDS) as u32;
        for param in &spec.params {
            let name = self.name(&param.name);
            self.params.extend([
                name,
                param.slot,
                if param.captures_rest { CAPTURES_REST } else { 0 },
                param.type_chunk.map_or(0, |c| c + 1),
                param.default_chunk.map_or(0, |c| c + 1),
                pack_place(param.at.0, param.at.1),
            ]);
        }
        let first_position = (self.positions.len() / super::layout::POSITION_WORDS) as u32;
        for position in &spec.positions {
            let label = self.string(&position.label);
            let parts: Vec<u32> = position.parts.iter().map(|(l, c)| pack_place(*l, *c)).collect();
            let parts = self.list(&parts);
            let at = pack_place(position.at.0, position.at.1);
            self.positions.extend([position.pc, label, at, parts]);
        }
        let code_start = self.code.len() as u32;
        self.code.extend_from_slice(&spec.code);
        self.chunks[number as usize] = Some([
            code_start,
            spec.code.len() as u32,
            spec.registers,
            shape,
            first_param,
            spec.params.len() as u32,
            first_position,
            spec.positions.len() as u32,
            spec.return_chunk.map_or(0, |c| c + 1),
            spec.kind as u32,
        ]);
    }

    /// Adds a definition.
    pub fn definition(&mut self, spec: &DefSpec) {
        let mut texts = spec.match_texts.iter();
        let mut words = Vec::new();
        for host in &spec.matches {
            let kind = match host {
                HostMatch::Name(_) => 0,
                HostMatch::Regex(_) => 1,
                HostMatch::Default => 2,
            };
            let text = if kind == 2 { 0 } else { texts.next().map_or(0, |text| self.string(text)) };
            words.extend([kind, text]);
        }
        let matches = self.list(&words);
        let name = self.string(&spec.name);
        let parent = spec.parent.as_deref().map_or(0, |parent| self.string(parent) + 1);
        let place = pack_place(spec.at.0, spec.at.1);
        self.defs.extend([spec.kind as u32, name, spec.chunk, parent, matches, place]);
    }

    /// Says that a text is noted to be of a syntax.
    pub fn note_syntax(&mut self) {
        self.has_heredoc_syntax = true;
    }

    /// The unit. Chunk 0 must be the main chunk.
    ///
    /// # Panics
    /// When a reserved chunk was never written: a fault of the compiler, not of its input.
    pub fn finish(self) -> Vec<u32> {
        let text = self.strings.text_words();
        let chunks: Vec<u32> =
            self.chunks.iter().flat_map(|c| c.expect("every reserved chunk is written")).collect();
        let consts: Vec<u32> = self.consts.list.iter().flat_map(|(t, p)| [*t, *p]).collect();
        let sections = [
            self.strings.places,
            text,
            self.names.list,
            consts,
            self.wide,
            chunks,
            self.code,
            self.params,
            self.lists,
            self.defs,
            self.positions,
        ];
        let mut offset = HEADER_WORDS + 2 * Section::ALL.len();
        let total = offset + sections.iter().map(Vec::len).sum::<usize>();
        let mut words = Vec::with_capacity(total);
        words.extend([MAGIC, VERSION, total as u32, u32::from(self.has_heredoc_syntax)]);
        for section in &sections {
            words.extend([offset as u32, section.len() as u32]);
            offset += section.len();
        }
        for section in sections {
            words.extend(section);
        }
        words
    }
}
