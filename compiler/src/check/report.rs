//! What the checks have found.

use crate::ast::Span;
use crate::source::{Places, SourceFile};
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Severity};

/// Collects findings.
pub(super) struct Report<'s> {
    places: Places<'s>,
    warnings: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
    fatal: Option<Diagnostic>,
}

impl<'s> Report<'s> {
    pub(super) fn new(source: &SourceFile<'s>) -> Self {
        Report { places: Places::new(source), warnings: Vec::new(), errors: Vec::new(), fatal: None }
    }

    #[cold]
    pub(super) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        let diagnostic = self.diagnostic(code, span, message.into());
        self.errors.push(diagnostic);
    }

    #[cold]
    pub(super) fn warning(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        let mut diagnostic = self.diagnostic(code, span, message.into());
        diagnostic.severity = Severity::Warning;
        self.warnings.push(diagnostic);
    }

    /// An error that stops Puppet's validator at once: nothing else is reported. `inner` are the faults of a text in
    /// this text (a heredoc of Puppet code); they are logged before the error.
    #[cold]
    pub(super) fn fatal(&mut self, code: &'static str, span: Span, message: String, inner: Vec<Diagnostic>) {
        if self.fatal.is_none() {
            self.fatal = Some(Diagnostic { inner, ..self.diagnostic(code, span, message) });
        }
    }

    /// The same for an error of Ruby's making, which has no place.
    #[cold]
    pub(super) fn crash(&mut self, cause: Cause, message: &str, help: &str) {
        if self.fatal.is_none() {
            let mut diagnostic = Diagnostic::error(message).because(cause);
            diagnostic.help = Some(help.to_owned());
            self.fatal = Some(diagnostic);
        }
    }

    fn diagnostic(&mut self, code: &'static str, span: Span, message: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(message).with_code(code).at(self.places.at(span.start));
        diagnostic.length = span.end.saturating_sub(span.start);
        diagnostic
    }

    pub(super) fn finish(self) -> Vec<Diagnostic> {
        if let Some(fatal) = self.fatal {
            return vec![fatal];
        }
        let mut all = self.warnings;
        all.extend(self.errors);
        all
    }
}
