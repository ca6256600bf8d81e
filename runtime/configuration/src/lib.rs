//! Puppet's settings and the files that a site writes them in: `puppet.conf`, `environment.conf`, `puppetdb.conf`,
//! `routes.yaml`. A [`Configuration`](configuration::Configuration) says what is in force, and where each value comes from.

pub mod configuration;
pub mod environment_conf;
pub mod environments;
pub mod file;
pub mod in_force;
mod interpolation;
pub mod layout;
pub mod origin;
pub mod paths;
pub mod puppetdb;
pub mod routes;
pub mod table;
pub mod typed;
pub mod unsupported;
pub mod value;
