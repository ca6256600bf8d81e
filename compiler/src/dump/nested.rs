//! The older form of dumps: nested parentheses with words of its own, in lines where Puppet breaks them.
//!
//! Puppet makes a list of parts and joins them: a space stands between two parts unless the left one ends, or the right one
//! begins, with white space, or it would follow `(` or come before `)`. Texts with lines of their own are looked at line by
//! line, so a text may lose its space; that is kept.

use crate::ast::{
    Attribute, CaseOption, Definition, Expr, ExprKind, HostMatch, Lambda, Param, Part, Program, Radix,
    ResourceForm, UnaryOp,
};
use crate::visit::deeper;
use bunraku_vm::format::float_to_s;

/// What a file was parsed to.
pub fn nested(program: &Program<'_>) -> String {
    Writer { depth: 0 }.joined(expression(program.body))
}

/// A piece of the dump.
enum Piece {
    /// A word, or text that was put together before.
    Word(String),
    /// `(pieces)`
    List(Vec<Piece>),
    /// A new line, as deep as it is then.
    Break,
    /// From here on deeper by one.
    Deeper,
    /// From here on less deep by one.
    Back,
    /// Pieces that are put together by themselves and are one word then, with something in front.
    Joined(&'static str, Box<Piece>),
}

use Piece::{Back, Break, Deeper, Joined, List, Word};

struct Writer {
    depth: usize,
}

impl Writer {
    fn joined(&mut self, piece: Piece) -> String {
        let mut parts = Vec::new();
        self.parts(piece, &mut parts);
        let mut out = String::new();
        for (n, part) in parts.iter().enumerate() {
            if n > 0 && part != ")" && !ends_open(&parts[n - 1]) && !begins_blank(part) {
                out.push(' ');
            }
            out.push_str(part);
        }
        out
    }

    fn parts(&mut self, piece: Piece, parts: &mut Vec<String>) {
        deeper(|| match piece {
            Word(text) => parts.push(text),
            Break => parts.push(format!("\n{}", "  ".repeat(self.depth))),
            Deeper => self.depth += 1,
            Back => self.depth -= 1,
            List(pieces) => {
                parts.push("(".to_owned());
                pieces.into_iter().for_each(|piece| self.parts(piece, parts));
                parts.push(")".to_owned());
            }
            Joined(front, piece) => {
                let text = self.joined(*piece);
                parts.push(format!("{front}{text}"));
            }
        });
    }
}

/// Whether a line of a part ends with white space or `(`.
fn ends_open(part: &str) -> bool {
    let is_open = |line: &str| line.ends_with(|c: char| c == '(' || is_blank(c));
    // The end of a line is blank itself where a line ends behind it.
    part.ends_with('\n') || part.contains("\n\n") || part.split('\n').any(is_open)
}

/// Whether a line of a part begins with white space.
fn begins_blank(part: &str) -> bool {
    let all: Vec<&str> = part.split('\n').collect();
    // An empty line begins with its own end, but for the last, which has none.
    all.iter().enumerate().any(|(n, line)| match line.is_empty() {
        true => n + 1 < all.len(),
        false => line.starts_with(is_blank),
    })
}

/// What Ruby's `\s` matches.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

fn word(text: impl Into<String>) -> Piece {
    Word(text.into())
}

fn expressions<'a>(all: &'a [Expr<'a>]) -> impl Iterator<Item = Piece> {
    all.iter().map(expression)
}

fn list(name: &str, rest: impl IntoIterator<Item = Piece>) -> Piece {
    List([word(name)].into_iter().chain(rest).collect())
}

fn pair(name: &str, left: &Expr<'_>, right: &Expr<'_>) -> Piece {
    list(name, [expression(left), expression(right)])
}

fn expression(expr: &Expr<'_>) -> Piece {
    deeper(|| of_kind(&expr.kind))
}

fn of_kind(kind: &ExprKind<'_>) -> Piece {
    match *kind {
        ExprKind::Nop => word(":nop"),
        ExprKind::Undef => word(":undef"),
        ExprKind::Default => word(":default"),
        ExprKind::Bool(value) => word(value.to_string()),
        ExprKind::Int { value, radix } => word(match radix {
            Radix::Decimal => value.to_string(),
            Radix::Octal => format!("0{value:o}"),
            Radix::Hex => format!("0x{value:X}"),
        }),
        ExprKind::Float(value) => word(float_to_s(value)),
        ExprKind::Str(text) => word(format!("'{text}'")),
        ExprKind::IntOverflow(text) | ExprKind::Name(text) | ExprKind::TypeName(text) => word(text),
        ExprKind::Concat(parts) => list("cat", parts.iter().map(part)),
        ExprKind::Heredoc { syntax, text } => {
            list(&format!("@({syntax})"), [Deeper, Break, expression(text), Back, Break])
        }
        ExprKind::Regex(source) => word(format!("/{}/", slashed(source))),
        ExprKind::Reserved(text) => list("reserved", [word(text)]),
        ExprKind::Var(name) => word(format!("${name}")),
        ExprKind::Paren(inner) => expression(inner),
        ExprKind::Array(values) => list("[]", expressions(values)),
        ExprKind::Hash(entries) => list(
            "{}",
            entries.iter().map(|entry| List(vec![expression(&entry.key), expression(&entry.value)])),
        ),
        ExprKind::Unary { op, expr } => match op {
            UnaryOp::Not => list("!", [Joined("", Box::new(expression(expr)))]),
            UnaryOp::Minus => list("-", [expression(expr)]),
            UnaryOp::Unfold => list("unfold", [expression(expr)]),
        },
        ExprKind::Binary { op, lhs, rhs } => {
            let name = match op.symbol() {
                "and" => "&&",
                "or" => "||",
                other => other,
            };
            pair(name, lhs, rhs)
        }
        ExprKind::Assign { op, lhs, rhs } => pair(op.symbol(), lhs, rhs),
        ExprKind::Relation { op, lhs, rhs } => pair(op.symbol(), lhs, rhs),
        ExprKind::Access { left, keys } => {
            let keys = match keys {
                [] => word("()"),
                [key] => expression(key),
                keys => List(expressions(keys).collect()),
            };
            list("slice", [expression(left), keys])
        }
        ExprKind::Selector { left, arms } => list(
            "?",
            [expression(left)].into_iter().chain(
                arms.iter()
                    .map(|arm| List(vec![expression(&arm.matching), word("=>"), expression(&arm.value)])),
            ),
        ),
        ExprKind::Case { test, options } => {
            list("case", [expression(test), Deeper].into_iter().chain(in_lines(options.iter().map(option))))
        }
        ExprKind::If { negated, test, then, otherwise } => {
            condition(if negated { "unless" } else { "if" }, test, then, otherwise)
        }
        ExprKind::Call { functor, args, lambda, rvalue } => {
            called(if rvalue { "call" } else { "invoke" }, expression(functor), args, lambda)
        }
        ExprKind::MethodCall { receiver, name, args, lambda } => {
            called("call-method", pair(".", receiver, name), args, lambda)
        }
        ExprKind::Lambda(lambda) => self::lambda(lambda),
        ExprKind::Resource { .. }
        | ExprKind::ResourceDefaults { .. }
        | ExprKind::ResourceOverride { .. }
        | ExprKind::Collect { .. } => resource(kind),
        ExprKind::Block(statements) => block(statements),
        ExprKind::Class { def, parent } => {
            let parent = parent.map(|(name, _)| list("inherits", [word(name)]));
            definition("class", def, parent, None)
        }
        ExprKind::Define(def) => definition("define", def, None, None),
        ExprKind::Function { def, return_type } => definition("function", def, None, return_type),
        // What a plan returns is not told.
        ExprKind::Plan { def, .. } => definition("plan", def, None, None),
        ExprKind::Node { matches, parent, body } => {
            let mut pieces = vec![list("matches", matches.iter().map(host))];
            pieces.extend(parent.map(|parent| list("parent", [expression(parent)])));
            pieces.push(self::body(body));
            list("node", pieces)
        }
        ExprKind::TypeAlias { name, body } => list("type-alias", [word(name), expression(body)]),
        ExprKind::TypeDefinition { name, parent, body } => {
            list("type-definition", [word(name), word(parent.unwrap_or_default()), expression(body)])
        }
        ExprKind::TypeMapping { left, right } => pair("type-mapping", left, right),
        ExprKind::Epp { params, body } => template(params, body),
        ExprKind::RenderText(text) => list("render-s", [word(format!(" '{text}'"))]),
        ExprKind::Render(inner) => list("render", [expression(inner)]),
    }
}

/// A regular expression's source with its slashes escaped.
fn slashed(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut is_escaped = false;
    for character in source.chars() {
        if character == '/' && !is_escaped {
            out.push('\\');
        }
        is_escaped = character == '\\' && !is_escaped;
        out.push(character);
    }
    out
}

fn part(part: &Part<'_>) -> Piece {
    match part {
        Part::Text(text, _) => word(format!("'{text}'")),
        Part::Expr(inner) => list("str", [expression(inner)]),
    }
}

/// Each in a line of its own, and back where it began.
fn in_lines(all: impl IntoIterator<Item = Piece>) -> Vec<Piece> {
    all.into_iter().flat_map(|piece| [Break, piece]).chain([Back]).collect()
}

fn block(statements: &[Expr<'_>]) -> Piece {
    let lines = in_lines(expressions(statements));
    list("block", [Deeper].into_iter().chain(lines).chain([Break]))
}

/// A body; an empty one is `()`.
fn body(body: &Expr<'_>) -> Piece {
    match body.kind {
        ExprKind::Block([]) => List(Vec::new()),
        _ => expression(body),
    }
}

fn condition(name: &str, test: &Expr<'_>, then: &Expr<'_>, otherwise: Option<&Expr<'_>>) -> Piece {
    let branch = |name: &str, of: &Expr<'_>| list(name, [Deeper, body(of), Back]);
    let mut pieces = vec![expression(test), Deeper, Break, branch("then", then)];
    let is_something = |of: &&Expr<'_>| !matches!(of.kind, ExprKind::Block([]) | ExprKind::Nop);
    // Without an `else` Puppet does not come back: what follows stays deeper.
    if let Some(otherwise) = otherwise.filter(is_something) {
        pieces.extend([Break, branch("else", otherwise), Back]);
    }
    list(name, pieces)
}

fn option(option: &CaseOption<'_>) -> Piece {
    let then = list("then", [body(option.body)]);
    list("when", [List(expressions(option.values).collect()), then])
}

fn called(name: &str, functor: Piece, args: &[Expr<'_>], lambda: Option<&Lambda<'_>>) -> Piece {
    let block = lambda.map(self::lambda);
    list(name, [functor].into_iter().chain(expressions(args)).chain(block))
}

fn parameters(params: &[Param<'_>]) -> Option<Piece> {
    (!params.is_empty()).then(|| list("parameters", params.iter().map(parameter)))
}

fn parameter(param: &Param<'_>) -> Piece {
    let name = word(format!("{}{}", if param.captures_rest { "*" } else { "" }, param.name));
    match (param.type_expr, param.default) {
        (Some(given), Some(value)) => list("=t", [expression(given), name, expression(value)]),
        (None, Some(value)) => list("=", [name, expression(value)]),
        (Some(given), None) => list("t", [expression(given), name]),
        (None, None) => name,
    }
}

fn returning(returns: Option<&Expr<'_>>) -> Option<Piece> {
    returns.map(|returns| list("return_type", [expression(returns)]))
}

fn lambda(lambda: &Lambda<'_>) -> Piece {
    let head = parameters(lambda.params).into_iter().chain(returning(lambda.return_type));
    list("lambda", head.chain([body(lambda.body)]))
}

fn definition(name: &str, def: &Definition<'_>, parent: Option<Piece>, returns: Option<&Expr<'_>>) -> Piece {
    let head = [word(def.name)].into_iter().chain(parent).chain(parameters(def.params));
    list(name, head.chain(returning(returns)).chain([body(def.body)]))
}

fn host(host: &HostMatch<'_>) -> Piece {
    match host {
        HostMatch::Name(name, _) => word(format!("'{name}'")),
        HostMatch::Regex(source, _) => word(format!("/{}/", slashed(source))),
        HostMatch::Default(_) => word(":default"),
        HostMatch::Other(expr) => expression(expr),
    }
}

fn template(params: Option<&[Param<'_>]>, body: &Expr<'_>) -> Piece {
    let inner = list("epp", [self::body(body)]);
    list("lambda", params.and_then(parameters).into_iter().chain([inner]))
}

fn attribute(attribute: &Attribute<'_>) -> Piece {
    match attribute {
        Attribute::Named { name, op, value, .. } => {
            List(vec![word(*name), word(op.symbol()), expression(value)])
        }
        Attribute::Splat { value, .. } => list("* =>", [expression(value)]),
    }
}

fn formed(form: ResourceForm, name: &str) -> String {
    match form {
        ResourceForm::Regular => name.to_owned(),
        ResourceForm::Virtual => format!("virtual-{name}"),
        ResourceForm::Exported => format!("exported-{name}"),
    }
}

/// The expressions that make or change resources.
fn resource(kind: &ExprKind<'_>) -> Piece {
    let with_attributes = |form: ResourceForm, name: &str, of: &Expr<'_>, all: &[Attribute<'_>]| {
        let lines = in_lines(all.iter().map(attribute));
        list(&formed(form, name), [expression(of), Deeper].into_iter().chain(lines))
    };
    match *kind {
        ExprKind::Resource { form, type_expr, bodies } => {
            let one = |body: &crate::ast::ResourceBody<'_>| {
                let lines = in_lines(body.attributes.iter().map(attribute));
                List([expression(&body.title), Deeper].into_iter().chain(lines).collect())
            };
            let lines = in_lines(bodies.iter().map(one));
            list(&formed(form, "resource"), [expression(type_expr), Deeper].into_iter().chain(lines))
        }
        ExprKind::ResourceDefaults { form, type_expr, attributes } => {
            with_attributes(form, "resource-defaults", type_expr, attributes)
        }
        ExprKind::ResourceOverride { form, resources, attributes } => {
            with_attributes(form, "override", resources, attributes)
        }
        // What a collector overrides is not told.
        ExprKind::Collect { type_expr, ref query, .. } => {
            let name = if query.exported { "<<| |>>" } else { "<| |>" };
            let asked = list(name, query.expr.map(expression));
            list("collect", [expression(type_expr), Deeper, Break, asked, Deeper, Back, Back])
        }
        _ => word(":nop"),
    }
}
