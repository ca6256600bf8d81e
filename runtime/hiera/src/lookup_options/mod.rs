//! `lookup_options`: how keys are merged and converted, by key or by pattern, from all layers. [`gather`] asks layers
//! for them, [`of_files`] takes them out of files where that is all there is to it, [`table`] is what comes of both;
//! [`convert`] is the option `convert_to`; [`patterns`] are keys that are regular expressions.

mod convert;
mod gather;
mod of_files;
pub(crate) mod patterns;
pub(crate) mod table;

use crate::key::Key;

/// The reserved key.
pub const LOOKUP_OPTIONS: &str = "lookup_options";

/// The reserved key, taken apart.
pub(crate) fn key() -> Key<'static> {
    Key { text: LOOKUP_OPTIONS, root: LOOKUP_OPTIONS.into(), segments: Vec::new() }
}

/// Whether a key is one of a module's.
pub(crate) fn is_of_module(key: &str, module: &str) -> bool {
    key.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"))
}
