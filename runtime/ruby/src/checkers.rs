//! Checkers of syntax that modules have in Ruby: whether there may be any, and what they say of a text.

use super::protocol::Request;
use super::talk::RequestArgument;
use super::world::CheckerFault;
use super::{Talk, text};
use bunraku_vm::diagnostic::Place;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// What a checker in Ruby says is wrong with a text.
pub struct CheckerError<'c> {
    /// Issue code as the checker spells it; none where it has none.
    pub code: Option<&'c str>,
    /// Message.
    pub message: String,
    /// Where it is wrong.
    pub place: Place,
}

impl<'c> Talk<'_, 'c> {
    /// Whether there may be other checkers than those that come with Puppet: a module has a file that registers one, or
    /// Ruby that ran has had the registry.
    pub fn has_checkers(&self) -> bool {
        self.ruby.has_had_registry.get() || !self.world.extensions().is_empty()
    }

    /// What the checker for a syntax finds in a text at a place. How many errors, and those of them that Puppet tells.
    ///
    /// # Errors
    /// Those of the checker's Ruby.
    pub fn check(
        &self,
        vm: &mut Vm<'c>,
        syntax: &str,
        checked: &str,
        place: &Place,
    ) -> Eval<'c, (usize, Vec<CheckerError<'c>>)> {
        let subject = format!("The check of a text of the syntax '{syntax}'");
        let number = |n: Option<u32>| n.map_or(Value::Undef, |n| Value::Int(n.into()));
        let file = place.file.as_deref().map_or(Value::Undef, |file| vm.string(file));
        let arguments =
            [vm.string(syntax), vm.string(checked), file, number(place.line), number(place.column)];
        let answer =
            self.request(vm, &subject, Request::CheckSyntax, &arguments.map(RequestArgument::Value))?;
        let malformed = || Flow::raw(format!("{subject}: Ruby answered what is no list of errors"));
        let Value::Array(parts) = answer else { return Err(malformed()) };
        let [Value::Int(count), Value::Array(errors)] = parts.items() else { return Err(malformed()) };
        let errors: Option<Vec<_>> = errors.items().iter().map(|error| told(*error)).collect();
        Ok((usize::try_from(*count).unwrap_or_default(), errors.ok_or_else(malformed)?))
    }

    /// What the worker asks when the registry is first asked for: the files that extend it, with their modules' names.
    pub(super) fn extensions(&self, vm: &mut Vm<'c>) -> Eval<'c> {
        self.ruby.has_had_registry.set(true);
        let mut files = Vec::new();
        for (module, file) in self.world.extensions() {
            self.world.refuse_irregular(file)?;
            files.push(vm.array(&[vm.string(module), vm.string(&text(file))]));
        }
        Ok(vm.array(&files))
    }

    /// What one of Puppet's checkers finds: code and message, no code where it was asked for another's syntax.
    pub(super) fn check_natively(&self, vm: &mut Vm<'c>, [checker, syntax, checked]: [&str; 3]) -> Value<'c> {
        let (code, message) = match self.world.check_text(checker, syntax, checked) {
            Ok(()) => (Value::Undef, Value::Undef),
            Err(CheckerFault { code, message }) => {
                (code.map_or(Value::Undef, |code| vm.string(code)), vm.string(&message))
            }
        };
        vm.array(&[code, message])
    }
}

/// An error as the worker tells it: code, message, file, line, column.
fn told<'c>(error: Value<'c>) -> Option<CheckerError<'c>> {
    let Value::Array(parts) = error else { return None };
    let [code, message, file, line, column] = parts.items() else { return None };
    let number = |value: &Value<'_>| match value {
        Value::Int(n) => u32::try_from(*n).ok(),
        _ => None,
    };
    let place = Place { file: file.as_str().map(Into::into), line: number(line), column: number(column) };
    Some(CheckerError { code: code.as_str(), message: message.as_str()?.to_owned(), place })
}
