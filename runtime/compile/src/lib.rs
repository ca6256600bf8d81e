//! One compile: [`compile`] holds its state, [`run`] runs it; [`phases`] has the phases in Puppet's order, [`node_variables`]
//! what a node brings with it. [`load`], [`definitions`] and [`aliases`] find and know what code defines; [`classes`] and [`declare`] put resources into the
//! catalog; [`params`] binds parameters; [`collect`], [`exported`], [`overrides`] and [`defaults`] change what is there;
//! [`relations`] and [`finish`] complete the catalog; [`cycles`] looks for dependency cycles where asked. [`host`] is what
//! running code sees of all that; the `…_port` files are what Hiera, ERB and Ruby see of it.

mod aliases;
mod asked_data;
mod checked_params;
mod classes;
mod collect;
pub mod compile;
mod config_version;
mod cycles;
mod declare;
mod defaults;
mod definitions;
mod exported;
mod faults;
mod finish;
pub mod functions;
mod hiera_port;
mod host;
pub mod inputs;
pub mod job;
mod journal;
mod late_aliases;
mod load;
mod module_metadata;
mod native_ruby_port;
pub mod natives;
mod node_variables;
pub mod origins;
mod overrides;
mod params;
mod phases;
mod plain_data;
pub mod programs;
mod query;
mod read_settings;
mod relations;
mod reports;
pub mod request_settings;
mod ruby_functions;
mod ruby_port;
mod run;
pub mod session;
pub mod settings;
mod sources;
mod state;
pub mod stats;
mod syntax;
pub mod threads;
mod variables;
mod witness;

pub use state::journal::Log;
pub use state::witness::Note;
