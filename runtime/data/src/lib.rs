//! Puppet's values as JSON and back, and names as Puppet spells them. [`json`] makes values of facts, node terms and
//! data; [`rich`] writes them as catalogs have them.

pub mod json;
pub mod names;
mod pcore;
pub mod rich;
