//! Data files: [`yaml`], JSON and [`hocon`] are parsed to [`data`]; [`layout`] is their encoded form, which archives hold
//! and [`decode`] goes through; [`indexed`] is a file in that form with what is known of its keys, [`plain_options`] of
//! its `lookup_options`; [`cache`] keeps files; [`lines`] says where in a file its values stand.

pub mod cache;
pub mod data;
pub(crate) mod decode;
mod format;
pub(crate) mod from_value;
pub mod hocon;
mod indexed;
pub mod layout;
pub(crate) mod lines;
pub(crate) mod plain_options;
pub mod yaml;

pub use format::{DataFault, DataFormat};
pub use indexed::{DataFile, DataReader, FoundKey, hash_of};
