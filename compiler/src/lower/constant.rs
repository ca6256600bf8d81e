//! Folds constant expressions: literals, and arrays and hashes made of nothing else.

use crate::ast::{Expr, ExprKind};
use crate::check::syntax;
use bunraku_vm::unit::writer::Const;

/// The value of `expr`, which lies in `source`, if no evaluation is needed to know it.
pub(super) fn constant(expr: &Expr<'_>, source: &str) -> Option<Const> {
    Some(match &expr.kind {
        ExprKind::Undef | ExprKind::Nop => Const::Undef,
        ExprKind::Default => Const::Default,
        ExprKind::Bool(value) => Const::Bool(*value),
        ExprKind::Int { value, .. } => Const::Int(*value),
        ExprKind::Float(value) => Const::Float(*value),
        ExprKind::Str(text) if source.as_bytes().get(expr.span.start as usize) == Some(&b'"') => {
            Const::Quoted((*text).to_owned())
        }
        ExprKind::Str(text) => Const::Str((*text).to_owned()),
        ExprKind::Name(text) => Const::Str((*text).to_owned()),
        ExprKind::Regex(source) => Const::Regexp((*source).to_owned()),
        ExprKind::Paren(inner) => constant(inner, source)?,
        // What no checker of Puppet's knows may be known to a module's when the unit is loaded.
        ExprKind::Heredoc { syntax, text } if is_checked(syntax) => match constant(text, source)? {
            Const::Str(text) => Const::Quoted(text),
            other => other,
        },
        ExprKind::Array(items) => {
            Const::Array(items.iter().map(|item| constant(item, source)).collect::<Option<_>>()?)
        }
        ExprKind::Hash(entries) => {
            let pairs =
                entries.iter().map(|e| Some((constant(&e.key, source)?, constant(&e.value, source)?)));
            Const::Hash(pairs.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// Whether a text of the syntax has been checked by the time it is lowered, or has no syntax.
pub(super) fn is_checked(syntax: &str) -> bool {
    syntax.is_empty() || syntax::checker(syntax).is_some()
}

/// Types of the language itself, which mean the same everywhere and take types and literals as parameters.
const CORE: [&str; 24] = [
    "Array",
    "Boolean",
    "Callable",
    "Collection",
    "Enum",
    "Float",
    "Hash",
    "Integer",
    "Iterable",
    "Iterator",
    "NotUndef",
    "Optional",
    "Pattern",
    "Regexp",
    "SemVer",
    "Sensitive",
    "String",
    "Struct",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Type",
    "URI",
    "Variant",
];

/// Whether the expression is a parameterised type of the language that no variable has a part in.
pub(super) fn is_constant_type(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Access { left, keys } => {
            matches!(left.kind, ExprKind::TypeName(name) if CORE.contains(&name))
                && keys.iter().all(is_constant_key)
        }
        _ => false,
    }
}

fn is_constant_key(key: &Expr<'_>) -> bool {
    match &key.kind {
        ExprKind::TypeName(_) => true,
        ExprKind::Paren(inner) => is_constant_key(inner),
        ExprKind::Array(items) => items.iter().all(is_constant_key),
        ExprKind::Hash(entries) => {
            entries.iter().all(|entry| is_constant_key(&entry.key) && is_constant_key(&entry.value))
        }
        _ => constant(key, "").is_some() || is_constant_type(key),
    }
}
