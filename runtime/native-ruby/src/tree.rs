//! A template ready to be rendered: Ruby's expressions with locals as slots, instance variables by number, methods as
//! numbers. What is not known is an [`Expr::Unsupported`]: reached, it sends the whole template to Ruby.

use crate::method::Method;
use crate::value::Class;
use bunraku_vm::symbol::KeptName;

/// Variables of top scope that every scope sees and nothing can change.
pub(crate) const SHARED: [&str; 3] = ["facts", "trusted", "server_facts"];

/// A lowered template.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) body: Expr,
    /// How many slots locals take.
    pub(crate) slots: usize,
    /// Instance variables by number.
    pub(crate) variables: Vec<InstanceVariable>,
    /// What is not rendered natively, in order, with lines: reached, it sends the template to Ruby.
    pub(crate) reasons: Vec<Unsupported>,
    /// Methods that it defines.
    pub(crate) methods: Vec<BlockBody>,
    /// Whether groups of the last match are named.
    pub(crate) groups: bool,
    /// What it may change in place.
    pub(crate) lends: Lends,
    /// Bytes of text: what the output has at least if every branch is taken once.
    pub(crate) size: usize,
}

/// A variable of the scope that the template names.
#[derive(Debug)]
pub(crate) struct InstanceVariable {
    pub name: KeptName,
    /// Whether it is one of [`SHARED`].
    pub shared: bool,
}

impl InstanceVariable {
    pub fn new(name: &str) -> InstanceVariable {
        InstanceVariable { name: KeptName::new(name), shared: SHARED.contains(&name) }
    }
}

/// Variables whose arrays and hashes a template may change in place: it is given copies of them.
#[derive(Debug)]
pub(crate) enum Lends {
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

/// Something in a template that is not rendered natively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Line of the template.
    pub line: usize,
    /// What stands there.
    pub what: String,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, line {}", self.what, self.line)
    }
}

/// An expression.
#[derive(Debug)]
pub(crate) enum Expr {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Text of the template, put out.
    Text(Box<str>),
    /// `<%= … %>`
    Insert(Box<Expr>),
    Sequence(Box<[Expr]>),
    String(Box<str>),
    /// A string that is changed in place later.
    Fresh(Box<Expr>),
    Symbol(Box<str>),
    /// `"a#{b}"`
    Join(Box<[Expr]>),
    Regexp(Box<Expr>, RegexpOptions),
    Array(Box<[Expr]>),
    /// Only as an element or argument.
    Splat(Box<Expr>),
    Hash(Box<[(Expr, Expr)]>),
    Range(Box<(Expr, Expr)>, bool),
    Local(u32),
    SetLocal(u32, Box<Expr>),
    /// `@x`
    Variable(u32),
    SetVariable(u32, Box<Expr>),
    /// `a, b = …`
    SetMany(AssignTarget, Box<Expr>),
    If(Box<(Expr, Expr, Expr)>),
    /// `while`, or `until` where the truth is false.
    While(Box<(Expr, Expr)>, bool),
    Case(Box<Case>),
    And(Box<(Expr, Expr)>),
    Or(Box<(Expr, Expr)>),
    Not(Box<Expr>),
    Call(Box<MethodCall>),
    /// `x['key']`
    Key(Box<Expr>, Box<str>),
    /// `local << …`, which may change a string in place.
    AppendLocal(u32, Box<Expr>),
    Scope,
    Class(Class),
    /// `$1`
    Group(usize),
    /// `def`: from here on the method of the number is there.
    Define(u32),
    /// A call of such a method.
    CallOwn(u32, Box<[Expr]>),
    Return(Box<Expr>),
    /// `begin … rescue ArgumentError => e … end`: the local that takes the error.
    Rescue(Box<(Expr, Expr)>, Option<u32>),
    /// `defined?(@x)`
    IsVariable(u32),
    Next(Box<Expr>),
    Break(Box<Expr>),
    /// What is not known: the number of its reason.
    Unsupported(u32),
}

/// `i`, `m` and `x` of a regular expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegexpOptions {
    pub ignore_case: bool,
    pub multiline: bool,
    pub extended: bool,
}

/// `case`.
#[derive(Debug)]
pub(crate) struct Case {
    /// None where each `when` is a condition.
    pub subject: Option<Expr>,
    pub branches: Box<[(Box<[Expr]>, Expr)]>,
    pub otherwise: Expr,
}

/// A call of a method, or of a function that templates have without a receiver.
#[derive(Debug)]
pub(crate) struct MethodCall {
    /// None for a function.
    pub receiver: Option<Expr>,
    pub method: Method,
    pub args: Box<[Expr]>,
    pub block: Option<Block>,
    /// `&.`
    pub safe: bool,
}

/// A block.
#[derive(Debug)]
pub(crate) enum Block {
    Body(BlockBody),
    /// `&:name`
    Method(Method),
}

/// A block's parameters and code.
#[derive(Debug)]
pub(crate) struct BlockBody {
    pub params: Box<[AssignTarget]>,
    /// Whether one array given is spread over the parameters.
    pub spreads: bool,
    /// Slots of its own: nil when it begins.
    pub own: (u32, u32),
    pub body: Expr,
}

/// What takes a value.
#[derive(Debug)]
pub(crate) enum AssignTarget {
    Local(u32),
    /// The rest of a list; none takes it away.
    Rest(Option<u32>),
    /// `(a, b)`
    Many(Box<[AssignTarget]>),
}
