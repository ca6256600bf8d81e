//! Matches that set locals: `/(?<name>\w+)/ =~ text` gives `name` what its group has matched.

use super::origins::ValueOrigin;
use super::{Lower, call_self, operation, parts};
use crate::method::Method;
use crate::tree::{Expr, MethodCall};
use tree_sitter::Node as Syntax;

/// Names of groups that are no names of locals.
const WORDS: &[&str] = &[
    "alias", "and", "begin", "break", "case", "class", "def", "do", "else", "elsif", "end", "ensure",
    "false", "for", "if", "in", "module", "next", "nil", "not", "or", "redo", "rescue", "retry", "return",
    "self", "super", "then", "true", "undef", "unless", "until", "when", "while", "yield",
];

impl Lower<'_> {
    /// A literal pattern that is matched by `=~`, and sets a local for each name that its groups have.
    pub(super) fn match_into_locals(
        &mut self,
        node: Syntax<'_>,
        (pattern, text): (Syntax<'_>, Syntax<'_>),
    ) -> Expr {
        let is_literal = parts(pattern).iter().all(|part| part.kind() != "interpolation");
        let names = if is_literal { names_of_groups(self.source(pattern)) } else { Some(Vec::new()) };
        let found = operation(self.node(pattern), Method::Matches, self.node(text));
        let Some(names) = names else {
            return self.unsupported(node, "names of groups");
        };
        if names.is_empty() {
            return found;
        }
        self.groups = true;
        let place = self.hidden();
        let mut all = vec![Expr::SetLocal(place, Box::new(found))];
        for name in names {
            let slot = self.declare(name);
            self.origins.give(slot, ValueOrigin::Unknown);
            let group = MethodCall {
                args: [Expr::String(name.into())].into(),
                safe: true,
                ..MethodCall::of(Some(call_self(Method::LastMatch, Vec::new())), Method::Element)
            };
            all.push(Expr::SetLocal(slot, Box::new(Expr::Call(Box::new(group)))));
        }
        all.push(Expr::Local(place));
        Expr::Sequence(all.into())
    }
}

/// The names that groups of a literal pattern have, in order; none where one is no plain name of a local, stands twice, or
/// may be a comment's.
fn names_of_groups(pattern: &str) -> Option<Vec<&str>> {
    if pattern.contains('#') || pattern.contains("(?'") {
        return None;
    }
    let mut names = Vec::new();
    let (mut in_class, mut is_escaped) = (0_usize, false);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_class += 1,
            ']' => in_class = in_class.saturating_sub(1),
            '(' if in_class == 0 => {
                let Some(group) = pattern[at..].strip_prefix("(?<") else { continue };
                if group.starts_with(['=', '!']) {
                    continue;
                }
                let (name, _) = group.split_once('>')?;
                let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
                    && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !is_plain || WORDS.contains(&name) || names.contains(&name) {
                    return None;
                }
                names.push(name);
            }
            _ => {}
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::names_of_groups;

    #[test]
    fn groups_have_names() {
        assert_eq!(names_of_groups(r"/^(?<id>\w+) *(?<op>[<>=]*)$/"), Some(vec!["id", "op"]));
        assert_eq!(names_of_groups(r"/(?<=a)(?<!b)\(?<c>[(?<d>]/"), Some(Vec::new()));
        assert_eq!(names_of_groups(r"/(?<end>a)/"), None);
        assert_eq!(names_of_groups(r"/(?<Name>a)/"), None);
        assert_eq!(names_of_groups(r"/(?<a>a)(?<a>b)/"), None);
        assert_eq!(names_of_groups("/(?<a>a) # (?<b>b)/x"), None);
    }
}
