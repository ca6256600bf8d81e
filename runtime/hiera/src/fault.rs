//! Errors that look-ups raise themselves.

use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::Flow;

/// An error of look-ups (Ruby: `Puppet::DataBinding::LookupError`): nothing is put around it.
pub fn lookup_error<'c>(message: impl Into<String>) -> Box<Flow<'c>> {
    Flow::formed(Diagnostic::error(message).because(Cause::LookUp))
}

/// The same with an issue code.
pub(crate) fn issue<'c>(code: &'static str, message: impl Into<String>) -> Box<Flow<'c>> {
    Flow::formed(Diagnostic::error(message).with_code(code).because(Cause::LookUp))
}
