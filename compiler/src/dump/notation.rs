//! Puppet's notation of syntax trees ("PN"): calls, lists and maps of literals.

use crate::ast::{
    Attribute, Definition, Expr, ExprKind, HostMatch, Lambda, Param, Part, Program, Query, Radix,
    ResourceForm, UnaryOp,
};
use crate::visit::deeper;
use bunraku_vm::format::float_to_s;
use std::fmt;

/// A node of the notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Notation<'a> {
    /// `(name elements…)`
    Call(&'static str, Vec<Notation<'a>>),
    /// `[elements…]`
    List(Vec<Notation<'a>>),
    /// `{:key value …}`
    Map(Vec<(&'a str, Notation<'a>)>),
    /// `"text"`
    Text(&'a str),
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
    /// `true` or `false`
    Boolean(bool),
    /// `nil`
    Nil,
}

use Notation::{Boolean, Call, Integer, List, Map, Text};

impl<'a> Notation<'a> {
    /// What a file was parsed to.
    pub fn of(program: &Program<'a>) -> Notation<'a> {
        expression(program.body)
    }

    /// As text in many lines, indented by two spaces.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out, Some(0));
        out
    }

    fn write(&self, out: &mut dyn fmt::Write, depth: Option<usize>) -> fmt::Result {
        deeper(|| match self {
            Call(name, elements) => {
                write!(out, "({name}")?;
                if depth.is_none() && !elements.is_empty() {
                    out.write_char(' ')?;
                }
                write_all(elements, out, depth)?;
                out.write_char(')')
            }
            List(elements) => {
                out.write_char('[')?;
                write_all(elements, out, depth)?;
                out.write_char(']')
            }
            Map(entries) => {
                out.write_char('{')?;
                for (n, (key, value)) in entries.iter().enumerate() {
                    separate(out, depth, n)?;
                    write!(out, ":{key} ")?;
                    value.write(out, depth.map(|depth| depth + 1))?;
                }
                out.write_char('}')
            }
            Text(text) => quoted(text, out),
            Integer(value) => write!(out, "{value}"),
            Notation::Float(value) => out.write_str(&float_to_s(*value)),
            Boolean(value) => write!(out, "{value}"),
            Notation::Nil => out.write_str("nil"),
        })
    }
}

impl fmt::Display for Notation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, None)
    }
}

/// What stands before an element: a line of its own, or a space between two.
fn separate(out: &mut dyn fmt::Write, depth: Option<usize>, n: usize) -> fmt::Result {
    match depth {
        Some(depth) => write!(out, "\n{:1$}", "", (depth + 1) * 2),
        None if n > 0 => out.write_char(' '),
        None => Ok(()),
    }
}

fn write_all(elements: &[Notation<'_>], out: &mut dyn fmt::Write, depth: Option<usize>) -> fmt::Result {
    for (n, element) in elements.iter().enumerate() {
        separate(out, depth, n)?;
        element.write(out, depth.map(|depth| depth + 1))?;
    }
    Ok(())
}

fn quoted(text: &str, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '\t' => out.write_str("\\t")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\0'..' ' => write!(out, "\\o{:03o}", character as u32)?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}

fn expressions<'a>(all: &'a [Expr<'a>]) -> Vec<Notation<'a>> {
    all.iter().map(expression).collect()
}

fn pair<'a>(name: &'static str, left: &'a Expr<'a>, right: &'a Expr<'a>) -> Notation<'a> {
    Call(name, vec![expression(left), expression(right)])
}

fn call<'a>(name: &'static str, only: Notation<'a>) -> Notation<'a> {
    Call(name, vec![only])
}

fn expression<'a>(expr: &'a Expr<'a>) -> Notation<'a> {
    deeper(|| of_kind(&expr.kind))
}

fn of_kind<'a>(kind: &'a ExprKind<'a>) -> Notation<'a> {
    match *kind {
        ExprKind::Nop => Call("nop", Vec::new()),
        ExprKind::Undef => Notation::Nil,
        ExprKind::Default => Call("default", Vec::new()),
        ExprKind::Bool(value) => Boolean(value),
        ExprKind::Int { value, radix } => match radix {
            Radix::Decimal => Integer(value),
            Radix::Octal => based(8, value),
            Radix::Hex => based(16, value),
        },
        ExprKind::IntOverflow(text) | ExprKind::Str(text) => Text(text),
        ExprKind::Float(value) => Notation::Float(value),
        ExprKind::Concat(parts) => Call("concat", parts.iter().map(part).collect()),
        ExprKind::Heredoc { syntax, text } => {
            let syntax = Some(("syntax", Text(syntax))).filter(|_| !syntax.is_empty());
            call("heredoc", Map(syntax.into_iter().chain([("text", expression(text))]).collect()))
        }
        ExprKind::Regex(source) => call("regexp", Text(source)),
        ExprKind::Name(name) => call("qn", Text(name)),
        ExprKind::TypeName(name) => call("qr", Text(name)),
        ExprKind::Reserved(word) => call("reserved", Text(word)),
        ExprKind::Var(name) => call("var", Text(name)),
        ExprKind::Paren(inner) => call("paren", expression(inner)),
        ExprKind::Array(values) => Call("array", expressions(values)),
        ExprKind::Hash(entries) => {
            Call("hash", entries.iter().map(|entry| pair("=>", &entry.key, &entry.value)).collect())
        }
        ExprKind::Unary { op, expr } => unary(op, expr),
        ExprKind::Binary { op, lhs, rhs } => pair(op.symbol(), lhs, rhs),
        ExprKind::Assign { op, lhs, rhs } => pair(op.symbol(), lhs, rhs),
        ExprKind::Relation { op, lhs, rhs } => pair(op.symbol(), lhs, rhs),
        ExprKind::Access { left, keys } => {
            Call("access", [expression(left)].into_iter().chain(expressions(keys)).collect())
        }
        ExprKind::Selector { left, arms } => {
            let arms = arms.iter().map(|arm| pair("=>", &arm.matching, &arm.value)).collect();
            Call("?", vec![expression(left), List(arms)])
        }
        ExprKind::Case { test, options } => {
            let option = |one: &'a crate::ast::CaseOption<'a>| {
                Map(vec![("when", List(expressions(one.values))), ("then", body(one.body))])
            };
            Call("case", vec![expression(test), List(options.iter().map(option).collect())])
        }
        ExprKind::If { negated, test, then, otherwise } => {
            let mut entries = vec![("test", expression(test))];
            entries.extend(some_body("then", then));
            entries.extend(otherwise.and_then(|otherwise| some_body("else", otherwise)));
            call(if negated { "unless" } else { "if" }, Map(entries))
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
        ExprKind::Block(statements) => Call("block", expressions(statements)),
        ExprKind::Class { def, parent } => {
            definition("class", def, parent.map(|(name, _)| ("parent", Text(name))), None)
        }
        ExprKind::Define(def) => definition("define", def, None, None),
        ExprKind::Function { def, return_type } => definition("function", def, None, return_type),
        ExprKind::Plan { def, return_type } => definition("plan", def, None, return_type),
        ExprKind::Node { matches, parent, body } => {
            let mut entries = vec![("matches", List(matches.iter().map(host).collect()))];
            entries.extend(parent.map(|parent| ("parent", expression(parent))));
            entries.extend(some_body("body", body));
            call("node", Map(entries))
        }
        ExprKind::TypeAlias { name, body } => Call("type-alias", vec![Text(name), expression(body)]),
        ExprKind::TypeDefinition { name, parent, body } => {
            let parent = parent.map_or(Notation::Nil, Text);
            Call("type-definition", vec![Text(name), parent, expression(body)])
        }
        ExprKind::TypeMapping { left, right } => pair("type-mapping", left, right),
        ExprKind::Epp { params, body } => template(params, body),
        ExprKind::RenderText(text) => call("render-s", Text(text)),
        ExprKind::Render(inner) => call("render", expression(inner)),
    }
}

fn based<'a>(radix: i64, value: i64) -> Notation<'a> {
    call("int", Map(vec![("radix", Integer(radix)), ("value", Integer(value))]))
}

fn part<'a>(part: &'a Part<'a>) -> Notation<'a> {
    match part {
        Part::Text(text, _) => Text(text),
        Part::Expr(inner) => call("str", expression(inner)),
    }
}

fn unary<'a>(op: UnaryOp, expr: &'a Expr<'a>) -> Notation<'a> {
    match (op, &expr.kind) {
        (UnaryOp::Minus, ExprKind::Int { value, .. }) => Integer(value.wrapping_neg()),
        (UnaryOp::Minus, ExprKind::Float(value)) => Notation::Float(-value),
        (UnaryOp::Minus, _) => call("-", expression(expr)),
        (UnaryOp::Not, _) => call("!", expression(expr)),
        (UnaryOp::Unfold, _) => call("unfold", expression(expr)),
    }
}

/// The statements of a body, or the one that it is.
fn body<'a>(body: &'a Expr<'a>) -> Notation<'a> {
    match body.kind {
        ExprKind::Block([]) => List(vec![Call("nop", Vec::new())]),
        ExprKind::Block(statements) => List(expressions(statements)),
        _ => List(vec![expression(body)]),
    }
}

/// The entry of a body that has something in it.
fn some_body<'a>(name: &'static str, body: &'a Expr<'a>) -> Option<(&'a str, Notation<'a>)> {
    match body.kind {
        ExprKind::Block([]) | ExprKind::Nop => None,
        _ => Some((name, self::body(body))),
    }
}

fn called<'a>(
    name: &'static str,
    functor: Notation<'a>,
    args: &'a [Expr<'a>],
    lambda: Option<&'a Lambda<'a>>,
) -> Notation<'a> {
    let mut entries = vec![("functor", functor), ("args", List(expressions(args)))];
    entries.extend(lambda.map(|lambda| ("block", self::lambda(lambda))));
    call(name, Map(entries))
}

fn lambda<'a>(lambda: &'a Lambda<'a>) -> Notation<'a> {
    let mut entries = Vec::new();
    entries.extend(parameters(lambda.params));
    entries.extend(lambda.return_type.map(|returns| ("returns", expression(returns))));
    entries.extend(some_body("body", lambda.body));
    call("lambda", Map(entries))
}

fn parameters<'a>(params: &'a [Param<'a>]) -> Option<(&'a str, Notation<'a>)> {
    let parameter = |param: &'a Param<'a>| {
        let mut entries = Vec::new();
        entries.extend(param.type_expr.map(|given| ("type", expression(given))));
        entries.extend(param.captures_rest.then_some(("splat", Boolean(true))));
        entries.extend(param.default.map(|default| ("value", expression(default))));
        (param.name, Map(entries))
    };
    (!params.is_empty()).then(|| ("params", Map(params.iter().map(parameter).collect())))
}

fn definition<'a>(
    name: &'static str,
    def: &'a Definition<'a>,
    parent: Option<(&'a str, Notation<'a>)>,
    returns: Option<&'a Expr<'a>>,
) -> Notation<'a> {
    let mut entries = vec![("name", Text(def.name))];
    entries.extend(parent);
    entries.extend(parameters(def.params));
    entries.extend(some_body("body", def.body));
    entries.extend(returns.map(|returns| ("returns", expression(returns))));
    call(name, Map(entries))
}

fn host<'a>(host: &'a HostMatch<'a>) -> Notation<'a> {
    match *host {
        HostMatch::Name(name, _) => Text(name),
        HostMatch::Regex(source, _) => call("regexp", Text(source)),
        HostMatch::Default(_) => Call("default", Vec::new()),
        HostMatch::Other(expr) => expression(expr),
    }
}

fn template<'a>(params: Option<&'a [Param<'a>]>, body: &'a Expr<'a>) -> Notation<'a> {
    let inner = match body.kind {
        ExprKind::Block([]) | ExprKind::Nop => Call("epp", Vec::new()),
        // The block's own name gives way.
        _ => match expression(body) {
            Call(_, elements) => Call("epp", elements),
            other => call("epp", other),
        },
    };
    let mut entries = Vec::new();
    entries.extend(params.and_then(parameters));
    entries.push(("body", List(vec![inner])));
    call("lambda", Map(entries))
}

fn form(form: ResourceForm) -> Option<(&'static str, Notation<'static>)> {
    match form {
        ResourceForm::Regular => None,
        ResourceForm::Virtual => Some(("form", Text("virtual"))),
        ResourceForm::Exported => Some(("form", Text("exported"))),
    }
}

fn attributes<'a>(all: &'a [Attribute<'a>]) -> Notation<'a> {
    let one = |attribute: &'a Attribute<'a>| match attribute {
        Attribute::Named { name, op, value, .. } => Call(op.symbol(), vec![Text(name), expression(value)]),
        Attribute::Splat { value, .. } => call("splat-hash", expression(value)),
    };
    List(all.iter().map(one).collect())
}

fn query<'a>(query: &'a Query<'a>) -> Notation<'a> {
    let name = if query.exported { "exported-query" } else { "virtual-query" };
    Call(name, query.expr.map(expression).into_iter().collect())
}

/// The expressions that make or change resources.
fn resource<'a>(kind: &'a ExprKind<'a>) -> Notation<'a> {
    match *kind {
        ExprKind::Resource { form: as_what, type_expr, bodies } => {
            let body = |body: &'a crate::ast::ResourceBody<'a>| {
                Map(vec![("title", expression(&body.title)), ("ops", attributes(body.attributes))])
            };
            let mut entries =
                vec![("type", expression(type_expr)), ("bodies", List(bodies.iter().map(body).collect()))];
            entries.extend(form(as_what));
            call("resource", Map(entries))
        }
        ExprKind::ResourceDefaults { form: as_what, type_expr, attributes: all } => {
            let mut entries = vec![("type", expression(type_expr)), ("ops", attributes(all))];
            entries.extend(form(as_what));
            call("resource-defaults", Map(entries))
        }
        ExprKind::ResourceOverride { form: as_what, resources, attributes: all } => {
            let mut entries = vec![("resources", expression(resources)), ("ops", attributes(all))];
            entries.extend(form(as_what));
            call("resource-override", Map(entries))
        }
        ExprKind::Collect { type_expr, query: ref asked, attributes: all } => {
            let mut entries = vec![("type", expression(type_expr)), ("query", query(asked))];
            if !all.is_empty() {
                entries.push(("ops", attributes(all)));
            }
            call("collect", Map(entries))
        }
        _ => Call("nop", Vec::new()),
    }
}
