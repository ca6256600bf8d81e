//! What the grammar reads as a call with an argument, and Ruby as an operator, since the name is a variable's: `count -1`,
//! `list [0]`, `@hosts ['a']['b']`.

use super::operators::{element_syntax, key_or_call};
use super::{Lower, operation, parts};
use crate::method::Method;
use crate::tree::Expr;
use tree_sitter::Node as Syntax;

impl Lower<'_> {
    /// Whether what looks like a call of a name, without a receiver, is none: a variable has it.
    pub(super) fn is_no_call(&mut self, node: Syntax<'_>, name: &str) -> bool {
        let field = |name| node.child_by_field_name(name);
        let Some(method) = field("method") else { return false };
        let is_apart = |list: Syntax<'_>| list.start_byte() > method.end_byte();
        match method.kind() {
            "instance_variable" => true,
            "identifier" => {
                field("block").is_none()
                    && field("arguments").is_none_or(is_apart)
                    && self.local(name).is_some()
            }
            _ => false,
        }
    }

    /// The operator that follows a variable, with what it is applied to.
    pub(super) fn operator_behind_space(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        list: &[Syntax<'_>],
    ) -> Expr {
        let variable = match self.local(name) {
            Some(slot) => Expr::Local(slot),
            None if name.starts_with("@__") => return self.unsupported(node, format!("the variable {name}")),
            None => Expr::Variable(self.variable(name)),
        };
        let read = match list {
            [one] if node.child_by_field_name("block").is_none() => self.applied(variable, *one),
            _ => None,
        };
        read.unwrap_or_else(|| self.unsupported(node, format!("a call of {name}, which is a variable")))
    }

    /// What an argument makes of a variable in front of it.
    fn applied(&mut self, variable: Expr, argument: Syntax<'_>) -> Option<Expr> {
        let text = self.source(argument);
        match argument.kind() {
            "array" if text.starts_with('[') => {
                let keys = parts(argument);
                let is_plain = |key: &Syntax<'_>| {
                    !matches!(
                        key.kind(),
                        "pair" | "splat_argument" | "hash_splat_argument" | "block_argument"
                    )
                };
                if keys.is_empty() || !keys.iter().all(is_plain) {
                    return None;
                }
                let keys = self.items(&keys).into_vec();
                Some(key_or_call(variable, keys))
            }
            "element_reference" => {
                let (object, keys) = element_syntax(argument)?;
                let element = self.applied(variable, object)?;
                Some(key_or_call(element, self.keys(&keys)?))
            }
            "unary" if text.starts_with('-') => {
                let operand = argument.child_by_field_name("operand")?;
                let operand = self.node(operand);
                Some(operation(variable, Method::Minus, operand))
            }
            "integer" if text.starts_with('-') => match self.node(argument) {
                Expr::Int(n) => Some(operation(variable, Method::Minus, Expr::Int(-n))),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lower::lower;

    #[test]
    fn operators_behind_a_space_are_read_as_ruby_reads_them() {
        let tree = |code: &str| {
            let template = lower(&format!("<% k = [1] %><%= {code} %>")).expect("it is lowered");
            let reasons = template.reasons.iter().map(|reason| reason.what.as_str()).collect::<Vec<_>>();
            assert!(reasons.is_empty(), "{code}: {reasons:?}");
            format!("{:?}", template.body)
        };
        for (spaced, plain) in [
            ("k -1", "k - 1"),
            ("k -k[0]", "k - k[0]"),
            ("k [0]", "k[0]"),
            ("@k ['a']", "@k['a']"),
            ("@k [@a['b']][ 'c' ]", "@k[@a['b']]['c']"),
        ] {
            assert_eq!(tree(spaced), tree(plain), "{spaced}");
        }
    }
}
