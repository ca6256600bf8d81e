//! The argument that says where the nodes that a run compiles get exported resources from.

use crate::prepared::Prepared;
use clap::{Args, ValueEnum};

/// Where exported resources come from.
#[derive(Args, Clone)]
pub struct ExportedArgument {
    /// Where exported resources come from that nodes collect [default: the configured store, if there is one].
    #[arg(long, value_name = "HOW")]
    exported: Option<Exporting>,
}

/// How nodes get what others export.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Exporting {
    /// As the store (--storeconfigs, or the configured PuppetDB) has them, the same for both sides of a comparison.
    Frozen,
    /// What the nodes of this run export on the same side: those that collect are compiled a second time. Of nodes that are not
    /// compiled the store tells, if there is one.
    TwoPass,
}

impl ExportedArgument {
    /// Whether nodes collect what others of the same run export.
    ///
    /// # Errors
    /// When a store is asked for and there is none.
    pub fn in_two_passes(&self, prepared: &Prepared<'_>) -> Result<bool, String> {
        match self.exported {
            Some(Exporting::Frozen) if !prepared.has_store() => {
                Err("--exported frozen needs a store: --storeconfigs, or a configured PuppetDB".to_owned())
            }
            how => Ok(how == Some(Exporting::TwoPass)),
        }
    }
}
