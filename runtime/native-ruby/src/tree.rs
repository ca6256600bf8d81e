//! Ruby ready to be run, of a template or a file: expressions with locals as slots, instance variables by number, methods
//! as numbers. What is not known is an [`Expr::Unsupported`]: reached, it sends the whole template or call to Ruby.

use crate::method::Method;
use crate::value::Class;
use bunraku_vm::symbol::KeptName;

/// Variables of top scope that every scope sees and nothing can change.
pub const SHARED: [&str; 3] = ["facts", "trusted", "server_facts"];

/// The names of calls that are written in other forms: the file that code stands in, and a folder that is added to where `require` looks.
pub(crate) const FILE: &str = "__FILE__";
pub(crate) const LOAD_PATH: &str = "$LOAD_PATH";
/// `Puppet.deprecation_warning`, which is given the label of its place first.
pub(crate) const WARN_OF_DEPRECATION: &str = " deprecation_warning";

/// A lowered template, or file of Ruby.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) body: Expr,
    /// How many slots locals take, where they take most.
    pub(crate) slots: usize,
    /// Instance variables by number.
    pub(crate) variables: Vec<InstanceVariable>,
    /// What is not rendered natively, in order, with lines: reached, it sends the template to Ruby.
    pub(crate) reasons: Vec<Unsupported>,
    /// Methods that it defines, and bodies of modules and classes.
    pub(crate) methods: Vec<MethodBody>,
    /// Whether it defines methods.
    pub(crate) defines: bool,
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
    /// `Puppet.debug` or `Puppet.info` of a text for which nothing happens when it is made; true where it has messages of errors in it,
    /// and that only holds for errors of Ruby's or Puppet's.
    Unread(Box<MethodCall>, bool),
    /// `x['key']`
    Key(Box<Expr>, Box<str>),
    /// `local << …`, which may change a string in place.
    AppendLocal(u32, Box<Expr>),
    Scope,
    Class(Class),
    /// `$1`
    Group(usize),
    /// `def`: from here on the method of the number is there; `def self.name` where true.
    Define(u32, bool),
    Return(Box<Expr>),
    /// `begin … rescue … end`
    Rescue(Box<Rescue>),
    /// `begin … ensure … end`
    Ensure(Box<(Expr, Expr)>),
    /// `Name`, `A::Name`, `::Name`
    Constant(Box<str>),
    SetConstant(Box<str>, Box<Expr>),
    /// `module`; `class` where true, with what it inherits from: the body and name are the method's of the number.
    Module(u32, bool, Box<Expr>),
    /// `class << self`
    Singleton(u32),
    /// `self`
    Itself,
    Yield(Box<[Expr]>),
    /// `super`; with the arguments of the method itself where there are none.
    Super(Option<Box<[Expr]>>),
    /// `->(…) { … }`
    Lambda(Box<BlockBody>),
    /// `defined?(A::B)`, `defined?(a.b)`
    IsDefined(Box<Expr>),
    /// `defined?(@x)`
    IsVariable(u32),
    Next(Box<Expr>),
    /// Leaves the block of the number, or the loop around it for 0.
    Break(Box<Expr>, usize),
    /// What is not known: the number of its reason.
    Unsupported(u32),
}

impl Expr {
    /// Whether it is a literal without others in it, or a local: it can't fail, and depends on nothing that runs.
    pub fn is_plain(&self) -> bool {
        matches!(
            self,
            Expr::Nil
                | Expr::Bool(_)
                | Expr::Int(_)
                | Expr::Float(_)
                | Expr::String(_)
                | Expr::Symbol(_)
                | Expr::Local(_)
        )
    }

    /// The slot of the local that it asks for its message: `error.message`.
    pub fn message_of_local(&self) -> Option<u32> {
        let Expr::Call(call) = self else { return None };
        match &call.receiver {
            Some(Expr::Local(slot)) if &*call.name == "message" && call.args.is_empty() => Some(*slot),
            _ => None,
        }
    }
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
    /// The name as it is written, where code may have defined a method of it; else empty.
    pub name: Box<str>,
    pub args: Box<[Expr]>,
    /// Whether the last argument is made of keywords.
    pub keywords: bool,
    pub block: Option<Block>,
    /// `&.`
    pub safe: bool,
    pub line: usize,
}

impl MethodCall {
    /// A call without arguments or block.
    pub fn of(receiver: Option<Expr>, method: Method) -> MethodCall {
        MethodCall {
            receiver,
            method,
            name: Box::default(),
            args: Box::default(),
            keywords: false,
            block: None,
            safe: false,
            line: 0,
        }
    }

    /// Whether a call is `Puppet.debug` or `Puppet.info`, which nobody reads, of a text for which nothing happens when it is made; then
    /// whether that has messages of errors in it.
    pub fn unread(&self) -> Option<bool> {
        let is_log = matches!(&self.receiver, Some(Expr::Constant(name)) if **name == *"Puppet")
            && matches!(&*self.name, "debug" | "info");
        if !is_log || self.safe || self.block.is_some() {
            return None;
        }
        let mut messages = false;
        for text in &self.args {
            match text {
                Expr::String(_) => {}
                Expr::Join(pieces) => {
                    for piece in pieces {
                        match piece {
                            Expr::String(_) | Expr::Local(_) | Expr::Variable(_) => {}
                            piece if piece.message_of_local().is_some() => messages = true,
                            _ => return None,
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(messages)
    }
}

/// `begin … rescue … else … end`
#[derive(Debug)]
pub(crate) struct Rescue {
    pub body: Expr,
    pub handlers: Box<[Handler]>,
    /// What is run where nothing was raised.
    pub otherwise: Expr,
}

/// `rescue A, B => e`
#[derive(Debug)]
pub(crate) struct Handler {
    /// None for any `StandardError`.
    pub classes: Box<[Expr]>,
    /// What takes the error.
    pub target: Option<AssignTarget>,
    pub body: Expr,
}

/// `def`, or the body of a module or class.
#[derive(Debug)]
pub(crate) struct MethodBody {
    pub name: Box<str>,
    pub params: Params,
    /// Names of its parameters that are given by place.
    pub names: Box<[Box<str>]>,
    pub body: Expr,
}

/// Parameters of all kinds.
#[derive(Debug, Default)]
pub(crate) struct Params {
    pub required: Box<[AssignTarget]>,
    pub optional: Box<[(AssignTarget, Expr)]>,
    /// `*name`, `*`
    pub rest: Option<AssignTarget>,
    /// Required ones behind those.
    pub after: Box<[AssignTarget]>,
    pub keywords: Box<[Keyword]>,
    /// `**name`, `**`
    pub keyword_rest: Option<AssignTarget>,
    /// `&name`
    pub block: Option<AssignTarget>,
}

/// `name:`, `name: default`
#[derive(Debug)]
pub(crate) struct Keyword {
    pub name: Box<str>,
    pub target: AssignTarget,
    pub default: Option<Expr>,
}

/// A block.
#[derive(Debug)]
pub(crate) enum Block {
    Body(BlockBody),
    /// `&:name`
    Method(Method),
    /// `&value`
    Given(Box<Expr>),
    /// The one that was given last, while what it was given to runs.
    Passed,
}

/// A block's parameters and code.
#[derive(Debug)]
pub(crate) struct BlockBody {
    pub params: Box<[AssignTarget]>,
    /// Whether one array given is spread over the parameters.
    pub spreads: bool,
    /// Parameters where there are others than plain ones.
    pub full: Option<Box<Params>>,
    /// Slots of its own: nil when it begins.
    pub own: (u32, u32),
    /// Tells it from other blocks of the program; from 1.
    pub number: usize,
    pub captures: Captures,
    pub body: Expr,
}

/// Which locals from around it a block uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Captures {
    Nothing,
    /// Those of the method that it stands in.
    Method,
    /// Those of a block that it stands in.
    Block,
}

/// What takes a value.
#[derive(Debug)]
pub(crate) enum AssignTarget {
    Local(u32),
    /// The rest of a list; none takes it away.
    Rest(Option<u32>),
    /// `(a, b)`
    Many(Box<[AssignTarget]>),
    /// `@x`
    Variable(u32),
}
