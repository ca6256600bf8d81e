//! The functions the Puppet language comes with. Each file holds a group of them as a table of
//! [`Native`]s; [`find`] looks one up by name.

mod catalog;
mod collection;
mod control;
mod iteration;
mod log;

use bunraku_vm::function::Native;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Every group.
const GROUPS: &[&[Native]] = &[
    catalog::classes::FUNCTIONS,
    catalog::file::FUNCTIONS,
    catalog::hiera::FUNCTIONS,
    catalog::lookup::FUNCTIONS,
    catalog::resources::FUNCTIONS,
    catalog::tags::FUNCTIONS,
    catalog::template::FUNCTIONS,
    collection::FUNCTIONS,
    control::FUNCTIONS,
    iteration::FUNCTIONS,
    log::FUNCTIONS,
];

/// All functions, group by group.
pub fn all() -> impl Iterator<Item = &'static Native> {
    GROUPS.iter().copied().flatten()
}

/// The function of a name.
pub fn find(name: &str) -> Option<&'static Native> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Native>> = OnceLock::new();
    BY_NAME.get_or_init(|| all().map(|native| (native.name, native)).collect()).get(name).copied()
}
