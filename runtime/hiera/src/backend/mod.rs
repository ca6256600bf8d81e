//! Backends: the functions that entries of a hierarchy name, and the data that they give. [`data_hash`] gives the data
//! of a file or of a function all at once; [`call`] calls a function; [`eyaml`] opens what is encrypted; [`context`] is
//! what functions are given to talk to Hiera.

pub(crate) mod call;
pub mod context;
pub(crate) mod data_hash;
pub mod data_source;
mod eyaml;
