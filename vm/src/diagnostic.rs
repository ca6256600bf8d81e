//! What goes wrong, in Puppet's words, with its place. One shape for every layer.

use crate::cause::Cause;
use std::fmt;
use std::sync::Arc;

/// How bad a [`Diagnostic`] is; the names are Puppet's log levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Severity {
    Debug,
    Info,
    Notice,
    Warning,
    Err,
    Alert,
    Emerg,
    Crit,
}

impl Severity {
    /// Puppet's name of the level: `notice`, `warning`, `err`, …
    pub fn name(self) -> &'static str {
        match self {
            Severity::Debug => "debug",
            Severity::Info => "info",
            Severity::Notice => "notice",
            Severity::Warning => "warning",
            Severity::Err => "err",
            Severity::Alert => "alert",
            Severity::Emerg => "emerg",
            Severity::Crit => "crit",
        }
    }

    /// The level of Puppet's name for it.
    pub fn by_name(name: &str) -> Option<Severity> {
        use Severity::{Alert, Crit, Debug, Emerg, Err, Info, Notice, Warning};
        [Debug, Info, Notice, Warning, Err, Alert, Emerg, Crit].into_iter().find(|level| level.name() == name)
    }
}

/// A place in source text. Lines and columns count from 1; a column counts characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file's path as Puppet prints it; none for code given as text.
    pub file: Option<Arc<str>>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
}

/// One fault or notice.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Puppet's message, without its `(file: …, line: …)` part.
    pub message: String,
    /// Where.
    pub place: Place,
    /// Line and column at which it lies, for messages of ours, where Puppet's names none.
    pub unnamed: Option<(u32, Option<u32>)>,
    /// Length of the faulty text in bytes from `place`, 0 where unknown; for underlining only.
    pub length: u32,
    /// Puppet's issue code (`UNKNOWN_VARIABLE`), where it has one.
    pub code: Option<&'static str>,
    /// What the failure was, where code decides by it.
    pub cause: Cause,
    /// For a fault of a text in the text (a heredoc of a known syntax): what is logged of it before.
    pub inner: Vec<Diagnostic>,
    /// Call stack, innermost first, of the Puppet code that led here.
    pub stack: Vec<Place>,
    /// Advice of ours; never part of Puppet's message.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error with a message and no place yet.
    pub fn error(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Err,
            message: message.into(),
            place: Place::default(),
            unnamed: None,
            length: 0,
            code: None,
            cause: Cause::Other,
            inner: Vec::new(),
            stack: Vec::new(),
            help: None,
        }
    }

    /// This diagnostic at a place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// This diagnostic with what the failure was.
    pub fn because(mut self, cause: Cause) -> Self {
        self.cause = cause;
        self
    }

    /// This diagnostic with Puppet's issue code.
    pub fn with_code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }
}

/// Puppet's single line: `message (file: F, line: L, column: C)`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        let Place { file, line, column } = &self.place;
        match (file, line, column) {
            (Some(file), Some(line), Some(column)) => {
                write!(f, " (file: {file}, line: {line}, column: {column})")
            }
            (Some(file), Some(line), None) => write!(f, " (file: {file}, line: {line})"),
            (Some(file), None, _) => write!(f, " (file: {file})"),
            (None, Some(line), Some(column)) => write!(f, " (line: {line}, column: {column})"),
            (None, Some(line), None) => write!(f, " (line: {line})"),
            (None, None, _) => Ok(()),
        }
    }
}
