//! Why the rendering of a template is left to Ruby.

/// Why the rendering of a template is left to Ruby: what came up that is not known here to the byte.
#[derive(Debug)]
pub(crate) struct ForRuby(pub &'static str);

/// A result, or why Ruby has to render the template.
pub(crate) type OrRuby<T> = Result<T, ForRuby>;

/// An array or hash is changed while it is iterated over.
pub(crate) const BUSY: ForRuby = ForRuby("a change of what is being run through");

/// An array or hash of Puppet's is to be changed in place.
pub(crate) const CHANGE: &str = "a change of what is Puppet's";
