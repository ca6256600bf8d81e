//! A template ready to be rendered: Ruby's expressions with locals as slots, instance variables by number, methods as
//! numbers. What is not known is an [`Node::Ask`]: reached, it sends the whole template to Ruby.

use super::methods::{Method, SHARED};
use super::value::Class;
use bunraku_vm::symbol::KeptName;

/// A lowered template.
#[derive(Debug)]
pub(crate) struct Template {
    pub(super) body: Node,
    /// How many slots locals take.
    pub(super) slots: usize,
    /// Instance variables by number.
    pub(super) variables: Vec<Variable>,
    /// What Ruby is needed for where it is reached, in order, with lines.
    pub(super) reasons: Vec<Reason>,
    /// Methods that it defines.
    pub(super) methods: Vec<Body>,
    /// Whether groups of the last match are named.
    pub(super) groups: bool,
    /// What it may change in place.
    pub(super) lends: Lends,
    /// Bytes of text: what the output has at least if every branch is taken once.
    pub(super) size: usize,
}

/// A variable of the scope that the template names.
#[derive(Debug)]
pub(super) struct Variable {
    pub name: KeptName,
    /// Whether it is one of those that are the same everywhere.
    pub shared: bool,
}

impl Variable {
    pub fn new(name: &str) -> Variable {
        Variable { name: KeptName::new(name), shared: SHARED.contains(&name) }
    }
}

/// Variables whose arrays and hashes a template may change in place: it is given copies of them.
#[derive(Debug)]
pub(super) enum Lends {
    /// These, by the names they are asked for with.
    Variables(Vec<Box<str>>),
    Anything,
}

impl Lends {
    pub fn has(&self, name: &str) -> bool {
        match self {
            Lends::Variables(names) => names.iter().any(|known| **known == *name),
            Lends::Anything => true,
        }
    }
}

/// What the renderer does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Line of the template.
    pub line: usize,
    /// What stands there.
    pub what: String,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, line {}", self.what, self.line)
    }
}

/// An expression.
#[derive(Debug)]
pub(super) enum Node {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Text of the template, put out.
    Text(Box<str>),
    /// `<%= … %>`
    Insert(Box<Node>),
    Sequence(Box<[Node]>),
    String(Box<str>),
    /// A string that is changed in place later.
    Fresh(Box<Node>),
    Symbol(Box<str>),
    /// `"a#{b}"`
    Join(Box<[Node]>),
    Regexp(Box<Node>, Options),
    Array(Box<[Node]>),
    /// Only as an element or argument.
    Splat(Box<Node>),
    Hash(Box<[(Node, Node)]>),
    Range(Box<(Node, Node)>, bool),
    Local(u32),
    SetLocal(u32, Box<Node>),
    /// `@x`
    Variable(u32),
    SetVariable(u32, Box<Node>),
    /// `a, b = …`
    SetMany(Target, Box<Node>),
    If(Box<(Node, Node, Node)>),
    /// `while`, or `until` where the truth is false.
    While(Box<(Node, Node)>, bool),
    Case(Box<Case>),
    And(Box<(Node, Node)>),
    Or(Box<(Node, Node)>),
    Not(Box<Node>),
    Call(Box<Call>),
    /// `x['key']`
    Key(Box<Node>, Box<str>),
    /// `local << …`, which may change a string in place.
    AppendLocal(u32, Box<Node>),
    Scope,
    Class(Class),
    /// `$1`
    Group(usize),
    /// `def`: from here on the method of the number is there.
    Define(u32),
    /// A call of such a method.
    CallOwn(u32, Box<[Node]>),
    Return(Box<Node>),
    /// `begin … rescue ArgumentError => e … end`: the local that takes the error.
    Rescue(Box<(Node, Node)>, Option<u32>),
    /// `defined?(@x)`
    IsVariable(u32),
    Next(Box<Node>),
    Break(Box<Node>),
    /// What is not known: the number of its reason.
    Ask(u32),
}

/// `i`, `m` and `x` of a regular expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub ignore_case: bool,
    pub multiline: bool,
    pub extended: bool,
}

/// `case`.
#[derive(Debug)]
pub(super) struct Case {
    /// None where each `when` is a condition.
    pub subject: Option<Node>,
    pub branches: Box<[(Box<[Node]>, Node)]>,
    pub otherwise: Node,
}

/// A call of a method, or of a function that templates have without a receiver.
#[derive(Debug)]
pub(super) struct Call {
    /// None for a function.
    pub receiver: Option<Node>,
    pub method: Method,
    pub args: Box<[Node]>,
    pub block: Option<Block>,
    /// `&.`
    pub safe: bool,
}

/// A block.
#[derive(Debug)]
pub(super) enum Block {
    Body(Body),
    /// `&:name`
    Method(Method),
}

/// A block's parameters and code.
#[derive(Debug)]
pub(super) struct Body {
    pub params: Box<[Target]>,
    /// Whether one array given is spread over the parameters.
    pub spreads: bool,
    /// Slots of its own: nil when it begins.
    pub own: (u32, u32),
    pub body: Node,
}

/// What takes a value.
#[derive(Debug)]
pub(super) enum Target {
    Local(u32),
    /// The rest of a list; none takes it away.
    Rest(Option<u32>),
    /// `(a, b)`
    Many(Box<[Target]>),
}
