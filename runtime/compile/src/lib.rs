//! The world a compile happens in: environments, autoloader, facts, the catalog.

pub use bunraku_catalog as catalog;
pub use bunraku_environment::{
    archive, check, extensions, function_files, modules, relative, snapshot, snapshots, units,
};
pub use bunraku_erb as erb;
pub use bunraku_files as files;
pub use bunraku_files::tree;
pub use bunraku_hiera as hiera;
pub use bunraku_nodes::{enc, facts, ldap};
pub use bunraku_process as process;
pub use bunraku_resource_types as resource_types;
pub use bunraku_ruby as ruby;
pub use bunraku_stores as store;

pub mod bench;
pub mod compile;
pub mod functions;
pub mod job;
pub mod natives;
pub mod settings;
pub mod stats;
pub mod threads;
