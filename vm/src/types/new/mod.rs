//! `new`: making values of a type from other values.

mod binary;
mod check;
mod collection;
pub(crate) mod construct;
pub(crate) mod init;
mod number;
pub(crate) mod object;
pub(crate) mod time;
mod version;

pub use construct::new_instance;
pub use init::check_init;
pub use object::{from_hash, member};
