//! What a failure was, where code decides by it. Messages are for people: nothing is decided by their words.

use crate::budget::Limit;
use std::sync::Arc;

/// The code of an error that Puppet puts nothing around, not even the node's name: an exception of Ruby that is no
/// `StandardError`. It is not shown.
pub const UNCAUGHT: &str = "RUBY_EXCEPTION";

/// What a failure was. Whoever raises an error that others treat differently from all others sets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// Nothing that anybody decides by.
    #[default]
    Other,
    /// A text that cannot be parsed.
    Syntax,
    /// A look-up went wrong (Ruby: `Puppet::DataBinding::LookupError`).
    LookUp,
    /// A key that was looked up has no value anywhere: an error of look-ups, too.
    NotFound,
    /// Something that may be there once is there already: a resource, a definition, a title or an attribute of one
    /// expression.
    Duplicate,
    /// A limit of the compile was reached.
    Limit(Limit),
    /// A variable of the language, `$x`, has no value.
    UnknownVariable,
    /// A variable of that name, looked up as Ruby code does (`lookupvar`), has no value.
    UndefinedVariable(Arc<str>),
    /// `undef[…]`
    UndefAccessed,
    /// A value has no method of that name (Ruby: `NoMethodError`).
    UndefinedMethod,
    /// What was called does not take the arguments it was given (Ruby: `ArgumentError`).
    UnfitArguments,
    /// Two values have no order (Ruby: `comparison of … with … failed`).
    Incomparable,
    /// A function was found and cannot be loaded.
    FunctionLoad,
    /// A name that is none of the ways to merge values of a look-up.
    UnknownMergeStrategy,
    /// A backend of a look-up has no value for its key (Ruby: `throw :no_such_key`).
    NoSuchKey,
    /// A level of a look-up's hierarchy names no file that its function could read.
    NoDataFile,
    /// Ruby's stack ends where Puppet does the same (Ruby: `SystemStackError`).
    StackTooDeep,
    /// `break()` where nothing can be left.
    IllegalBreak,
    /// The parameters of a defined type could not be compared with their types (Ruby: an `ArgumentError` outside of any
    /// evaluation).
    LateParameters,
    /// An exception of Ruby that is no `StandardError`.
    RubyException,
    /// There is no Ruby, or its process has ended for what code did: no code goes on behind that.
    NoRuby,
}

impl Cause {
    /// Whether nobody may go on behind the error, who else would.
    pub fn ends_all(&self) -> bool {
        matches!(self, Cause::Limit(_) | Cause::NoRuby | Cause::RubyException)
    }

    /// Whether Ruby knows the error as `Puppet::DataBinding::LookupError`.
    pub fn is_of_look_ups(&self) -> bool {
        matches!(self, Cause::LookUp | Cause::NotFound)
    }

    /// The cause of an error that Puppet has put words of its own around: what was left to Ruby alone is now its.
    pub fn around(self) -> Cause {
        match self {
            Cause::StackTooDeep | Cause::IllegalBreak | Cause::RubyException => Cause::Other,
            other => other,
        }
    }
}
