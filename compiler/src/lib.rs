//! Puppet source text to units of bytecode: lex, parse, check, lower (which resolves names).

pub mod ast;
pub mod bodies;
pub mod check;
pub mod dump;
pub mod extent;
mod label;
mod lex;
pub mod literal;
pub mod lower;
mod parse;
pub mod places;
mod relative;
pub mod source;
pub mod survey;
mod visit;
pub mod written;

pub use parse::{ParseLimits, Parsed, parse};
pub use relative::{RelativeName, relative_names};
pub use source::{LineIndex, SourceFile, SourceKind};
