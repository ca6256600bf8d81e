//! Tokens: what the lexer hands to the parser.

/// A token's kind. Names follow what the token is, not what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tok {
    /// A string without interpolation; text is its value.
    String,
    /// A bare word that is no name: `foo-bar`, `_x`.
    Word,
    Name,
    ClassRef,
    Number,
    /// Text is the source between the slashes.
    Regex,
    /// Text is the name without `$`.
    Variable,
    /// Text before the first, between two and after the last interpolation.
    DqPre,
    DqMid,
    DqPost,
    /// Text is the syntax; a `String` or `DqPre` … `DqPost` follows.
    Heredoc,
    RenderString,
    RenderExpr,
    EppStart,
    EppEnd,
    EppEndTrim,
    /// `[` without white space before it.
    LBrack,
    /// `[` after white space.
    ListStart,
    RBrack,
    LBrace,
    /// `{` after `?`.
    SelBrace,
    RBrace,
    LParen,
    /// `(` that is the first on its line.
    WsLParen,
    RParen,
    Equals,
    Appends,
    Deletes,
    IsEqual,
    NotEqual,
    Match,
    NoMatch,
    GreaterEqual,
    GreaterThan,
    LessEqual,
    LessThan,
    FArrow,
    PArrow,
    LShift,
    RShift,
    LCollect,
    LLCollect,
    RCollect,
    RRCollect,
    Plus,
    Minus,
    Div,
    Times,
    Modulo,
    Not,
    Dot,
    Pipe,
    At,
    AtAt,
    Colon,
    Comma,
    Semicolon,
    QMark,
    InEdge,
    InEdgeSub,
    OutEdge,
    OutEdgeSub,
    Case,
    Class,
    Default,
    Define,
    If,
    Elsif,
    Else,
    Inherits,
    Node,
    And,
    Or,
    Undef,
    Boolean,
    In,
    Unless,
    Function,
    Type,
    Attr,
    Private,
    /// A character (or `~`) that starts no token.
    Other,
    /// End of input.
    End,
    /// The lexer's error lies here; the token is the last.
    Fault,
}

/// A token and its place in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Tok,
    /// Byte offsets into the file, also for tokens inside a heredoc.
    pub start: u32,
    pub end: u32,
    /// The token's value, see [`Tok`]; its source text where nothing else is said.
    pub text: &'a str,
}

/// The keyword that a name is, if it is one.
pub(crate) fn keyword(name: &str) -> Option<Tok> {
    Some(match name {
        "case" => Tok::Case,
        "class" => Tok::Class,
        "default" => Tok::Default,
        "define" => Tok::Define,
        "if" => Tok::If,
        "elsif" => Tok::Elsif,
        "else" => Tok::Else,
        "inherits" => Tok::Inherits,
        "node" => Tok::Node,
        "and" => Tok::And,
        "or" => Tok::Or,
        "undef" => Tok::Undef,
        "false" | "true" => Tok::Boolean,
        "in" => Tok::In,
        "unless" => Tok::Unless,
        "function" => Tok::Function,
        "type" => Tok::Type,
        "attr" => Tok::Attr,
        "private" => Tok::Private,
        _ => return None,
    })
}

impl Tok {
    /// Whether a `/` after this token may start a regular expression rather than divide.
    pub(crate) fn allows_regex(self) -> bool {
        !matches!(
            self,
            Tok::RParen
                | Tok::RBrack
                | Tok::RRCollect
                | Tok::RCollect
                | Tok::Name
                | Tok::ClassRef
                | Tok::Number
                | Tok::String
                | Tok::Boolean
                | Tok::DqPre
                | Tok::DqMid
                | Tok::DqPost
                | Tok::Heredoc
                | Tok::Regex
                | Tok::Variable
                | Tok::Word
        )
    }

    /// Whether the token is a keyword.
    pub(crate) fn is_keyword(self) -> bool {
        (Tok::Case as u8..=Tok::Private as u8).contains(&(self as u8))
    }
}
