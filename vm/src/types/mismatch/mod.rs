//! What is wrong about a value or a call, in Puppet's words: its type mismatch describer.

mod deferred;
mod describe;
mod difference;
mod message;
pub(crate) mod parameters;
pub(crate) mod signature;
pub(crate) mod value;

pub use parameters::{Parameter, describe_parameters};
pub use signature::describe_arguments;
pub use value::{assert_instance, describe_default, describe_mismatch};
