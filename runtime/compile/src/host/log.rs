//! Answers about the log of the compile.

use crate::compile::Compile;
use crate::state::journal::Log;
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::host::LogPort;
use bunraku_vm::scope::Scope;

impl<'c> LogPort<'c> for Compile<'c> {
    fn log(&self, severity: Severity, message: &str, place: Option<Place>) {
        match place {
            Some(place) => self.log_with_place(severity, message, place),
            None => self.push_log(severity, message.to_owned(), Place::default()),
        }
    }

    fn log_from(&self, scope: &'c Scope<'c>, level: Severity, message: &str) {
        // What is below the level is not even put together.
        if !self.keeps_logs_of(level) {
            return;
        }
        let resource = self.resource_of(scope).map(|id| self.catalog.borrow()[id].reference());
        let source = format!("Scope({})", resource.as_deref().unwrap_or("Class[main]"));
        self.keep_log(Log {
            level,
            message: message.to_owned(),
            place: Place::default(),
            source: Some(source),
        });
    }

    fn is_logged(&self, severity: Severity) -> bool {
        self.keeps_logs_of(severity)
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
