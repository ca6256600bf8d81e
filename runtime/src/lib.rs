//! The world a compile happens in: environments, autoloader, facts, the catalog.

pub mod catalog;
pub mod check;
pub mod compile;
pub mod data;
pub mod environment;
pub mod facts;
pub mod hiera;
pub mod job;
pub mod modules;
pub mod names;
pub mod natives;
pub mod relative;
pub mod resource_types;
pub mod settings;
pub mod units;
