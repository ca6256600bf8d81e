//! Conditions and their branches.

use super::Lower;
use crate::tree::Expr;
use tree_sitter::Node as Syntax;

impl Lower<'_> {
    /// `if`, `unless` and `a ? b : c`.
    pub(super) fn conditional(&mut self, node: Syntax<'_>) -> Expr {
        let condition = self.condition(node);
        let known = known(&condition).map(|truth| truth != (node.kind() == "unless"));
        let then = self.branch(node.child_by_field_name("consequence"), known == Some(false));
        let other = self.branch(node.child_by_field_name("alternative"), known == Some(true));
        match node.kind() {
            "unless" => either(condition, other, then),
            _ => either(condition, then, other),
        }
    }

    /// A condition behind what it is of.
    pub(super) fn conditional_behind(&mut self, node: Syntax<'_>) -> Expr {
        // The body stands in front: names it sets are known in the condition.
        let body = self.optional(node.child_by_field_name("body"));
        let condition = self.condition(node);
        match node.kind() {
            "if_modifier" => either(condition, body, Expr::Nil),
            _ => either(condition, Expr::Nil, body),
        }
    }

    /// A branch. One that is never reached declares its names, and nothing in it needs Ruby.
    fn branch(&mut self, node: Option<Syntax<'_>>, is_dead: bool) -> Expr {
        let before = (self.reasons.len(), self.defines, self.requires);
        let branch = self.optional(node);
        if is_dead {
            self.reasons.truncate(before.0);
            (self.defines, self.requires) = (before.1, before.2);
        }
        branch
    }
}

/// What a condition is in any case.
fn known(condition: &Expr) -> Option<bool> {
    match condition {
        Expr::Bool(truth) => Some(*truth),
        _ => None,
    }
}

/// A condition and what is run either way; only the one way where a literal decides, as comparisons with an old version of
/// Ruby become.
fn either(condition: Expr, then: Expr, other: Expr) -> Expr {
    match condition {
        Expr::Bool(true) => then,
        Expr::Bool(false) => other,
        condition => Expr::If(Box::new((condition, then, other))),
    }
}
