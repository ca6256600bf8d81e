//! Literals: what Puppet's reader of types takes, which computes nothing.
//!
//! What a type alias stands for is read by it, not evaluated, and so is what tools are told of the types of parameters. Source: the
//! oracle (`TypeParser#interpret_any` of Puppet 7.23).

use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::visit::deeper;

/// What stands in a literal, in order: the elements of an array, the keys and values of a hash, what is in the brackets of a type.
/// `None` for what is no literal by itself, and has to be computed.
pub fn parts<'e, 'a>(expr: &'e Expr<'a>) -> Option<Vec<&'e Expr<'a>>> {
    match &expr.kind {
        ExprKind::TypeName(_)
        | ExprKind::Name(_)
        | ExprKind::Str(_)
        | ExprKind::Int { .. }
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Regex(_)
        | ExprKind::Default
        | ExprKind::Undef => Some(Vec::new()),
        ExprKind::Unary { op: UnaryOp::Minus, expr } => Some(vec![expr]),
        ExprKind::Heredoc { text, .. } => Some(vec![text]),
        ExprKind::Array(items) => Some(items.iter().collect()),
        ExprKind::Hash(entries) => {
            Some(entries.iter().flat_map(|entry| [&entry.key, &entry.value]).collect())
        }
        ExprKind::Access { left, keys } if matches!(left.kind, ExprKind::TypeName(_)) => {
            Some(keys.iter().collect())
        }
        _ => None,
    }
}

/// The first expression, in the order in which they are read, that has to be computed; the expression itself, or one in it.
pub fn computed<'e, 'a>(expr: &'e Expr<'a>) -> Option<&'e Expr<'a>> {
    deeper(|| match (parts(expr), &expr.kind) {
        (Some(parts), _) => parts.into_iter().find_map(computed),
        // What is in the brackets is read before what stands in front of them.
        (None, ExprKind::Access { keys, .. }) => Some(keys.iter().find_map(computed).unwrap_or(expr)),
        (None, _) => Some(expr),
    })
}

/// Puppet's message for a text that is no type.
pub fn no_type(text: &str) -> String {
    format!("The expression <{text}> is not a valid type specification.")
}
