//! Which variables a body assigns: the slots of its scope.

use crate::ast::{Attribute, Expr, ExprKind, Param, Part};

/// Slots that the body of every class and defined type starts with; the runtime sets them.
pub(super) const OWN_NAMES: [&str; 4] = ["title", "name", "module_name", "caller_module_name"];

/// Names in slot order: `first`, the parameters, then what the body assigns in order of appearance.
pub(super) fn shape(first: &[&str], params: &[Param<'_>], body: &Expr<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !names.iter().any(|n| n == name) {
            names.push(name.to_owned());
        }
    };
    first.iter().for_each(|name| add(name));
    params.iter().for_each(|param| add(param.name));
    assigned(body, &mut add);
    names
}

/// Calls `add` with each variable that `expr` assigns in its own scope: not in lambdas, not in definitions.
fn assigned(expr: &Expr<'_>, add: &mut impl FnMut(&str)) {
    if let ExprKind::Assign { lhs, .. } = &expr.kind {
        targets(lhs, add);
    }
    children(expr, &mut |child| assigned(child, add));
}

fn targets(lhs: &Expr<'_>, add: &mut impl FnMut(&str)) {
    match &lhs.kind {
        ExprKind::Var(name) if !name.contains("::") => add(name),
        ExprKind::Array(items) => items.iter().for_each(|item| targets(item, add)),
        ExprKind::Paren(inner) => targets(inner, add),
        _ => {}
    }
}

/// Calls `visit` with each direct part of `expr` that is evaluated in the same scope.
fn children(expr: &Expr<'_>, visit: &mut impl FnMut(&Expr<'_>)) {
    let attributes = |list: &[Attribute<'_>], visit: &mut dyn FnMut(&Expr<'_>)| {
        for attribute in list {
            match attribute {
                Attribute::Named { value, .. } | Attribute::Splat { value, .. } => visit(value),
            }
        }
    };
    match &expr.kind {
        ExprKind::Concat(parts) => {
            for part in *parts {
                if let Part::Expr(expr) = part {
                    visit(expr);
                }
            }
        }
        ExprKind::Heredoc { text: inner, .. }
        | ExprKind::Paren(inner)
        | ExprKind::Unary { expr: inner, .. }
        | ExprKind::Render(inner) => visit(inner),
        ExprKind::Array(items) | ExprKind::Block(items) => items.iter().for_each(visit),
        ExprKind::Hash(entries) => {
            for entry in *entries {
                visit(&entry.key);
                visit(&entry.value);
            }
        }
        ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Assign { lhs, rhs, .. }
        | ExprKind::Relation { lhs, rhs, .. } => {
            visit(lhs);
            visit(rhs);
        }
        ExprKind::Access { left, keys } => {
            visit(left);
            keys.iter().for_each(visit);
        }
        ExprKind::Selector { left, arms } => {
            visit(left);
            for arm in *arms {
                visit(&arm.matching);
                visit(&arm.value);
            }
        }
        ExprKind::Case { test, options } => {
            visit(test);
            for option in *options {
                option.values.iter().for_each(&mut *visit);
                visit(option.body);
            }
        }
        ExprKind::If { test, then, otherwise, .. } => {
            visit(test);
            visit(then);
            otherwise.iter().for_each(|e| visit(e));
        }
        ExprKind::Call { functor, args, .. } => {
            visit(functor);
            args.iter().for_each(visit);
        }
        ExprKind::MethodCall { receiver, args, .. } => {
            visit(receiver);
            args.iter().for_each(visit);
        }
        ExprKind::Resource { type_expr, bodies, .. } => {
            visit(type_expr);
            for body in *bodies {
                visit(&body.title);
                attributes(body.attributes, visit);
            }
        }
        ExprKind::ResourceDefaults { attributes: list, .. } => attributes(list, visit),
        ExprKind::ResourceOverride { resources, attributes: list, .. } => {
            visit(resources);
            attributes(list, visit);
        }
        ExprKind::Collect { query, attributes: list, .. } => {
            query.expr.iter().for_each(|e| visit(e));
            attributes(list, visit);
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
        | ExprKind::Lambda(_)
        | ExprKind::Class { .. }
        | ExprKind::Define(_)
        | ExprKind::Function { .. }
        | ExprKind::Plan { .. }
        | ExprKind::Node { .. }
        | ExprKind::TypeAlias { .. }
        | ExprKind::TypeDefinition { .. }
        | ExprKind::TypeMapping { .. }
        | ExprKind::Epp { .. }
        | ExprKind::RenderText(_) => {}
    }
}
