//! Ruby's regular expressions, on `fancy-regex`: translation, a bounded cache, errors in Ruby's words.
//!
//! A [`crate::value::Value::Regexp`] holds its source only; what is compiled lives here, one cache a thread.

mod answers;
mod automaton;
mod class;
mod engine;
mod prepared;
mod shown;
mod translate;

pub use automaton::{Ahead, is_like_one, made, with_ahead};
pub use prepared::Prepared;
pub use shown::{inspect, shown, to_s, to_text, with_options};

use answers::{Answers, CacheLookup};
use engine::Expression;
use hashbrown::HashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// How many expressions a thread keeps.
const CACHE_SIZE: usize = 1024;

thread_local! {
    static CACHE: RefCell<HashMap<Box<str>, Rc<Expression>>> = RefCell::default();
    static ANSWERS: RefCell<Answers<bool>> = RefCell::default();
    static GROUPS: RefCell<Answers<Option<Groups>>> = RefCell::default();
}

/// Byte ranges of a match's groups, the whole match first.
type Groups = Box<[Option<(usize, usize)>]>;

/// What a thread keeps of an expression.
fn kept(source: &str) -> Rc<Expression> {
    if let Some(found) = CACHE.with_borrow(|cache| cache.get(source).cloned()) {
        return found;
    }
    let expression = Rc::new(Expression::default());
    CACHE.with_borrow_mut(|cache| {
        if cache.len() >= CACHE_SIZE {
            cache.clear();
        }
        cache.insert(source.into(), Rc::clone(&expression));
    });
    expression
}

/// Checks that a source is a Ruby regular expression, which may never be matched.
///
/// # Errors
/// Ruby's message for a source that is none.
pub fn check(source: &str) -> Result<(), String> {
    kept(source).check(source)
}

/// Whether the expression matches anywhere in `text`.
///
/// # Errors
/// Those of [`check`], and a match that takes too many steps.
pub fn is_match(source: &str, text: &str) -> Result<bool, String> {
    match ANSWERS.with_borrow_mut(|answers| answers.ask(source, text, |matches| *matches)) {
        CacheLookup::Known(matches) => Ok(matches),
        CacheLookup::Passed => kept(source).is_match(source, text),
        CacheLookup::New(hash) => {
            let matches = kept(source).is_match(source, text)?;
            ANSWERS.with_borrow_mut(|answers| answers.set(hash, source, text, matches));
            Ok(matches)
        }
    }
}

/// The groups of the first match, the whole match first; none where nothing matches.
///
/// # Errors
/// Those of [`is_match`].
pub fn captures<'t>(source: &str, text: &'t str) -> Result<Option<Vec<Option<&'t str>>>, String> {
    let of = |(from, to): (usize, usize)| &text[from..to];
    let texts = |groups: &Groups| groups.iter().map(|group| group.map(of)).collect();
    match GROUPS.with_borrow_mut(|answers| answers.ask(source, text, |found| found.as_ref().map(texts))) {
        CacheLookup::Known(found) => Ok(found),
        CacheLookup::Passed => kept(source).groups(source, text, 0, |from, to| of((from, to))),
        CacheLookup::New(hash) => {
            let found = kept(source).groups(source, text, 0, |from, to| (from, to))?;
            let found = found.map(Vec::into_boxed_slice);
            let groups = found.as_ref().map(texts);
            GROUPS.with_borrow_mut(|answers| answers.set(hash, source, text, found));
            Ok(groups)
        }
    }
}

/// A match: byte ranges of the groups, the whole match first.
pub struct Match {
    /// Byte ranges by number.
    pub groups: Vec<Option<(usize, usize)>>,
    /// None of a text that was looked for as it stands, which has no groups.
    regex: Option<Rc<Expression>>,
}

impl Match {
    /// The match of a text that was looked for as it stands.
    pub fn plain(from: usize, to: usize) -> Match {
        Match { groups: vec![Some((from, to))], regex: None }
    }

    /// Start of the whole match.
    pub fn start(&self) -> usize {
        self.groups[0].map_or(0, |g| g.0)
    }

    /// Whether the expression names groups.
    pub fn has_names(&self) -> bool {
        self.regex.as_ref().is_some_and(|regex| regex.names().any(|name| name.is_some()))
    }

    /// The number of a named group.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.regex.as_ref()?.names().position(|known| known == Some(name))
    }

    /// The names of groups, with their numbers.
    pub fn names(&self) -> Vec<(String, usize)> {
        let Some(regex) = &self.regex else { return Vec::new() };
        regex.names().enumerate().filter_map(|(number, name)| Some((name?.to_owned(), number))).collect()
    }

    /// End of the whole match.
    pub fn end(&self) -> usize {
        self.groups[0].map_or(0, |g| g.1)
    }

    /// The texts of the groups.
    pub fn texts<'t>(&self, text: &'t str) -> Vec<Option<&'t str>> {
        self.groups.iter().map(|g| g.map(|(from, to)| &text[from..to])).collect()
    }
}

/// The first match at or after the byte offset `from`.
///
/// # Errors
/// Those of [`is_match`].
pub fn captures_from(source: &str, text: &str, from: usize) -> Result<Option<Match>, String> {
    search(&kept(source), source, text, from)
}

fn search(kept: &Rc<Expression>, source: &str, text: &str, from: usize) -> Result<Option<Match>, String> {
    let groups = kept.groups(source, text, from, |from, to| (from, to))?;
    Ok(groups.map(|groups| Match { groups, regex: Some(Rc::clone(kept)) }))
}

/// Every match from front to back; after an empty one the search goes on a character later, as in Ruby.
///
/// # Errors
/// Those of [`is_match`].
pub fn all_captures(source: &str, text: &str) -> Result<Vec<Match>, String> {
    all(&kept(source), source, text)
}

fn all(kept: &Rc<Expression>, source: &str, text: &str) -> Result<Vec<Match>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while at <= text.len() {
        let Some(next) = search(kept, source, text, at)? else { break };
        let end = next.end();
        at = if next.start() == end {
            end + text[end..].chars().next().map_or(1, char::len_utf8)
        } else {
            end
        };
        found.push(next);
    }
    Ok(found)
}

/// A text that matches itself (Ruby: `Regexp.escape`).
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            ' ' | '#' | '$' | '(' | ')' | '*' | '+' | '-' | '.' | '?' | '[' | '\\' | ']' | '^' | '{'
            | '|' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source, text, the whole match (as Ruby 3.1 finds it).
    const MATCHES: &[(&str, &str, Option<&str>)] = &[
        ("^b$", "a\nb\nc", Some("b")),
        ("\\Ab", "a\nb", None),
        ("^\\z", "a\n", None),
        ("\n^", "a\n", None),
        ("\n$", "a\n", Some("\n")),
        ("^", "", Some("")),
        ("^(?!a)", "a\n", None),
        ("a\\Z", "a\n", Some("a")),
        ("a\\z", "a\n", None),
        ("a\\Z", "a\n\n", None),
        ("[a-z]+-?[a-z]+", "b", None),
        ("(?:a+(?:-a*)?)+", "a--", Some("a-")),
        ("a*-??a*", "a-a", Some("a")),
        ("a.b", "a\nb", None),
        ("(?m)a.b", "a\nb", Some("a\nb")),
        ("(?m:a.b)", "a\nb", Some("a\nb")),
        ("\\h+", "xyz0fG", Some("0f")),
        ("[[:alpha:]]+", "1éa2", Some("éa")),
        ("\\w+", "éa_1", Some("a_1")),
        ("(?<x>a)(b)", "ab", Some("ab")),
        ("a{,2}", "aaa", Some("aa")),
        ("a{b", "a{b", Some("a{b")),
        ("[a\\-z]+", "-", Some("-")),
        ("[\\w.-]+", "a.b-c d", Some("a.b-c")),
        ("(?i-mx:AB)", "xab", Some("ab")),
        ("(a)(?=b)\\K", "ab", Some("")),
        ("(?x) a b # c", "ab", Some("ab")),
        ("[^\\s]+", " x y", Some("x")),
        ("\\/a", "/a", Some("/a")),
        ("]", "]", Some("]")),
        ("[&~]+", "&~", Some("&~")),
        ("\\u00e9", "é", Some("é")),
    ];

    #[test]
    fn matches_as_ruby_does() {
        for (source, text, expected) in MATCHES {
            let found = captures(source, text).unwrap_or_else(|e| panic!("{source}: {e}"));
            assert_eq!(found.and_then(|g| g[0]), *expected, "{source}");
        }
    }

    #[test]
    fn an_answer_stays_the_same_once_it_is_kept() {
        for (source, text) in [("^(a+)(x)?(.*)$", "aab"), ("(é)(.)", "xéb"), ("^b", "a")] {
            let first = captures(source, text).unwrap();
            let searched = captures_from(source, text, 0).unwrap();
            assert_eq!(first, searched.map(|found| found.texts(text)));
            for _ in 0..4 {
                assert_eq!(captures(source, text).unwrap(), first);
            }
        }
    }

    #[test]
    fn unnamed_groups_vanish_beside_named_ones() {
        assert_eq!(captures("(?<x>a)(b)", "ab").unwrap().unwrap(), [Some("ab"), Some("a")]);
    }

    #[test]
    fn errors_are_rubys() {
        for (source, message) in [
            ("(", "end pattern with unmatched parenthesis: /(/"),
            (")", "unmatched close parenthesis: /)/"),
            ("[a", "premature end of char-class: /[a/"),
            ("*a", "target of repeat operator is not specified: /*a/"),
        ] {
            assert_eq!(check(source).unwrap_err(), message);
        }
    }

    #[test]
    fn a_match_that_explodes_ends_in_an_error() {
        let text = "a".repeat(60);
        assert!(is_match("^(?:(a+)\\1?)+b$", &text).is_err());
    }
}
