//! Puppet source text to units of bytecode: lex, parse, check, resolve, lower.

pub mod ast;
pub mod check;
mod lex;
pub mod lower;
mod parse;
pub mod source;

pub use parse::{ParseLimits, Parsed, parse};
pub use source::{LineIndex, SourceFile, SourceKind};

use bunraku_vm::diagnostic::Diagnostic;
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Strict {
    Off,
    Warning,
    #[default]
    Error,
}
#[derive(Clone, Default)]
pub struct CheckOptions {
    pub strict: Strict,
}
pub fn check(_: &ast::Program<'_>, _: &SourceFile<'_>, _: &CheckOptions) -> Vec<Diagnostic> {
    vec![]
}
