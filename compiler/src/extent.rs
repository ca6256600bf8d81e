//! The text that an expression was parsed from, as Puppet tells it to tools that ask for the classes of an environment.
//!
//! Puppet takes the text between the first and the last place of an expression and all that is in it. What closes an expression
//! is part of it for some kinds only: `(1 + 2)` is told as `(1 + 2`. Source: the oracle (`Locator#extract_tree_text` of 7.23).

use crate::ast::{Expr, ExprKind, Part, Span};
use crate::visit::{Lambdas, deeper, each_child};

/// The text of an expression and all that is in it, by the rule of Puppet.
pub fn tree_text<'s>(expr: &Expr<'_>, source: &'s str) -> &'s str {
    let mut whole = own(expr, source);
    widen(expr, source, &mut whole);
    source.get(whole.start as usize..whole.end as usize).unwrap_or_default()
}

/// The same on one line, cut off where it is longer than so many bytes.
pub fn short_text(expr: &Expr<'_>, source: &str, most: usize) -> String {
    let words: Vec<&str> = tree_text(expr, source).split_whitespace().collect();
    let mut text = words.join(" ");
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

fn widen(expr: &Expr<'_>, source: &str, whole: &mut Span) {
    let own = own(expr, source);
    whole.start = whole.start.min(own.start);
    whole.end = whole.end.max(own.end);
    let mut within = expr;
    if let ExprKind::Heredoc { text, .. } = expr.kind {
        whole.end = whole.end.max(heredoc_end(text, source));
        within = text;
    }
    deeper(|| {
        each_child(within, Lambdas::Enter, &mut |child| {
            // A body with nothing in it is none.
            if !matches!(child.kind, ExprKind::Block([])) {
                widen(child, source, whole);
            }
        });
    });
}

/// Puppet's place of the expression alone.
fn own(expr: &Expr<'_>, source: &str) -> Span {
    let Span { start, end } = expr.span;
    let end = match expr.kind {
        ExprKind::Paren(_) => start + 1,
        // Pairs without braces are where their first arrow is.
        ExprKind::Hash(_) if source.as_bytes().get(start as usize) != Some(&b'{') => start,
        ExprKind::Selector { left, .. } => return own(left, source),
        // Its length is measured from the test on, and then counted from the keyword on.
        ExprKind::If { negated: false, test, otherwise, .. } => {
            let last = otherwise.map_or(end, |otherwise| own(otherwise, source).end);
            start + last.saturating_sub(own(test, source).start)
        }
        _ => end,
    };
    Span { start, end }
}

/// Where the text of a heredoc ends: what its margin takes of the first line is not counted, unless the text's last piece is one
/// that follows an expression.
fn heredoc_end(text: &Expr<'_>, source: &str) -> u32 {
    let Span { start, end } = text.span;
    if let ExprKind::Concat([_, .., Part::Text(..)]) = text.kind {
        return end;
    }
    let (Some(lines), Some(rest)) = (source.get(start as usize..end as usize), source.get(end as usize..))
    else {
        return end;
    };
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
    let margin = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    match rest[margin..].starts_with('|') && lines.starts_with(&rest[..margin]) {
        true => end - margin as u32,
        false => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseLimits, SourceFile, parse};
    use bumpalo::Bump;

    /// The text that is told of the default of the only parameter of a class.
    fn told(default: &str, after: &str) -> String {
        let arena = Bump::new();
        let text = format!("class a ($x = {default},{after}) {{ }}");
        let parsed = parse(&arena, &SourceFile::manifest(&text), &ParseLimits::default()).expect("it parses");
        let ExprKind::Class { def, .. } = parsed.program.definitions[0].kind else { panic!("a class") };
        tree_text(def.params[0].default.expect("a default"), &text).to_owned()
    }

    #[test]
    fn texts_are_told_as_puppet_tells_them() {
        // What Puppet 7.23 tells of them.
        for (default, wanted) in [
            ("1 + 2 * 3", "1 + 2 * 3"),
            ("(1 + 2) * 3", "(1 + 2) * 3"),
            ("('a')", "('a'"),
            ("[1, ('a')]", "[1, ('a')]"),
            ("$x ? { 1 => 2, default => [3] }", "$x ? { 1 => 2, default => [3]"),
            ("if $x { 1 } else { 2 }", "if $x { 1 } else { 2"),
            ("if $x { 5 }", "if $x { 5"),
            ("if $x { 1; 2 } else { 3; 4 }", "if $x { 1; 2 } else { 3; 4 }"),
            ("if $x {} elsif $y { 1 } else { }", "if $x {} elsif $y { 1"),
            ("unless $x { 1 } else { 2 }", "unless $x { 1 } else { 2"),
            ("case $x { 1, 2: { 1 2 } }", "case $x { 1, 2: { 1 2 } }"),
            ("$x.foo(1) |$a| { 2 }", "$x.foo(1) |$a| { 2 }"),
            ("foo([type, 'a' => 1])", "foo([type, 'a' => 1])"),
            ("\"a${b}c${d[1]}\"", "\"a${b}c${d[1]}\""),
            ("- 3", "- 3"),
            ("!$x", "!$x"),
            ("$x[1, 2 => 3]", "$x[1, 2 => 3]"),
            ("Foo<| a == 1 |>", "Foo<| a == 1 |>"),
        ] {
            assert_eq!(told(default, ""), wanted, "{default}");
        }
    }

    #[test]
    fn heredocs_are_told_to_the_end_of_their_text_but_for_a_margin() {
        let lines = "\n    one\n    two\n    | END\n";
        assert_eq!(told("@(END)", lines), "@(END),\n    one\n    ");
        assert_eq!(told("@(END)", "\nplain\n END\n"), "@(END),\nplain\n");
        assert_eq!(
            told("@(\"END\"/L)", "\n  b ${a} c\n    d\n  | END\n"),
            "@(\"END\"/L),\n  b ${a} c\n    d\n"
        );
        assert_eq!(told("@(\"END\")", "\n  one\n  ${a}\n  |- END\n"), "@(\"END\"),\n  one\n  ${a");
        assert_eq!(told("@(END)", "\n  text\n  |- END\n"), "@(END),\n  te");
    }
}
