//! How data files are written, and why one has no data.

use std::fmt;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataFormat {
    /// YAML, as Psych reads it.
    Yaml,
    /// JSON.
    Json,
    /// HOCON, as Ruby's gem reads it.
    Hocon,
}

impl DataFormat {
    /// What files a function of Puppet's own reads that gives all their data.
    pub(crate) fn read_by(function: &str) -> Option<DataFormat> {
        match function {
            "yaml_data" => Some(DataFormat::Yaml),
            "json_data" => Some(DataFormat::Json),
            "hocon_data" => Some(DataFormat::Hocon),
            _ => None,
        }
    }

    /// The variant of its parts in archives.
    pub fn variant(self) -> u32 {
        match self {
            DataFormat::Yaml => 0,
            DataFormat::Json => 1,
            DataFormat::Hocon => 4,
        }
    }
}

/// Why a data file has no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataFault {
    /// It can't be read: the whole message.
    Unreadable(String),
    /// What it holds can't be parsed: what is wrong, with the file's name where Puppet gives it.
    Unparsable(String),
}

impl fmt::Display for DataFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataFault::Unreadable(message) => f.write_str(message),
            DataFault::Unparsable(what) => write!(f, "Unable to parse {what}"),
        }
    }
}
