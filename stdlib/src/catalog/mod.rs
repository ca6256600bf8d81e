//! Functions that reach the catalog, templates, files and Hiera: each passes its question on to the machine's
//! [`Host`](bunraku_vm::host::Host) and says what Puppet says when the arguments are wrong. The registry of all
//! functions takes [`NATIVES`].

mod classes;
mod file;
mod hiera;
mod lookup;
mod resources;
mod table;
mod tags;
mod template;

use bunraku_vm::function::Native;

/// The functions of this folder.
pub const NATIVES: &[&[Native]] = &[
    classes::NATIVES,
    file::NATIVES,
    hiera::NATIVES,
    lookup::NATIVES,
    resources::NATIVES,
    tags::NATIVES,
    template::NATIVES,
];
