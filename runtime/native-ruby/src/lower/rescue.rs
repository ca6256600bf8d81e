//! `rescue`, `else` and `ensure`.

use super::{Lower, parts};
use crate::tree::{AssignTarget, Expr, Handler, Rescue};
use tree_sitter::Node as Syntax;

impl Lower<'_> {
    /// Statements with what is run when one of them raises, and behind them in any case.
    pub(crate) fn rescued(&mut self, all: &[Syntax<'_>]) -> Expr {
        let is_clause = |part: &Syntax<'_>| matches!(part.kind(), "rescue" | "else" | "ensure");
        let (clauses, body): (Vec<Syntax<'_>>, Vec<Syntax<'_>>) =
            all.iter().partition(|part| is_clause(part));
        let mut body = self.sequence(&body);
        let mut handlers = Vec::new();
        let mut otherwise = Expr::Nil;
        let mut last = None;
        for clause in clauses {
            match clause.kind() {
                "rescue" => match self.handler(clause) {
                    Some(handler) => handlers.push(handler),
                    None => return self.unsupported(clause, "`rescue`"),
                },
                "else" => otherwise = self.statements(clause),
                _ => last = Some(self.statements(clause)),
            }
        }
        if !handlers.is_empty() {
            body = Expr::Rescue(Box::new(Rescue { body, handlers: handlers.into(), otherwise }));
        } else if !matches!(otherwise, Expr::Nil) {
            body = Expr::Sequence([body, otherwise].into());
        }
        match last {
            Some(last) => Expr::Ensure(Box::new((body, last))),
            None => body,
        }
    }

    fn sequence(&mut self, nodes: &[Syntax<'_>]) -> Expr {
        let known = |node: &&Syntax<'_>| node.kind() != "empty_statement";
        let all: Vec<Expr> = nodes.iter().filter(known).map(|node| self.node(*node)).collect();
        Expr::Sequence(all.into())
    }

    fn handler(&mut self, node: Syntax<'_>) -> Option<Handler> {
        let classes = node.child_by_field_name("exceptions").map(parts).unwrap_or_default();
        let classes = self.items(&classes);
        let target = match node.child_by_field_name("variable").map(parts).as_deref() {
            None => None,
            Some([name]) if name.kind() == "identifier" => {
                Some(AssignTarget::Local(self.declare(self.source(*name))))
            }
            Some([name]) if name.kind() == "instance_variable" => {
                Some(AssignTarget::Variable(self.variable(self.source(*name))))
            }
            Some(_) => return None,
        };
        let body = self.optional(node.child_by_field_name("body"));
        Some(Handler { classes, target, body })
    }

    /// `a rescue b`
    pub(crate) fn rescue_modifier(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        let (Some(body), Some(handler)) = (field("body"), field("handler")) else {
            return self.unsupported(node, "`rescue`");
        };
        let body = self.node(body);
        let handler = Handler { classes: Box::default(), target: None, body: self.node(handler) };
        Expr::Rescue(Box::new(Rescue { body, handlers: [handler].into(), otherwise: Expr::Nil }))
    }
}
