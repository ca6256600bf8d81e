//! What a compile knows, in parts of one subject each. They hold and release what they hold; what is done with it stands
//! in the files of the compile.

pub(crate) mod accounts;
pub(crate) mod aliases;
pub(crate) mod arena;
pub(crate) mod definitions;
pub(crate) mod files;
pub mod journal;
pub(crate) mod links;
pub(crate) mod recorded;
pub(crate) mod resources;
pub(crate) mod scopes;
pub mod witness;
