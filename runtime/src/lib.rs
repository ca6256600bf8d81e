//! The world a compile happens in: environments, autoloader, facts, the catalog.

pub mod archive;
pub mod bench;
pub mod catalog;
pub mod check;
pub mod compile;
pub mod data;
pub mod enc;
pub mod environment;
pub mod erb;
pub mod facts;
pub mod function_files;
pub mod functions;
pub mod hiera;
pub mod job;
pub mod modules;
pub mod names;
pub mod natives;
pub mod relative;
pub mod resource_types;
pub mod ruby;
pub mod settings;
pub mod stats;
pub mod store;
pub mod threads;
pub mod tree;
pub mod units;
