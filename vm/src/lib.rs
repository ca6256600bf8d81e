//! The machine: values, types, units, scopes and the loop that runs bytecode.

pub mod access;
pub mod arith;
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
mod loaded;
pub mod regex;
pub mod scope;
pub mod signature;
pub mod symbol;
pub mod types;
pub mod unit;
pub mod value;
pub mod vm;
