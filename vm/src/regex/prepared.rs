//! An expression that is matched again and again: it is looked for by its source once.

use super::engine::Expression;
use super::{Match, all, kept, search};
use std::cell::OnceCell;
use std::rc::Rc;

/// An expression by its source, with what is kept of it from the first match on.
#[derive(Debug)]
pub struct Prepared {
    source: Box<str>,
    expression: OnceCell<Rc<Expression>>,
}

impl Prepared {
    /// The expression of a source, which need not be one.
    pub fn new(source: String) -> Prepared {
        Prepared { source: source.into(), expression: OnceCell::new() }
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
        self.expression().is_match(&self.source, text)
    }

    /// As [`captures_from`](super::captures_from).
    ///
    /// # Errors
    /// Those of that.
    pub fn captures_from(&self, text: &str, from: usize) -> Result<Option<Match>, String> {
        search(self.expression(), &self.source, text, from)
    }

    /// As [`all_captures`](super::all_captures).
    ///
    /// # Errors
    /// Those of that.
    pub fn all_captures(&self, text: &str) -> Result<Vec<Match>, String> {
        all(self.expression(), &self.source, text)
    }
}
