//! Which variables a body assigns: the slots of its scope.

use crate::ast::{Expr, ExprKind, Param};
use crate::visit::{Lambdas, each_child};
use bunraku_vm::unit::shape::Shape;
use std::rc::Rc;

/// Slots that the body of every class and defined type starts with; the runtime sets them.
pub(super) const OWN_NAMES: [&str; 4] = ["title", "name", "module_name", "caller_module_name"];

/// Names in slot order: `first`, the parameters, then what the body assigns in order of appearance.
pub(super) fn shape(first: &[&str], params: &[Param<'_>], body: &Expr<'_>) -> Rc<Shape> {
    let mut names = Shape::default();
    let mut add = |name: &str| names.add(name);
    first.iter().for_each(|name| add(name));
    params.iter().for_each(|param| add(param.name));
    assigned(body, &mut add);
    Rc::new(names)
}

/// Calls `add` with each variable that `expr` assigns in its own scope: not in lambdas, not in definitions.
fn assigned(expr: &Expr<'_>, add: &mut dyn FnMut(&str)) {
    match &expr.kind {
        ExprKind::Class { .. }
        | ExprKind::Define(_)
        | ExprKind::Function { .. }
        | ExprKind::Plan { .. }
        | ExprKind::Node { .. } => return,
        ExprKind::Assign { lhs, .. } => targets(lhs, add),
        _ => {}
    }
    each_child(expr, Lambdas::Skip, &mut |child| assigned(child, add));
}

fn targets(lhs: &Expr<'_>, add: &mut dyn FnMut(&str)) {
    match &lhs.kind {
        ExprKind::Var(name) if !name.contains("::") => add(name),
        ExprKind::Array(items) => items.iter().for_each(|item| targets(item, add)),
        ExprKind::Paren(inner) => targets(inner, add),
        _ => {}
    }
}
