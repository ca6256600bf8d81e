//! Where the value of a setting comes from.

use std::fmt;
use std::path::Path;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// What is compiled: its node, its environment, what its job says.
    Compile,
    /// The command line, or the program that embeds the library.
    CommandLine,
    /// The environment's `environment.conf`, in a line; none where it follows from the environment's folder.
    Environment {
        /// The file.
        file: String,
        /// The line.
        line: Option<u32>,
    },
    /// A section of `puppet.conf`.
    Section {
        /// Its name.
        section: String,
        /// The file.
        file: String,
        /// The line.
        line: u32,
    },
    /// Nobody said anything.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Compile => f.write_str("compile"),
            Origin::CommandLine => f.write_str("command line"),
            Origin::Environment { file, line: Some(line) } => write!(f, "{file}:{line}"),
            Origin::Environment { file, line: None } => {
                write!(f, "folder {}", Path::new(file).parent().unwrap_or(Path::new("")).display())
            }
            Origin::Section { section, file, line } => write!(f, "{file}:{line} [{section}]"),
            Origin::Default => f.write_str("default"),
        }
    }
}
