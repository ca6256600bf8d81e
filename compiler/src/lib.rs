//! Puppet source text to units of bytecode: lex, parse, check, resolve, lower.

pub mod ast;
