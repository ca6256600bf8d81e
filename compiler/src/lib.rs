//! Puppet source text to units of bytecode: lex, parse, check, resolve, lower.

pub mod ast;
pub mod lower;

use bumpalo::Bump;
use bunraku_vm::diagnostic::Diagnostic;
pub struct LineIndex;
impl LineIndex {
    pub fn new(_: &str) -> Self {
        todo!()
    }
    pub fn line_column(&self, _: &str, _: u32) -> (u32, u32) {
        todo!()
    }
}
pub enum SourceKind {
    Manifest,
    Epp,
}
pub struct SourceFile<'s> {
    pub path: Option<&'s str>,
    pub text: &'s str,
    pub kind: SourceKind,
}
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
pub fn parse<'a>(_: &'a Bump, _: &SourceFile<'a>) -> Result<ast::Program<'a>, Vec<Diagnostic>> {
    todo!()
}
pub fn check(_: &ast::Program<'_>, _: &SourceFile<'_>, _: &CheckOptions) -> Vec<Diagnostic> {
    todo!()
}
pub fn decode<'b>(_: &'b [u8], _: Option<&str>) -> Result<std::borrow::Cow<'b, str>, Diagnostic> {
    todo!()
}
