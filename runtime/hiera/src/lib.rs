//! Hiera: values by key from the global layer, the environment's and the module's.
//!
//! Whoever looks something up takes [`Lookups`] from a compile's [`Hiera`]; what look-ups ask of the compile around them
//! is the trait [`Surroundings`]. A look-up goes down through these parts: [`look_up`] (the order of it all), [`layer`]
//! (which `hiera.yaml` there are), [`config`] (what they say), [`hierarchy`] (their entries, with variables resolved),
//! [`backend`] (the functions that give data), [`data_file`] (YAML, JSON, HOCON). Beside them, [`lookup_options`] says
//! how values are merged and converted, [`merge`] makes one value of several, [`interpolate`] resolves `%{…}`;
//! [`query`] is `puppet lookup`, [`explain`] its explanations. What one compile keeps is in [`state`].
//! Source: `Puppet::Pops::Lookup`.

mod answered;
pub mod backend;
pub mod config;
mod configured_variables;
pub mod data_file;
pub mod explain;
mod fault;
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
mod under_way;
mod variables;

pub use backend::context;
pub use backend::kept_answers::{CertainCall, RestsOn};
pub use invocation::{InterpolatedInto, Invocation};
pub use state::{Hiera, Lookups};
pub use surroundings::{EnvironmentParts, FunctionSide, ModuleParts, Repeat, Surroundings};
