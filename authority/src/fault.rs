//! Why something was not done, by what follows from it.

use std::fmt::{self, Display, Formatter};

/// A fault, with the words for whoever asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What was asked for is against the rules.
    Refused(String),
    /// What it was asked of is not there.
    Missing(String),
    /// It could not be done: a file can't be read or written, or holds what it should not.
    Failed(String),
}

impl Display for Fault {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (Fault::Refused(message) | Fault::Missing(message) | Fault::Failed(message)) = self;
        out.write_str(message)
    }
}

impl std::error::Error for Fault {}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault::Failed(message)
    }
}

impl From<der::Error> for Fault {
    fn from(error: der::Error) -> Fault {
        Fault::Failed(format!("DER can't be read or written: {error}"))
    }
}
