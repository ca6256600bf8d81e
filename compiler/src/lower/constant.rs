//! Folds constant expressions: literals, and arrays and hashes made of nothing else.

use crate::ast::{Expr, ExprKind};
use bunraku_vm::unit::writer::Const;

/// The value of `expr` if no evaluation is needed to know it.
pub(super) fn constant(expr: &Expr<'_>) -> Option<Const> {
    Some(match &expr.kind {
        ExprKind::Undef | ExprKind::Nop => Const::Undef,
        ExprKind::Default => Const::Default,
        ExprKind::Bool(value) => Const::Bool(*value),
        ExprKind::Int { value, .. } => Const::Int(*value),
        ExprKind::Float(value) => Const::Float(*value),
        ExprKind::Str(text) => Const::Str((*text).to_owned()),
        ExprKind::Name(text) => Const::Str((*text).to_owned()),
        ExprKind::Regex(source) => Const::Regexp((*source).to_owned()),
        ExprKind::Paren(inner) => constant(inner)?,
        ExprKind::Heredoc { text, .. } => constant(text)?,
        ExprKind::Array(items) => Const::Array(items.iter().map(constant).collect::<Option<_>>()?),
        ExprKind::Hash(entries) => {
            let pairs = entries.iter().map(|e| Some((constant(&e.key)?, constant(&e.value)?)));
            Const::Hash(pairs.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}
