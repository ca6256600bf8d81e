//! The functions of Puppet itself that need no catalog.

mod annotate;
mod any;
mod case;
mod collection;
mod dig;
mod digest;
mod each;
mod file;
mod filter;
mod flow;
mod index;
mod log;
mod map;
mod number;
pub(crate) mod random;
mod reduce;
mod regex;
mod scanf;
mod sort;
mod sprintf;
mod step;
mod time;
mod tree;
mod trim;
mod types;
pub(crate) mod version;
pub(crate) mod versions;

use bunraku_vm::function::Native;

/// All groups.
pub(crate) static GROUPS: &[&[Native]] = &[
    any::NATIVES,
    case::NATIVES,
    collection::NATIVES,
    digest::NATIVES,
    dig::NATIVES,
    each::NATIVES,
    file::NATIVES,
    filter::NATIVES,
    flow::NATIVES,
    index::NATIVES,
    log::NATIVES,
    map::NATIVES,
    number::NATIVES,
    reduce::NATIVES,
    regex::NATIVES,
    sort::NATIVES,
    annotate::NATIVES,
    scanf::NATIVES,
    sprintf::NATIVES,
    step::NATIVES,
    time::NATIVES,
    tree::NATIVES,
    trim::NATIVES,
    types::NATIVES,
    version::NATIVES,
];
