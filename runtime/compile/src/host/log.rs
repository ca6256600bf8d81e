//! Answers about the log of the compile.

use crate::compile::Compile;
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::host::LogPort;

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
        self.journal.messages.borrow().len()
    }

    fn warn_once(&self, message: &str) {
        Compile::warn_once(self, message.to_owned());
    }

    fn warn_of_deprecated(&self, message: &str) {
        if !self.is_switched_off("deprecations") {
            Compile::warn_once(self, message.to_owned());
        }
    }

    fn warn_once_for(&self, key: &str, message: &str) -> bool {
        let new = self.first_time(key);
        if new {
            self.push_log(Severity::Warning, message.to_owned(), Place::default());
        }
        new
    }
}
