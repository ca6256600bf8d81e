//! The functions the Puppet language comes with: tables of native functions, found by name.
//!
//! A group of functions is a file with one table and the bodies below it. Nothing here reaches the catalog or
//! the environment except through the machine's `Host`.

#[macro_use]
mod macros;
mod catalog;
mod core;
pub mod module;
mod support;

use bunraku_vm::function::Native;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The groups that reach the catalog.
const CATALOG: &[&[Native]] = &[
    catalog::backend::FUNCTIONS,
    catalog::classes::FUNCTIONS,
    catalog::file::FUNCTIONS,
    catalog::hiera::FUNCTIONS,
    catalog::lookup::FUNCTIONS,
    catalog::resources::FUNCTIONS,
    catalog::tags::FUNCTIONS,
    catalog::template::FUNCTIONS,
];

/// All functions, group by group.
pub fn all() -> impl Iterator<Item = &'static Native> {
    CATALOG.iter().chain(core::GROUPS).copied().flatten()
}

static BY_NAME: LazyLock<HashMap<&'static str, &'static Native>> =
    LazyLock::new(|| all().map(|native| (native.name, native)).collect());

/// The function of a name.
pub fn find(name: &str) -> Option<&'static Native> {
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_occurs_twice() {
        let mut names: Vec<_> = all().map(|native| native.name).collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        assert!(find("each").is_some());
        assert!(find("no_such_function").is_none());
    }
}
