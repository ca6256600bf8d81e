//! The machine: values, types, units, scopes and the loop that runs bytecode.

pub mod closure;
pub mod diagnostic;
pub mod error;
pub mod function;
pub mod host;
pub mod iterator;
pub mod scope;
pub mod symbol;
pub mod types;
pub mod unit;
pub mod value;
pub mod vm;
