//! Checkers of syntax that modules have in Ruby: whether there may be any, and what they say of a text.

use super::{Compile, text};
use crate::issue_code::issue_code;
use bunraku_compiler::check::syntax::{Fault, TOO_DEEP};
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// Whether there may be other checkers than those that come with Puppet: a module has a file that registers one, or
    /// Ruby that ran has had the registry.
    pub(crate) fn has_checkers_in_ruby(&self) -> bool {
        self.ruby.plugins.get() || !self.environment.extensions().is_empty()
    }

    /// What the checker for a syntax finds in a text at a place. How many errors, and those of them that Puppet tells.
    ///
    /// # Errors
    /// Those of the checker's Ruby.
    pub(crate) fn ask_checker(
        &self,
        vm: &mut Vm<'c>,
        syntax: &str,
        checked: &str,
        place: &Place,
    ) -> Eval<'c, (usize, Vec<Diagnostic>)> {
        let subject = format!("The check of a text of the syntax '{syntax}'");
        let answer = self.ask_ruby(vm, &subject, b's', |vm, out| {
            let number = |n: Option<u32>| n.map_or(Value::Undef, |n| Value::Int(n.into()));
            let file = place.file.as_deref().map_or(Value::Undef, |file| vm.string(file));
            let args =
                [vm.string(syntax), vm.string(checked), file, number(place.line), number(place.column)];
            let args = vm.array(&args);
            self.put_value(vm, out, args, 0)
        })?;
        let malformed = || Flow::raw(format!("{subject}: Ruby answered what is no list of errors"));
        let Value::Array(parts) = answer else { return Err(malformed()) };
        let [Value::Int(count), Value::Array(errors)] = parts.items() else { return Err(malformed()) };
        let errors: Option<Vec<Diagnostic>> = errors.items().iter().map(|error| told(*error)).collect();
        Ok((usize::try_from(*count).unwrap_or_default(), errors.ok_or_else(malformed)?))
    }

    /// What the worker asks when the registry is first asked for: the files that extend it, with their modules' names.
    pub(super) fn extensions_for_ruby(&self, vm: &mut Vm<'c>) -> Eval<'c> {
        self.ruby.plugins.set(true);
        let mut files = Vec::new();
        for (module, file) in self.environment.extensions() {
            self.refuse_irregular(file)?;
            files.push(vm.array(&[vm.string(module), vm.string(&text(file))]));
        }
        Ok(vm.array(&files))
    }

    /// What one of Puppet's checkers finds: code and message, no code where it was asked for another's syntax.
    pub(super) fn check_for_ruby(&self, vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
        let word = |n: usize| args.get(n).and_then(|arg| arg.as_str()).unwrap_or_default();
        let (code, message) = match self.check_natively(Some(word(0)), word(1), word(2)) {
            Ok(()) => (Value::Undef, Value::Undef),
            Err(Fault::Issue { code, message, .. }) => (vm.string(code), vm.string(&message)),
            Err(Fault::Misused(message)) => (Value::Undef, vm.string(&message)),
            Err(Fault::TooDeep) => (Value::Undef, vm.string(TOO_DEEP)),
        };
        Ok(vm.array(&[code, message]))
    }
}

/// An error as the worker tells it: code, message, file, line, column.
fn told(error: Value<'_>) -> Option<Diagnostic> {
    let Value::Array(parts) = error else { return None };
    let [code, message, file, line, column] = parts.items() else { return None };
    let number = |value: &Value<'_>| match value {
        Value::Int(n) => u32::try_from(*n).ok(),
        _ => None,
    };
    let place = Place { file: file.as_str().map(Into::into), line: number(line), column: number(column) };
    let mut error = Diagnostic::error(message.as_str()?).at(place);
    error.code = code.as_str().and_then(issue_code);
    Some(error)
}
