//! The world a compile happens in: environments, autoloader, facts, the catalog.

pub use bunraku_files as files;
pub use bunraku_files::tree;
pub use bunraku_hiera as hiera;
pub use bunraku_process as process;

pub mod archive;
pub mod bench;
pub mod catalog;
pub mod check;
pub mod compile;
pub mod data;
pub mod enc;
pub mod erb;
mod extensions;
pub mod facts;
pub mod function_files;
pub mod functions;
mod issue_code;
pub mod job;
pub mod ldap;
pub mod modules;
pub mod names;
pub mod natives;
pub mod relative;
pub mod resource_types;
pub mod ruby;
mod ruby_tree;
pub mod settings;
pub mod snapshot;
pub mod snapshots;
pub mod stats;
pub mod store;
pub mod threads;
pub mod units;
