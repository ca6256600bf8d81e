//! The syntax tree: what the parser builds and the checks and the lowering read.
//!
//! Nodes live in one bump arena per file and are never changed once built. A node's [`Span`] is the
//! place Puppet names when it complains about that node: for a binary operator that is the operator,
//! not the left operand.

/// Where a node stands: byte offsets into the source text, `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

/// An expression and its place. In Puppet everything is an expression, definitions included.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    /// Puppet's place for this node.
    pub span: Span,
    /// What the node is.
    pub kind: ExprKind<'a>,
}

/// The base a decimal, octal or hexadecimal literal was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// `42`
    Decimal,
    /// `052`
    Octal,
    /// `0x2a`
    Hex,
}

/// Operators with two operands that yield a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    ShiftLeft,
    ShiftRight,
    Eq,
    NotEq,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Match,
    NotMatch,
    In,
    And,
    Or,
}

impl BinaryOp {
    /// How the operator is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::NotEq => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEq => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEq => ">=",
            BinaryOp::Match => "=~",
            BinaryOp::NotMatch => "!~",
            BinaryOp::In => "in",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!x`
    Not,
    /// `-x`
    Minus,
    /// `*x`, the splat
    Unfold,
}

/// `=`, `+=` and `-=`; the last two are parsed only to be refused in Puppet's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Append,
    /// `-=`
    Delete,
}

impl AssignOp {
    /// How the operator is written.
    pub fn symbol(self) -> &'static str {
        match self {
            AssignOp::Set => "=",
            AssignOp::Append => "+=",
            AssignOp::Delete => "-=",
        }
    }
}

/// The four arrows between relationship operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationOp {
    /// `->`
    Before,
    /// `~>`
    Notify,
    /// `<-`
    After,
    /// `<~`
    Subscribe,
}

impl RelationOp {
    /// How the arrow is written.
    pub fn symbol(self) -> &'static str {
        match self {
            RelationOp::Before => "->",
            RelationOp::Notify => "~>",
            RelationOp::After => "<-",
            RelationOp::Subscribe => "<~",
        }
    }
}

/// How a resource expression (or collected set) is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceForm {
    /// `file { … }`
    Regular,
    /// `@file { … }`
    Virtual,
    /// `@@file { … }`
    Exported,
}

/// What an attribute operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrOp {
    /// `=>`
    Set,
    /// `+>`
    Append,
}

impl AttrOp {
    /// How the arrow is written.
    pub fn symbol(self) -> &'static str {
        match self {
            AttrOp::Set => "=>",
            AttrOp::Append => "+>",
        }
    }
}

/// A piece of a double-quoted string or heredoc.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// Literal text, escapes already resolved.
    Text(&'a str, Span),
    /// An interpolated expression. `${x}` and `$x` arrive as [`ExprKind::Var`].
    Expr(&'a Expr<'a>),
}

/// `key => value` of a literal hash.
#[derive(Clone, Copy, Debug)]
pub struct HashEntry<'a> {
    /// Place of the entry.
    pub span: Span,
    /// Left of the arrow.
    pub key: Expr<'a>,
    /// Right of the arrow.
    pub value: Expr<'a>,
}

/// One arm of a selector.
#[derive(Clone, Copy, Debug)]
pub struct SelectorArm<'a> {
    /// Place of the arm.
    pub span: Span,
    /// The value to match; `default` is [`ExprKind::Default`].
    pub matching: Expr<'a>,
    /// The value chosen.
    pub value: Expr<'a>,
}

/// One option of a `case`.
#[derive(Clone, Copy, Debug)]
pub struct CaseOption<'a> {
    /// Place of the option.
    pub span: Span,
    /// Values to match, any of them.
    pub values: &'a [Expr<'a>],
    /// The body, a [`ExprKind::Block`] or a single expression.
    pub body: &'a Expr<'a>,
}

/// A parameter of a class, defined type, function, lambda, plan or template.
#[derive(Clone, Copy, Debug)]
pub struct Param<'a> {
    /// Place of the parameter.
    pub span: Span,
    /// Name, without `$`.
    pub name: &'a str,
    /// The type expression in front, where given.
    pub type_expr: Option<&'a Expr<'a>>,
    /// The default, where given.
    pub default: Option<&'a Expr<'a>>,
    /// Whether it is written with `*`.
    pub captures_rest: bool,
}

/// `|$a, $b| { … }`
#[derive(Clone, Copy, Debug)]
pub struct Lambda<'a> {
    /// Place of the lambda.
    pub span: Span,
    /// Parameters, left to right.
    pub params: &'a [Param<'a>],
    /// `>> Type`, where given.
    pub return_type: Option<&'a Expr<'a>>,
    /// The body; an empty one is an empty [`ExprKind::Block`].
    pub body: &'a Expr<'a>,
}

/// `name => value`, `name +> value` or `* => hash` in a resource body.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    /// A named attribute.
    Named {
        /// Place of the operation.
        span: Span,
        /// Name of the attribute.
        name: &'a str,
        /// Set or append.
        op: AttrOp,
        /// Its value.
        value: Expr<'a>,
    },
    /// `* => expression`
    Splat {
        /// Place of the operation.
        span: Span,
        /// The hash of attributes.
        value: Expr<'a>,
    },
}

/// `title: attributes` of a resource expression.
#[derive(Clone, Copy, Debug)]
pub struct ResourceBody<'a> {
    /// Place of the body.
    pub span: Span,
    /// The title expression; [`ExprKind::Default`] for a default body.
    pub title: Expr<'a>,
    /// The attribute operations in order.
    pub attributes: &'a [Attribute<'a>],
}

/// A query between `<|` and `|>`.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Virtual or exported.
    pub exported: bool,
    /// The query, made of [`BinaryOp::Eq`], `NotEq`, `And`, `Or` and parentheses; none collects all.
    pub expr: Option<&'a Expr<'a>>,
    /// Place of the query.
    pub span: Span,
}

/// A class, defined type, function, plan: what they have in common.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// Full name, as written but with the enclosing classes' names in front.
    pub name: &'a str,
    /// Place of the name's word.
    pub name_span: Span,
    /// Parameters in order.
    pub params: &'a [Param<'a>],
    /// The body.
    pub body: &'a Expr<'a>,
}

/// A host name of a node definition.
#[derive(Clone, Copy, Debug)]
pub enum HostMatch<'a> {
    /// A name, bare or quoted.
    Name(&'a str, Span),
    /// A regular expression's source.
    Regex(&'a str, Span),
    /// `default`
    Default(Span),
    /// Anything else, for the checks to refuse.
    Other(&'a Expr<'a>),
}

/// The kinds of expression.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum ExprKind<'a> {
    /// Nothing: an empty program.
    Nop,
    Undef,
    Default,
    Bool(bool),
    Int {
        value: i64,
        radix: Radix,
    },
    /// An integer beyond 64 bits, as written; the checks refuse it.
    IntOverflow(&'a str),
    Float(f64),
    /// A string without interpolation, of any quoting.
    Str(&'a str),
    /// A double-quoted string with interpolation.
    Concat(&'a [Part<'a>]),
    /// A heredoc; `syntax` is empty where none was given. `text` is a `Str` or `Concat`.
    Heredoc {
        syntax: &'a str,
        text: &'a Expr<'a>,
    },
    /// Source between the slashes.
    Regex(&'a str),
    /// A bare word: `running`, `apache::vhost`.
    Name(&'a str),
    /// A capitalised word: `File`, `Apache::Vhost`; text as written.
    TypeName(&'a str),
    /// A reserved word where an expression stands (`private`, `attr`, …).
    Reserved(&'a str),
    /// A variable, without `$`; may be qualified, may start with `::`, may be numeric.
    Var(&'a str),
    Paren(&'a Expr<'a>),
    Array(&'a [Expr<'a>]),
    Hash(&'a [HashEntry<'a>]),
    Unary {
        op: UnaryOp,
        expr: &'a Expr<'a>,
    },
    Binary {
        op: BinaryOp,
        lhs: &'a Expr<'a>,
        rhs: &'a Expr<'a>,
    },
    Assign {
        op: AssignOp,
        lhs: &'a Expr<'a>,
        rhs: &'a Expr<'a>,
    },
    Relation {
        op: RelationOp,
        lhs: &'a Expr<'a>,
        rhs: &'a Expr<'a>,
    },
    /// `left[keys]`
    Access {
        left: &'a Expr<'a>,
        keys: &'a [Expr<'a>],
    },
    Selector {
        left: &'a Expr<'a>,
        arms: &'a [SelectorArm<'a>],
    },
    Case {
        test: &'a Expr<'a>,
        options: &'a [CaseOption<'a>],
    },
    /// `unless` arrives with `negated`; `elsif` as a nested `If` in `otherwise`.
    If {
        negated: bool,
        test: &'a Expr<'a>,
        then: &'a Expr<'a>,
        otherwise: Option<&'a Expr<'a>>,
    },
    /// `name(args)`, `name args`; `functor` is a `Name`, `TypeName` (`Integer("1")`) or, wrongly, anything.
    Call {
        functor: &'a Expr<'a>,
        args: &'a [Expr<'a>],
        lambda: Option<&'a Lambda<'a>>,
        /// Whether the call stands where a value is needed (has parentheses).
        rvalue: bool,
    },
    /// `receiver.name(args)`; `name` is a `Name` or `TypeName` expression.
    MethodCall {
        receiver: &'a Expr<'a>,
        name: &'a Expr<'a>,
        args: &'a [Expr<'a>],
        lambda: Option<&'a Lambda<'a>>,
    },
    Lambda(&'a Lambda<'a>),
    /// `type { title: … }`; `type_expr` is a `Name`, `TypeName`, access on one, or `Name("class")`.
    Resource {
        form: ResourceForm,
        type_expr: &'a Expr<'a>,
        bodies: &'a [ResourceBody<'a>],
    },
    /// `File { mode => … }`
    ResourceDefaults {
        form: ResourceForm,
        type_expr: &'a Expr<'a>,
        attributes: &'a [Attribute<'a>],
    },
    /// `File['x'] { mode => … }`
    ResourceOverride {
        form: ResourceForm,
        resources: &'a Expr<'a>,
        attributes: &'a [Attribute<'a>],
    },
    /// `File <| query |> { overrides }`
    Collect {
        type_expr: &'a Expr<'a>,
        query: Query<'a>,
        attributes: &'a [Attribute<'a>],
    },
    Block(&'a [Expr<'a>]),
    Class {
        def: &'a Definition<'a>,
        parent: Option<(&'a str, Span)>,
    },
    Define(&'a Definition<'a>),
    Function {
        def: &'a Definition<'a>,
        return_type: Option<&'a Expr<'a>>,
    },
    Plan {
        def: &'a Definition<'a>,
        return_type: Option<&'a Expr<'a>>,
    },
    Node {
        matches: &'a [HostMatch<'a>],
        parent: Option<&'a Expr<'a>>,
        body: &'a Expr<'a>,
    },
    /// `type Name = expr`. `type Name = Other {…}` arrives as `Object[{…}]` with `parent => Other` in it.
    TypeAlias {
        name: &'a str,
        body: &'a Expr<'a>,
    },
    /// `type Name inherits Other {…}`, for the checks to refuse.
    TypeDefinition {
        name: &'a str,
        parent: Option<&'a str>,
        body: &'a Expr<'a>,
    },
    /// `type Regexp[...] = …` mappings: `type left = right` where left is not a plain name.
    TypeMapping {
        left: &'a Expr<'a>,
        right: &'a Expr<'a>,
    },
    /// An EPP template. `params` is none where the template declares no parameter block.
    Epp {
        params: Option<&'a [Param<'a>]>,
        body: &'a Expr<'a>,
    },
    /// Literal text of a template.
    RenderText(&'a str),
    /// `<%= expr %>`
    Render(&'a Expr<'a>),
}

impl ExprKind<'_> {
    /// Whether it defines something: it stands beside the code, and has no value where it is written.
    pub fn is_definition(&self) -> bool {
        matches!(
            self,
            ExprKind::Class { .. }
                | ExprKind::Define(_)
                | ExprKind::Function { .. }
                | ExprKind::Plan { .. }
                | ExprKind::Node { .. }
                | ExprKind::TypeAlias { .. }
                | ExprKind::TypeDefinition { .. }
                | ExprKind::TypeMapping { .. }
        )
    }
}

/// A parsed file.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The whole file's expressions, a [`ExprKind::Block`], `Nop` or (EPP) [`ExprKind::Epp`].
    pub body: &'a Expr<'a>,
    /// Every definition of the file in the order Puppet instantiates them, however nested.
    pub definitions: &'a [&'a Expr<'a>],
}
