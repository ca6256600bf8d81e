//! The machine: values, types, units, scopes and the loop that runs bytecode.

pub mod access;
pub mod annotation;
pub mod archive;
pub mod arith;
pub mod base64;
pub mod budget;
pub mod calls;
pub mod cause;
pub mod compare;
pub mod compat;
mod context;
pub mod coverage;
pub mod diagnostic;
pub mod error;
pub mod format;
mod frame;
pub mod frozen;
pub mod function;
pub mod host;
mod interp;
pub mod isa;
pub mod iterator;
pub mod label;
pub mod learned;
mod loaded;
mod matches;
pub mod matching;
pub mod names;
pub mod observer;
pub mod operand;
mod output;
mod pending;
pub mod raised;
pub mod regex;
pub mod scope;
pub mod semver;
pub mod site;
pub mod symbol;
pub mod time;
pub mod types;
pub mod unit;
pub mod uri;
pub mod value;
pub mod vm;

/// Things that can be called with arguments: lambdas, and functions written in Puppet.
pub mod closure {
    pub use crate::scope::Closure;
}
