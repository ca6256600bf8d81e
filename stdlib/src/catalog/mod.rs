//! Functions that reach the catalog, templates, files and Hiera: each passes its question on to the machine's
//! [`Host`](bunraku_vm::host::Host), and says what Puppet says when the arguments are wrong.

pub(crate) mod backend;
pub(crate) mod classes;
pub(crate) mod file;
pub(crate) mod hiera;
pub(crate) mod lookup;
mod old;
pub(crate) mod resources;
pub(crate) mod tags;
pub(crate) mod template;
