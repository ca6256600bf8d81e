//! Ruby's syntax trees, by tree-sitter, within limits that are counted and so the same everywhere. Its grammar looks
//! ahead to the end of the file for what ends a comment or a literal, and where nothing does, it does so at each begin
//! anew; what is no Ruby at all it may turn over for ever.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

/// Bytes that are handed out at once.
const PIECE: usize = 4096;
/// How often each piece of a text may be handed out, on average. Of what people wrote it is once or twice.
const READS: usize = 40;
/// Hundreds of steps for each piece, on average. Of what people wrote it is some dozens.
const STEPS: usize = 300;
/// How often a comment may end that was not begun: the grammar takes a time for these that grows with their square.
const ENDS: usize = 100;

/// The tree of a text; none where it would take more than a text of its length may.
pub fn parse(text: &str) -> Option<Tree> {
    if ends_without_begin(text) > ENDS {
        return None;
    }
    let code = appending(text);
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ruby::LANGUAGE.into()).ok()?;
    let pieces = text.len() / PIECE + 4;
    let reads = Cell::new(0);
    let mut steps = 0;
    let mut piece = |at: usize, _: Point| {
        reads.set(reads.get() + 1);
        let end = (at / PIECE + 1) * PIECE;
        match reads.get() <= READS * pieces {
            true => code.get(at..end.min(code.len())).unwrap_or_default(),
            false => &[],
        }
    };
    let mut watch = |_: &ParseState| {
        steps += 1;
        match reads.get() <= READS * pieces && steps <= STEPS * pieces {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    };
    let tree =
        parser.parse_with_options(&mut piece, None, Some(ParseOptions::new().progress_callback(&mut watch)));
    tree.filter(|_| reads.get() <= READS * pieces)
}

/// Words after which `<<` begins a heredoc even if nothing stands between.
const KEYWORDS: &[&str] = &[
    "and", "begin", "case", "class", "do", "else", "elsif", "ensure", "if", "in", "not", "or", "rescue",
    "return", "then", "unless", "until", "when", "while",
];

/// The bytes that the grammar is given. It takes `a<<"b"` for the begin of a heredoc, where Ruby has an operator unless
/// there is a space before it. So it gets `>>` there, which no heredoc begins with and binds as strongly: who reads the tree
/// reads operators in the text.
fn appending(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let places = text.match_indices("<<").map(|(at, _)| at).filter(|at| {
        let ends_value =
            |byte: &u8| is_word(*byte) || matches!(byte, b')' | b']' | b'}' | b'"' | b'\'' | b'?' | b'!');
        let begins_tag = |byte: &u8| is_word(*byte) || matches!(byte, b'"' | b'\'' | b'`' | b'-' | b'~');
        let word = bytes[..*at].rsplit(|byte| !is_word(*byte)).next().unwrap_or_default();
        bytes[..*at].last().is_some_and(ends_value)
            && bytes.get(at + 2).is_some_and(begins_tag)
            && !KEYWORDS.iter().any(|keyword| keyword.as_bytes() == word)
    });
    let places: Vec<usize> = places.collect();
    // Literals in angle brackets count them.
    let in_angles = |(at, _): (usize, &str)| {
        let before = bytes[..at].iter().rev().take(2).position(|byte| *byte == b'%');
        before.is_some_and(|distance| distance == 0 || bytes[at - 1].is_ascii_alphabetic())
    };
    if places.is_empty() || text.match_indices('<').any(in_angles) {
        return Cow::Borrowed(bytes);
    }
    let mut given = bytes.to_vec();
    for at in places {
        given[at..at + 2].copy_from_slice(b">>");
    }
    Cow::Owned(given)
}

/// Lines that end a comment where none was begun.
fn ends_without_begin(text: &str) -> usize {
    let (mut within, mut count) = (false, 0);
    for line in text.split('\n') {
        if line.starts_with("=begin") {
            within = true;
        } else if line.starts_with("=end") {
            count += usize::from(!within);
            within = false;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_begins_no_heredoc() {
        for (line, kind) in [
            ("a<<\"b\"", "binary"),
            ("a(1)<<'b'", "binary"),
            ("a[1]<<b", "binary"),
            ("a <<\"b\"\nb\n", "call"),
            ("return<<b\nb\n", "return"),
            ("class<<self\nend", "singleton_class"),
            ("%q<a>\na<<\"b\"\n", "string"),
        ] {
            let text = format!("{line}\n");
            let tree = parse(&text).unwrap();
            assert_eq!(tree.root_node().named_child(0).unwrap().kind(), kind, "{line}");
        }
    }

    #[test]
    fn what_would_take_the_square_of_its_length_is_given_up() {
        let head = "Puppet::Type.newtype(:t) do\n";
        for piece in ["=begin\n", "=end\n", "%q{\n"] {
            assert!(parse(&format!("{head}{}", piece.repeat(20_000))).is_none(), "{piece}");
        }
        for piece in ["# comment\n", "=begin\n=end\n", "newparam(:x)\n", "a ? b : c\n", "x = <<E\nE\n"] {
            assert!(parse(&format!("{head}{}end\n", piece.repeat(5_000))).is_some(), "{piece}");
        }
    }
}
