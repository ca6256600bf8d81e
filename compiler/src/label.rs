//! What messages call the nodes of the tree.

use crate::ast::{Expr, ExprKind, UnaryOp};
use std::borrow::Cow;

/// The name of a node's kind.
pub(crate) fn label(expr: &Expr<'_>) -> Cow<'static, str> {
    match expr.kind {
        ExprKind::Nop => "Nop Expression",
        ExprKind::Undef => "'undef' expression",
        ExprKind::Default => "'default' expression",
        ExprKind::Bool(_) => "Boolean",
        ExprKind::Int { .. } | ExprKind::IntOverflow(_) => "Literal Integer",
        ExprKind::Float(_) => "Literal Float",
        ExprKind::Str(_) => "String",
        ExprKind::Concat(_) => "Double Quoted String",
        ExprKind::Heredoc { syntax, .. } => return format!("'@({syntax})' expression").into(),
        ExprKind::Regex(_) => "Regular Expression",
        ExprKind::Name(_) => "Name",
        ExprKind::TypeName(_) => "Type-Name",
        ExprKind::Reserved(word) => return format!("Reserved Word '{word}'").into(),
        ExprKind::Var(_) => "Variable",
        ExprKind::Paren(_) => "Parenthesized Expression",
        ExprKind::Array(_) => "Array Expression",
        ExprKind::Hash(_) => "Hash Expression",
        ExprKind::Unary { op: UnaryOp::Not, .. } => "'not' expression",
        ExprKind::Unary { op: UnaryOp::Minus, .. } => "Unary Minus",
        ExprKind::Unary { op: UnaryOp::Unfold, .. } => "Unfold",
        ExprKind::Binary { op, .. } => return format!("'{}' expression", op.symbol()).into(),
        ExprKind::Assign { op, .. } => return format!("'{}' expression", op.symbol()).into(),
        ExprKind::Relation { op, .. } => return format!("'{}' expression", op.symbol()).into(),
        ExprKind::Access { .. } => "'[]' expression",
        ExprKind::Selector { .. } => "Selector Expression",
        ExprKind::Case { .. } => "'case' statement",
        ExprKind::If { negated: false, .. } => "'if' statement",
        ExprKind::If { negated: true, .. } => "'unless' Statement",
        ExprKind::Call { .. } => "Function Call",
        ExprKind::MethodCall { .. } => "Method call",
        ExprKind::Lambda(_) => "Lambda",
        ExprKind::Resource { .. } => "Resource Statement",
        ExprKind::ResourceDefaults { .. } => "Resource Defaults Expression",
        ExprKind::ResourceOverride { .. } => "Resource Override",
        ExprKind::Collect { query, .. } if query.exported => "Exported Query",
        ExprKind::Collect { .. } => "Virtual Query",
        ExprKind::Block(_) => "Block Expression",
        ExprKind::Class { .. } => "Host Class Definition",
        ExprKind::Define(_) => "'define' expression",
        ExprKind::Function { .. } => "Function Definition",
        ExprKind::Plan { .. } => "Plan Definition",
        ExprKind::Node { .. } => "Node Definition",
        ExprKind::TypeAlias { .. } => "Type Alias",
        ExprKind::TypeMapping { .. } => "Type Mapping",
        ExprKind::TypeDefinition { .. } => "Type Definition",
        // The template is a lambda around what it renders.
        ExprKind::Epp { .. } => "Lambda",
        ExprKind::RenderText(_) => "Epp Text",
        ExprKind::Render(_) => "Epp Interpolated Expression",
    }
    .into()
}

/// The label after `a` or `an`.
pub(crate) fn a_an(expr: &Expr<'_>) -> String {
    with_article(&label(expr), "a", "an")
}

/// The label after `A` or `An`.
pub(crate) fn a_an_uc(expr: &Expr<'_>) -> String {
    with_article(&label(expr), "A", "An")
}

fn with_article(label: &str, a: &str, an: &str) -> String {
    let first = label.trim_start_matches('\'').chars().next().map(|first| first.to_ascii_lowercase());
    let vowel = matches!(first, Some('a' | 'e' | 'i' | 'o' | 'u' | 'y'));
    format!("{} {label}", if vowel { an } else { a })
}
