//! The machine: values, types, units, scopes and the loop that runs bytecode.

pub mod access;
mod annotation;
pub mod archive;
pub mod arith;
pub mod base64;
pub mod closure;
pub mod compare;
pub mod diagnostic;
pub mod error;
pub mod format;
pub mod function;
pub mod host;
mod interp;
pub mod isa;
pub mod iterator;
pub mod label;
mod loaded;
pub mod regex;
pub mod scope;
pub mod semver;
pub mod symbol;
pub mod time;
pub mod types;
pub mod unit;
pub mod uri;
pub mod value;
pub mod vm;
