//! Who is told of calls, for statistics and profiles: beside the host, and only where somebody wants to know.

/// What is called, as an [`Observer`] is told.
#[derive(Clone, Copy)]
pub enum Called<'a> {
    /// A native function, by name.
    Native(&'static str),
    /// A function in the Puppet language, by name.
    Puppet(&'a str),
    /// An EPP template, by the name it was asked for.
    Epp(&'a str),
}

/// Follows what a machine calls. Calls nest: each end belongs to the last begin that has no end yet.
pub trait Observer {
    /// Something is about to be called.
    fn call_begins(&self, callee: Called<'_>);

    /// The call told of last, and not ended yet, has ended, with a value or an error.
    fn call_ends(&self);
}
