//! The machine: values, types, units, scopes and the loop that runs bytecode.

pub mod diagnostic;
