//! The children of a node, for those who look for something in a tree and do not care where.

use crate::ast::{Attribute, Expr, ExprKind, HostMatch, Lambda, Param, Part};

/// What to do with lambdas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lambdas {
    /// Their parameters and bodies are children.
    Enter,
    /// They are left out.
    Skip,
}

/// Looks further into a tree, however deep it is nested: the stack grows where little of it is left.
pub(crate) fn deeper<T>(look: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 10, 1 << 20, look)
}

/// The name and the arguments of a call of a function that is written by its name; what stands before the dot of `x.f` is the first
/// argument.
pub(crate) fn named_call<'e, 'a>(expr: &'e Expr<'a>) -> Option<(&'a str, Vec<&'e Expr<'a>>)> {
    match &expr.kind {
        ExprKind::Call { functor: Expr { kind: ExprKind::Name(name), .. }, args, .. } => {
            Some((*name, args.iter().collect()))
        }
        ExprKind::MethodCall { receiver, name: Expr { kind: ExprKind::Name(name), .. }, args, .. } => {
            Some((*name, std::iter::once(*receiver).chain(*args).collect()))
        }
        _ => None,
    }
}

/// Calls back for each expression directly in another, in the order of the source but for defaults and types
/// of parameters, which come in the order of Puppet's model.
pub(crate) fn each_child<'a>(expr: &Expr<'a>, lambdas: Lambdas, visit: &mut dyn FnMut(&'a Expr<'a>)) {
    deeper(|| child_by_child(expr, lambdas, visit));
}

fn child_by_child<'a>(expr: &Expr<'a>, lambdas: Lambdas, visit: &mut dyn FnMut(&'a Expr<'a>)) {
    match expr.kind {
        ExprKind::Paren(inner)
        | ExprKind::Unary { expr: inner, .. }
        | ExprKind::Render(inner)
        | ExprKind::Heredoc { text: inner, .. }
        | ExprKind::TypeAlias { body: inner, .. }
        | ExprKind::TypeDefinition { body: inner, .. } => visit(inner),
        ExprKind::Concat(parts) => {
            for part in parts {
                if let Part::Expr(inner) = part {
                    visit(inner);
                }
            }
        }
        ExprKind::Array(values) | ExprKind::Block(values) => values.iter().for_each(visit),
        ExprKind::Hash(entries) => {
            for entry in entries {
                visit(&entry.key);
                visit(&entry.value);
            }
        }
        ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Assign { lhs, rhs, .. }
        | ExprKind::Relation { lhs, rhs, .. }
        | ExprKind::TypeMapping { left: lhs, right: rhs } => {
            visit(lhs);
            visit(rhs);
        }
        ExprKind::Access { left, keys } => {
            visit(left);
            keys.iter().for_each(visit);
        }
        ExprKind::Selector { left, arms } => {
            visit(left);
            for arm in arms {
                visit(&arm.matching);
                visit(&arm.value);
            }
        }
        ExprKind::Case { test, options } => {
            visit(test);
            for option in options {
                option.values.iter().for_each(&mut *visit);
                visit(option.body);
            }
        }
        ExprKind::If { test, then, otherwise, .. } => {
            visit(test);
            visit(then);
            otherwise.into_iter().for_each(visit);
        }
        ExprKind::Call { functor: first, args, lambda, .. }
        | ExprKind::MethodCall { receiver: first, args, lambda, .. } => {
            visit(first);
            args.iter().for_each(&mut *visit);
            if lambdas == Lambdas::Enter {
                lambda.into_iter().for_each(|lambda| in_lambda(lambda, visit));
            }
        }
        ExprKind::Lambda(lambda) => {
            if lambdas == Lambdas::Enter {
                in_lambda(lambda, visit);
            }
        }
        ExprKind::Resource { type_expr, bodies, .. } => {
            visit(type_expr);
            for body in bodies {
                visit(&body.title);
                in_attributes(body.attributes, visit);
            }
        }
        ExprKind::ResourceDefaults { type_expr: first, attributes, .. }
        | ExprKind::ResourceOverride { resources: first, attributes, .. } => {
            visit(first);
            in_attributes(attributes, visit);
        }
        ExprKind::Collect { type_expr, query, attributes } => {
            visit(type_expr);
            query.expr.into_iter().for_each(&mut *visit);
            in_attributes(attributes, visit);
        }
        ExprKind::Class { def, .. } | ExprKind::Define(def) => {
            in_params(def.params, visit);
            visit(def.body);
        }
        ExprKind::Function { def, return_type } | ExprKind::Plan { def, return_type } => {
            in_params(def.params, visit);
            visit(def.body);
            return_type.into_iter().for_each(visit);
        }
        ExprKind::Node { matches, parent, body } => {
            parent.into_iter().for_each(&mut *visit);
            for host in matches {
                if let HostMatch::Other(host) = host {
                    visit(host);
                }
            }
            visit(body);
        }
        ExprKind::Epp { params, body } => {
            in_params(params.unwrap_or(&[]), visit);
            visit(body);
        }
        ExprKind::Nop
        | ExprKind::Undef
        | ExprKind::Default
        | ExprKind::Bool(_)
        | ExprKind::Int { .. }
        | ExprKind::IntOverflow(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Regex(_)
        | ExprKind::Name(_)
        | ExprKind::TypeName(_)
        | ExprKind::Reserved(_)
        | ExprKind::Var(_)
        | ExprKind::RenderText(_) => {}
    }
}

fn in_params<'a>(params: &'a [Param<'a>], visit: &mut dyn FnMut(&'a Expr<'a>)) {
    for param in params {
        param.default.into_iter().for_each(&mut *visit);
        param.type_expr.into_iter().for_each(&mut *visit);
    }
}

fn in_lambda<'a>(lambda: &'a Lambda<'a>, visit: &mut dyn FnMut(&'a Expr<'a>)) {
    in_params(lambda.params, visit);
    visit(lambda.body);
    lambda.return_type.into_iter().for_each(visit);
}

fn in_attributes<'a>(attributes: &'a [Attribute<'a>], visit: &mut dyn FnMut(&'a Expr<'a>)) {
    for attribute in attributes {
        let (Attribute::Named { value, .. } | Attribute::Splat { value, .. }) = attribute;
        visit(value);
    }
}
