//! Texts of heredocs that name a syntax, `@(END:json)`: those that are made while code runs, and, where a module has
//! registered a checker, constant ones of code that is loaded from then on. What Puppet's own checkers say of constant
//! texts, the compiler has said by then.

use crate::compile::Compile;
use bunraku_compiler::check::syntax::{self, SyntaxFault};
use bunraku_environment::issue_code::issue_code;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::unit::heredoc_syntax::{HeredocText, heredoc_texts};
use bunraku_vm::unit::reader::Unit;
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// Checks a text by the checker for its syntax, if there is one.
    pub(crate) fn check_text(&self, vm: &mut Vm<'c>, syntax: &str, text: &str, place: Place) -> Eval<'c, ()> {
        if self.talk().has_checkers() {
            let (count, errors) = self.check_in_ruby(vm, syntax, text, &place)?;
            return self.invalid_text(syntax, count, &errors);
        }
        self.check_natively(syntax::checker(syntax), syntax, text).map_err(|fault| match fault {
            SyntaxFault::Issue { code, message, .. } => {
                let error = Diagnostic::error(syntax::invalid(syntax, &message));
                Flow::formed(error.with_code(code).at(place))
            }
            SyntaxFault::Misused(message) => Flow::raw(message),
            SyntaxFault::TooDeep => Flow::caused(Cause::StackTooDeep, syntax::TOO_DEEP),
        })
    }

    /// What one of Puppet's checkers finds; the faults of a text in Puppet's language are logged as those of a file are.
    pub(crate) fn check_natively(
        &self,
        checker: Option<&str>,
        syntax: &str,
        text: &str,
    ) -> Result<(), SyntaxFault> {
        let options = self.check_options();
        let found = checker.map_or(Ok(()), |checker| syntax::check_by(checker, syntax, text, &options));
        if let Err(SyntaxFault::Issue { inner, .. }) = &found
            && !inner.is_empty()
        {
            // Its own last error is told by the fault.
            let _ = self.error_of(inner);
        }
        found
    }

    /// Checks the constant texts of a file that is about to be loaded, if a module may know their syntaxes.
    ///
    /// # Errors
    /// The first that is wrong, as an error of the file's syntax.
    pub(crate) fn check_noted(&self, vm: &mut Vm<'c>, words: &[u32], file: Option<&str>) -> Eval<'c, ()> {
        let texts = Unit::open(words).and_then(|unit| heredoc_texts(&unit));
        let texts = texts.map_err(|fault| Flow::raw(fault.to_string()))?;
        // Whether there are checkers is asked last: that looks into every module.
        if texts.is_empty() || !self.talk().has_checkers() {
            return Ok(());
        }
        for HeredocText { syntax, text, line, column } in texts {
            let place = Place { file: file.map(Into::into), line: Some(line), column: Some(column) };
            let (count, errors) = self.check_in_ruby(vm, syntax, text, &place)?;
            self.invalid_text(syntax, count, &errors)?;
        }
        Ok(())
    }

    /// What the checker of a module says of a text. How many errors, and those of them that Puppet tells.
    fn check_in_ruby(
        &self,
        vm: &mut Vm<'c>,
        syntax: &str,
        text: &str,
        place: &Place,
    ) -> Eval<'c, (usize, Vec<Diagnostic>)> {
        let (count, told) = self.talk().check(vm, syntax, text, place)?;
        let errors = told.into_iter().map(|told| {
            let mut error = Diagnostic::error(told.message).at(told.place);
            error.code = told.code.and_then(issue_code);
            error
        });
        Ok((count, errors.collect()))
    }

    /// Errors of a checker as Puppet tells them: one by itself, several in the log, with the first one's file.
    fn invalid_text(&self, syntax: &str, count: usize, errors: &[Diagnostic]) -> Eval<'c, ()> {
        match errors {
            [] => Ok(()),
            [one] if count == 1 => {
                let mut error = one.clone();
                error.message = syntax::invalid(syntax, &error.message);
                Err(Flow::formed(error))
            }
            [first, ..] => {
                self.log_diagnostic(&Diagnostic::error(syntax::invalid(syntax, "").trim_end()));
                errors.iter().for_each(|error| self.log_diagnostic(error));
                let message = format!("Language validation logged {count} errors. Giving up");
                let place = Place { file: first.place.file.clone(), ..Place::default() };
                Err(Flow::formed(Diagnostic::error(message).at(place)))
            }
        }
    }
}
