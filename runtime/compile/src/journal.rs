//! Writing to the log of a compile.

use crate::compile::Compile;
use crate::state::journal::Log;
use bunraku_configuration::value::Value;
use bunraku_files::tree::Standing;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};

/// Kinds of warnings that Puppet gives once of each thing, and of how many things at most.
const COUNTED: [&str; 2] = ["once:", "deprecated:"];
const MOST_COUNTED: usize = 100;

impl<'c> Compile<'c> {
    pub(crate) fn push_log(&self, level: Severity, message: String, place: Place) {
        self.keep_log(Log { level, message, place, source: None });
    }

    /// Puts a message into the log, if the log keeps those of its level.
    pub(crate) fn keep_log(&self, log: Log) {
        if self.keeps_logs_of(log.level) {
            self.journal.messages.borrow_mut().push(log);
        }
    }

    /// Whether the log keeps messages of a level: the setting `log_level`, Puppet's default being `notice`.
    pub(crate) fn keeps_logs_of(&self, level: Severity) -> bool {
        let least = self.journal.level.get_or_init(|| {
            let setting = self.setting_in_force("log_level");
            let named = setting.as_ref().and_then(|setting| setting.text()).and_then(Severity::by_name);
            named.unwrap_or(Severity::Notice)
        });
        level >= *least
    }

    /// Logs a message with its place behind it, as Puppet's warnings have it.
    pub(crate) fn log_with_place(&self, level: Severity, message: &str, place: Place) {
        let mut diagnostic = Diagnostic::error(message).at(place);
        diagnostic.severity = level;
        self.log_diagnostic(&diagnostic);
    }

    /// Logs a diagnostic as Puppet's single line.
    pub(crate) fn log_diagnostic(&self, diagnostic: &Diagnostic) {
        self.push_log(diagnostic.severity, diagnostic.to_string(), diagnostic.place.clone());
    }

    /// Says, once, of a file that the archive does not have as it is now.
    pub(crate) fn note_standing(&self, path: &std::path::Path) {
        if self.tree().is_frozen() {
            return;
        }
        let what = match self.tree().standing(path) {
            Standing::Apart | Standing::Same => return,
            Standing::Changed => "has changed since the archive was built",
            Standing::New => "is not in the archive",
        };
        let message = format!("{} {what}; it was compiled anew", path.display());
        if self.first_time(&message) {
            self.push_log(Severity::Notice, message, Place::default());
        }
    }

    /// Whether this is asked for the first time in the compile.
    pub(crate) fn first_time(&self, what: &str) -> bool {
        let is_off = what.starts_with("deprecat") && self.is_switched_off("deprecations")
            || what.starts_with("once:Variable: ") && self.is_switched_off("undefined_variables");
        if is_off {
            return false;
        }
        let mut said = self.journal.said_once.borrow_mut();
        if said.contains(what) {
            return false;
        }
        let kind = COUNTED.iter().find(|kind| what.starts_with(**kind));
        if kind.is_some_and(|kind| said.iter().filter(|said| said.starts_with(kind)).count() >= MOST_COUNTED)
        {
            return false;
        }
        said.insert(self.text(what))
    }

    /// Whether warnings of a kind are switched off: the setting `disable_warnings`.
    pub(crate) fn is_switched_off(&self, kind: &str) -> bool {
        let setting = self.setting_in_force("disable_warnings");
        matches!(setting, Some(Value::List(kinds)) if kinds.iter().any(|one| one.text() == Some(kind)))
    }

    /// Logs a warning, unless the same has been logged before.
    pub(crate) fn warn_once(&self, message: String) {
        self.log_once(Severity::Warning, message);
    }

    /// Logs a message without a place, unless the same has been logged before.
    pub(crate) fn log_once(&self, level: Severity, message: String) {
        if self.first_time(&message) {
            self.push_log(level, message, Place::default());
        }
    }
}
