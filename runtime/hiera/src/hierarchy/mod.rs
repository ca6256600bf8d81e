//! Hierarchies: the entries of a configuration, with variables resolved, and how they are asked. [`entry`] is one,
//! [`resolved`] are those of a layer as long as the variables stand, which [`resolve`] makes; [`ask`] looks for a key.

pub(crate) mod ask;
pub(crate) mod asked_location;
pub mod entry;
mod resolve;
pub(crate) mod resolved;
