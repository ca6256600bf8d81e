//! How evaluation ends early: a fault, or `break`, `next` and `return` on their way out.

use crate::cause::Cause;
use crate::diagnostic::{Diagnostic, Place};
use crate::value::Value;

/// Result of evaluating something in a compile.
pub type Eval<'c, T = Value<'c>> = Result<T, Box<Flow<'c>>>;

/// Why an evaluation did not yield its value in place.
#[derive(Clone)]
pub enum Flow<'c> {
    /// A fault. See [`Fault`].
    Fault(Fault),
    /// `break()`, with where it was called.
    Break(Place),
    /// `next(value)`
    Next(Value<'c>, Place),
    /// `return(value)`
    Return(Value<'c>, Place),
}

/// A fault on its way out.
///
/// Puppet wraps the message of a plain error at the innermost expression being evaluated: `Evaluation Error:
/// Error while evaluating a Function Call, …`, and leaves an error that already has its issue alone. `stage`
/// tells how far that has come.
#[derive(Clone)]
pub struct Fault {
    /// Message, place, issue code.
    pub diagnostic: Diagnostic,
    /// What the machine has still to add.
    pub stage: Stage,
    /// Which part of the innermost expression is at fault; its place is the fault's.
    pub blame: Blame,
}

/// The part of an expression that Puppet blames: where it points its line and column at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blame {
    /// The expression itself.
    #[default]
    Whole,
    /// The left operand.
    Left,
    /// The right operand.
    Right,
    /// The n-th key in brackets.
    Key(usize),
}

/// What a [`Fault`] still lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A plain error of a function or of the catalog (Ruby: `ArgumentError`, `Puppet::Error`, `ParseError`):
    /// the innermost instruction's label and place are put around it.
    Raw,
    /// An issue of the evaluator itself (`Evaluation Error: …`): only the prefix and the innermost
    /// instruction's place are missing.
    Issue,
    /// Complete.
    Formed,
    /// A plain message out of code that stands for something else: it is as plain where that code was called.
    Passing,
}

impl<'c> Flow<'c> {
    /// A plain error, to be wrapped at the innermost expression ("Error while evaluating a …, message").
    pub fn raw(message: impl Into<String>) -> Box<Self> {
        Flow::fault(Diagnostic::error(message), Stage::Raw)
    }

    /// A plain error with a cause that code decides by.
    pub fn caused(cause: Cause, message: impl Into<String>) -> Box<Self> {
        Flow::fault(Diagnostic::error(message).because(cause), Stage::Raw)
    }

    /// This error with its cause.
    pub fn because(mut self: Box<Self>, cause: Cause) -> Box<Self> {
        if let Flow::Fault(fault) = &mut *self {
            fault.diagnostic.cause = cause;
        }
        self
    }

    /// What failed; nothing for `break`, `next` and `return`.
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Flow::Fault(fault) => Some(&fault.diagnostic.cause),
            _ => None,
        }
    }

    /// Whether this is a plain error of that cause, with no expression put around it yet.
    pub fn is_plain(&self, cause: &Cause) -> bool {
        matches!(self, Flow::Fault(fault)
            if matches!(fault.stage, Stage::Raw | Stage::Passing) && fault.diagnostic.cause == *cause)
    }

    /// An issue of the evaluator: gets `Evaluation Error: ` and the innermost expression's place.
    pub fn issue(code: &'static str, message: impl Into<String>) -> Box<Self> {
        Flow::fault(Diagnostic::error(message).with_code(code), Stage::Issue)
    }

    /// An issue of the evaluator at a part of the innermost expression.
    pub fn issue_at(blame: Blame, code: &'static str, message: impl Into<String>) -> Box<Self> {
        let diagnostic = Diagnostic::error(message).with_code(code);
        Box::new(Flow::Fault(Fault { diagnostic, stage: Stage::Issue, blame }))
    }

    /// A complete error that nothing is added to.
    pub fn formed(diagnostic: Diagnostic) -> Box<Self> {
        Flow::fault(diagnostic, Stage::Formed)
    }

    #[cold]
    fn fault(diagnostic: Diagnostic, stage: Stage) -> Box<Self> {
        Box::new(Flow::Fault(Fault { diagnostic, stage, blame: Blame::Whole }))
    }
}
