//! Small values that questions to the host and its answers are made of.

use crate::value::{Hash, Value};

/// What Puppet does about a dubious construct: the setting `strict`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strict {
    /// Nothing.
    Off,
    /// Logs a warning.
    Warning,
    /// Fails.
    #[default]
    Error,
}

/// `include`, `contain` and `require`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    /// Declares the class.
    Include,
    /// Declares it inside the calling class.
    Contain,
    /// Declares it and requires it from the calling container.
    Require,
}

/// Which of a module's folders a file reference points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleFolder {
    /// `files/`
    Files,
    /// `templates/`
    Templates,
}

/// An ERB template.
#[derive(Clone, Copy, Debug)]
pub enum Erb<'a> {
    /// A file, and the name it was asked for by.
    File {
        /// `module/name`
        name: &'a str,
        /// Its path.
        file: &'a str,
    },
    /// The template itself.
    Text(&'a str),
}

impl<'a> Erb<'a> {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&'a std::path::Path> {
        match self {
            Erb::File { file, .. } => Some(std::path::Path::new(*file)),
            Erb::Text(_) => None,
        }
    }
}

/// A Hiera look-up.
#[derive(Clone, Copy, Default)]
pub struct Lookup<'c, 'a> {
    /// The key, with dots where it leads into a value.
    pub key: &'a str,
    /// How values of several levels are merged, as `lookup` takes it.
    pub merge: Option<Value<'c>>,
    /// Values that interpolation finds before Hiera's.
    pub overrides: Option<Hash<'c>>,
    /// Values that interpolation finds after Hiera's.
    pub defaults: Option<Hash<'c>>,
    /// Whether one of the old functions asks (`hiera`, `hiera_array`, …).
    pub hiera: bool,
    /// What an old function is to ask before its hierarchy: a level or an array of them.
    pub level: Option<Value<'c>>,
}

/// How the class that Ruby has for an Object type makes instances.
#[derive(Clone, Copy)]
pub struct ObjectClass<'c> {
    /// Names of the attributes in the order its constructor takes them.
    pub parameters: &'c [&'c str],
    /// Whether it makes an instance from the hash of its attributes as well.
    pub takes_hash: bool,
}
