//! `@name?'a':'b'`, which Ruby reads as a condition and the grammar as a call that is given the character `?'`: with a space
//! behind the question mark both read the same.

use super::first_fault;
use tree_sitter::Tree;

/// A program that the grammar does not cover, with spaces behind the question marks of conditions that ask an instance
/// variable, and its tree; none where it is not covered then either, or where one of the spaces would change something else.
pub(super) fn with_space(source: &str) -> Option<(String, Tree)> {
    let mut spaced = String::with_capacity(source.len() + 16);
    let (mut marks, mut done) = (Vec::new(), 0);
    for (at, _) in source.match_indices('?') {
        if asks_variable(&source[..at]) && !source[at + 1..].starts_with([' ', '\t', '\n']) {
            spaced.push_str(&source[done..=at]);
            marks.push(spaced.len() - 1);
            spaced.push(' ');
            done = at + 1;
        }
    }
    if marks.is_empty() {
        return None;
    }
    spaced.push_str(&source[done..]);
    let tree = bunraku_ruby_syntax::parse(&spaced)?;
    let root = tree.root_node();
    let is_condition = |at: &usize| {
        let mark = root.descendant_for_byte_range(*at, at + 1);
        mark.is_some_and(|mark| {
            mark.kind() == "?" && mark.parent().is_some_and(|parent| parent.kind() == "conditional")
        })
    };
    (first_fault(root).is_none() && marks.iter().all(is_condition)).then_some((spaced, tree))
}

/// Whether a program ends with the name of an instance variable, but for spaces.
fn asks_variable(before: &str) -> bool {
    let name = before.trim_end_matches([' ', '\t']);
    let start = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    start.len() < name.len() && start.ends_with('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_get_a_space() {
        let spaced = |text: &str| with_space(text).map(|(spaced, _)| spaced);
        assert_eq!(spaced("@a?'on':'off'").as_deref(), Some("@a? 'on':'off'"));
        assert_eq!(spaced("x(@a ?1:2)").as_deref(), Some("x(@a ? 1:2)"));
        assert_eq!(spaced("@a?@b?1:2:3").as_deref(), Some("@a? @b? 1:2:3"));
        assert_eq!(spaced("@a?'on':'@b?c'"), None);
        assert_eq!(spaced("@a ? 1 : 2"), None);
        assert_eq!(spaced("@a?'on'"), None);
    }
}
