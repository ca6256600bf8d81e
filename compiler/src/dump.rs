//! The syntax tree as text: one line of nested parentheses, for tests, for comparison with other parsers and
//! for looking at what was parsed.

use crate::ast::{
    AssignOp, Attribute, BinaryOp, Definition, Expr, ExprKind, HashEntry, HostMatch, Lambda, Param, Part,
    Program, RelationOp, ResourceForm, Span, UnaryOp,
};
use std::fmt::Write;

/// The program as text. With `positions`, each node is followed by `@` and the byte offset of its place.
pub fn dump(program: &Program<'_>, positions: bool) -> String {
    let mut dumper = Dumper { out: String::new(), positions };
    dumper.expr(program.body);
    dumper.out
}

/// How an operator is written.
pub(crate) fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
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

/// How an assignment operator is written.
pub(crate) fn assign_symbol(op: AssignOp) -> &'static str {
    match op {
        AssignOp::Set => "=",
        AssignOp::Append => "+=",
        AssignOp::Delete => "-=",
    }
}

/// How an arrow is written.
pub(crate) fn relation_symbol(op: RelationOp) -> &'static str {
    match op {
        RelationOp::Before => "->",
        RelationOp::Notify => "~>",
        RelationOp::After => "<-",
        RelationOp::Subscribe => "<~",
    }
}

struct Dumper {
    out: String,
    positions: bool,
}

impl Dumper {
    fn text(&mut self, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with('(') {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn at(&mut self, span: Span) {
        if self.positions {
            // Writing to a string cannot fail.
            let _ = write!(self.out, "@{}", span.start);
        }
    }

    fn quoted(&mut self, text: &str) {
        self.text("\"");
        for character in text.chars() {
            match character {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                other => self.out.push(other),
            }
        }
        self.out.push('"');
    }

    /// A node with children.
    fn node(&mut self, name: &str, span: Span, children: impl FnOnce(&mut Self)) {
        self.text("(");
        self.text(name);
        self.at(span);
        children(self);
        self.out.push(')');
    }

    fn list(&mut self, name: &str, children: impl FnOnce(&mut Self)) {
        self.text("(");
        self.text(name);
        children(self);
        self.out.push(')');
    }

    fn word(&mut self, name: &str, span: Span, value: &str) {
        self.node(name, span, |dumper| dumper.text(value));
    }

    fn exprs(&mut self, exprs: &[Expr<'_>]) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr<'_>) {
        let span = expr.span;
        match expr.kind {
            ExprKind::Nop => self.node("nop", span, |_| ()),
            ExprKind::Undef => self.node("undef", span, |_| ()),
            ExprKind::Default => self.node("default", span, |_| ()),
            ExprKind::Bool(value) => self.word("bool", span, &value.to_string()),
            ExprKind::Int { value, radix } => {
                let radix = match radix {
                    crate::ast::Radix::Decimal => "int",
                    crate::ast::Radix::Octal => "octal",
                    crate::ast::Radix::Hex => "hex",
                };
                self.word(radix, span, &value.to_string());
            }
            ExprKind::IntOverflow(text) => self.word("overflow", span, text),
            ExprKind::Float(value) => self.word("float", span, &format!("{value:?}")),
            ExprKind::Str(value) => self.node("str", span, |dumper| dumper.quoted(value)),
            ExprKind::Concat(parts) => self.node("concat", span, |dumper| {
                for part in parts {
                    match part {
                        Part::Text(text, span) => dumper.node("str", *span, |dumper| dumper.quoted(text)),
                        Part::Expr(expr) => dumper.expr(expr),
                    }
                }
            }),
            ExprKind::Heredoc { syntax, text } => self.node("heredoc", span, |dumper| {
                dumper.quoted(syntax);
                dumper.expr(text);
            }),
            ExprKind::Regex(source) => self.node("regex", span, |dumper| dumper.quoted(source)),
            ExprKind::Name(name) => self.word("name", span, name),
            ExprKind::TypeName(name) => self.word("type-name", span, name),
            ExprKind::Reserved(word) => self.word("reserved", span, word),
            ExprKind::Var(name) => self.word("var", span, name),
            ExprKind::Paren(inner) => self.node("paren", span, |dumper| dumper.expr(inner)),
            ExprKind::Array(values) => self.node("array", span, |dumper| dumper.exprs(values)),
            ExprKind::Hash(entries) => self.node("hash", span, |dumper| dumper.entries(entries)),
            ExprKind::Unary { op, expr } => {
                let name = match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Minus => "neg",
                    UnaryOp::Unfold => "splat",
                };
                self.node(name, span, |dumper| dumper.expr(expr));
            }
            ExprKind::Binary { op, lhs, rhs } => self.pair(binary_symbol(op), span, lhs, rhs),
            ExprKind::Assign { op, lhs, rhs } => self.pair(assign_symbol(op), span, lhs, rhs),
            ExprKind::Relation { op, lhs, rhs } => self.pair(relation_symbol(op), span, lhs, rhs),
            ExprKind::TypeMapping { left, right } => self.pair("type-mapping", span, left, right),
            ExprKind::Access { left, keys } => self.node("access", span, |dumper| {
                dumper.expr(left);
                dumper.exprs(keys);
            }),
            ExprKind::Selector { left, arms } => self.node("?", span, |dumper| {
                dumper.expr(left);
                for arm in arms {
                    dumper.pair("=>", arm.span, &arm.matching, &arm.value);
                }
            }),
            ExprKind::Case { test, options } => self.node("case", span, |dumper| {
                dumper.expr(test);
                for option in options {
                    dumper.node("when", option.span, |dumper| {
                        dumper.list("values", |dumper| dumper.exprs(option.values));
                        dumper.body(option.body);
                    });
                }
            }),
            ExprKind::If { negated, test, then, otherwise } => {
                self.node(if negated { "unless" } else { "if" }, span, |dumper| {
                    dumper.expr(test);
                    dumper.body(then);
                    if let Some(otherwise) = otherwise {
                        dumper.expr(otherwise);
                    }
                });
            }
            ExprKind::Call { functor, args, lambda, rvalue } => {
                self.node(if rvalue { "call" } else { "invoke" }, span, |dumper| {
                    dumper.expr(functor);
                    dumper.exprs(args);
                    lambda.into_iter().for_each(|lambda| dumper.lambda(lambda));
                });
            }
            ExprKind::MethodCall { receiver, name, args, lambda } => {
                self.node("method", span, |dumper| {
                    dumper.expr(receiver);
                    dumper.expr(name);
                    dumper.exprs(args);
                    lambda.into_iter().for_each(|lambda| dumper.lambda(lambda));
                });
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Resource { form, type_expr, bodies } => {
                self.node(&formed("resource", form), span, |dumper| {
                    dumper.expr(type_expr);
                    for body in bodies {
                        dumper.node("body", body.span, |dumper| {
                            dumper.expr(&body.title);
                            dumper.attributes(body.attributes);
                        });
                    }
                });
            }
            ExprKind::ResourceDefaults { form, type_expr: first, attributes } => {
                self.node(&formed("defaults", form), span, |dumper| {
                    dumper.expr(first);
                    dumper.attributes(attributes);
                });
            }
            ExprKind::ResourceOverride { form, resources: first, attributes } => {
                self.node(&formed("override", form), span, |dumper| {
                    dumper.expr(first);
                    dumper.attributes(attributes);
                });
            }
            ExprKind::Collect { type_expr, query, attributes } => self.node("collect", span, |dumper| {
                dumper.expr(type_expr);
                let name = if query.exported { "exported-query" } else { "virtual-query" };
                dumper.node(name, query.span, |dumper| {
                    query.expr.into_iter().for_each(|expr| dumper.expr(expr));
                });
                dumper.attributes(attributes);
            }),
            ExprKind::Block(statements) => self.node("block", span, |dumper| dumper.exprs(statements)),
            ExprKind::Class { def, parent } => self.node("class", span, |dumper| {
                dumper.text(def.name);
                parent.into_iter().for_each(|(name, _)| dumper.list("inherits", |dumper| dumper.text(name)));
                dumper.definition(def);
            }),
            ExprKind::Define(def) => self.node("define", span, |dumper| {
                dumper.text(def.name);
                dumper.definition(def);
            }),
            ExprKind::Function { def, return_type } => {
                self.returning("function", span, def, return_type);
            }
            ExprKind::Plan { def, return_type } => self.returning("plan", span, def, return_type),
            ExprKind::Node { matches, parent, body } => self.node("node", span, |dumper| {
                for host in matches {
                    match host {
                        HostMatch::Name(name, span) => {
                            dumper.node("str", *span, |dumper| dumper.quoted(name))
                        }
                        HostMatch::Regex(source, span) => {
                            dumper.node("regex", *span, |dumper| dumper.quoted(source));
                        }
                        HostMatch::Default(span) => dumper.node("default", *span, |_| ()),
                        HostMatch::Other(expr) => dumper.expr(expr),
                    }
                }
                parent.into_iter().for_each(|parent| dumper.list("inherits", |dumper| dumper.expr(parent)));
                dumper.body(body);
            }),
            ExprKind::TypeAlias { name, body } => self.node("type-alias", span, |dumper| {
                dumper.text(name);
                dumper.expr(body);
            }),
            ExprKind::TypeDefinition { name, parent, body } => {
                self.node("type-definition", span, |dumper| {
                    dumper.text(name);
                    parent.into_iter().for_each(|name| dumper.list("inherits", |dumper| dumper.text(name)));
                    dumper.body(body);
                });
            }
            ExprKind::Epp { params, body } => self.node("epp", span, |dumper| {
                params.into_iter().for_each(|params| dumper.params(params));
                dumper.body(body);
            }),
            ExprKind::RenderText(text) => self.node("text", span, |dumper| dumper.quoted(text)),
            ExprKind::Render(inner) => self.node("render", span, |dumper| dumper.expr(inner)),
        }
    }

    fn pair(&mut self, name: &str, span: Span, left: &Expr<'_>, right: &Expr<'_>) {
        self.node(name, span, |dumper| {
            dumper.expr(left);
            dumper.expr(right);
        });
    }

    fn entries(&mut self, entries: &[HashEntry<'_>]) {
        for entry in entries {
            self.pair("=>", entry.span, &entry.key, &entry.value);
        }
    }

    fn attributes(&mut self, attributes: &[Attribute<'_>]) {
        for attribute in attributes {
            match attribute {
                Attribute::Named { span, name, op, value } => {
                    let arrow = match op {
                        crate::ast::AttrOp::Set => "=>",
                        crate::ast::AttrOp::Append => "+>",
                    };
                    self.node(arrow, *span, |dumper| {
                        dumper.text(name);
                        dumper.expr(value);
                    });
                }
                Attribute::Splat { span, value } => self.node("*=>", *span, |dumper| dumper.expr(value)),
            }
        }
    }

    fn lambda(&mut self, lambda: &Lambda<'_>) {
        self.node("lambda", lambda.span, |dumper| {
            dumper.params(lambda.params);
            if let Some(return_type) = lambda.return_type {
                dumper.list("returns", |dumper| dumper.expr(return_type));
            }
            dumper.body(lambda.body);
        });
    }

    fn definition(&mut self, def: &Definition<'_>) {
        self.params(def.params);
        self.body(def.body);
    }

    fn returning(&mut self, name: &str, span: Span, def: &Definition<'_>, return_type: Option<&Expr<'_>>) {
        self.node(name, span, |dumper| {
            dumper.text(def.name);
            if let Some(return_type) = return_type {
                dumper.list("returns", |dumper| dumper.expr(return_type));
            }
            dumper.definition(def);
        });
    }

    fn params(&mut self, params: &[Param<'_>]) {
        self.list("params", |dumper| {
            for param in params {
                dumper.node(if param.captures_rest { "rest" } else { "param" }, param.span, |dumper| {
                    dumper.text(param.name);
                    if let Some(type_expr) = param.type_expr {
                        dumper.list("type", |dumper| dumper.expr(type_expr));
                    }
                    if let Some(default) = param.default {
                        dumper.list("default", |dumper| dumper.expr(default));
                    }
                });
            }
        });
    }

    /// A body; an empty one is shown without a place, for it has none.
    fn body(&mut self, body: &Expr<'_>) {
        match body.kind {
            ExprKind::Block([]) => self.text("()"),
            _ => self.expr(body),
        }
    }
}

fn formed(name: &str, form: ResourceForm) -> String {
    match form {
        ResourceForm::Regular => name.to_owned(),
        ResourceForm::Virtual => format!("@{name}"),
        ResourceForm::Exported => format!("@@{name}"),
    }
}
