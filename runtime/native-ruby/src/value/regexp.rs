//! Regular expressions and matches.

use super::V;
use bunraku_vm::regex;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

/// How many expressions of the compile's values a thread keeps: many more than any data has, as two at one place drive each other out
/// in each round.
const KEPT: usize = 1 << KEPT_BITS;
const KEPT_BITS: u32 = 11;

thread_local! {
    /// Expressions of the compile's values, by where their sources lie: a hash of data is gone through again and again, and each
    /// time Ruby's value would be made anew. The source itself is compared, so none is ever stale; a newer one takes the place of
    /// an older.
    static OF_COMPILE: RefCell<[Option<Rc<Regexp>>; KEPT]> = const { RefCell::new([const { None }; KEPT]) };
}

/// A regular expression.
pub(crate) struct Regexp {
    /// The expression, with the options put around it.
    prepared: regex::Prepared,
    source: Box<str>,
    /// `i`, `x` and `m` as 1, 2 and 4, like Ruby's `Regexp#options`.
    pub options: u8,
}

impl Regexp {
    pub const IGNORE_CASE: u8 = 1;
    pub const EXTENDED: u8 = 2;
    pub const MULTILINE: u8 = 4;

    pub fn new(source: &str, options: u8) -> Regexp {
        let has = |option| options & option != 0;
        let (ignore_case, multiline) = (has(Regexp::IGNORE_CASE), has(Regexp::MULTILINE));
        let pattern = regex::with_options(source, ignore_case, multiline, has(Regexp::EXTENDED));
        Regexp { prepared: regex::Prepared::new(pattern), source: source.into(), options }
    }

    /// A value of the compile, which has no options but those in its source.
    pub fn of_compile(source: &str) -> Rc<Regexp> {
        let spread = (source.as_ptr().addr() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (spread >> (u64::BITS - KEPT_BITS)) as usize;
        OF_COMPILE.with_borrow_mut(|kept| match &kept[place] {
            Some(known) if *known.source == *source => known.clone(),
            _ => kept[place].insert(Rc::new(Regexp::new(source, 0))).clone(),
        })
    }

    /// The source as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The source with the options put around it.
    pub fn pattern(&self) -> &str {
        self.prepared.source()
    }

    /// The letters of its options in the order of `inspect`.
    pub fn letters(&self) -> impl Iterator<Item = char> {
        let all = [(Regexp::MULTILINE, 'm'), (Regexp::IGNORE_CASE, 'i'), (Regexp::EXTENDED, 'x')];
        let options = self.options;
        all.into_iter().filter(move |(option, _)| options & option != 0).map(|(_, letter)| letter)
    }
}

impl Deref for Regexp {
    type Target = regex::Prepared;

    fn deref(&self) -> &regex::Prepared {
        &self.prepared
    }
}

/// Whether the source of a value of the compile may be that of an expression with options: it has them in its source,
/// written as Ruby writes them (`(?m-ix:…)`), and is another object in Ruby.
pub(super) fn may_have_options(source: &str) -> bool {
    let letters = source.strip_prefix("(?").and_then(|rest| rest.split_once(':')).map(|(letters, _)| letters);
    letters.is_some_and(|letters| {
        letters == "mix"
            || letters.len() == 4 && letters.contains('-') && letters.chars().all(|c| "mix-".contains(c))
    })
}

/// A match.
pub(crate) struct Matched<'c> {
    /// The text that was searched.
    pub text: Box<str>,
    /// The groups, the whole first.
    groups: Vec<V<'c>>,
    /// Where they lie in the text, in bytes.
    pub spans: Vec<Option<(usize, usize)>>,
    /// Names of groups with their numbers.
    pub names: Vec<(String, usize)>,
}

impl<'c> Matched<'c> {
    pub fn new(found: &regex::Match, text: &str) -> Self {
        let one = |group: Option<&str>| {
            let group = group.map_or(V::Nil, |group| V::made(group.to_owned()));
            if let V::Made(text) = &group {
                text.keep();
            }
            group
        };
        Matched {
            text: text.into(),
            groups: found.texts(text).into_iter().map(one).collect(),
            spans: found.groups.clone(),
            names: found.names(),
        }
    }
}

impl<'c> Deref for Matched<'c> {
    type Target = [V<'c>];

    fn deref(&self) -> &[V<'c>] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_of_the_compile_is_that_of_its_source() {
        // Many at places of each kind, each asked for twice.
        let text = "abc".repeat(4 * KEPT);
        for _ in 0..2 {
            for from in 0..text.len() - 2 {
                let source = &text[from..from + 2];
                let kept = Regexp::of_compile(source);
                assert_eq!((kept.source(), kept.pattern(), kept.options), (source, source, 0));
            }
        }
        let (one, other) = (Regexp::of_compile(&text[..3]), Regexp::of_compile(&text[..3]));
        assert!(Rc::ptr_eq(&one, &other));
    }
}
