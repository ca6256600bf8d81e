//! Puppet source text to units of bytecode: lex, parse, check, resolve, lower.

pub mod ast;
pub mod check;
mod lex;
pub mod lower;
mod parse;
pub mod source;

pub use parse::{ParseLimits, Parsed, parse};
pub use source::{LineIndex, SourceFile, SourceKind};
