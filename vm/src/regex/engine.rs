//! What searches. Most expressions have nothing that a finite automaton could not do: the first matches of these are
//! left to `regex-lite`, which is ready at once, since a compile holds hundreds of expressions against one or two texts
//! each; those that are matched often go to `regex-automata`. The rest is for `fancy-regex`. What an archive has an automaton of
//! is left to that as long as no groups are asked for.

use super::automaton::Automaton;
use super::shown::inspect;
use super::translate::{For, translate};
use fancy_regex::{BytesMode, RegexBuilder};
use regex_automata::meta;
use regex_automata::util::primitives::{NonMaxUsize, PatternID};
use regex_automata::util::syntax;
use std::cell::{Cell, OnceCell, RefCell};

/// How many steps back one match may take.
const BACKTRACK_LIMIT: usize = 5_000_000;
/// How many bytes are searched before an expression is worth a machine of its own: `regex-lite` takes about 300 instructions for
/// each, and that machine 220,000 to be made. How many of them a search counts for that has no text, and how long one text may be.
const FIRST: usize = 1_000;
const ANY: usize = 8;
const SHORT: usize = 1_000;
/// What it may be made into for them, in bytes.
const LIGHT: usize = 1 << 20;

/// An expression, in the forms that have been needed so far. Over ASCII a character is a byte and classes are small;
/// what matches in a text that is ASCII is the same for all.
#[derive(Debug, Default)]
pub(super) struct Expression {
    /// Whether it is a text that only matches itself.
    literal: OnceCell<bool>,
    /// Whether an automaton was made of it ahead of time, and that.
    is_ahead: OnceCell<bool>,
    ahead: OnceCell<Option<Automaton>>,
    lite: OnceCell<Option<regex_lite::Regex>>,
    /// Whether it is an expression beyond doubt, though not one for that.
    sound: OnceCell<bool>,
    /// How many bytes were searched with that.
    searched: Cell<usize>,
    ascii: OnceCell<Option<Engine>>,
    unicode: OnceCell<Result<Engine, String>>,
    /// For texts that end with a line, where a line's begin is asked for: to all engines but Ruby's one begins there.
    exact: OnceCell<Result<Engine, String>>,
}

impl Expression {
    /// Checks that the source is an expression.
    ///
    /// # Errors
    /// Ruby's message where it is none.
    pub fn check(&self, source: &str) -> Result<(), String> {
        if self.is_literal(source)
            || self.is_ahead(source)
            || self.lite(source).is_some()
            || *self.sound.get_or_init(|| is_sound_without_looks(source))
        {
            return Ok(());
        }
        self.engine(source, true).map(|_| ())
    }

    /// Whether it matches anywhere.
    ///
    /// # Errors
    /// Those of [`Expression::check`], and a match that takes too many steps.
    pub fn is_match(&self, source: &str, text: &str) -> Result<bool, String> {
        if self.is_literal(source) {
            return Ok(text.contains(source));
        }
        if ends_with_line(source, text) {
            return Ok(self.groups(source, text, 0, |_, _| ())?.is_some());
        }
        if text.is_ascii()
            && let Some(matches) = self.ahead(source).and_then(|ahead| ahead.is_match(text))
        {
            return Ok(matches);
        }
        match self.first(source, text) {
            Some(regex) => Ok(regex.is_match(text)),
            None => {
                self.engine(source, text.is_ascii())?.is_match(text).map_err(|error| too_long(source, &error))
            }
        }
    }

    /// The groups of the first match at or after the byte `from`, each made of where it begins and ends; the whole
    /// match first.
    ///
    /// # Errors
    /// Those of [`Expression::is_match`].
    pub fn groups<T>(
        &self,
        source: &str,
        text: &str,
        from: usize,
        mut made: impl FnMut(usize, usize) -> T,
    ) -> Result<Option<Vec<Option<T>>>, String> {
        if !ends_with_line(source, text) {
            return self.groups_of_any(source, text, from, made);
        }
        if self.lite(source).is_some() || matches!(self.engine(source, text.is_ascii())?, Engine::Plain(..)) {
            let found = self.groups_of_any(source, text, from, |from, to| (from, to))?;
            // What ends before has asked for no line behind the last.
            if found.as_ref().is_none_or(|groups| groups[0].is_some_and(|whole| whole.1 < text.len())) {
                let made = |group: Option<(usize, usize)>| group.map(|(from, to)| made(from, to));
                return Ok(found.map(|groups| groups.into_iter().map(made).collect()));
            }
        }
        let engine = self.exact.get_or_init(|| Engine::exact(source)).as_ref().map_err(Clone::clone)?;
        engine.groups(text, from, made).map_err(|error| too_long(source, &error))
    }

    /// The expression for texts behind whose last line another may begin.
    fn groups_of_any<T>(
        &self,
        source: &str,
        text: &str,
        from: usize,
        mut made: impl FnMut(usize, usize) -> T,
    ) -> Result<Option<Vec<Option<T>>>, String> {
        if self.is_literal(source) {
            let found = text.get(from..).and_then(|rest| rest.find(source)).map(|at| from + at);
            return Ok(found.map(|at| vec![Some(made(at, at + source.len()))]));
        }
        // Most that is matched once does not match, and nothing is made for that.
        if from == 0
            && self.lite.get().is_none()
            && text.is_ascii()
            && self.ahead(source).and_then(|ahead| ahead.is_match(text)) == Some(false)
        {
            return Ok(None);
        }
        if let Some(regex) = self.first(source, text) {
            let group = |group: Option<regex_lite::Match<'_>>| group.map(|g| made(g.start(), g.end()));
            return Ok(regex.captures_at(text, from).map(|found| found.iter().map(group).collect()));
        }
        let engine = self.engine(source, text.is_ascii())?;
        engine.groups(text, from, made).map_err(|error| too_long(source, &error))
    }

    /// The names of the groups, the whole match first, which has none; none at all before the first search.
    pub fn names(&self) -> Box<dyn Iterator<Item = Option<&str>> + '_> {
        let engine = self.ascii.get().and_then(Option::as_ref).or_else(|| self.unicode.get()?.as_ref().ok());
        match (self.lite.get(), engine) {
            (Some(Some(regex)), _) => Box::new(regex.capture_names()),
            (_, Some(Engine::Plain(regex, _))) => Box::new(regex.group_info().pattern_names(PatternID::ZERO)),
            (_, Some(Engine::Fancy(regex))) => Box::new(regex.capture_names()),
            (_, None) => Box::new(std::iter::empty()),
        }
    }

    /// What one of the first searches is left to.
    fn first(&self, source: &str, text: &str) -> Option<&regex_lite::Regex> {
        let searched = self.searched.get();
        if searched >= FIRST || text.len() > SHORT || !text.is_ascii() {
            return None;
        }
        self.searched.set(searched + text.len() + ANY);
        self.lite(source)
    }

    fn is_literal(&self, source: &str) -> bool {
        *self.literal.get_or_init(|| is_literal(source))
    }

    fn ahead(&self, source: &str) -> Option<&Automaton> {
        self.ahead.get_or_init(|| Automaton::found(source)).as_ref()
    }

    fn is_ahead(&self, source: &str) -> bool {
        *self.is_ahead.get_or_init(|| Automaton::is_there(source))
    }

    fn lite(&self, source: &str) -> Option<&regex_lite::Regex> {
        let made = self.lite.get_or_init(|| {
            let translated = translate(source, For::Ascii).ok()?;
            (is_plain(&translated) && is_light(&translated)).then(|| light(&translated))?
        });
        made.as_ref()
    }

    /// The engine for texts that are ASCII, or for all.
    fn engine(&self, source: &str, is_ascii: bool) -> Result<&Engine, String> {
        // None for what names characters beyond ASCII, or properties of characters.
        let ascii = || source.is_ascii().then(|| Engine::new(source, BytesMode::Ascii).ok())?;
        if is_ascii && let Some(engine) = self.ascii.get_or_init(ascii) {
            return Ok(engine);
        }
        let engine = self.unicode.get_or_init(|| Engine::new(source, BytesMode::Unicode));
        engine.as_ref().map_err(Clone::clone)
    }
}

/// Whether every character of an expression stands for itself: there is one, and none that could say anything.
pub(super) fn is_literal(source: &str) -> bool {
    let says = |c: char| {
        matches!(c, '\\' | '.' | '[' | ']' | '(' | ')' | '{' | '}' | '*' | '+' | '?' | '^' | '$' | '|')
    };
    !source.is_empty() && !source.chars().any(says)
}

/// Whether it may matter that no line begins behind the last one.
fn ends_with_line(source: &str, text: &str) -> bool {
    text.ends_with('\n') && source.contains('^')
}

fn too_long(source: &str, error: &fancy_regex::Error) -> String {
    match error {
        fancy_regex::Error::RuntimeError(_) => {
            format!("The regular expression {} took too many steps to match", inspect(source))
        }
        other => format!("{other}: {}", inspect(source)),
    }
}

/// A compiled expression.
#[derive(Debug)]
enum Engine {
    /// One without anything that needs to go back.
    Plain(meta::Regex, RefCell<Vec<Option<NonMaxUsize>>>),
    /// Any other.
    Fancy(Box<fancy_regex::Regex>),
}

/// What makes engines, which make their automata as they go: to make one as a whole takes three times as long as all the rest.
fn builder() -> meta::Builder {
    let mut builder = meta::Regex::builder();
    builder.configure(meta::Config::new().dfa(false));
    builder
}

impl Engine {
    fn new(source: &str, mode: BytesMode) -> Result<Engine, String> {
        let invalid = |message: &dyn std::fmt::Display| format!("{message}: {}", inspect(source));
        let unicode = matches!(mode, BytesMode::Unicode);
        let goal = if unicode { For::All } else { For::Ascii };
        let translated = translate(source, goal).map_err(|message| invalid(&message))?;
        if is_plain(&translated)
            && let Ok(regex) = builder().syntax(syntax_of(unicode)).build(&translated)
        {
            let slots = RefCell::new(vec![None; regex.group_info().slot_len()]);
            return Ok(Engine::Plain(regex, slots));
        }
        Engine::fancy(source, For::Fancy, mode)
    }

    /// One for which no line begins behind the last.
    fn exact(source: &str) -> Result<Engine, String> {
        Engine::fancy(source, For::Exact, BytesMode::Unicode)
    }

    fn fancy(source: &str, goal: For, mode: BytesMode) -> Result<Engine, String> {
        let invalid = |message: &dyn std::fmt::Display| format!("{message}: {}", inspect(source));
        let translated = translate(source, goal).map_err(|message| invalid(&message))?;
        let regex = RegexBuilder::new(&translated).backtrack_limit(BACKTRACK_LIMIT).bytes_mode(mode).build();
        regex.map(|regex| Engine::Fancy(Box::new(regex))).map_err(|error| invalid(&error))
    }

    fn is_match(&self, text: &str) -> Result<bool, fancy_regex::Error> {
        match self {
            Engine::Plain(regex, _) => Ok(regex.is_match(text)),
            Engine::Fancy(regex) => regex.is_match(text),
        }
    }

    fn groups<T>(
        &self,
        text: &str,
        from: usize,
        mut made: impl FnMut(usize, usize) -> T,
    ) -> Result<Option<Vec<Option<T>>>, fancy_regex::Error> {
        match self {
            Engine::Plain(regex, slots) => {
                let input = regex_automata::Input::new(text).range(from..);
                let mut slots = slots.borrow_mut();
                if slots.len() == 2 {
                    return Ok(regex.find(input).map(|found| vec![Some(made(found.start(), found.end()))]));
                }
                if regex.search_slots(&input, &mut slots).is_none() {
                    return Ok(None);
                }
                let group = |pair: &[Option<NonMaxUsize>]| match pair {
                    [Some(start), Some(end)] => Some(made(start.get(), end.get())),
                    _ => None,
                };
                Ok(Some(slots.chunks_exact(2).map(group).collect()))
            }
            Engine::Fancy(regex) => {
                let found = regex.captures_from_pos(text, from)?;
                Ok(found.map(|found| {
                    found.iter().map(|group| group.map(|group| made(group.start(), group.end()))).collect()
                }))
            }
        }
    }
}

/// How expressions are read: over all of Unicode, or over ASCII.
pub(super) fn syntax_of(unicode: bool) -> syntax::Config {
    syntax::Config::new().unicode(unicode).utf8(unicode)
}

/// Whether all engines take an expression that they understand for the same. A quantifier behind another repeats it
/// to some and says something else to others; a group that is repeated no times counts for some only.
pub(super) fn is_plain(translated: &str) -> bool {
    let outside = without_classes(translated);
    let quantifies = |byte: u8| matches!(byte, b'*' | b'+' | b'?' | b'}');
    let stacked = outside.windows(3).any(|three| {
        let behind = |before: u8, byte: u8| quantifies(before) && matches!(byte, b'*' | b'+' | b'{');
        behind(three[0], three[1])
            || behind(three[1], three[2])
            || quantifies(three[0]) && three[1] == b'?' && three[2] == b'?'
    });
    let holds = |text: &[u8]| outside.windows(text.len()).any(|window| window == text);
    !stacked && !holds(b"{0}") && !holds(b"{0,0}")
}

/// The expression with a bracket for each class, and one for each escaped letter.
fn without_classes(translated: &str) -> Vec<u8> {
    let (mut out, mut depth) = (Vec::with_capacity(translated.len()), 0);
    let mut bytes = translated.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
                if depth == 0 {
                    out.push(b']');
                }
            }
            b'[' => depth += 1,
            b']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    out.push(b']');
                }
            }
            _ if depth > 0 => {}
            byte => out.push(byte),
        }
    }
    out
}

/// Whether `regex-lite` takes a plain expression for the same over ASCII: it knows classes without classes in them.
fn is_light(translated: &str) -> bool {
    let mut in_class = false;
    let mut bytes = translated.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'[' if in_class => return false,
            b'&' | b'-' | b'~' if in_class && bytes.peek() == Some(&byte) => return false,
            b'[' => in_class = true,
            b']' => in_class = false,
            _ => {}
        }
    }
    true
}

/// Whether a source is an expression beyond doubt once its looks ahead are taken for groups.
fn is_sound_without_looks(source: &str) -> bool {
    let Ok(translated) = translate(source, For::Ascii) else { return false };
    let bytes = without_classes(&translated);
    let mut open = Vec::new();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'(' => open.push(bytes[at + 1..].starts_with(b"?=") || bytes[at + 1..].starts_with(b"?!")),
            // A look is not to be repeated.
            b')' if open.pop() == Some(true)
                && matches!(bytes.get(at + 1), Some(b'*' | b'+' | b'?' | b'{')) =>
            {
                return false;
            }
            _ => {}
        }
    }
    let grouped = translated.replace("(?=", "(?:").replace("(?!", "(?:");
    is_plain(&grouped) && is_light(&grouped) && light(&grouped).is_some()
}

fn light(translated: &str) -> Option<regex_lite::Regex> {
    regex_lite::RegexBuilder::new(translated).size_limit(LIGHT).build().ok()
}

#[cfg(test)]
mod tests {
    use super::super::automaton::{self, Ahead};
    use super::*;
    use std::sync::Arc;

    /// The automaton of one source.
    struct Only(String, Vec<u8>);

    impl Ahead for Only {
        fn automaton(&self, source: &str) -> Option<&[u8]> {
            (self.0 == source).then_some(&*self.1)
        }
    }

    /// What expressions are put together from: much of it in the notation of both engines, some of one only.
    const PARTS: &[&str] = &[
        "a",
        "b",
        "é",
        ".",
        "\\.",
        "[ab]",
        "[^a]",
        "[a-c&&[^b]]",
        "[b[:digit:]]",
        "[[:xdigit:]]",
        "[^[:space:]]",
        "[z-a]",
        "[[:punct:]]",
        "[[:word:]é]",
        "[^[:upper:]]",
        "[[:blank:][:cntrl:]]",
        "[[:print:]&&[:lower:]]",
        "[+*]",
        "\\Z",
        "\\+",
        "[(]",
        "(?=a",
        "(?!",
        "b)",
        "(a)",
        "(?:b)",
        "(a|b)",
        "(a|)",
        "(?<n>a)",
        "*",
        "+",
        "?",
        "*?",
        "+?",
        "++",
        "{2}",
        "{0}",
        "{0,2}",
        "{1,}",
        "|",
        "^",
        "$",
        "\\A",
        "\\z",
        "\\b",
        "\\B",
        "[0-9]",
        "(?i:A)",
        "(?s:.)",
        "(?x: a )",
        "(?=a)",
        "(?!b)",
        "(?<=a)",
        "(?>a*)",
        "\\1",
        "\\n",
        "()",
        "[[:alpha:]]",
        "\\x61",
        "\\u{e9}",
    ];
    const TEXTS: &[&str] = &[
        "", "a", "ab", "aab", "ba", "é", "aéb", "a\nb", "b\n", "\n", "abcabc", "A1 b2", "aaaa", "~!", "a\t_",
        "A+\n",
    ];

    /// Matches in all the ways there are, with `fancy-regex` for a reference.
    #[test]
    fn all_engines_find_the_same() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let (mut literal, mut automata, mut light, mut plain, mut fancy) = (0, 0, 0, 0, 0);
        for _ in 0..20_000 {
            let count = 1 + next(6);
            let source: String = (0..count).map(|_| PARTS[next(PARTS.len())]).collect();
            let Ok(translated) = translate(&source, For::Fancy) else { continue };
            let expression = Expression::default();
            let verdict = expression.engine(&source, false).map(|_| ());
            assert_eq!(expression.check(&source), verdict, "/{source}/");
            // It takes no repetition of nothing, which Ruby does.
            let Ok(reference) = fancy_regex::Regex::new(&translated) else { continue };
            let exact = translate(&source, For::Exact).expect("it was translated before");
            let Ok(exact) = fancy_regex::Regex::new(&exact) else { continue };
            let engine =
                expression.engine(&source, false).expect("it is an expression to all engines or to none");
            match engine {
                Engine::Plain(..) => plain += 1,
                Engine::Fancy(_) => fancy += 1,
            }
            light += usize::from(expression.lite(&source).is_some());
            let automaton = automaton::made(&source).filter(|bytes| !bytes.is_empty());
            let automaton = automaton.map(|bytes| Only(source.clone(), bytes));
            let ahead = automaton.map(|only| {
                automata += 1;
                automaton::with_ahead(Some(Arc::new(only)), || Automaton::found(&source))
                    .expect("it is whole")
            });
            for text in TEXTS {
                let from =
                    (0..=next(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                let expected = reference.captures_from_pos(text, from).unwrap().map(|found| {
                    found.iter().map(|group| group.map(|g| (g.start(), g.end()))).collect::<Vec<_>>()
                });
                let found = engine.groups(text, from, |from, to| (from, to)).unwrap();
                assert_eq!(found, expected, "/{source}/ in {text:?} from {from}");
                let exactly = exact.captures_from_pos(text, from).unwrap().map(|found| {
                    found.iter().map(|group| group.map(|g| (g.start(), g.end()))).collect::<Vec<_>>()
                });
                let found = expression.groups(&source, text, from, |from, to| (from, to)).unwrap();
                literal += usize::from(expression.is_literal(&source));
                assert_eq!(expression.is_match(&source, text).unwrap(), exact.is_match(text).unwrap());
                assert_eq!(found, exactly, "/{source}/ in {text:?} from {from}, exactly");
                let any = reference.is_match(text).unwrap();
                assert_eq!(engine.is_match(text).unwrap(), any, "/{source}/ in {text:?}");
                if !text.is_ascii() {
                    continue;
                }
                if let Some(ahead) = &ahead {
                    assert_eq!(ahead.is_match(text), Some(any), "/{source}/ ahead of time in {text:?}");
                }
                let engine = expression.engine(&source, true).unwrap();
                let found = engine.groups(text, from, |from, to| (from, to)).unwrap();
                assert_eq!(found, expected, "/{source}/ over ASCII in {text:?} from {from}");
                if let Some(lite) = expression.lite(&source) {
                    let group = |group: Option<regex_lite::Match<'_>>| group.map(|g| (g.start(), g.end()));
                    let found =
                        lite.captures_at(text, from).map(|found| found.iter().map(group).collect::<Vec<_>>());
                    assert_eq!(found, expected, "/{source}/ lightly in {text:?} from {from}");
                }
            }
        }
        assert!(literal > 1000 && automata > 1000, "{literal} literal, {automata} ahead of time");
        assert!(light > 1000 && plain > light && fancy > 1000, "{light} light, {plain} plain, {fancy} fancy");
    }
}
