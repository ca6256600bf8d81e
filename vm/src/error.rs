//! How evaluation ends early: a fault, or `break`, `next` and `return` on their way out.

use crate::cause::Cause;
use crate::diagnostic::{Diagnostic, Place};
use crate::raised::{
    ARGUMENT_ERROR, LOOKUP_ERROR, MethodError, NO_METHOD_ERROR, PREFORMATTED_ERROR, REGEXP_ERROR, Raised,
    RaisedObject,
};
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
    /// What Ruby knows it as, where that does not follow from the rest.
    pub raised: Option<Box<Raised>>,
}

impl Fault {
    /// A fault of which nothing else is known.
    #[cold]
    pub fn new(diagnostic: Diagnostic, stage: Stage) -> Self {
        Fault { diagnostic, stage, blame: Blame::Whole, raised: None }
    }

    /// The name of the class that Ruby knows it by.
    pub fn class(&self) -> &str {
        match (&self.raised, &self.diagnostic.cause, self.stage) {
            (Some(raised), ..) => &raised.class,
            (None, cause, _) if cause.is_of_look_ups() => LOOKUP_ERROR,
            (None, _, Stage::Issue | Stage::Formed) => PREFORMATTED_ERROR,
            (None, Cause::UndefinedMethod, _) => NO_METHOD_ERROR,
            (None, ..) => ARGUMENT_ERROR,
        }
    }

    /// The exception that code in Ruby has raised, if it was one.
    pub fn object(&self) -> Option<RaisedObject> {
        self.raised.as_ref()?.object
    }
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

    /// A plain error of a class: what code in Ruby knows it by that has called for it.
    pub fn of_class(class: &'static str, message: impl Into<String>) -> Box<Self> {
        Flow::raw(message).raised_as(class)
    }

    /// An error of one of Ruby's own methods, where a function of Puppet's calls it.
    pub fn of_method(error: MethodError) -> Box<Self> {
        Flow::of_class(error.class, error.message)
    }

    /// What is wrong with a regular expression.
    pub fn of_pattern(message: String) -> Box<Self> {
        Flow::of_class(REGEXP_ERROR, message)
    }

    /// An error of Ruby itself or of code in Ruby, not one that a function of Puppet's raises on purpose.
    pub fn of_ruby(message: impl Into<String>) -> Box<Self> {
        Flow::fault(Diagnostic::error(message).with_code("RUNTIME_ERROR"), Stage::Raw)
    }

    /// This error as Ruby knows it, where it does not say so already.
    pub fn raised_as(mut self: Box<Self>, raised: impl Into<Raised>) -> Box<Self> {
        if let Flow::Fault(fault) = &mut *self
            && fault.raised.is_none()
        {
            fault.raised = Some(Box::new(raised.into()));
        }
        self
    }

    /// This error as Ruby knows it, where it is one that a function raises on purpose and says nothing of it.
    pub fn refused_as(self: Box<Self>, class: &'static str) -> Box<Self> {
        match &*self {
            Flow::Fault(Fault { stage: Stage::Raw, raised: None, diagnostic, .. })
                if diagnostic.code.is_none() && diagnostic.cause == Cause::Other =>
            {
                self.raised_as(class)
            }
            _ => self,
        }
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
        Box::new(Flow::Fault(Fault { blame, ..Fault::new(diagnostic, Stage::Issue) }))
    }

    /// A complete error that nothing is added to.
    pub fn formed(diagnostic: Diagnostic) -> Box<Self> {
        Flow::fault(diagnostic, Stage::Formed)
    }

    #[cold]
    fn fault(diagnostic: Diagnostic, stage: Stage) -> Box<Self> {
        Box::new(Flow::Fault(Fault::new(diagnostic, stage)))
    }
}
