//! What a compile says of modules' metadata with which something is wrong, before any code runs.

use crate::compile::Compile;
use bunraku_environment::metadata::Consequence;
use bunraku_vm::diagnostic::{Diagnostic, Severity};
use bunraku_vm::error::{Eval, Flow};

impl<'c> Compile<'c> {
    /// Logs which modules are not there because of their metadata, or are there in spite of it.
    ///
    /// # Errors
    /// Where Puppet compiles nothing with such metadata.
    pub(crate) fn check_metadata(&self) -> Eval<'c, ()> {
        for consequence in self.environment.modules.faults() {
            match consequence {
                Consequence::Told(None) => {}
                Consequence::Told(Some((level, message))) => self.log_once(level, message),
                Consequence::Absent(message) => self.log_once(Severity::Err, message),
                Consequence::Fatal(message) => return Err(Flow::formed(Diagnostic::error(message))),
            }
        }
        Ok(())
    }

    /// Refuses a module of the name that Puppet's loaders have for the environment itself: it compiles nothing beside one.
    ///
    /// # Errors
    /// When there is such a module.
    pub(crate) fn check_names(&self) -> Eval<'c, ()> {
        match self.environment.modules.has_one_called_environment() {
            true => Err(Flow::raw("Internal Error: Attempt to redefine loader named 'environment'")),
            false => Ok(()),
        }
    }
}
