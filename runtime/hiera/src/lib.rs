//! Hiera: values by key from the global layer, the environment's and the module's.
//!
//! Whoever looks something up takes [`Lookups`] from a compile's [`Hiera`]. What look-ups ask of the compile is the
//! trait [`Surroundings`]. A look-up goes through these parts, top down: [`look_up`] (the order of it all), [`layer`]
//! (which `hiera.yaml` there are), [`config`] (what they say), [`hierarchy`] (their entries, with variables resolved),
//! [`backend`] (functions that give data), [`data_file`] (YAML, JSON, HOCON). Beside them, [`lookup_options`] says how
//! values are merged and converted, [`merge`] makes one value of several, [`interpolate`] resolves `%{…}`; [`query`]
//! is `puppet lookup`, [`explain`] its explanations.
//! Source: `Puppet::Pops::Lookup`.

mod answered;
pub mod backend;
pub mod config;
pub mod data_file;
pub mod explain;
mod glob;
pub mod hierarchy;
mod interpolate;
mod invocation;
pub mod key;
pub mod layer;
mod look_up;
pub mod lookup_options;
pub mod merge;
pub mod query;
mod quick_answer;
mod state;
mod surroundings;

pub use backend::context;
pub use data_file::hocon;
pub use data_file::{self as file, cache as files, data, yaml};
pub use glob::glob;
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
pub fn is_plain_text(text: &str) -> bool {
    matches!(data_file::yaml::scalar::scan(text), Ok(data::Data::Text(_)))
}
