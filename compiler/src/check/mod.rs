//! Puppet's static rules: what a syntactically right file must not say.
//!
//! `walk` visits the tree in the order Puppet's validator does and calls each rule where that does, so
//! that messages come in Puppet's order. The rules know nothing of each other.

mod assign;
mod collect;
mod definition;
mod expressions;
mod heredoc;
mod idem;
pub mod json;
mod keys;
mod location;
mod names;
mod node;
mod report;
mod resource;
mod rvalue;
pub mod syntax;
mod typedef;
mod walk;

#[cfg(test)]
mod tests;

use crate::ast::{ExprKind, Program};
use crate::source::SourceFile;
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::Diagnostic;
pub use bunraku_vm::host::Strict;
pub use keys::DEPRECATED_TYPE;
pub use location::{Location, namespace_of};
use report::Report;

/// What the checks have to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions<'s> {
    /// Puppet's setting `strict`.
    pub strict: Strict,
    /// The version of the language by whose rules the file is checked.
    pub compat: Compat,
    /// What the file's place in a module says about the names in it.
    pub location: Location<'s>,
}

/// Checks a parsed file: the warnings, then the errors, each in the order Puppet gives them. All of them:
/// how many are shown (`max_errors`, `max_warnings`, `max_deprecations`) is for the caller to say.
pub fn check(program: &Program<'_>, source: &SourceFile<'_>, options: &CheckOptions<'_>) -> Vec<Diagnostic> {
    check_within(program, source, options, 0)
}

/// The same for a text that stands in so many others.
fn check_within(
    program: &Program<'_>,
    source: &SourceFile<'_>,
    options: &CheckOptions<'_>,
    depth: u32,
) -> Vec<Diagnostic> {
    let mut checker = Checker { options, source, depth, report: Report::new(source) };
    checker.top_constructs(program);
    if !matches!(program.body.kind, ExprKind::Nop) {
        checker.walk(program.body, walk::Around::Program);
    }
    checker.report.finish()
}

struct Checker<'c, 's> {
    options: &'c CheckOptions<'c>,
    source: &'c SourceFile<'s>,
    depth: u32,
    report: Report<'s>,
}
