//! What is logged of a file's faults, and the one error that it comes to: Puppet's settings `max_errors`,
//! `max_warnings` and `max_deprecations` say how many are shown.

use crate::compile::Compile;
use bunraku_compiler::check::DEPRECATED_TYPE;
use bunraku_configuration::value::Value;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};

impl Compile<'_> {
    /// Logs a file's warnings.
    pub(crate) fn log_warnings<'d>(&self, warnings: impl Iterator<Item = &'d Diagnostic>) {
        let mut warnings = warnings.peekable();
        if warnings.peek().is_none() {
            return;
        }
        let (mut most, mut most_deprecated) = (self.most("max_warnings"), self.most("max_deprecations"));
        for warning in warnings {
            let left = if warning.code == Some(DEPRECATED_TYPE) { &mut most_deprecated } else { &mut most };
            if *left > 0 {
                *left -= 1;
                self.log_diagnostic(warning);
            }
        }
    }

    /// The error of a file with faults, after its warnings have been logged: the only one, or, when all are logged, how
    /// many there are.
    pub(crate) fn error_of(&self, faults: &[Diagnostic]) -> Diagnostic {
        let is_warning = |fault: &&Diagnostic| fault.severity < Severity::Err;
        self.log_warnings(faults.iter().filter(is_warning));
        let errors: Vec<&Diagnostic> = faults.iter().filter(|fault| !is_warning(fault)).collect();
        let most = self.most("max_errors");
        if let [first, rest @ ..] = errors.as_slice()
            && (rest.is_empty() || most <= 1)
        {
            if !first.inner.is_empty() {
                // The faults of a text in the text; its own last error is told in this one.
                let _ = self.error_of(&first.inner);
            }
            return (*first).clone();
        }
        errors.iter().take(most).for_each(|error| self.log_diagnostic(error));
        let warnings = match faults.len() - errors.len() {
            0 => String::new(),
            warnings => format!(", and {warnings} warnings"),
        };
        let message = format!("Language validation logged {} errors{warnings}. Giving up", errors.len());
        let file = errors.first().and_then(|error| error.place.file.clone());
        Diagnostic::error(message).at(Place { file, ..Place::default() })
    }

    /// How many of something a setting lets be shown.
    fn most(&self, setting: &str) -> usize {
        match self.setting_in_force(setting) {
            Some(Value::Integer(most)) => usize::try_from(most).unwrap_or(0),
            _ => usize::MAX,
        }
    }
}
