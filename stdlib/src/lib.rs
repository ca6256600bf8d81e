//! The functions the Puppet language comes with: tables of native functions, found by name.
//!
//! A group of functions is a file with one table and the bodies below it. Nothing here reaches the catalog or
//! the environment except through the machine's `Host`.

#[macro_use]
mod macros;
mod catalog;
mod core;
mod interface3;
pub mod module;
mod support;

pub use core::random::Random;
pub use interface3::{Form3x, form_3x};

use bunraku_vm::compat::Compat;
use bunraku_vm::function::Native;
use hashbrown::HashMap;
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

/// All functions, group by group, as version 8 has them.
pub fn all() -> impl Iterator<Item = &'static Native> {
    CATALOG.iter().chain(core::GROUPS).copied().flatten()
}

static BY_NAME: LazyLock<HashMap<&'static str, &'static Native>> = LazyLock::new(|| {
    let mut all_by_name = HashMap::with_capacity(all().count());
    all_by_name.extend(all().map(|native| (native.name, native)));
    all_by_name
});

/// The function of a name, as a version of the language has it.
pub fn find(name: &str, compat: Compat) -> Option<&'static Native> {
    core::versions::find(name, compat).or_else(|| BY_NAME.get(name).copied())
}

/// Whether the language has a function of that name.
pub fn has(name: &str) -> bool {
    BY_NAME.contains_key(name)
}

/// Sources of regular expressions in the signatures of the language's functions and of the natives of modules, for those who
/// make them ahead of time.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    let dispatches =
        all().chain(module::twins().map(|twin| twin.native)).flat_map(|native| native.dispatches);
    let types = dispatches.flat_map(|dispatch| dispatch.params).map(|param| param.ty);
    types.flat_map(|ty| ty.split("Pattern[/").skip(1)).filter_map(|rest| Some(rest.split_once("/]")?.0))
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
        assert!(has("each") && find("each", Compat::V8).is_some());
        assert!(!has("no_such_function"));
    }

    #[test]
    fn patterns_of_signatures_are_expressions() {
        assert!(patterns().any(|source| source == "^[GEIM]*$"));
        for source in patterns() {
            assert_eq!(bunraku_vm::regex::check(source), Ok(()));
        }
    }
}
