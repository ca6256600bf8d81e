//! Hierarchies: the entries of a configuration, and what they come to with variables resolved.

pub mod entry;
pub(crate) mod resolved;
