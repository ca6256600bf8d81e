//! Hiera: values by key from the global layer, the environment's and the module's. [`layer`] asks the entries of a
//! [`config`], whose [`files`] are [`yaml`], JSON or [`hocon`]; [`merge`] makes one value of several; [`options`] are
//! `lookup_options`; [`interpolate`] resolves `%{…}`. Here is the order of it all, and what a compile keeps.
//! Source: `Puppet::Pops::Lookup::LookupAdapter`.

mod at_once;
mod backend;
pub mod config;
pub mod context;
pub mod data;
mod data_source;
pub mod deep;
pub mod entry;
mod events;
pub mod explain;
mod eyaml;
pub mod file;
mod file_options;
pub mod files;
mod glob;
pub(crate) mod hocon;
mod hocon_faults;
mod hocon_size;
mod interpolate;
mod invocation;
pub mod key;
pub mod layer;
mod lines;
mod look_up;
mod memo;
pub mod merge;
pub mod options;
pub mod origin;
mod provider;
mod psych;
pub mod query;
pub mod render;
mod resolved;
mod scalar;
mod source;
mod state;
mod surroundings;
mod version3;
mod words;
pub mod yaml;

pub(crate) use glob::glob;
pub use invocation::Invocation;
pub use state::{Hiera, Lookups};
pub use surroundings::{EnvironmentParts, ModuleParts, Repeat, Surroundings};

/// Errors that Ruby raises on its own are no errors of Puppet's, and are left as they are.
fn is_plain_ruby(message: &str) -> bool {
    [
        "Undefined variable '",
        "Function Load Error",
        "undefined method",
        "comparison of ",
        "Unknown merge strategy",
        "'yaml_data' one of",
        "'json_data' one of",
        "'hocon_data' one of",
        "'eyaml_lookup_key': one of",
    ]
    .iter()
    .any(|start| message.starts_with(start))
}

/// Whether a plain YAML scalar is text, and no number, date or the like.
pub(crate) fn is_plain_text(text: &str) -> bool {
    matches!(scalar::scan(text), Ok(data::Data::Text(_)))
}
