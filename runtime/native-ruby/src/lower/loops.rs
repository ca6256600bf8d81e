//! Loops that are no calls with a block.

use super::origins::ValueOrigin;
use super::{Lower, call, operation, parts};
use crate::method::Method;
use crate::tree::{AssignTarget, Expr};
use tree_sitter::Node as Syntax;

impl Lower<'_> {
    /// `body while condition`. Of `begin … end while condition` the body comes first: that is Ruby's.
    pub(super) fn loop_modifier(&mut self, node: Syntax<'_>) -> Expr {
        let Some(body) = node.child_by_field_name("body").filter(|body| body.kind() != "begin") else {
            return self.unsupported(node, "a loop that begins with its body");
        };
        self.frame.loops += 1;
        let body = self.node(body);
        self.frame.loops -= 1;
        let condition = self.condition(node);
        Expr::While(Box::new((condition, body)), node.kind() == "while_modifier")
    }

    /// `for x in list`: its names are those of the code around it.
    pub(super) fn for_each(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        let list = field("value").and_then(|value| parts(value).first().copied());
        let (Some(name), Some(list), Some(body)) = (field("pattern"), list, field("body")) else {
            return self.unsupported(node, "`for`");
        };
        let list = self.node(list);
        let (items, at) = (self.declare_here(" items"), self.declare_here(" place"));
        let targets = match name.kind() {
            "identifier" => {
                let item = self.declare(self.source(name));
                self.origins.give(item, ValueOrigin::Unknown);
                Some(AssignTarget::Local(item))
            }
            "left_assignment_list" => self.targets(name).map(AssignTarget::Many),
            _ => None,
        };
        let Some(targets) = targets else {
            return self.unsupported(node, "`for` with such names");
        };
        self.frame.loops += 1;
        let body = self.node(body);
        self.frame.loops -= 1;
        let place = || Expr::Local(at);
        let round = [
            Expr::SetMany(targets, Box::new(operation(Expr::Local(items), Method::Element, place()))),
            Expr::SetLocal(at, Box::new(operation(place(), Method::Plus, Expr::Int(1)))),
            body,
        ];
        let of_items = |method| call(Expr::Local(items), method, Vec::new());
        let is_left = operation(place(), Method::Less, of_items(Method::Size));
        let all = [
            Expr::SetLocal(items, Box::new(list)),
            // What has a list without being one, as nil, has no size: that is Ruby's.
            of_items(Method::Size),
            Expr::SetLocal(items, Box::new(of_items(Method::ToA))),
            Expr::SetLocal(at, Box::new(Expr::Int(0))),
            Expr::While(Box::new((is_left, Expr::Sequence(round.into()))), true),
            Expr::Local(items),
        ];
        Expr::Sequence(all.into())
    }
}
