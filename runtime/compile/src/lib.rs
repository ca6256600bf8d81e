//! One compile: [`compile`] holds its state and runs it, [`phases`] has the phases in Puppet's order. [`load`],
//! [`definitions`] and [`aliases`] find and know what code defines; [`classes`] and [`declare`] put resources into the
//! catalog; [`params`] binds parameters; [`collect`], [`exported`], [`overrides`] and [`defaults`] change what is there;
//! [`relations`] and [`finish`] complete the catalog; [`cycles`] looks for dependency cycles where asked. [`host`] is what
//! running code sees of all that; the `…_port` files are what Hiera, ERB and Ruby see of it.

pub use bunraku_catalog as catalog;
pub use bunraku_environment::{
    archive, check, extensions, function_files, modules, pieces, relative, snapshot, snapshots, units,
};
pub use bunraku_files as files;
pub use bunraku_files::tree;
pub use bunraku_hiera as hiera;
pub use bunraku_native_ruby as erb;
pub use bunraku_nodes::{enc, facts, ldap};
pub use bunraku_process as process;
pub use bunraku_resource_types as resource_types;
pub use bunraku_ruby as ruby;
pub use bunraku_stores as store;

mod aliases;
mod asked_data;
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
pub mod session;
pub mod settings;
mod sound;
mod sources;
mod state;
pub mod stats;
mod syntax;
pub mod threads;
mod variables;
mod witness;

pub use state::journal::Log;
pub use state::witness::Note;
