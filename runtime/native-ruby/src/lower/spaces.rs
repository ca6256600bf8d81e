//! What Ruby reads otherwise than the grammar, and both alike with a space: `@name?'a':'b'`, a condition to Ruby and to the
//! grammar a call that is given the character `?'`; `*/a/.match(x)`, what a match spreads to and to the grammar operators.

use super::first_fault;
use tree_sitter::Tree;

/// A sign that a space is put behind.
struct Gap {
    sign: char,
    /// Whether it stands in such a place, by what is before it and behind it.
    is_place: fn(&str, &str) -> bool,
    /// What it then is a part of, to Ruby and with the space to the grammar.
    part_of: &'static str,
}

const GAPS: &[Gap] = &[
    Gap {
        sign: '?',
        is_place: |before, behind| asks_variable(before) && !behind.starts_with([' ', '\t', '\n']),
        part_of: "conditional",
    },
    Gap {
        sign: '*',
        is_place: |before, behind| awaits_value(before) && behind.starts_with('/'),
        part_of: "splat_argument",
    },
];

/// A program that the grammar does not cover, with spaces behind such signs, and its tree; none where it is not covered then
/// either, or where one of the spaces would change something else.
pub(super) fn with_space(source: &str) -> Option<(String, Tree)> {
    let mut spaced = String::with_capacity(source.len() + 16);
    let (mut signs, mut done) = (Vec::new(), 0);
    for (at, sign) in source.match_indices(|c| GAPS.iter().any(|gap| gap.sign == c)) {
        let behind = at + sign.len();
        let gap = GAPS
            .iter()
            .find(|gap| sign.starts_with(gap.sign) && (gap.is_place)(&source[..at], &source[behind..]));
        if let Some(gap) = gap {
            spaced.push_str(&source[done..behind]);
            signs.push((spaced.len() - sign.len(), sign, gap.part_of));
            spaced.push(' ');
            done = behind;
        }
    }
    if signs.is_empty() {
        return None;
    }
    spaced.push_str(&source[done..]);
    let tree = bunraku_ruby_syntax::parse(&spaced)?;
    let root = tree.root_node();
    let is_read_so = |(at, sign, part_of): &(usize, &str, &str)| {
        let node = root.descendant_for_byte_range(*at, *at + sign.len());
        node.is_some_and(|node| {
            node.kind() == *sign && node.parent().is_some_and(|parent| parent.kind() == *part_of)
        })
    };
    (first_fault(root).is_none() && signs.iter().all(is_read_so)).then_some((spaced, tree))
}

/// Whether a program ends with the name of an instance variable, but for spaces.
fn asks_variable(before: &str) -> bool {
    let name = before.trim_end_matches([' ', '\t']);
    let start = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    start.len() < name.len() && start.ends_with('@')
}

/// Whether a value has to follow, of a program that ends so.
fn awaits_value(before: &str) -> bool {
    before.trim_end_matches([' ', '\t']).ends_with(['=', ',', '(', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(text: &str) -> Option<String> {
        with_space(text).map(|(spaced, _)| spaced)
    }

    #[test]
    fn conditions_get_a_space() {
        assert_eq!(spaced("@a?'on':'off'").as_deref(), Some("@a? 'on':'off'"));
        assert_eq!(spaced("x(@a ?1:2)").as_deref(), Some("x(@a ? 1:2)"));
        assert_eq!(spaced("@a?@b?1:2:3").as_deref(), Some("@a? @b? 1:2:3"));
        assert_eq!(spaced("@a?'on':'@b?c'"), None);
        assert_eq!(spaced("@a ? 1 : 2"), None);
        assert_eq!(spaced("@a?'on'"), None);
    }

    #[test]
    fn what_a_match_spreads_to_gets_a_space() {
        assert_eq!(
            spaced("a,b = */(c)(d?)/.match(e)[1,2]").as_deref(),
            Some("a,b = * /(c)(d?)/.match(e)[1,2]")
        );
        assert_eq!(spaced("a,b = */c/.match(e); d = '= */f'"), None);
        assert_eq!(spaced("a,b = */c/.match(e"), None);
    }
}
