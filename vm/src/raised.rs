//! What code in Ruby knows an error by that it has called for: its class, for `rescue`, and the object that was raised.
//! What the messages are, and what the compile decides by, does not depend on it.

use std::borrow::Cow;

/// An error as Ruby knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The name of its class.
    pub class: Cow<'static, str>,
    /// The exception itself, where code in Ruby has raised it: code in Ruby that rescues it gets the same.
    pub object: Option<RaisedObject>,
    /// Where in Ruby it was raised, as Ruby writes it: file and line.
    pub at: Option<Box<str>>,
}

/// Who keeps an exception for the compile, and under which number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaisedObject {
    /// The Ruby worker.
    Worker(u32),
    /// Code in Ruby that runs without a worker.
    Native(u32),
}

impl From<&'static str> for Raised {
    fn from(class: &'static str) -> Self {
        Raised { class: class.into(), object: None, at: None }
    }
}

/// An error of one of Ruby's own methods, which several functions call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodError {
    /// The name of its class.
    pub class: &'static str,
    /// Ruby's message.
    pub message: String,
}

impl MethodError {
    /// An error of a class.
    pub fn new(class: &'static str, message: impl Into<String>) -> Self {
        MethodError { class, message: message.into() }
    }
}

impl<T: Into<String>> From<T> for MethodError {
    fn from(message: T) -> Self {
        MethodError::new(ARGUMENT_ERROR, message)
    }
}

/// Names of classes. An error that says none is an `ArgumentError` as long as nothing has been put around it.
pub const ARGUMENT_ERROR: &str = "ArgumentError";
#[allow(missing_docs)]
pub const ERROR_WITH_DATA: &str = "Puppet::ErrorWithData";
#[allow(missing_docs)]
pub const FLOAT_DOMAIN_ERROR: &str = "FloatDomainError";
#[allow(missing_docs)]
pub const KEY_ERROR: &str = "KeyError";
#[allow(missing_docs)]
pub const LOOKUP_ERROR: &str = "Puppet::DataBinding::LookupError";
#[allow(missing_docs)]
pub const NO_METHOD_ERROR: &str = "NoMethodError";
#[allow(missing_docs)]
pub const PARSE_ERROR: &str = "Puppet::ParseError";
/// What the evaluator has put its own words and its place around.
pub const PREFORMATTED_ERROR: &str = "Puppet::PreformattedError";
#[allow(missing_docs)]
pub const PUPPET_ERROR: &str = "Puppet::Error";
#[allow(missing_docs)]
pub const RANGE_ERROR: &str = "RangeError";
#[allow(missing_docs)]
pub const REGEXP_ERROR: &str = "RegexpError";
#[allow(missing_docs)]
pub const RUNTIME_ERROR: &str = "RuntimeError";
#[allow(missing_docs)]
pub const TYPE_ASSERTION_ERROR: &str = "Puppet::Pops::Types::TypeAssertionError";
#[allow(missing_docs)]
pub const TYPE_ERROR: &str = "TypeError";
