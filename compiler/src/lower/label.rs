//! What Puppet calls each kind of expression in messages: `Error while evaluating a Function Call, …`.

use crate::ast::{AssignOp, BinaryOp, Expr, ExprKind, RelationOp, UnaryOp};

/// How an operator is written.
pub(super) fn operator(op: BinaryOp) -> &'static str {
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

/// Puppet's name of an expression.
pub(super) fn label(expr: &Expr<'_>) -> String {
    let text = match &expr.kind {
        ExprKind::Nop => "Nop Expression",
        ExprKind::Undef => "'undef' expression",
        ExprKind::Default => "'default' expression",
        ExprKind::Bool(_) => "Boolean",
        ExprKind::Int { .. } | ExprKind::IntOverflow(_) => "Literal Integer",
        ExprKind::Float(_) => "Literal Float",
        ExprKind::Str(_) => "String",
        ExprKind::Concat(_) => "Double Quoted String",
        ExprKind::Heredoc { syntax, .. } => return format!("'@({syntax})' expression"),
        ExprKind::Regex(_) => "Regular Expression",
        ExprKind::Name(_) => "Name",
        ExprKind::TypeName(_) => "Type-Name",
        ExprKind::Reserved(word) => return format!("Reserved Word '{word}'"),
        ExprKind::Var(_) => "Variable",
        ExprKind::Paren(_) => "Parenthesized Expression",
        ExprKind::Array(_) => "Array Expression",
        ExprKind::Hash(_) => "Hash Expression",
        ExprKind::Unary { op: UnaryOp::Not, .. } => "'not' expression",
        ExprKind::Unary { op: UnaryOp::Minus, .. } => "Unary Minus",
        ExprKind::Unary { op: UnaryOp::Unfold, .. } => "Unfold",
        ExprKind::Binary { op, .. } => return format!("'{}' expression", operator(*op)),
        ExprKind::Assign { op: AssignOp::Set, .. } => "'=' expression",
        ExprKind::Assign { op: AssignOp::Append, .. } => "'+=' expression",
        ExprKind::Assign { op: AssignOp::Delete, .. } => "'-=' expression",
        ExprKind::Relation { op, .. } => match op {
            RelationOp::Before => "'->' expression",
            RelationOp::Notify => "'~>' expression",
            RelationOp::After => "'<-' expression",
            RelationOp::Subscribe => "'<~' expression",
        },
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
        ExprKind::TypeDefinition { .. } => "Type Definition",
        ExprKind::TypeMapping { .. } => "Type Mapping",
        ExprKind::Epp { .. } => "Epp Template",
        ExprKind::RenderText(_) => "Epp Text",
        ExprKind::Render(_) => "Epp Interpolated Expression",
    };
    text.to_owned()
}
