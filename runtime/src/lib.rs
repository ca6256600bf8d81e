//! The world a compile happens in: environments, autoloader, facts, the catalog.

pub use bunraku_catalog as catalog;
pub use bunraku_files as files;
pub use bunraku_files::tree;
pub use bunraku_hiera as hiera;
pub use bunraku_nodes::{enc, facts, ldap};
pub use bunraku_process as process;
pub use bunraku_resource_types as resource_types;
pub use bunraku_stores as store;

pub mod archive;
pub mod bench;
pub mod check;
pub mod compile;
pub mod erb;
mod extensions;
pub mod function_files;
pub mod functions;
mod issue_code;
pub mod job;
pub mod modules;
pub mod natives;
pub mod relative;
pub mod ruby;
pub mod settings;
pub mod snapshot;
pub mod snapshots;
pub mod stats;
pub mod threads;
pub mod units;
