//! The walk over the tree: every node before its children, children in the order of Puppet's model.

use super::Checker;
use super::resource::Owner;
use crate::ast::{Attribute, Expr, ExprKind, HostMatch, Lambda, Param, Part};
use crate::visit::deeper;

/// What is around a node, as far as definitions care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// The program itself.
    Program,
    /// A class, directly.
    Class,
    /// The program's block.
    ProgramBlock,
    /// Another block; whether only classes and the program are around it.
    Block {
        /// Whether only blocks, classes and the program are around.
        top: bool,
    },
    /// Anything else.
    Inner,
}

impl Around {
    /// What is around the statements of a block.
    fn in_block(self) -> Around {
        match self {
            Around::Program => Around::ProgramBlock,
            Around::Class | Around::ProgramBlock | Around::Block { top: true } => Around::Block { top: true },
            Around::Block { top: false } | Around::Inner => Around::Block { top: false },
        }
    }
}

impl<'a> Checker<'_, '_> {
    /// Checks an expression and what is in it.
    pub(super) fn walk(&mut self, expr: &Expr<'a>, around: Around) {
        deeper(|| self.walk_into(expr, around));
    }

    fn walk_into(&mut self, expr: &Expr<'a>, around: Around) {
        match expr.kind {
            ExprKind::Nop
            | ExprKind::Undef
            | ExprKind::Default
            | ExprKind::Bool(_)
            | ExprKind::Int { .. }
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Regex(_)
            | ExprKind::Name(_)
            | ExprKind::TypeName(_)
            | ExprKind::RenderText(_) => {}
            ExprKind::IntOverflow(text) => self.int_overflow(expr, text),
            ExprKind::Reserved(word) => self.reserved_word(expr, word),
            ExprKind::Var(name) => self.variable_name(expr, name),
            ExprKind::Concat(parts) => {
                for part in parts {
                    if let Part::Expr(inner) = part {
                        self.rvalue(inner);
                        self.inner(inner);
                    }
                }
            }
            ExprKind::Heredoc { syntax, text } => {
                self.heredoc_syntax(syntax, text);
                self.inner(text);
            }
            ExprKind::Paren(inner) | ExprKind::Unary { expr: inner, .. } | ExprKind::Render(inner) => {
                self.rvalue(inner);
                self.inner(inner);
            }
            ExprKind::Array(values) => {
                self.rvalues(values);
                self.all(values);
            }
            ExprKind::Hash(entries) => {
                self.unique_keys(entries);
                for entry in entries {
                    self.hash_entry(entry);
                    self.inner(&entry.key);
                    self.inner(&entry.value);
                }
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                self.rvalue(lhs);
                self.rvalue(rhs);
                self.inner(lhs);
                self.inner(rhs);
            }
            ExprKind::Assign { op, lhs, rhs } => {
                self.assignment(expr, op, lhs, rhs);
                self.inner(lhs);
                self.inner(rhs);
            }
            ExprKind::Relation { lhs, rhs, .. } => {
                self.relation_side(lhs);
                self.relation_side(rhs);
                self.inner(lhs);
                self.inner(rhs);
            }
            ExprKind::Access { left, keys } => {
                self.inner(left);
                self.all(keys);
            }
            ExprKind::Selector { left, arms } => {
                self.selector(expr, left, arms);
                self.inner(left);
                for arm in arms {
                    self.rvalue(&arm.matching);
                    self.inner(&arm.matching);
                    self.inner(&arm.value);
                }
            }
            ExprKind::Case { test, options } => {
                self.case(expr, test, options);
                self.inner(test);
                for option in options {
                    self.rvalues(option.values);
                    self.all(option.values);
                    self.body(option.body, Around::Inner);
                }
            }
            ExprKind::If { test, then, otherwise, .. } => {
                self.rvalue(test);
                self.inner(test);
                self.body(then, Around::Inner);
                if let Some(otherwise) = otherwise {
                    self.inner(otherwise);
                }
            }
            ExprKind::Call { functor, args, lambda, .. } => {
                self.functor(expr, functor);
                self.inner(functor);
                self.all(args);
                self.optional_lambda(lambda);
            }
            ExprKind::MethodCall { receiver, args, lambda, .. } => {
                self.inner(receiver);
                self.all(args);
                self.optional_lambda(lambda);
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Resource { form, type_expr, bodies } => {
                self.resource(expr, form, type_expr);
                self.inner(type_expr);
                for body in bodies {
                    self.one_splat(body);
                    self.inner(&body.title);
                    self.attributes(body.attributes, Owner::Body);
                }
            }
            ExprKind::ResourceDefaults { form, type_expr, attributes } => {
                self.not_virtual(expr, form);
                self.inner(type_expr);
                self.attributes(attributes, Owner::Defaults);
            }
            ExprKind::ResourceOverride { form, resources, attributes } => {
                self.not_virtual(expr, form);
                self.inner(resources);
                self.attributes(attributes, Owner::Override);
            }
            ExprKind::Collect { type_expr, query, attributes } => {
                self.collected_type(expr, type_expr);
                self.inner(type_expr);
                if let Some(query) = query.expr {
                    self.query(query);
                    self.inner(query);
                }
                self.attributes(attributes, Owner::Collector);
            }
            ExprKind::Block(statements) => {
                self.block(expr, statements);
                for statement in statements {
                    self.walk(statement, around.in_block());
                }
            }
            ExprKind::Class { def, .. } => {
                self.class(expr, def, around);
                self.params(def.params);
                self.body(def.body, Around::Class);
            }
            ExprKind::Define(def) => {
                self.class(expr, def, around);
                self.params(def.params);
                self.body(def.body, Around::Inner);
            }
            ExprKind::Function { def, return_type } | ExprKind::Plan { def, return_type } => {
                self.function(expr, def, return_type, around);
                self.params(def.params);
                self.body(def.body, Around::Inner);
                if let Some(return_type) = return_type {
                    self.inner(return_type);
                }
            }
            ExprKind::Node { matches, parent, body } => {
                self.node(expr, matches, parent, body, around);
                if let Some(parent) = parent {
                    self.inner(parent);
                }
                for host in matches {
                    if let HostMatch::Other(other) = host {
                        self.inner(other);
                    }
                }
                self.body(body, Around::Inner);
            }
            ExprKind::TypeAlias { name, body } => {
                self.type_alias(expr, name, body, around);
                self.inner(body);
            }
            ExprKind::TypeMapping { left, right } => {
                self.type_mapping(expr, left, right, around);
                self.inner(left);
                self.inner(right);
            }
            ExprKind::TypeDefinition { body, .. } => {
                self.type_definition(expr, around);
                self.body(body, Around::Inner);
            }
            ExprKind::Epp { params, body } => {
                let params = params.unwrap_or(&[]);
                self.captures_rest_last(params);
                self.params(params);
                self.template_params(params);
                self.body(body, Around::Inner);
            }
        }
    }

    /// A node in which nothing may be defined.
    fn inner(&mut self, expr: &Expr<'a>) {
        self.walk(expr, Around::Inner);
    }

    fn all(&mut self, exprs: &[Expr<'a>]) {
        for expr in exprs {
            self.inner(expr);
        }
    }

    /// A body; an empty one is no node at all.
    fn body(&mut self, body: &Expr<'a>, around: Around) {
        if !matches!(body.kind, ExprKind::Block([])) {
            self.walk(body, around);
        }
    }

    fn params(&mut self, params: &[Param<'a>]) {
        for param in params {
            self.param(param);
            if let Some(default) = param.default {
                self.inner(default);
            }
            if let Some(type_expr) = param.type_expr {
                self.inner(type_expr);
            }
        }
    }

    fn optional_lambda(&mut self, lambda: Option<&Lambda<'a>>) {
        if let Some(lambda) = lambda {
            self.lambda(lambda);
        }
    }

    fn lambda(&mut self, lambda: &Lambda<'a>) {
        self.captures_rest_last(lambda.params);
        self.return_type("a Lambda", lambda.return_type);
        self.params(lambda.params);
        self.body(lambda.body, Around::Inner);
        if let Some(return_type) = lambda.return_type {
            self.inner(return_type);
        }
    }

    fn attributes(&mut self, attributes: &[Attribute<'a>], owner: Owner) {
        for attribute in attributes {
            self.attribute(attribute, owner);
            let (Attribute::Named { value, .. } | Attribute::Splat { value, .. }) = attribute;
            self.inner(value);
        }
    }
}
