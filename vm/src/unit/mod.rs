//! A unit: what one source file lowers to, as words that are used where they lie.

pub mod constant_arguments;
pub mod disassemble;
pub mod heredoc_syntax;
pub mod layout;
pub mod reader;
pub mod shape;
pub mod verify;
pub mod writer;

/// A unit loaded into a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnitId(pub u32);

/// A chunk of a loaded unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkRef {
    /// The unit.
    pub unit: UnitId,
    /// Number of the chunk in it.
    pub chunk: u32,
}

/// What a definition defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum DefKind {
    /// `class`
    Class,
    /// `define`
    Define,
    /// `function`
    Function,
    /// `type X = …`
    TypeAlias,
    /// `node`
    Node,
    /// `type X = Object[{…}]`: the chunk yields the hash.
    ObjectType,
    /// `type X = TypeSet[{…}]`: likewise; its types are definitions of their own, `X::Name`.
    TypeSet,
}

/// One host match of a node definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostMatch<'u> {
    /// A name, lower case.
    Name(&'u str),
    /// A regular expression's source.
    Regex(&'u str),
    /// `default`
    Default,
}

/// A definition of a unit.
#[derive(Clone, Debug)]
pub struct Def<'u> {
    /// What it defines.
    pub kind: DefKind,
    /// Full name, lower case, no leading `::` (type aliases: as written; nodes: empty, they go by their matches).
    pub name: &'u str,
    /// The body (type alias: its right side).
    pub chunk: u32,
    /// `inherits`; of a type in a type set, that set.
    pub parent: Option<&'u str>,
    /// A node's matches.
    pub matches: Vec<HostMatch<'u>>,
    /// Line of the definition, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}
