//! What a manifest has written where: the expressions of attributes, of parameters' defaults and of assignments, by their places.
//! For whoever tells where a value comes from; nothing is checked or run.

use crate::ast::{Attribute, Expr, ExprKind, Part};
use crate::extent::short_text;
use crate::parse::{ParseLimits, parse};
use crate::source::{LineIndex, SourceFile};
use crate::visit::{Lambdas, deeper, each_child};
use bumpalo::Bump;
use hashbrown::HashMap;

/// Bytes of an expression's text that are kept.
const MAX_TEXT: usize = 200;

/// What an expression is, as far as its text tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenKind {
    /// It says the value itself.
    Literal,
    /// A variable, without `$`.
    Variable(String),
    /// A parameter of the block around it, without `$`, or a part of one.
    OfBlock(String),
    /// A part of a variable that is reached by literal keys: `$facts['os']['name']`.
    Part(String, Vec<String>),
    /// A call of a function.
    Call(String),
    /// Anything else: the value is computed.
    Computed,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where what it belongs to begins (the attribute, the parameter, the assignment), from 1.
    pub line: u32,
    /// The same.
    pub column: u32,
    /// Its text on one line, cut off where it is long.
    pub text: String,
    /// See [`WrittenKind`].
    pub kind: WrittenKind,
}

/// What a manifest has written, as expressions of its tree: their texts are made when somebody asks.
pub struct Manifest<'a> {
    text: &'a str,
    /// By line and column.
    attributes: HashMap<(u32, u32), Piece<'a>>,
    parameters: HashMap<(&'a str, &'a str), Piece<'a>>,
    assignments: HashMap<(&'a str, &'a str), Vec<Piece<'a>>>,
    looked_up: HashMap<u32, &'a str>,
}

/// An expression that belongs to something.
struct Piece<'a> {
    /// Line and column at which what it belongs to begins.
    begin: (u32, u32),
    value: &'a Expr<'a>,
    /// The parameters of blocks around.
    bound: Box<[&'a str]>,
}

/// Functions that declare classes, and those that give data.
const DECLARES: [&str; 4] = ["include", "contain", "require", "hiera_include"];
const LOOKS_UP: [&str; 4] = ["lookup", "hiera", "hiera_array", "hiera_include"];

impl<'a> Manifest<'a> {
    /// That of a text, whose tree lies in `arena`; none where it does not parse.
    pub fn read(arena: &'a Bump, text: &'a str) -> Option<Manifest<'a>> {
        let parsed = parse(arena, &SourceFile::manifest(text), &ParseLimits::default()).ok()?;
        let all = Manifest {
            text,
            attributes: HashMap::new(),
            parameters: HashMap::new(),
            assignments: HashMap::new(),
            looked_up: HashMap::new(),
        };
        let lines = LineIndex::new(text);
        let mut reader = Reader { arena, lines, all, inside: vec![""], bound: Vec::new() };
        reader.walk(parsed.program.body);
        Some(reader.all)
    }

    /// The value of the attribute that begins there.
    pub fn attribute(&self, line: u32, column: u32) -> Option<Written> {
        self.attributes.get(&(line, column)).map(|piece| self.written(piece))
    }

    /// The default of a parameter of a class or defined type (in lower case).
    pub fn parameter(&self, definition: &str, name: &str) -> Option<Written> {
        self.parameters.get(&(definition, name)).map(|piece| self.written(piece))
    }

    /// The key that classes are taken from which a call on that line declares: `lookup('classes').include`.
    pub fn looked_up(&self, line: u32) -> Option<&'a str> {
        self.looked_up.get(&line).copied()
    }

    /// What is assigned to a variable in the body of a class or defined type, or, with an empty name, outside of them.
    pub fn assignments(&self, definition: &str, name: &str) -> Vec<Written> {
        let all = self.assignments.get(&(definition, name));
        all.into_iter().flatten().map(|piece| self.written(piece)).collect()
    }

    fn written(&self, piece: &Piece<'a>) -> Written {
        let (line, column) = piece.begin;
        let text = short_text(piece.value, self.text, MAX_TEXT);
        let kind = match kind(piece.value) {
            WrittenKind::Variable(name) | WrittenKind::Part(name, _)
                if piece.bound.contains(&name.as_str()) =>
            {
                WrittenKind::OfBlock(name)
            }
            other => other,
        };
        Written { line, column, text, kind }
    }
}

struct Reader<'a> {
    arena: &'a Bump,
    lines: LineIndex,
    all: Manifest<'a>,
    /// The definitions around, in lower case, below the manifest itself, which has no name.
    inside: Vec<&'a str>,
    /// The parameters of blocks around.
    bound: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn walk(&mut self, expr: &'a Expr<'a>) {
        deeper(|| match expr.kind {
            ExprKind::Class { def, .. } | ExprKind::Define(def) => {
                let name = self.arena.alloc_str(&def.name.to_lowercase());
                self.inside.push(name);
                for param in def.params {
                    if let Some(default) = param.default {
                        let piece = self.piece(param.span.start, default);
                        self.all.parameters.insert((name, param.name), piece);
                    }
                }
                self.children(expr);
                self.inside.pop();
            }
            ExprKind::Resource { bodies, .. } => {
                bodies.iter().for_each(|body| self.attributes(body.attributes));
                self.children(expr);
            }
            ExprKind::ResourceDefaults { attributes, .. }
            | ExprKind::ResourceOverride { attributes, .. }
            | ExprKind::Collect { attributes, .. } => {
                self.attributes(attributes);
                self.children(expr);
            }
            ExprKind::Assign { lhs: Expr { kind: ExprKind::Var(name), span }, rhs, .. } => {
                let piece = self.piece(span.start, rhs);
                let definition = self.inside.last().copied().unwrap_or_default();
                self.all.assignments.entry((definition, name)).or_default().push(piece);
                self.children(expr);
            }
            _ => {
                if called(expr).is_some_and(|name| DECLARES.contains(&name))
                    && let Some(key) = key(expr)
                {
                    self.all.looked_up.insert(self.lines.line(expr.span.start), key);
                }
                self.children(expr);
            }
        });
    }

    fn children(&mut self, expr: &'a Expr<'a>) {
        let before = self.bound.len();
        if let ExprKind::Call { lambda: Some(block), .. } | ExprKind::MethodCall { lambda: Some(block), .. } =
            expr.kind
        {
            self.bound.extend(block.params.iter().map(|param| param.name));
        }
        self.each(expr);
        self.bound.truncate(before);
    }

    fn each(&mut self, expr: &'a Expr<'a>) {
        each_child(expr, Lambdas::Enter, &mut |child| self.walk(child));
    }

    fn attributes(&mut self, attributes: &'a [Attribute<'a>]) {
        for attribute in attributes {
            // Places are those that running code tells: of a splat, its hash.
            let (begin, value) = match attribute {
                Attribute::Named { span, value, .. } => (span.start, value),
                Attribute::Splat { value, .. } => (value.span.start, value),
            };
            let piece = self.piece(begin, value);
            self.all.attributes.insert(piece.begin, piece);
        }
    }

    fn piece(&self, begin: u32, value: &'a Expr<'a>) -> Piece<'a> {
        let begin = self.lines.line_column(self.all.text, begin);
        Piece { begin, value, bound: self.bound.as_slice().into() }
    }
}

/// The name of the function that an expression calls.
fn called<'a>(expr: &Expr<'a>) -> Option<&'a str> {
    match expr.kind {
        ExprKind::Call { functor: Expr { kind: ExprKind::Name(name), .. }, .. }
        | ExprKind::MethodCall { name: Expr { kind: ExprKind::Name(name), .. }, .. } => Some(name),
        _ => None,
    }
}

/// The literal key of the first look-up in an expression.
fn key<'a>(expr: &'a Expr<'a>) -> Option<&'a str> {
    if called(expr).is_some_and(|name| LOOKS_UP.contains(&name)) {
        let (ExprKind::Call { args: [first, ..], .. } | ExprKind::MethodCall { receiver: first, .. }) =
            expr.kind
        else {
            return None;
        };
        return match first.kind {
            ExprKind::Str(text) | ExprKind::Name(text) => Some(text),
            _ => None,
        };
    }
    let mut found = None;
    deeper(|| {
        each_child(expr, Lambdas::Skip, &mut |child| {
            found = found.or_else(|| key(child));
        });
    });
    found
}

fn kind(expr: &Expr<'_>) -> WrittenKind {
    match expr.kind {
        ExprKind::Paren(inner) => kind(inner),
        ExprKind::Var(name) => WrittenKind::Variable(name.trim_start_matches("::").to_owned()),
        ExprKind::Concat([Part::Expr(inner)]) => kind(inner),
        ExprKind::Access { .. } => part(expr).unwrap_or(WrittenKind::Computed),
        ExprKind::Call { .. } | ExprKind::MethodCall { .. } => {
            called(expr).map_or(WrittenKind::Computed, |name| WrittenKind::Call(name.to_owned()))
        }
        _ if is_literal(expr) => WrittenKind::Literal,
        _ => WrittenKind::Computed,
    }
}

fn part(expr: &Expr<'_>) -> Option<WrittenKind> {
    let (mut keys, mut at) = (Vec::new(), expr);
    while let ExprKind::Access { left, keys: [key] } = at.kind {
        keys.push(match key.kind {
            ExprKind::Str(text) | ExprKind::Name(text) => text.to_owned(),
            ExprKind::Int { value, .. } => value.to_string(),
            _ => return None,
        });
        at = left;
    }
    keys.reverse();
    match at.kind {
        ExprKind::Var(name) => Some(WrittenKind::Part(name.trim_start_matches("::").to_owned(), keys)),
        _ if is_literal(expr) => Some(WrittenKind::Literal),
        _ => None,
    }
}

fn is_literal(expr: &Expr<'_>) -> bool {
    let simple = matches!(
        expr.kind,
        ExprKind::Undef
            | ExprKind::Default
            | ExprKind::Bool(_)
            | ExprKind::Int { .. }
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Regex(_)
            | ExprKind::Name(_)
            | ExprKind::TypeName(_)
    );
    let composed = matches!(
        expr.kind,
        ExprKind::Array(_)
            | ExprKind::Hash(_)
            | ExprKind::Paren(_)
            | ExprKind::Unary { .. }
            | ExprKind::Heredoc { .. }
            | ExprKind::Access { .. }
    );
    let mut all = true;
    if composed {
        deeper(|| {
            each_child(expr, Lambdas::Enter, &mut |child| all = all && is_literal(child));
        });
    }
    simple || (composed && all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: &str) -> WrittenKind {
        let text = format!("file {{ 'a':\n  mode => {value},\n}}");
        let arena = Bump::new();
        let manifest = Manifest::read(&arena, &text).expect("it parses");
        manifest.attribute(2, 3).expect("it is there").kind
    }

    #[test]
    fn kinds_are_told_by_the_text() {
        let variable = |name: &str| WrittenKind::Variable(name.to_owned());
        let cases = [
            ("'0644'", WrittenKind::Literal),
            ("[1, {a => File['/x']}]", WrittenKind::Literal),
            ("-1", WrittenKind::Literal),
            ("$mode", variable("mode")),
            ("\"${mode}\"", variable("mode")),
            ("$::a::mode", variable("a::mode")),
            (
                "$facts['os']['name']",
                WrittenKind::Part("facts".to_owned(), vec!["os".to_owned(), "name".to_owned()]),
            ),
            ("$x[$y]", WrittenKind::Computed),
            ("template('m/a.erb')", WrittenKind::Call("template".to_owned())),
            ("$x.join(',')", WrittenKind::Call("join".to_owned())),
            ("\"a ${b}\"", WrittenKind::Computed),
            ("$x ? { default => 1 }", WrittenKind::Computed),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn defaults_and_assignments_belong_to_their_definition() {
        let text = "$x = 1\nclass A::B(\n  $p = $x,\n  $q,\n) {\n  $x = 2\n  if true { $x = 3 }\n}\n";
        let arena = Bump::new();
        let manifest = Manifest::read(&arena, text).expect("it parses");
        let default = manifest.parameter("a::b", "p").expect("it has one");
        assert_eq!((default.line, default.text.as_str()), (3, "$x"));
        assert_eq!(manifest.parameter("a::b", "q"), None);
        let lines =
            |name: &str| manifest.assignments(name, "x").iter().map(|one| one.line).collect::<Vec<_>>();
        assert_eq!((lines(""), lines("a::b")), (vec![1], vec![6, 7]));
        assert!(Manifest::read(&arena, "class {").is_none());
    }

    #[test]
    fn parameters_of_blocks_are_told_apart() {
        let text = "$all.each |$a| {\n  notify { 'x':\n    message => $a,\n    * => $b,\n  }\n}\nnotify { 'y':\n  message => $a,\n}";
        let arena = Bump::new();
        let manifest = Manifest::read(&arena, text).expect("it parses");
        let kind = |line: u32, column: u32| manifest.attribute(line, column).map(|one| one.kind);
        assert_eq!(kind(3, 5), Some(WrittenKind::OfBlock("a".to_owned())));
        assert_eq!(kind(4, 10), Some(WrittenKind::Variable("b".to_owned())));
        assert_eq!(kind(8, 3), Some(WrittenKind::Variable("a".to_owned())));
    }

    #[test]
    fn classes_are_known_to_be_looked_up() {
        let text = "lookup('classes', Array, 'unique').include\ninclude lookup(other)\nhiera_include('third')\ninclude a, b\n\
                    lookup($x).include\n";
        let arena = Bump::new();
        let manifest = Manifest::read(&arena, text).expect("it parses");
        let keys = [1, 2, 3, 4, 5].map(|line| manifest.looked_up(line));
        assert_eq!(keys, [Some("classes"), Some("other"), Some("third"), None, None]);
    }
}
