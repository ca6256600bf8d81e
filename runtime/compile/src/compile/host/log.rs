//! Answers about the log of the compile.

use crate::compile::{Compile, Log};
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::host::LogPort;

impl<'c> Compile<'c> {
    pub(crate) fn push_log(&self, level: Severity, message: String, place: Place) {
        self.logs.borrow_mut().push(Log { level, message, place });
    }

    /// Logs a message with its place behind it, as Puppet's warnings have it.
    pub(in crate::compile) fn log_with_place(&self, level: Severity, message: &str, place: Place) {
        let mut diagnostic = Diagnostic::error(message).at(place);
        diagnostic.severity = level;
        self.log_diagnostic(&diagnostic);
    }

    /// Logs a diagnostic as Puppet's single line.
    pub(in crate::compile) fn log_diagnostic(&self, diagnostic: &Diagnostic) {
        self.push_log(diagnostic.severity, diagnostic.to_string(), diagnostic.place.clone());
    }
}

impl<'c> LogPort<'c> for Compile<'c> {
    fn log(&self, severity: Severity, message: &str, place: Option<Place>) {
        // Puppet's default log level; what is below is for its developers.
        if severity < Severity::Notice {
            return;
        }
        match place {
            Some(place) => self.log_with_place(severity, message, place),
            None => self.push_log(severity, message.to_owned(), Place::default()),
        }
    }

    fn log_length(&self) -> usize {
        self.logs.borrow().len()
    }

    fn warn_once(&self, message: &str) {
        Compile::warn_once(self, message.to_owned());
    }

    fn warn_once_for(&self, key: &str, message: &str) -> bool {
        let new = self.warned.borrow_mut().insert(key.to_owned());
        if new {
            self.push_log(Severity::Warning, message.to_owned(), Place::default());
        }
        new
    }
}
