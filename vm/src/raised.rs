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

macro_rules! class_names {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            $(#[$doc])*
            pub const $constant: &str = $name;
        )*
    };
}

class_names! {
    /// : what an error is that says no class, as long as nothing has been put around it.
    ARGUMENT_ERROR = "ArgumentError";
    ERROR_WITH_DATA = "Puppet::ErrorWithData";
    FLOAT_DOMAIN_ERROR = "FloatDomainError";
    KEY_ERROR = "KeyError";
    LOOKUP_ERROR = "Puppet::DataBinding::LookupError";
    NO_METHOD_ERROR = "NoMethodError";
    PARSE_ERROR = "Puppet::ParseError";
    /// : what the evaluator has put its own words and its place around.
    PREFORMATTED_ERROR = "Puppet::PreformattedError";
    PUPPET_ERROR = "Puppet::Error";
    RANGE_ERROR = "RangeError";
    REGEXP_ERROR = "RegexpError";
    RUNTIME_ERROR = "RuntimeError";
    TYPE_ASSERTION_ERROR = "Puppet::Pops::Types::TypeAssertionError";
    TYPE_ERROR = "TypeError";
}
