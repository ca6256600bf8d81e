//! An expression that is matched again and again: it is looked for by its source once.

use super::engine::Expression;
use super::{Match, all, kept, search};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// An expression by its source, with what is kept of it from the first match on.
#[derive(Debug)]
pub struct Prepared {
    source: Box<str>,
    expression: OnceCell<Rc<Expression>>,
    /// Whether it matches the text that was asked last, where that is short: code that looks for the expressions that match a name
    /// asks them of the same name again and again.
    last: Cell<Last>,
}

/// Bytes of a text of which it is remembered whether it matches.
const SHORT: usize = 46;

/// A short text, and whether it matches.
#[derive(Clone, Copy, Debug)]
struct Last {
    bytes: [u8; SHORT],
    /// How many of the bytes are the text's; none was asked where that is more than there are.
    length: u8,
    matches: bool,
}

impl Last {
    const NONE: Last = Last { bytes: [0; SHORT], length: u8::MAX, matches: false };

    fn of(text: &str, matches: bool) -> Option<Last> {
        let mut last = Last { length: text.len().try_into().ok()?, matches, ..Last::NONE };
        last.bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(last)
    }
}

impl Prepared {
    /// The expression of a source, which need not be one.
    pub fn new(source: String) -> Prepared {
        Prepared { source: source.into(), expression: OnceCell::new(), last: Cell::new(Last::NONE) }
    }

    /// Its source.
    pub fn source(&self) -> &str {
        &self.source
    }

    fn expression(&self) -> &Rc<Expression> {
        self.expression.get_or_init(|| kept(&self.source))
    }

    /// As [`check`](super::check).
    ///
    /// # Errors
    /// Those of that.
    pub fn check(&self) -> Result<(), String> {
        self.expression().check(&self.source)
    }

    /// As [`is_match`](super::is_match).
    ///
    /// # Errors
    /// Those of that.
    pub fn is_match(&self, text: &str) -> Result<bool, String> {
        if let Some(matches) = self.known(text) {
            return Ok(matches);
        }
        let matches = self.expression().is_match(&self.source, text)?;
        self.remember(text, matches);
        Ok(matches)
    }

    /// Whether it matches a text, where that was asked last.
    fn known(&self, text: &str) -> Option<bool> {
        let last = self.last.get();
        let bytes = last.bytes.get(..last.length.into())?;
        (bytes == text.as_bytes()).then_some(last.matches)
    }

    fn remember(&self, text: &str, matches: bool) {
        if let Some(last) = Last::of(text, matches) {
            self.last.set(last);
        }
    }

    /// As [`captures_from`](super::captures_from).
    ///
    /// # Errors
    /// Those of that.
    pub fn captures_from(&self, text: &str, from: usize) -> Result<Option<Match>, String> {
        if from > 0 {
            return search(self.expression(), &self.source, text, from);
        }
        if self.known(text) == Some(false) {
            return Ok(None);
        }
        let found = search(self.expression(), &self.source, text, 0)?;
        self.remember(text, found.is_some());
        Ok(found)
    }

    /// As [`all_captures`](super::all_captures).
    ///
    /// # Errors
    /// Those of that.
    pub fn all_captures(&self, text: &str) -> Result<Vec<Match>, String> {
        if self.known(text) == Some(false) {
            return Ok(Vec::new());
        }
        let found = all(self.expression(), &self.source, text)?;
        self.remember(text, !found.is_empty());
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_is_that_of_its_text() {
        let expression = Prepared::new("^a+$".to_owned());
        let (long, longer) = ("a".repeat(SHORT), "a".repeat(300));
        for _ in 0..2 {
            for (text, matches) in [
                ("", false),
                ("aa", true),
                ("aa", true),
                ("ab", false),
                (&long, true),
                (&longer, true),
                ("a", true),
            ] {
                assert_eq!(expression.is_match(text), Ok(matches), "{text}");
                let groups = expression.captures_from(text, 0).unwrap().map(|found| found.groups);
                assert_eq!(groups, matches.then(|| vec![Some((0, text.len()))]), "{text}");
                assert_eq!(expression.all_captures(text).unwrap().len(), usize::from(matches), "{text}");
            }
        }
        assert!(Prepared::new("(".to_owned()).is_match("").is_err());
    }
}
